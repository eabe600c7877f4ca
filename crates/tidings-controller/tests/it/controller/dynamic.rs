//! Controllers of resources that are known only at run time.

use std::time::Duration;

use kube_core::dynamic::DynamicObject;
use serde_json::{Value, json};
use tidings_apiserver::Fault;
use tidings_apiserver::Verb;
use tidings_controller::{Action, Context, Controller, ControllerError, Error, Owned, Request, Watched};
use tidings_object::{ResourceKind, Scope};

use crate::controller::harness::{RequestLog, TestCluster, settle};

fn resource(group: &str, kind: &str, plural: &str) -> ResourceKind {
    let (group, version) = (group.to_owned().into(), "v1".into());
    let (kind, plural) = (kind.to_owned().into(), plural.to_owned().into());
    ResourceKind { group, version, kind, plural, scope: Scope::Namespaced }
}

fn widgets() -> ResourceKind {
    resource("example.com", "Widget", "widgets")
}

fn secrets() -> ResourceKind {
    resource("", "Secret", "secrets")
}

/// A server with a custom resource `widgets`.
async fn cluster() -> TestCluster {
    let cluster = TestCluster::new().await;
    let version = json!({ "name": "v1", "served": true, "storage": true,
        "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } } });
    let names = json!({ "plural": "widgets", "kind": "Widget" });
    cluster.server.put(
        "customresourcedefinitions",
        json!({ "metadata": { "name": "widgets.example.com" },
            "spec": { "group": "example.com", "names": names, "scope": "Namespaced", "versions": [version] } }),
    );
    cluster
}

fn widget(name: &str, colour: &str) -> Value {
    json!({ "metadata": { "name": name, "uid": format!("uid-{name}") }, "spec": { "colour": colour } })
}

fn owned_by(widget: &str) -> Value {
    json!([{ "apiVersion": "example.com/v1", "kind": "Widget", "name": widget, "uid": format!("uid-{widget}"),
        "controller": true }])
}

/// Gives each widget a secret with its colour.
async fn paint(request: Request, context: Context) -> Result<Action, Error> {
    let Some(widget) = context.lister_of(&widgets())?.get(&request) else {
        return Ok(Action::await_change());
    };
    if context.lister_of(&secrets())?.get(&request).is_some() {
        return Ok(Action::await_change());
    }
    let colour = &widget.decoded()?.data["spec"]["colour"];
    let secret: DynamicObject = serde_json::from_value(json!({
        "metadata": { "name": request.name(), "ownerReferences": owned_by(request.name()) },
        "stringData": { "colour": colour },
    }))?;
    context.api_of(secrets()).create(&secret).await?;
    Ok(Action::await_change())
}

#[tokio::test(start_paused = true)]
async fn a_dynamic_resource_is_reconciled_like_any_other() {
    let cluster = cluster().await;
    cluster.server.put("widgets.example.com", widget("a", "red"));
    let requests = RequestLog::new();
    let log = requests.clone();
    let controller = Controller::for_resource("painter", widgets())
        .owns_with(Owned::resource(secrets()))
        .reconcile(move |request: Request, context| {
            log.record(&request);
            paint(request, context)
        });
    let started = cluster.start_synced(controller).await;
    assert_eq!(cluster.server.object("secrets", "default/a").unwrap()["data"]["colour"], "cmVk");
    cluster.server.put("widgets.example.com", widget("b", "blue"));
    settle().await;
    assert_eq!(cluster.server.object("secrets", "default/b").unwrap()["data"]["colour"], "Ymx1ZQ==");
    assert_eq!(
        requests.take(),
        ["a", "a", "b", "b"],
        "once for the widget, and once for the secret that it owns"
    );
    assert!(cluster.server.remove("secrets", "default/a"));
    settle().await;
    assert!(cluster.server.object("secrets", "default/a").is_some(), "a missing secret is created again");
    assert_eq!(started.handle.stats().errors, 0);
    started.shutdown().await;
}

/// The watch of secrets is late, and still no secret is created twice: the second reconcile waits for the write of the
/// first.
#[tokio::test(start_paused = true)]
async fn the_next_reconcile_sees_writes_to_a_dynamic_resource() {
    let cluster = cluster().await;
    let late = Duration::from_secs(2);
    cluster.server.faults().inject(Fault::SlowStream(late).always().on(Verb::Watch).of("secrets"));
    cluster.server.put("widgets.example.com", widget("a", "red"));
    let controller = Controller::for_resource("painter", widgets()).reads_resource(secrets()).reconcile(
        async |request: Request, context: Context| {
            let is_painted = context.lister_of(&secrets())?.get(&request).is_some();
            let _ = paint(request, context).await?;
            Ok(if is_painted { Action::await_change() } else { Action::requeue_after(Duration::ZERO) })
        },
    );
    let started = cluster.start_synced(controller).await;
    tokio::time::sleep(5 * late).await;
    let stats = started.handle.stats();
    assert_eq!((stats.errors, stats.write_waits, stats.write_waits_given_up), (0, 1, 0));
    assert_eq!(stats.delayed_requeues, 1, "the second look sees what the first one wrote");
    started.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn reading_an_undeclared_resource_is_an_error_with_a_hint() {
    let cluster = cluster().await;
    cluster.server.put("widgets.example.com", widget("a", "red"));
    let controller = Controller::for_resource("painter", widgets()).reconcile(async |_, context: Context| {
        let message = context.lister_of(&secrets()).unwrap_err().to_string();
        assert!(message.contains("secrets") && message.contains("reads"), "{message}");
        Ok(Action::await_change())
    });
    let started = cluster.start_synced(controller).await;
    let stats = started.handle.stats();
    assert_eq!((stats.successes, stats.panics), (1, 0));
    started.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn dynamic_resources_can_be_watched_and_read() {
    let cluster = cluster().await;
    let requests = RequestLog::new();
    let log = requests.clone();
    let config_maps = resource("", "ConfigMap", "configmaps");
    let read = config_maps.clone();
    let map = |_: &tidings_controller::Notification<DynamicObject>| {
        vec![Request::new(Some("default"), "a").unwrap()]
    };
    let controller = Controller::for_resource("reader", widgets())
        .watches_with(Watched::resource(secrets(), map))
        .reads_resource(config_maps)
        .reconcile(move |request: Request, context: Context| {
            log.record(&request);
            let is_read = context.lister_of(&read).unwrap().get(&request).is_some();
            async move { if is_read { Ok(Action::await_change()) } else { Err(Error::terminal("not read")) } }
        });
    cluster.put("a");
    let started = cluster.start_synced(controller).await;
    cluster.server.put("secrets", json!({ "metadata": { "name": "any" } }));
    settle().await;
    assert_eq!(requests.take(), ["a"]);
    assert_eq!(started.handle.stats().errors, 0);
    started.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_resource_with_an_invalid_plural_is_an_error() {
    let cluster = TestCluster::new().await;
    let controller = Controller::for_resource("invalid", resource("example.com", "Widget", ""));
    let refused = controller.reconcile(paint).attach(&cluster.factory).map(drop).unwrap_err();
    assert!(matches!(refused, ControllerError::Resource { .. }), "{refused:?}");
    assert!(refused.to_string().contains("the plural of a resource can't be \"\""), "{refused}");
}
