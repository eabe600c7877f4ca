//! References: a change of a referenced object requests all objects that refer to it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube_core::ResourceExt;
use kube_core::dynamic::DynamicObject;
use serde_json::{Value, json};
use tidings_apiserver::{Fault, Verb};
use tidings_controller::{
    Action, Context, Controller, ControllerBuilder, ControllerError, Reference, Request, Signals,
};
use tidings_object::{Key, Kind as _, ResourceKind, Scope};
use tokio_util::sync::CancellationToken;

use crate::controller::harness::{RequestLog, RunningController, TestCluster, settle};

const SECOND: Duration = Duration::from_secs(1);

fn widgets() -> ResourceKind {
    ResourceKind {
        group: "example.com".into(),
        version: "v1".into(),
        kind: "Widget".into(),
        plural: "widgets".into(),
        scope: Scope::Namespaced,
    }
}

/// A server with a custom resource `widgets` that has this schema of its spec.
async fn cluster_with(spec: Value) -> TestCluster {
    let cluster = TestCluster::new().await;
    let schema = json!({ "type": "object", "properties": { "spec": spec } });
    let version =
        json!({ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } });
    let names = json!({ "plural": "widgets", "kind": "Widget" });
    let spec =
        json!({ "group": "example.com", "names": names, "scope": "Namespaced", "versions": [version] });
    let metadata = json!({ "name": "widgets.example.com" });
    cluster.server.put("customresourcedefinitions", json!({ "metadata": metadata, "spec": spec }));
    cluster
}

async fn cluster() -> TestCluster {
    cluster_with(json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true })).await
}

fn put(cluster: &TestCluster, name: &str, spec: Value) {
    let metadata = json!({ "name": name, "uid": format!("uid-{name}") });
    cluster.server.put("widgets.example.com", json!({ "metadata": metadata, "spec": spec }));
}

fn touch(cluster: &TestCluster, namespace: &str, name: &str, labels: Value) {
    let metadata = json!({ "name": name, "namespace": namespace, "labels": labels });
    cluster.server.put("secrets", json!({ "metadata": metadata }));
}

async fn start(
    cluster: &TestCluster,
    with: impl FnOnce(ControllerBuilder<DynamicObject>) -> ControllerBuilder<DynamicObject>,
) -> (RunningController, RequestLog) {
    let requests = RequestLog::new();
    let log = requests.clone();
    let builder = with(Controller::for_resource("widgets", widgets()));
    let controller = builder.reconcile(move |request: Request, _: Context| {
        log.record(&request);
        async { Ok(Action::await_change()) }
    });
    let started = cluster.start_synced(controller).await;
    requests.take();
    (started, requests)
}

/// The requests after a change of a secret.
async fn after(requests: &RequestLog) -> String {
    settle().await;
    let mut requests = requests.take();
    requests.sort();
    requests.join(" ")
}

// holds: X69
#[tokio::test(start_paused = true)]
async fn a_change_of_a_referenced_object_requests_all_that_refer_to_it_and_only_these() {
    let cluster = cluster().await;
    for (name, secret) in [("a", "s"), ("b", "s"), ("c", "t")] {
        put(&cluster, name, json!({ "secretRef": { "name": secret } }));
    }
    put(&cluster, "none", json!({}));
    let (started, requests) =
        start(&cluster, |builder| builder.refers_to::<Secret>(".spec.secretRef.name")).await;
    touch(&cluster, "default", "s", json!({}));
    assert_eq!(after(&requests).await, "a b");
    touch(&cluster, "default", "s", json!({ "changed": "yes" }));
    assert_eq!(after(&requests).await, "a b");
    assert!(cluster.server.remove("secrets", "default/s"));
    assert_eq!(after(&requests).await, "a b");
    touch(&cluster, "other", "s", json!({}));
    assert_eq!(after(&requests).await, "", "the same name in another namespace");
    touch(&cluster, "default", "unknown", json!({}));
    assert_eq!(after(&requests).await, "");
    started.shutdown().await;
}

