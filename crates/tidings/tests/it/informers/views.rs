//! Several views of one cache: typed, slim, dynamic, metadata-only and custom; pruned and transformed bodies.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube_derive::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tidings::{
    FieldPath, Index, InformerOptions, Kind, ResourceKind, SharedInformer, SharedInformerFactory, Transform,
};
use tidings_apiserver::{ApiServer, Ending, Fault};

#[derive(CustomResource, Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "tidings.example",
    version = "v1",
    kind = "Ship",
    namespaced,
    crates(kube_core = "::kube_core")
)]
struct ShipSpec {
    port: String,
}

#[derive(Deserialize)]
struct PodOnNode {
    spec: OnNode,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OnNode {
    node_name: Option<String>,
}

impl Kind for PodOnNode {
    fn resource() -> ResourceKind {
        Pod::resource()
    }
}

fn put_pod(server: &ApiServer, name: &str, node: &str) {
    server.put(
        "pods",
        json!({
            "metadata": { "namespace": "default", "name": name, "managedFields": [{ "manager": "kubectl" }] },
            "spec": { "nodeName": node, "containers": [{ "name": "main", "image": "nginx" }] },
            "status": { "phase": "Running" },
        }),
    );
}

// holds: D3, D6, L6
#[tokio::test(start_paused = true)]
async fn typed_slim_and_metadata_views_read_the_same_objects() {
    let server = ApiServer::start().await;
    put_pod(&server, "web", "node-1");
    let factory = SharedInformerFactory::new(server.client());
    let pods = factory.informer::<Pod>();
    let slim = factory.informer::<PodOnNode>();
    let metadata = factory.metadata::<Pod>();
    let running = factory.start();
    assert_eq!(running.len(), 2, "typed and slim are one informer");
    running.synced().await.unwrap();
    let typed = pods.lister().get("default/web").unwrap();
    assert_eq!(typed.decoded().unwrap().spec.as_ref().unwrap().containers[0].image.as_deref(), Some("nginx"));
    assert_eq!(typed.view::<PodOnNode>().unwrap().spec.node_name.as_deref(), Some("node-1"));
    let seen = slim.lister().get("default/web").unwrap().decoded().unwrap();
    assert_eq!(seen.spec.node_name.as_deref(), Some("node-1"));
    let only = metadata.lister().get("default/web").unwrap();
    assert_eq!(only.decoded().unwrap().metadata.name.as_deref(), Some("web"));
    assert!(only.field(".spec.nodeName").unwrap().is_absent(), "the server sent no more");
    running.shutdown().await;
}

// holds: R42
#[tokio::test(start_paused = true)]
async fn custom_resources_work_like_any_other() {
    use kube_core::CustomResourceExt;
    let server = ApiServer::start().await;
    server.put("customresourcedefinitions", serde_json::to_value(Ship::crd()).unwrap());
    server.put(
        "ships.tidings.example",
        json!({ "metadata": { "namespace": "default", "name": "beagle" }, "spec": { "port": "plymouth" } }),
    );
    let factory = SharedInformerFactory::new(server.client());
    let ships = factory.informer::<Ship>();
    ships.add_index(Index::typed("port", |ship: &Ship| vec![ship.spec.port.clone()])).unwrap();
    let running = factory.start();
    running.synced().await.unwrap();
    let found = ships.lister().by_index("port", "plymouth").unwrap();
    assert_eq!(found[0].decoded().unwrap().spec.port, "plymouth");
    running.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn objects_store_the_field_of_an_index() {
    let server = ApiServer::start().await;
    put_pod(&server, "web", "node-1");
    let factory = SharedInformerFactory::new(server.client());
    let pods = factory.informer::<Pod>();
    pods.add_index(Index::field("node", ".spec.nodeName")).unwrap();
    let running = factory.start();
    running.synced().await.unwrap();
    let web = pods.lister().by_index("node", "node-1").unwrap().remove(0);
    let path = FieldPath::parse(".spec.nodeName").unwrap();
    assert_eq!(web.raw().prefetched_texts(&path).unwrap().collect::<Vec<_>>(), ["node-1"]);
    running.shutdown().await;
}

// holds: X5, X2
#[tokio::test(start_paused = true)]
async fn an_object_that_does_not_decode_is_an_error_only_for_its_reader() {
    let server = ApiServer::start().await;
    put_pod(&server, "good", "node-1");
    server.put(
        "pods",
        json!({ "metadata": { "namespace": "default", "name": "bad" }, "spec": { "containers": "none" } }),
    );
    // Protobuf can't encode such a value, so the server responds with JSON.
    let factory = SharedInformerFactory::new(server.client());
    let pods = factory.informer::<Pod>();
    let running = factory.start();
    running.synced().await.unwrap();
    assert!(pods.lister().get("default/good").unwrap().decoded().is_ok());
    let bad = pods.lister().get("default/bad").unwrap();
    let error = bad.decoded().unwrap_err();
    assert!(error.to_string().contains("default/bad"), "{error}");
    assert!(bad.decoded().is_err());
    assert_eq!(pods.stats().faults.unreadable, 1, "reported once");
    assert_eq!(bad.field(".spec.containers").unwrap().to_string(), "none");
    server.remove("pods", "default/bad");
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(pods.lister().get("default/bad").is_none(), "it is deleted like any other");
    running.shutdown().await;
}

/// Reads an object that does not decode from four threads. The error hook reads it too, as this type and as another.
async fn read_in_the_hook() {
    let server = ApiServer::start().await;
    server.put(
        "pods",
        json!({ "metadata": { "namespace": "default", "name": "bad" }, "spec": { "containers": "none" } }),
    );
    let pods = Arc::new(OnceLock::<SharedInformer<Pod>>::new());
    let reads = Arc::new(Mutex::new(Vec::new()));
    let (about, read) = (Arc::clone(&pods), Arc::clone(&reads));
    let factory = SharedInformerFactory::builder(server.client())
        .on_error(move |_| {
            let bad = about.get().unwrap().lister().get("default/bad").unwrap();
            let mut read = read.lock().unwrap();
            read.extend([
                bad.decoded().is_ok(),
                bad.cast::<Value>().decoded().is_ok(),
                bad.view::<Pod>().is_ok(),
            ]);
        })
        .build();
    let informer = pods.get_or_init(|| factory.informer::<Pod>());
    let running = factory.start();
    running.synced().await.unwrap();
    let bad = informer.lister().get("default/bad").unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert!(bad.decoded().is_err()));
        }
    });
    assert_eq!(*reads.lock().unwrap(), [false, true, false], "it is called once");
    running.shutdown().await;
}

