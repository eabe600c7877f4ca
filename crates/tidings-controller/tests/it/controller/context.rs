//! What a context reads, and contexts for unit tests.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod, Secret};
use kube_core::ResourceExt as _;
use kube_core::dynamic::DynamicObject;
use serde_json::{from_value, json};
use tidings_apiserver::{ApiServer, Fault, Verb};
use tidings_controller::{Action, Context, Controller, Error, Finalize, Request, finalizer};
use tidings_object::{Key, Kind as _};

use crate::controller::harness::{RequestLog, TestCluster, config_maps};

const SECOND: Duration = Duration::from_secs(1);

fn request(name: &str) -> Request {
    Request::new(Some("default"), name).unwrap()
}

fn map(name: &str) -> ConfigMap {
    from_value(json!({ "metadata": { "name": name } })).unwrap()
}

#[tokio::test(start_paused = true)]
async fn get_returns_the_decoded_object_nothing_or_the_decode_error() {
    let cluster = TestCluster::new().await;
    cluster.put("good");
    cluster.server.put("pods", json!({ "metadata": { "name": "bad" }, "spec": 7 }));
    let results = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&results);
    let controller = config_maps().reads::<Pod>().reconcile(move |request: Request, context: Context| {
        let log = Arc::clone(&log);
        async move {
            let found = context.get::<ConfigMap>(&request).await?.map(|map| map.name_any());
            let missing =
                context.get::<ConfigMap>(&Key::parse("default/none")?).await?.map(|map| map.name_any());
            let error = context.get::<Pod>(&Key::parse("default/bad")?).await.unwrap_err();
            log.lock().unwrap().push((found, missing, error.to_string()));
            Ok(Action::await_change())
        }
    });
    let started = cluster.start_synced(controller).await;
    let results = results.lock().unwrap().clone();
    let [(found, missing, error)] = &results[..] else { panic!("{results:?}") };
    assert_eq!((found.as_deref(), missing), (Some("good"), &None));
    assert!(error.contains("decoding pods default/bad"), "{error}");
    started.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_test_context_reads_the_given_objects_and_writes_to_the_client() {
    let server = ApiServer::start().await;
    let secret: Secret =
        from_value(json!({ "metadata": { "name": "token", "namespace": "shop", "uid": "u1" } })).unwrap();
    let context = Context::for_test(server.client())
        .named("maps")
        .object(&map("one"))
        .object(&map("two"))
        .object(&Node::default().clone_named("node-1"))
        .metadata(&secret)
        .reads::<Secret>()
        .build(&request("one"))
        .await;
    assert_eq!((context.controller(), context.request()), ("maps", &request("one")));
    assert!(!context.is_cancelled());
    let one = context.get::<ConfigMap>(&request("one")).await.unwrap().expect("it is in the cache");
    assert_eq!(one.metadata.namespace.as_deref(), Some("default"));
    assert!(one.metadata.uid.is_some() && one.metadata.resource_version.is_some());
    assert_eq!(context.lister::<ConfigMap>().unwrap().len(), 2);
    assert!(context.get::<ConfigMap>(&request("three")).await.unwrap().is_none());
    let node = context.get::<Node>(&Key::parse("node-1").unwrap()).await.unwrap();
    assert!(node.is_some_and(|node| node.metadata.namespace.is_none()));
    // The metadata has a cache of its own.
    assert!(context.lister::<Secret>().unwrap().is_empty());
    assert_eq!(context.metadata::<Secret>().unwrap().list()[0].uid(), "u1");
    context.api::<Secret>().create(&Secret::default().clone_named("written")).await.unwrap();
    assert!(server.object("secrets", "default/written").is_some());
}

#[tokio::test(start_paused = true)]
async fn a_test_context_reads_resources_that_are_known_at_run_time() {
    let server = ApiServer::start().await;
    let resource = ConfigMap::resource();
    let object: DynamicObject =
        from_value(json!({ "metadata": { "name": "one" }, "data": { "a": "b" } })).unwrap();
    let context =
        Context::for_test(server.client()).object_of(resource.clone(), &object).build(&request("one")).await;
    let objects = context.lister_of(&resource).unwrap().list();
    assert_eq!(objects[0].decoded().unwrap().data["data"]["a"], "b");
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "an object of configmaps for a test")]
async fn a_test_context_with_an_object_without_a_name_panics() {
    let server = ApiServer::start().await;
    let context = Context::for_test(server.client()).object(&ConfigMap::default());
    drop(context.build(&request("one")).await);
}

/// Sets the name of an object.
trait CloneNamed: kube_core::Resource + Clone {
    fn clone_named(&self, name: &str) -> Self {
        let mut named = self.clone();
        named.meta_mut().name = Some(name.to_owned());
        named
    }
}

impl<K: kube_core::Resource + Clone> CloneNamed for K {}

const FINALIZER: &str = "example.com/ours";

/// A controller that holds config maps with a finalizer through the tracked API, and records each step.
fn finalizing(requests: &RequestLog, steps: &Arc<Mutex<Vec<String>>>) -> Controller {
    let (requests, steps) = (requests.clone(), Arc::clone(steps));
    config_maps().reconcile(move |request: Request, context: Context| {
        let count = requests.record(&request);
        let steps = Arc::clone(&steps);
        async move {
            let Some(map) = context.get::<ConfigMap>(&request).await? else {
                steps.lock().unwrap().push("deleted".to_owned());
                return Ok::<_, Error>(Action::await_change());
            };
            let has_finalizer = map.metadata.finalizers.iter().flatten().any(|name| name == FINALIZER);
            finalizer(&context.api::<ConfigMap>(), FINALIZER, map, async |event| {
                let step = match event {
                    Finalize::Apply(_) => "apply",
                    Finalize::Cleanup(_) => "cleanup",
                };
                steps.lock().unwrap().push(format!("{step}, cached finalizer: {has_finalizer}"));
                Ok(if count == 1 { Action::requeue_after(Duration::ZERO) } else { Action::await_change() })
            })
            .await
        }
    })
}

#[tokio::test(start_paused = true)]
async fn the_next_reconcile_sees_a_finalizer_that_was_added_through_the_tracked_api() {
    let cluster = TestCluster::new().await;
    let late = Fault::SlowStream(2 * SECOND).always().on(Verb::Watch).of("configmaps");
    cluster.server.faults().inject(late);
    let (requests, steps) = (RequestLog::new(), Arc::default());
    let started = cluster.start_synced(finalizing(&requests, &steps)).await;
    cluster.put("map");
    tokio::time::sleep(20 * SECOND).await;
    let seen = std::mem::take(&mut *steps.lock().unwrap());
    assert_eq!(seen[..2], ["apply, cached finalizer: false", "apply, cached finalizer: true"]);
    assert_eq!(started.handle.stats().write_waits, 1);
    // The server deletes the object when its finalizer is removed.
    let maps: kube_client::Api<ConfigMap> = kube_client::Api::default_namespaced(cluster.server.client());
    maps.delete("map", &kube_client::api::DeleteParams::default()).await.unwrap();
    tokio::time::sleep(20 * SECOND).await;
    let seen = std::mem::take(&mut *steps.lock().unwrap());
    assert_eq!(seen, ["cleanup, cached finalizer: true", "deleted"]);
    assert!(cluster.server.object("configmaps", "default/map").is_none());
    assert_eq!(started.handle.stats().errors, 0);
    started.shutdown().await;
}