// holds: X69
#[tokio::test(start_paused = true)]
async fn an_object_that_changes_its_reference_is_followed() {
    let cluster = cluster().await;
    put(&cluster, "a", json!({ "secretRef": { "name": "s" } }));
    let (started, requests) =
        start(&cluster, |builder| builder.refers_to::<Secret>(".spec.secretRef.name")).await;
    put(&cluster, "a", json!({ "secretRef": { "name": "t" } }));
    assert_eq!(after(&requests).await, "a", "its own change");
    touch(&cluster, "default", "s", json!({}));
    assert_eq!(after(&requests).await, "");
    touch(&cluster, "default", "t", json!({}));
    assert_eq!(after(&requests).await, "a");
    assert!(cluster.server.remove("widgets.example.com", "default/a"));
    after(&requests).await;
    touch(&cluster, "default", "t", json!({ "changed": "yes" }));
    assert_eq!(after(&requests).await, "", "nothing refers to it any more");
    started.shutdown().await;
}

// holds: X69
#[tokio::test(start_paused = true)]
async fn references_may_be_lists_have_namespaces_select_labels_or_come_from_a_function() {
    let cluster = cluster().await;
    put(
        &cluster,
        "list",
        json!({ "names": ["s", "t"], "tls": [{ "secretName": "u" }, {}, { "secretName": "s" }] }),
    );
    put(&cluster, "elsewhere", json!({ "ref": { "name": "s", "namespace": "other" } }));
    put(&cluster, "near", json!({ "ref": { "name": "s" } }));
    put(
        &cluster,
        "objects",
        json!({ "refs": [{ "name": "x" }, { "name": "s", "namespace": "other" }, {}, 7] }),
    );
    put(
        &cluster,
        "selects",
        json!({ "selector": { "matchExpressions": [{ "key": "app", "operator": "Exists" }] } }),
    );
    put(&cluster, "labels", json!({ "selector": { "app": "web" } }));
    put(&cluster, "everything", json!({ "selector": {} }));
    put(&cluster, "function", json!({ "note": "s" }));
    let reference = Reference::<Secret>::new()
        .at(".spec.names[*]")
        .at(".spec.tls[*].secretName")
        .at_in(".spec.ref.name", ".spec.ref.namespace")
        .objects_at(".spec.refs")
        .selected_by(".spec.selector")
        .by(|widget: &DynamicObject| {
            let note = widget.data["spec"]["note"].as_str();
            note.into_iter().filter_map(|note| Key::new(widget.namespace().as_deref(), note).ok()).collect()
        });
    let (started, requests) = start(&cluster, |builder| builder.refers_to_with(reference)).await;
    for (namespace, name, labels, expected) in [
        ("default", "s", json!({}), "function list near"),
        ("default", "t", json!({}), "list"),
        ("default", "u", json!({}), "list"),
        ("other", "s", json!({}), "elsewhere objects"),
        ("default", "x", json!({}), "objects"),
        ("default", "free", json!({ "app": "web" }), "labels selects"),
        ("default", "free", json!({ "app": "db" }), "labels selects"),
        ("default", "free", json!({}), "selects"),
        ("default", "free", json!({ "other": "yes" }), ""),
        ("other", "free", json!({ "app": "web" }), ""),
    ] {
        touch(&cluster, namespace, name, labels.clone());
        assert_eq!(after(&requests).await, expected, "{namespace}/{name} {labels}");
    }
    started.shutdown().await;
}

// holds: X69
#[tokio::test(start_paused = true)]
async fn a_reference_that_is_added_to_a_filled_cache_works_at_once() {
    let cluster = cluster().await;
    for at in 0..2_000 {
        put(&cluster, &format!("w-{at}"), json!({ "secretRef": { "name": format!("s-{at}") } }));
    }
    let informer = cluster.factory.dynamic(widgets()).unwrap();
    let running = cluster.factory.start();
    running.synced().await.unwrap();
    let (started, requests) =
        start(&cluster, |builder| builder.refers_to::<Secret>(".spec.secretRef.name")).await;
    after(&requests).await;
    touch(&cluster, "default", "s-1999", json!({}));
    assert_eq!(after(&requests).await, "w-1999");
    started.shutdown().await;
    drop(informer);
    running.shutdown().await;
}

