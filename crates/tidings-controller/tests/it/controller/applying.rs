//! Sets of objects: applied, unchanged, pruned; conditions in the status.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Node, Secret, Service};
use kube_core::dynamic::DynamicObject;
use kube_core::params::{Patch, PatchParams};
use serde_json::{Value, from_value, json};
use tidings_apiserver::{Fault, Verb};
use tidings_controller::{
    Action, Applied, Child, Condition, Context, Controller, ControllerBuilder, Error, Owned, Request,
    await_condition,
};
use tidings_factory::InformerOptions;
use tidings_object::{Key, Kind as _};

use crate::controller::harness::{RequestLog, RunningController, TestCluster, config_maps, settle};

const SECOND: Duration = Duration::from_secs(1);

fn secret(name: &str) -> Secret {
    from_value(json!({ "metadata": { "name": name, "labels": { "app": "web" } } })).unwrap()
}

fn service(name: &str, ports: &[u16]) -> Service {
    let ports: Vec<_> =
        ports.iter().map(|port| json!({ "name": format!("p{port}"), "port": port })).collect();
    from_value(
        json!({ "metadata": { "name": name }, "spec": { "selector": { "app": "web" }, "ports": ports } }),
    )
    .unwrap()
}

/// The results of `work` in each reconcile, and the running controller.
struct Runs<T> {
    results: Arc<Mutex<Vec<Result<T, String>>>>,
    started: RunningController,
}

impl<T> Runs<T> {
    fn take(&self) -> Vec<Result<T, String>> {
        std::mem::take(&mut *self.results.lock().unwrap())
    }
}

/// Runs `work` for each request of one config map, `map`.
async fn run<T, F, Work>(cluster: &TestCluster, builder: ControllerBuilder<ConfigMap>, work: F) -> Runs<T>
where
    T: Send + 'static,
    F: Fn(Arc<ConfigMap>, Context) -> Work + Send + Sync + 'static,
    Work: Future<Output = Result<T, Error>> + Send + 'static,
{
    let results = Arc::new(Mutex::new(Vec::new()));
    let (noted, work) = (Arc::clone(&results), Arc::new(work));
    let controller = builder.reconcile(move |request: Request, context: Context| {
        let (noted, work) = (Arc::clone(&noted), Arc::clone(&work));
        async move {
            let Some(map) = context.get::<ConfigMap>(&request).await? else {
                return Ok(Action::await_change());
            };
            let result = work(map, context).await.map_err(|error| error.to_string());
            noted.lock().unwrap().push(result);
            Ok(Action::await_change())
        }
    });
    let started = cluster.start_synced(controller).await;
    Runs { results, started }
}

fn applied(written: usize, unchanged: usize, deleted: usize) -> (usize, usize, usize) {
    (written, unchanged, deleted)
}

fn counts(applied: Applied) -> (usize, usize, usize) {
    (applied.written, applied.unchanged, applied.deleted)
}

/// The children that the data of the map names: `secret` or a list of ports of a service.
fn children_of(map: &ConfigMap) -> Vec<Child> {
    let child = |(name, value): (&String, &String)| match value.as_str() {
        "secret" => Child::of(&secret(name)),
        ports => {
            let ports: Vec<u16> = ports.split(' ').map(|port| port.parse().unwrap()).collect();
            Child::of(&service(name, &ports))
        }
    };
    map.data.iter().flatten().map(child).collect()
}

async fn apply(map: Arc<ConfigMap>, context: Context) -> Result<(usize, usize, usize), Error> {
    Ok(counts(context.apply_all(&*map, children_of(&map)).await?))
}

fn both(builder: ControllerBuilder<ConfigMap>) -> ControllerBuilder<ConfigMap> {
    builder.owns::<Secret>().owns::<Service>()
}

