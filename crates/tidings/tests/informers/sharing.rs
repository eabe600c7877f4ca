//! Several namespaces in one informer, each its own list and watch, changing while it runs.

use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use serde_json::json;
use tidings::{
    HandlerOptions, InformerOptions, QueueOrder, SharedInformer, SharedInformerFactory, handle_with,
};
use tidings_apiserver::{ApiServer, Ending, Fault};

use crate::heard::Heard;

fn put(server: &ApiServer, namespace: &str, name: &str) {
    server.put(
        "pods",
        json!({ "metadata": { "namespace": namespace, "name": name }, "spec": { "containers": [] } }),
    );
}

/// Lets everything that can happen without the clock happen.
async fn settle() {
    tokio::time::sleep(Duration::from_millis(100)).await;
}

async fn check(order: QueueOrder) {
    let server = ApiServer::start().await;
    for namespace in ["a", "b", "c"] {
        put(&server, namespace, "one");
    }
    let factory = SharedInformerFactory::new(server.client());
    let options = InformerOptions::new().namespaces(["a", "b"]).unwrap().queue_order(order);
    let pods: SharedInformer<Pod> = factory.informer_with(options);
    let heard = Heard::default();
    pods.add_handler(handle_with(HandlerOptions::default(), heard.clone())).unwrap();
    let running = factory.start();
    running.synced().await.unwrap();
    let keys = || {
        let mut keys: Vec<String> = pods.lister().keys().iter().map(ToString::to_string).collect();
        keys.sort();
        keys
    };
    assert_eq!(keys(), ["a/one", "b/one"]);

    // A relist of one namespace leaves the other alone.
    server.faults().inject(Fault::ExpireOnOpen.once());
    server.faults().cut_watches(Ending::Broken);
    put(&server, "a", "two");
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(keys(), ["a/one", "a/two", "b/one"]);

    pods.set_namespaces(["b", "c"]).unwrap();
    settle().await;
    assert_eq!(keys(), ["b/one", "c/one"]);
    settle().await;
    assert_eq!(heard.nonsense(), Vec::<String>::new());
    assert_eq!(
        heard.view(),
        server.list_versions("pods").into_iter().filter(|(key, _)| !key.starts_with('a')).collect()
    );

    pods.set_all_namespaces().unwrap();
    settle().await;
    assert_eq!(keys(), ["a/one", "a/two", "b/one", "c/one"]);
    pods.set_namespaces(["a"]).unwrap();
    pods.set_namespaces(["a", "b"]).unwrap();
    settle().await;
    assert_eq!(keys(), ["a/one", "a/two", "b/one"]);
    assert_eq!(heard.nonsense(), Vec::<String>::new());
    running.shutdown().await;
}

// holds: X23
#[tokio::test(start_paused = true)]
async fn several_namespaces_share_a_cache_and_never_clobber_each_other() {
    check(QueueOrder::InOrder).await;
    check(QueueOrder::PerObject).await;
}