// holds: X70
#[tokio::test(start_paused = true)]
async fn a_path_that_the_schema_does_not_have_ends_the_controller_with_an_error_that_names_it() {
    let schema = json!({ "type": "object", "properties": { "secretRef": {
        "type": "object", "properties": { "name": { "type": "string" } } } } });
    for (path, is_right) in [(".spec.secretRef.name", true), (".spec.secretref.name", false)] {
        let cluster = cluster_with(schema.clone()).await;
        let controller = Controller::for_resource("widgets", widgets())
            .refers_to::<Secret>(path)
            .reconcile(async |_: Request, _: Context| Ok(Action::await_change()));
        let (_, task) = controller.attach(&cluster.factory).unwrap();
        let running = cluster.factory.start();
        let stop = CancellationToken::new();
        let ended = tokio::time::timeout(60 * SECOND, task.run(Signals::from(stop.clone()))).await;
        match (ended, is_right) {
            (Err(_), true) => {}
            (Ok(Err(error @ ControllerError::Reference { .. })), false) => {
                let text = error.to_string();
                assert!(
                    text.contains(".spec.secretref.name") && text.contains("widgets.example.com"),
                    "{text}"
                );
            }
            (other, _) => panic!("{path}: {other:?}"),
        }
        running.shutdown().await;
    }
}

// holds: X70
#[tokio::test(start_paused = true)]
async fn an_invalid_reference_is_an_error_before_anything_runs() {
    let cluster = cluster().await;
    let attach = |builder: ControllerBuilder<DynamicObject>| {
        let controller = builder.reconcile(async |_: Request, _: Context| Ok(Action::await_change()));
        controller.attach(&cluster.factory).map(drop).unwrap_err().to_string()
    };
    let widgets = || Controller::for_resource("widgets", widgets());
    let error = attach(widgets().refers_to::<Secret>(".spec[x"));
    assert!(error.contains("references at \".spec[x\": they refer to secrets: "), "{error}");
    let error = attach(widgets().refers_to_with(Reference::<Secret>::new()));
    assert!(error.contains("it has no path"), "{error}");
    let nodes = ResourceKind { scope: Scope::Cluster, ..widgets_kind() };
    let error = attach(Controller::for_resource("nodes", nodes).refers_to::<Secret>(".spec.name"));
    assert!(error.contains("has no namespace: use `.at_in(name, namespace)`"), "{error}");
}

fn widgets_kind() -> ResourceKind {
    widgets()
}

/// Widgets that refer to each other request each other once for each change, and no more.
// holds: X70
#[tokio::test(start_paused = true)]
async fn a_cycle_of_references_loses_nothing_and_does_not_spin() {
    let cluster = cluster().await;
    put(&cluster, "a", json!({ "next": "b" }));
    put(&cluster, "b", json!({ "next": "a" }));
    let reference = Reference::resource(widgets()).at(".spec.next");
    let (started, requests) = start(&cluster, |builder| builder.refers_to_with(reference)).await;
    put(&cluster, "a", json!({ "next": "b", "changed": true }));
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(after(&requests).await, "a b");
    started.shutdown().await;
}

/// Config maps refer to secrets, and secrets to config maps, in two controllers of one factory.
// holds: X70
#[tokio::test(start_paused = true)]
async fn a_cycle_of_references_between_two_controllers_requests_each_object_once_for_each_change() {
    let cluster = TestCluster::new().await;
    let put_map = |value: &str| cluster.put_with("a", json!({ "secret": "s", "value": value }));
    let put_secret = |value: &str| {
        let metadata = json!({ "name": "s", "annotations": { "map": "a" } });
        cluster.server.put("secrets", json!({ "metadata": metadata, "data": { "value": value } }));
    };
    put_map("0");
    put_secret("MA==");
    let (maps, secrets) = (RequestLog::new(), RequestLog::new());
    let of_maps = Controller::for_kind::<ConfigMap>("maps").refers_to::<Secret>(".data.secret");
    let of_secrets =
        Controller::for_kind::<Secret>("secrets").refers_to::<ConfigMap>(".metadata.annotations.map");
    let of_maps = cluster.start_synced(of_maps.reconcile(maps.reconciler())).await;
    let of_secrets = cluster.start_synced(of_secrets.reconcile(secrets.reconciler())).await;
    tokio::time::sleep(60 * SECOND).await;
    drop((maps.take(), secrets.take()));
    for change in 1..4 {
        put_map(&change.to_string());
        tokio::time::sleep(60 * SECOND).await;
        assert_eq!((maps.take(), secrets.take()), (vec!["a".to_owned()], vec!["s".to_owned()]), "{change}");
        put_secret("MQ==");
        put_secret(["Mg==", "Mw==", "NA=="][change - 1]);
        tokio::time::sleep(60 * SECOND).await;
        let (maps, secrets) = (maps.take(), secrets.take());
        assert!((1..=2).contains(&maps.len()) && maps.iter().all(|name| name == "a"), "{maps:?}");
        assert!((1..=2).contains(&secrets.len()) && secrets.iter().all(|name| name == "s"), "{secrets:?}");
    }
    of_maps.shutdown().await;
    of_secrets.shutdown().await;
}