// holds: X65
#[tokio::test(start_paused = true)]
async fn a_set_of_mixed_kinds_is_applied_once_and_then_nothing_is_sent() {
    let cluster = TestCluster::new().await;
    let runs = run(&cluster, both(config_maps()), apply).await;
    cluster.put_with("map", json!({ "a": "secret", "web": "80 443" }));
    tokio::time::sleep(SECOND).await;
    let seen = runs.take();
    assert_eq!(seen[0], Ok(applied(2, 0, 0)));
    let service = cluster.server.object("services", "default/web").unwrap();
    assert!(
        seen[1..].iter().all(|result| *result == Ok(applied(0, 2, 0))) && seen.len() > 1,
        "{seen:?} {service}"
    );
    let service = cluster.server.object("services", "default/web").unwrap();
    let owner = &service["metadata"]["ownerReferences"][0];
    assert_eq!(
        (&owner["kind"], &owner["name"], &owner["controller"]),
        (&json!("ConfigMap"), &json!("map"), &json!(true))
    );
    assert_eq!(service["metadata"]["managedFields"][0]["manager"], "maps");
    let stats = runs.started.handle.stats();
    assert_eq!(stats.writes_saved, 2 * (seen.len() as u64 - 1));
    let writes =
        cluster.server.requests().into_iter().filter(|request| request.verb == Some(Verb::Patch)).count();
    assert_eq!(writes, 2, "nothing else was sent");
    runs.started.shutdown().await;
}

// holds: X66
#[tokio::test(start_paused = true)]
async fn what_is_no_longer_in_the_set_is_deleted_and_removed_fields_are_removed() {
    let cluster = TestCluster::new().await;
    let runs = run(&cluster, both(config_maps()), apply).await;
    cluster.put_with("map", json!({ "a": "secret", "b": "secret", "web": "80 443" }));
    tokio::time::sleep(SECOND).await;
    runs.take();
    cluster.put_with("map", json!({ "b": "secret", "web": "80" }));
    tokio::time::sleep(SECOND).await;
    assert_eq!(runs.take()[0], Ok(applied(1, 1, 1)));
    assert!(cluster.server.object("secrets", "default/a").is_none());
    let service = cluster.server.object("services", "default/web").unwrap();
    assert_eq!(service["spec"]["ports"].as_array().unwrap().len(), 1);
    cluster.put_with("map", json!({}));
    tokio::time::sleep(SECOND).await;
    assert_eq!(runs.take()[0], Ok(applied(0, 0, 2)), "an empty set deletes all");
    assert!(cluster.server.object("services", "default/web").is_none());
    runs.started.shutdown().await;
}

// holds: X66
#[tokio::test(start_paused = true)]
async fn only_what_this_controller_applied_for_this_owner_is_deleted() {
    let cluster = TestCluster::new().await;
    let uid = |name: &str| json!({ "metadata": { "name": name, "uid": format!("uid-{name}") } });
    for name in ["map", "other"] {
        cluster.server.put("configmaps", uid(name));
    }
    let owned = |by: &str| json!([{ "apiVersion": "v1", "kind": "ConfigMap", "name": by, "uid": format!("uid-{by}"), "controller": true }]);
    let fields = |manager: &str, operation: &str| {
        json!([{ "manager": manager, "operation": operation, "apiVersion": "v1", "fieldsType": "FieldsV1",
            "fieldsV1": { "f:type": {} } }])
    };
    let put = |name: &str, owners: Value, fields: Value| {
        let metadata = json!({ "name": name, "ownerReferences": owners, "managedFields": fields });
        cluster.server.put("secrets", json!({ "metadata": metadata, "type": "Opaque" }));
    };
    put("ours", owned("map"), fields("maps", "Apply"));
    put("created", owned("map"), fields("maps", "Update"));
    put("by-another-manager", owned("map"), fields("other", "Apply"));
    put("of-another-owner", owned("other"), fields("maps", "Apply"));
    put("without-owner", json!([]), fields("maps", "Apply"));
    let runs =
        run(&cluster, config_maps().owns::<Secret>(), async |map: Arc<ConfigMap>, context: Context| {
            if map.metadata.name.as_deref() == Some("other") {
                return Ok(applied(0, 0, 0));
            }
            apply(map, context).await
        })
        .await;
    tokio::time::sleep(SECOND).await;
    assert!(runs.take().contains(&Ok(applied(0, 0, 1))));
    assert!(cluster.server.object("secrets", "default/ours").is_none());
    for name in ["created", "by-another-manager", "of-another-owner", "without-owner"] {
        assert!(cluster.server.object("secrets", &format!("default/{name}")).is_some(), "{name}");
    }
    runs.started.shutdown().await;
}