// holds: X2
#[test]
fn an_error_hook_may_read_the_object_that_caused_the_error() {
    // Runs in other threads, because a deadlock would block the thread that detects it.
    let (done, is_done) = std::sync::mpsc::channel::<()>();
    let reading = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.unwrap().block_on(read_in_the_hook());
        drop(done);
    });
    let ended = is_done.recv_timeout(Duration::from_secs(60));
    assert_ne!(ended, Err(std::sync::mpsc::RecvTimeoutError::Timeout), "the hook waits for its own reader");
    reading.join().unwrap();
}

// holds: X8, C15
#[tokio::test(start_paused = true)]
async fn a_transform_runs_once_for_each_version_and_never_again_on_a_relist() {
    let server = ApiServer::start().await;
    put_pod(&server, "web", "node-1");
    put_pod(&server, "db", "node-2");
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let transform = Transform::json(move |object: &mut Value| {
        counted.fetch_add(1, Ordering::SeqCst);
        object["spec"]["nodeName"] = json!("nowhere");
        object["metadata"]["name"] = json!("other-name");
    });
    let factory = SharedInformerFactory::new(server.client());
    let pods: SharedInformer<Pod> =
        factory.informer_with(InformerOptions::new().transform(transform)).unwrap();
    pods.add_index(Index::field("node", ".spec.nodeName")).unwrap();
    let running = factory.start();
    running.synced().await.unwrap();
    assert_eq!(runs.load(Ordering::SeqCst), 2);
    assert_eq!(pods.lister().by_index("node", "nowhere").unwrap().len(), 2);
    assert_eq!(pods.lister().get("default/web").unwrap().name(), "web", "identity can't be changed");
    server.faults().inject(Fault::ExpireOnOpen.once());
    server.faults().cut_watches(Ending::Broken);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(pods.stats().requests.lists > 1, "it has listed again");
    assert_eq!(runs.load(Ordering::SeqCst), 2);
    put_pod(&server, "web", "node-3");
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(runs.load(Ordering::SeqCst), 3);
    running.shutdown().await;
}

