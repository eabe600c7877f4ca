//! Collections over informers and an API server.

use std::time::Duration;

use k8s_openapi::api::core::v1::{Node, Pod};
use serde_json::json;
use tidings_apiserver::{ApiServer, Fault};
use tidings_factory::SharedInformerFactory;

use crate::fixture::{RunningGraph, within};

fn pod(name: &str, node: &str) -> serde_json::Value {
    json!({ "metadata": { "namespace": "shop", "name": name }, "spec": { "nodeName": node, "containers": [] } })
}

fn node(name: &str, zone: &str) -> serde_json::Value {
    json!({ "metadata": { "name": name, "labels": { "zone": zone } } })
}

// holds: V2, V13, V14
#[tokio::test(start_paused = true)]
async fn a_collection_syncs_after_all_informers_that_it_reads_and_ends_them_with_its_last_user() {
    let server = ApiServer::start().await;
    server.put("pods", pod("web", "node-1"));
    server.put("nodes", node("node-1", "a"));
    server.faults().inject(Fault::Delay(Duration::from_secs(20)).always().of("nodes"));
    let factory = SharedInformerFactory::new(server.client());
    let running = RunningGraph::new();
    let pods = running.graph.informer(&factory.informer::<Pod>());
    let nodes = running.graph.informer(&factory.informer::<Node>());
    let zones = pods.map("zones", move |cx, pod| {
        let node = cx.get(&nodes, &pod.field_text(".spec.nodeName")?);
        Some((pod.key().into_owned(), node.and_then(|node| node.label("zone").map(str::to_owned))))
    });
    drop(pods);
    let informers = factory.start();
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!(!zones.is_synced());
    let error = zones.snapshot().unwrap_err().to_string();
    assert_eq!(error, "reading collection \"zones\": it has not synced: it waits for nodes");
    within(zones.synced()).await.unwrap();
    assert_eq!(zones.lister().get("shop/web").unwrap().1.as_deref(), Some("a"));
    let versions = zones.snapshot().unwrap().versions().to_vec();
    assert_eq!(versions.iter().map(|one| &*one.collection).collect::<Vec<_>>(), ["pods", "nodes"]);
    assert!(versions.iter().all(|one| one.version.is_some()), "{versions:?}");

    server.faults().clear();
    let version = server.put("nodes", node("node-1", "b"));
    within(async {
        while zones.lister().get("shop/web").unwrap().1.as_deref() != Some("b") {
            running.graph.changed_since(running.graph.snapshot().round()).await;
        }
    })
    .await;
    let reached = zones.snapshot().unwrap().versions()[1].version.clone().unwrap();
    assert!(reached.number().unwrap() >= version, "{reached}");

    assert_eq!(informers.len(), 2);
    drop(zones);
    within(informers.finished()).await;
}

// holds: V25
#[tokio::test(start_paused = true)]
async fn a_collection_whose_informer_stops_before_it_has_listed_says_so() {
    let server = ApiServer::start().await;
    server.faults().inject(Fault::Hang.always());
    let factory = SharedInformerFactory::new(server.client());
    let running = RunningGraph::new();
    let informer = factory.informer::<Pod>();
    let pods = running.graph.informer(&informer);
    let names = pods.map("names", |_, pod| Some((pod.key().into_owned(), ())));
    let informers = factory.start();
    tokio::time::sleep(Duration::from_secs(1)).await;
    informer.stop();
    let error = within(names.synced()).await.unwrap_err().to_string();
    assert!(error.starts_with("reading collection \"names\": it has not synced: "), "{error}");
    assert!(error.contains("pods"), "{error}");
    informers.shutdown().await;
}