// holds: X65
#[tokio::test(start_paused = true)]
async fn a_drifted_object_is_applied_again_and_fields_of_other_managers_stay() {
    let cluster = TestCluster::new().await;
    let runs = run(&cluster, both(config_maps()), apply).await;
    cluster.put_with("map", json!({ "a": "secret" }));
    tokio::time::sleep(SECOND).await;
    let secrets: kube_client::Api<Secret> = kube_client::Api::default_namespaced(cluster.server.client());
    let labels = |labels: Value| Patch::Merge(json!({ "metadata": { "labels": labels } }));
    runs.take();
    let other = PatchParams::default();
    secrets.patch("a", &other, &labels(json!({ "by": "other" }))).await.unwrap();
    tokio::time::sleep(SECOND).await;
    assert!(runs.take().iter().all(|result| *result == Ok(applied(0, 1, 0))));
    secrets.patch("a", &other, &labels(json!({ "app": "drifted" }))).await.unwrap();
    tokio::time::sleep(SECOND).await;
    assert_eq!(runs.take()[0], Ok(applied(1, 0, 0)));
    let labels = cluster.server.object("secrets", "default/a").unwrap()["metadata"]["labels"].clone();
    assert_eq!(labels, json!({ "app": "web", "by": "other" }));
    runs.started.shutdown().await;
}

// holds: X67
#[tokio::test(start_paused = true)]
async fn an_invalid_set_is_an_error_and_nothing_is_sent() {
    let cluster = TestCluster::new().await;
    cluster.put("map");
    let runs =
        run(&cluster, config_maps().owns::<Secret>().owns::<Node>(), async |map: Arc<ConfigMap>, context| {
            let context: Context = context;
            let good = || Child::of(&secret("good"));
            let named =
                |metadata: Value| Child::of(&from_value::<Secret>(json!({ "metadata": metadata })).unwrap());
            let node: Node = from_value(json!({ "metadata": { "name": "node-1" } }))?;
            let mut unwritten = ConfigMap::clone(&map);
            unwritten.metadata.uid = None;
            let foreign =
                json!([{ "apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u", "controller": true }]);
            let mut errors = Vec::new();
            for set in [
                vec![good(), good()],
                vec![good(), named(json!({}))],
                vec![good(), named(json!({ "name": "a", "namespace": "other" }))],
                vec![good(), named(json!({ "name": "a", "ownerReferences": foreign }))],
                vec![good(), Child::of(&node)],
                vec![good(), Child::of(&service("web", &[80]))],
            ] {
                errors.push(context.apply_all(&*map, set).await.unwrap_err().to_string());
            }
            errors.push(context.apply_all(&unwritten, [good()]).await.unwrap_err().to_string());
            Ok(errors)
        })
        .await;
    let errors = runs.take().remove(0).unwrap();
    let expected = [
        "secrets default/good is in the set twice",
        "it has no name",
        "ConfigMap default/map can't own secrets a: an owner is in the same namespace",
        "it names another controller in its ownerReferences",
        "ConfigMap default/map can't own nodes node-1",
        "has no cache of services: declare it with `.owns::<",
        "ConfigMap default/map has no uid",
    ];
    for (error, part) in errors.iter().zip(expected) {
        assert!(error.contains(part), "{error}");
    }
    assert_eq!(errors.len(), expected.len());
    assert!(cluster.server.object("secrets", "default/good").is_none(), "nothing was sent");
    runs.started.shutdown().await;
}