// holds: X5, X2
#[tokio::test(start_paused = true)]
async fn a_transform_that_panics_loses_the_body_and_keeps_the_identity() {
    let server = ApiServer::start().await;
    put_pod(&server, "web", "node-1");
    let factory = SharedInformerFactory::new(server.client());
    let transform = Transform::json(|_| panic!("no such luck"));
    let pods: SharedInformer<Pod> =
        factory.informer_with(InformerOptions::new().transform(transform)).unwrap();
    let running = factory.start();
    running.synced().await.unwrap();
    let web = pods.lister().get("default/web").unwrap();
    let error = web.decoded().unwrap_err();
    assert!(error.to_string().contains("no such luck"), "{error}");
    assert_eq!(pods.stats().faults.unreadable, 1);
    running.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn pruned_fields_are_not_stored() {
    let server = ApiServer::start().await;
    put_pod(&server, "web", "node-1");
    let factory = SharedInformerFactory::new(server.client());
    let options =
        InformerOptions::new().prune([".metadata.managedFields", ".spec.containers[*].image"]).unwrap();
    let pods: SharedInformer<Pod> = factory.informer_with(options).unwrap();
    let running = factory.start();
    running.synced().await.unwrap();
    let pod = pods.lister().get("default/web").unwrap().decoded().unwrap();
    assert_eq!(pod.metadata.managed_fields, None);
    let container = &pod.spec.as_ref().unwrap().containers[0];
    assert_eq!((container.name.as_str(), &container.image), ("main", &None));
    running.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn decoded_objects_are_cached_within_the_budget_and_not_without_one() {
    let server = ApiServer::start().await;
    put_pod(&server, "web", "node-1");
    let decode_twice = |budget: Option<u64>| {
        let builder = SharedInformerFactory::builder(server.client());
        let factory = match budget {
            Some(bytes) => builder.budget(bytes).build(),
            None => builder.build(),
        };
        async move {
            let pods = factory.informer::<Pod>();
            let running = factory.start();
            running.synced().await.unwrap();
            let web = pods.lister().get("default/web").unwrap();
            let same = Arc::ptr_eq(&web.decoded().unwrap(), &web.decoded().unwrap());
            running.shutdown().await;
            same
        }
    };
    assert!(decode_twice(None).await);
    assert!(decode_twice(Some(u64::MAX)).await);
    assert!(!decode_twice(Some(0)).await);
}

// holds: R28
#[tokio::test(start_paused = true)]
async fn holding_one_object_of_a_list_frees_the_rest() {
    let server = ApiServer::start().await;
    for number in 0..10 {
        put_pod(&server, &format!("pod-{number}"), "node-1");
    }
    let factory = SharedInformerFactory::new(server.client());
    let pods = factory.informer::<Pod>();
    let running = factory.start();
    running.synced().await.unwrap();
    let kept = pods.lister().get("default/pod-3").unwrap();
    let others: Vec<_> = pods.lister().list().iter().map(|pod| Arc::downgrade(pod.raw())).collect();
    running.shutdown().await;
    drop((pods, factory));
    assert_eq!(others.iter().filter(|other| other.upgrade().is_some()).count(), 1);
    assert_eq!(kept.decoded().unwrap().metadata.name.as_deref(), Some("pod-3"));
}

#[tokio::test(start_paused = true)]
async fn an_index_added_to_a_full_cache_appears_when_it_is_complete_and_can_be_removed() {
    let server = ApiServer::start().await;
    for number in 0..2000 {
        put_pod(&server, &format!("pod-{number}"), &format!("node-{}", number % 10));
    }
    let factory = SharedInformerFactory::new(server.client());
    let pods = factory.informer::<Pod>();
    let running = factory.start();
    running.synced().await.unwrap();
    pods.add_index(Index::field("node", ".spec.nodeName")).unwrap();
    assert!(pods.lister().by_index("node", "node-1").is_err(), "it is not complete");
    pods.index_built("node").await.unwrap();
    assert_eq!(pods.lister().by_index("node", "node-1").unwrap().len(), 200);
    assert_eq!(pods.lister().by_indexes(&[("node", "node-1"), ("namespace", "default")]).unwrap().len(), 200);
    pods.remove_index("node").unwrap();
    assert!(pods.index_built("node").await.is_err());
    running.shutdown().await;
}