// holds: X71
#[tokio::test(start_paused = true)]
async fn bodies_of_referenced_objects_are_kept_until_they_change_and_others_are_not_cached() {
    let cluster = TestCluster::new().await;
    let secret = |name: &str, value: &str| {
        cluster.server.put("secrets", json!({ "metadata": { "name": name }, "data": { "v": value } }));
    };
    for at in 0..50 {
        secret(&format!("s-{at}"), "b2xk");
    }
    cluster.put_with("a", json!({ "ref": "s-7" }));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&seen);
    let controller = Controller::for_kind::<ConfigMap>("maps")
        .refers_to_with(Reference::<Secret>::with_referenced_bodies().at(".data.ref"))
        .reconcile(move |request: Request, context: Context| {
            let noted = Arc::clone(&noted);
            async move {
                let Some(map) = context.get::<ConfigMap>(&request).await? else {
                    return Ok(Action::await_change());
                };
                let name =
                    map.data.iter().flatten().find(|(key, _)| *key == "ref").map(|(_, name)| name.clone());
                let key = Key::new(request.namespace(), &name.unwrap_or_default())?;
                for _ in 0..3 {
                    let secret = context.get::<Secret>(&key).await?;
                    let value = secret.and_then(|secret| Some(secret.data.as_ref()?.get("v")?.0.clone()));
                    noted.lock().unwrap().push(value.map(|value| String::from_utf8(value).unwrap()));
                }
                Ok(Action::await_change())
            }
        });
    let gets = || cluster.server.requests().iter().filter(|request| request.verb == Some(Verb::Get)).count();
    let started = cluster.start_synced(controller).await;
    settle().await;
    let take = || std::mem::take(&mut *seen.lock().unwrap());
    assert_eq!(take(), vec![Some("old".to_owned()); 3]);
    let first = gets();
    secret("s-7", "bmV3");
    settle().await;
    assert_eq!(take(), vec![Some("new".to_owned()); 3]);
    assert_eq!(gets(), first + 1, "one request for each change of a referenced object");
    secret("s-8", "bmV3");
    settle().await;
    assert_eq!((take().len(), gets()), (0, first + 1), "none for others");
    assert!(cluster.server.remove("secrets", "default/s-7"));
    settle().await;
    assert_eq!((take(), gets()), (vec![None; 3], first + 1));
    let full =
        cluster.factory.stats().into_iter().find(|stats| stats.resource == Secret::resource()).unwrap();
    assert!(full.memory.packed_bytes < 50 * 400, "only metadata is cached: {:?}", full.memory);
    started.shutdown().await;
}

// holds: X70, X71
#[tokio::test(start_paused = true)]
async fn a_referenced_object_that_may_not_be_read_is_an_error_that_says_so() {
    let cluster = TestCluster::new().await;
    cluster.server.put("secrets", json!({ "metadata": { "name": "s", "namespace": "vault" } }));
    cluster.put_with("a", json!({ "ref": "s" }));
    let forbidden =
        Fault::Status { code: 403, retry_after_seconds: None }.always().on(Verb::Get).of("secrets");
    cluster.server.faults().inject(forbidden);
    let errors = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&errors);
    let reference = Reference::<Secret>::with_referenced_bodies()
        .by(|_: &ConfigMap| vec![Key::parse("vault/s").expect("it is a key")]);
    let controller = Controller::for_kind::<ConfigMap>("maps")
        .refers_to_with(reference)
        .on_error(move |_, error, _| {
            noted.lock().unwrap().push(error.to_string());
            Action::requeue_after(SECOND)
        })
        .reconcile(async |_: Request, context: Context| {
            context.get::<Secret>(&Key::parse("vault/s")?).await?;
            Ok(Action::await_change())
        });
    let started = cluster.start_synced(controller).await;
    tokio::time::sleep(3 * SECOND).await;
    let seen = errors.lock().unwrap().clone();
    assert!(seen.len() > 1, "it is retried");
    assert!(seen[0].contains("reading secrets vault/s from the server is not permitted"), "{seen:?}");
    cluster.server.faults().clear();
    tokio::time::sleep(3 * SECOND).await;
    assert_eq!(started.handle.stats().successes, 1, "nothing is lost");
    started.shutdown().await;
}