// holds: X67
#[tokio::test(start_paused = true)]
async fn an_object_of_another_controller_is_an_error_and_stays() {
    let cluster = TestCluster::new().await;
    let foreign =
        json!([{ "apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": "x", "controller": true }]);
    cluster.server.put("secrets", json!({ "metadata": { "name": "a", "ownerReferences": foreign } }));
    let runs = run(&cluster, both(config_maps()), apply).await;
    cluster.put_with("map", json!({ "a": "secret" }));
    settle().await;
    let error = runs.take().remove(0).unwrap_err();
    assert!(error.contains("secrets default/a is controlled by an object with uid x already"), "{error}");
    assert_eq!(cluster.server.object("secrets", "default/a").unwrap()["metadata"]["labels"], Value::Null);
    runs.started.shutdown().await;
}

// holds: X67
#[tokio::test(start_paused = true)]
async fn a_request_that_fails_deletes_nothing_and_the_retry_continues() {
    let cluster = TestCluster::new().await;
    let runs = run(&cluster, both(config_maps()), apply).await;
    cluster.put_with("map", json!({ "a": "secret", "web": "80" }));
    tokio::time::sleep(SECOND).await;
    runs.take();
    let forbidden =
        Fault::Status { code: 403, retry_after_seconds: None }.once().on(Verb::Patch).of("secrets");
    cluster.server.faults().inject(forbidden);
    cluster.put_with("map", json!({ "b": "secret" }));
    settle().await;
    let error = runs.take().remove(0).unwrap_err();
    assert!(error.contains("applying secrets default/b"), "{error}");
    assert!(cluster.server.object("secrets", "default/a").is_some(), "nothing is deleted");
    cluster.put_with("map", json!({ "b": "secret", "c": "secret" }));
    tokio::time::sleep(SECOND).await;
    assert_eq!(runs.take()[0], Ok(applied(2, 0, 2)));
    runs.started.shutdown().await;
}

// holds: X66
#[tokio::test(start_paused = true)]
async fn without_managed_fields_in_the_cache_nothing_is_deleted() {
    let cluster = TestCluster::new().await;
    let pruned = InformerOptions::new().prune([".metadata.managedFields"]).unwrap();
    let builder = config_maps().owns_with(Owned::<Secret>::new().options(pruned));
    let runs = run(&cluster, builder, apply).await;
    cluster.put_with("map", json!({ "a": "secret" }));
    tokio::time::sleep(SECOND).await;
    assert!(runs.take().iter().all(|result| *result == Ok(applied(1, 0, 0))), "it can't be compared");
    cluster.put_with("map", json!({}));
    settle().await;
    let error = runs.take().remove(0).unwrap_err();
    assert!(error.contains("secrets have no managedFields in the cache"), "{error}");
    assert!(cluster.server.object("secrets", "default/a").is_some());
    runs.started.shutdown().await;
}

// holds: X65
#[tokio::test(start_paused = true)]
async fn an_owner_that_is_being_deleted_gets_no_objects() {
    let cluster = TestCluster::new().await;
    let metadata =
        json!({ "name": "map", "finalizers": ["a/b"], "deletionTimestamp": "2026-11-16T04:32:01Z" });
    cluster.server.put("configmaps", json!({ "metadata": metadata, "data": { "a": "secret" } }));
    let runs = run(&cluster, both(config_maps()), apply).await;
    assert_eq!(runs.take(), [Ok(applied(0, 0, 0))]);
    assert!(cluster.server.object("secrets", "default/a").is_none());
    runs.started.shutdown().await;
}

/// A server with a custom resource `widgets` that has a status.
async fn widgets_cluster() -> TestCluster {
    let cluster = TestCluster::new().await;
    let version = json!({ "name": "v1", "served": true, "storage": true, "subresources": { "status": {} },
        "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } } });
    let spec = json!({ "group": "example.com", "names": { "plural": "widgets", "kind": "Widget" },
        "scope": "Namespaced", "versions": [version] });
    let metadata = json!({ "name": "widgets.example.com" });
    cluster.server.put("customresourcedefinitions", json!({ "metadata": metadata, "spec": spec }));
    cluster
}

fn widgets() -> tidings_object::ResourceKind {
    tidings_object::ResourceKind {
        group: "example.com".into(),
        version: "v1".into(),
        kind: "Widget".into(),
        plural: "widgets".into(),
        scope: tidings_object::Scope::Namespaced,
    }
}

// holds: X65, X66, X68
#[tokio::test(start_paused = true)]
async fn kinds_known_at_run_time_are_applied_pruned_and_get_conditions() {
    let cluster = widgets_cluster().await;
    let requests = RequestLog::new();
    let log = requests.clone();
    let controller = Controller::for_resource("painter", widgets())
        .owns_with(Owned::resource(Secret::resource()))
        .reconcile(move |request: Request, context: Context| {
            log.record(&request);
            async move {
                let Some(widget) = context.get_of(&widgets(), &request).await? else {
                    return Ok(Action::await_change());
                };
                let names = widget.data["spec"]["secrets"].as_array().cloned().unwrap_or_default();
                let children = names.iter().map(|name| {
                    let object: DynamicObject = from_value(json!({ "metadata": { "name": name } })).unwrap();
                    Child::resource(Secret::resource(), &object)
                });
                let applied = context.apply_all_of(&widgets(), &widget, children).await?;
                let message = format!("{} secrets", applied.written + applied.unchanged);
                let status = context.status_of(widgets(), &widget).field("secrets", names.len());
                status.condition("Painted", true, "Applied", message).write().await?;
                Ok(Action::await_change())
            }
        });
    let started = cluster.start_synced(controller).await;
    let put = |secrets: Value| {
        let widget = json!({ "metadata": { "name": "w", "uid": "uid-w", "generation": 7 }, "spec": { "secrets": secrets } });
        cluster.server.put("widgets.example.com", widget);
    };
    put(json!(["a", "b"]));
    tokio::time::sleep(SECOND).await;
    let status = || cluster.server.object("widgets.example.com", "default/w").unwrap()["status"].clone();
    assert_eq!(
        (&status()["secrets"], &status()["conditions"][0]["message"]),
        (&json!(2), &json!("2 secrets"))
    );
    assert!(cluster.server.object("secrets", "default/a").is_some());
    put(json!(["b"]));
    tokio::time::sleep(SECOND).await;
    assert!(cluster.server.object("secrets", "default/a").is_none());
    assert_eq!(status()["secrets"], 1);
    let condition = status()["conditions"][0].clone();
    assert_eq!((&condition["type"], &condition["status"]), (&json!("Painted"), &json!("True")));
    assert!(
        condition["observedGeneration"].is_i64() && condition["lastTransitionTime"].is_string(),
        "{condition}"
    );
    assert_eq!(started.handle.stats().errors, 0);
    started.shutdown().await;
}

// holds: X68
#[tokio::test(start_paused = true)]
async fn a_status_is_written_only_if_it_changed_and_keeps_conditions_of_others() {
    let cluster = widgets_cluster().await;
    let others = json!([{ "type": "Other", "status": "True" }]);
    let widget = json!({ "metadata": { "name": "web", "uid": "uid-web" }, "spec": { "a": 1 },
        "status": { "replicas": 1, "conditions": others } });
    cluster.server.put("widgets.example.com", widget);
    let written = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&written);
    let builder = Controller::for_resource("web", widgets());
    let controller = builder.reconcile(move |request: Request, context: Context| {
        let noted = Arc::clone(&noted);
        async move {
            let Some(web) = context.get_of(&widgets(), &request).await? else {
                return Ok(Action::await_change());
            };
            let status =
                context.status_of(widgets(), &web).field("availableReplicas", 2).observed_generation();
            let status = status.condition("Available", true, "Counted", "2 replicas");
            let is_written = status.write().await?;
            // The read shows the write, so the same write again changes nothing.
            let again = context.status_of(widgets(), &web).field("availableReplicas", 2).write().await?;
            noted.lock().unwrap().push((is_written, again));
            Ok(Action::await_change())
        }
    });
    let started = cluster.start_synced(controller).await;
    tokio::time::sleep(SECOND).await;
    let written = written.lock().unwrap().clone();
    assert_eq!(written[0], (true, false));
    assert!(written.len() > 1 && written[1..].iter().all(|later| *later == (false, false)), "{written:?}");
    let web = cluster.server.object("widgets.example.com", "default/web").unwrap();
    let status = &web["status"];
    assert_eq!((&status["replicas"], &status["availableReplicas"]), (&json!(1), &json!(2)));
    assert_eq!(status["observedGeneration"], web["metadata"]["generation"]);
    assert_eq!(status["conditions"][0]["type"], "Other");
    assert_eq!(status["conditions"][1]["observedGeneration"], web["metadata"]["generation"]);
    let requests = cluster.server.requests().into_iter();
    assert_eq!(requests.filter(|request| request.verb == Some(Verb::Patch)).count(), 1);
    assert!(started.handle.stats().writes_saved >= 2);
    let key = Key::parse("default/web").unwrap();
    let available = Condition::has_condition("Available", "True");
    let informer = cluster.factory.dynamic(widgets()).unwrap();
    await_condition(&informer, &key, &available, SECOND).await.unwrap();
    started.shutdown().await;
}

// holds: X44
#[tokio::test(start_paused = true)]
async fn a_write_demands_in_one_word_that_what_was_read_is_unchanged() {
    let cluster = Arc::new(TestCluster::new().await);
    let other = Arc::clone(&cluster);
    let runs = run(&cluster, config_maps(), move |map: Arc<ConfigMap>, context: Context| {
        let other = Arc::clone(&other);
        async move {
            if !map.data.iter().flatten().any(|_| true) {
                other.put_with("map", json!({ "by": "another" }));
            }
            let patch = Patch::Merge(json!({ "data": { "by": "us" } }));
            let ended = context.if_unchanged(&*map).patch(&PatchParams::default(), &patch).await;
            let Err(kube_client::Error::Api(status)) = ended else { return Err("it was written".into()) };
            Ok(status.code)
        }
    })
    .await;
    cluster.put("map");
    settle().await;
    assert_eq!(runs.take()[0], Ok(409));
    runs.started.shutdown().await;
}

// holds: X68
#[tokio::test(start_paused = true)]
async fn a_condition_of_a_kind_whose_conditions_have_no_generation_is_written_once() {
    let cluster = TestCluster::new().await;
    let labels = json!({ "app": "web" });
    let containers = json!([{ "name": "c", "image": "i" }]);
    let template = json!({ "metadata": { "labels": labels }, "spec": { "containers": containers } });
    let spec = json!({ "selector": { "matchLabels": labels }, "template": template });
    let metadata = json!({ "name": "web", "generation": 1, "uid": "uid-web" });
    cluster.server.put("deployments.apps", json!({ "metadata": metadata, "spec": spec }));
    let written = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&written);
    let builder = Controller::for_kind::<Deployment>("web");
    let controller = builder.reconcile(move |request: Request, context: Context| {
        let noted = Arc::clone(&noted);
        async move {
            let Some(web) = context.get::<Deployment>(&request).await? else {
                return Ok(Action::await_change());
            };
            let status = context.status(&*web).condition("Ready", true, "AsWanted", "");
            let is_written = status.observed_generation().write().await?;
            noted.lock().unwrap().push(is_written);
            Ok(Action::await_change())
        }
    });
    let started = cluster.start_synced(controller).await;
    tokio::time::sleep(SECOND).await;
    let written = written.lock().unwrap().clone();
    assert!(written.len() > 1 && written[0] && !written[1..].contains(&true), "{written:?}");
    started.shutdown().await;
}
