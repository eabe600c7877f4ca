//! Graphs of derived collections in every endpoint.

use axum::http::StatusCode;
use k8s_openapi::api::core::v1::Pod;
use serde_json::{Value, json};
use tidings_apiserver::ApiServer;
use tidings_derived::{Graph, GraphMetrics};
use tidings_endpoints::Endpoints;
use tidings_factory::SharedInformerFactory;
use tokio::task::JoinSet;

use super::{get, pod};

#[tokio::test(start_paused = true)]
async fn readiness_names_the_collection_that_has_not_synced_and_what_it_waits_for() {
    let server = ApiServer::start().await;
    let factory = SharedInformerFactory::new(server.client());
    let (graph, task) = Graph::new("shop");
    let graphs = GraphMetrics::new();
    let router = Endpoints::new(&factory).graphs(graphs.clone()).router();
    graphs.show(&graph);
    let (feed, limits) = graph.feed::<(String, u32)>("limits");
    let doubled = limits.map("doubled", |_, limit| Some((limit.key().into_owned(), limit.1 * 2)));
    let mut tasks = JoinSet::new();
    tasks.spawn(task.run());
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let (status, _, text) = get(&router, "/readyz").await;
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    let expected = "collection \"doubled\" of graph \"shop\" has not synced: it waits for limits";
    assert!(text.contains(expected), "{text}");
    assert_eq!(get(&router, "/healthz").await.0, StatusCode::OK);

    feed.complete();
    doubled.synced().await.unwrap();
    assert_eq!(get(&router, "/readyz").await.0, StatusCode::OK);

    // A task that ends unasked is a failure; a graph that is stopped is none.
    tasks.shutdown().await;
    for path in ["/readyz", "/healthz"] {
        let (status, _, text) = get(&router, path).await;
        assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
        assert!(text.contains("[-]graphs failed: the task of graph \"shop\" has ended"), "{text}");
    }
    let (other, task) = Graph::new("other");
    let graphs = GraphMetrics::new();
    graphs.show(&other);
    let router = Endpoints::new(&factory).graphs(graphs).router();
    let mut tasks = JoinSet::new();
    tasks.spawn(task.run());
    other.stop();
    other.stopped().await;
    assert_eq!(get(&router, "/readyz").await.0, StatusCode::OK);
}

#[tokio::test(start_paused = true)]
async fn informers_lists_graphs_with_sizes_evaluations_and_the_fields_that_each_collection_reads() {
    let server = ApiServer::start().await;
    let mut web = pod("web-0");
    web["spec"]["nodeName"] = json!("node-1");
    server.put("pods", web);
    server.put("pods", pod("web-1"));
    let factory = SharedInformerFactory::new(server.client());
    let (graph, task) = Graph::new("placement");
    let (second, second_task) = Graph::new("second");
    let pods = graph.informer(&factory.informer::<Pod>());
    let placed =
        pods.map("placed", |_, pod| Some((pod.key().into_owned(), pod.field_text(".spec.nodeName")?)));
    let fixed = second.fixed("fixed", [("a".to_owned(), 1)]);
    let graphs = GraphMetrics::new();
    [&graph, &second].into_iter().for_each(|graph| graphs.show(graph));
    let router = Endpoints::new(&factory).graphs(graphs).router();
    let running = factory.start();
    let mut tasks = JoinSet::new();
    tasks.spawn(task.run());
    tasks.spawn(second_task.run());
    placed.synced().await.unwrap();
    fixed.synced().await.unwrap();

    let (_, _, body) = get(&router, "/informers").await;
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(body["graphs"].as_array().map(Vec::len), Some(2));
    let mut placed_status = body["graphs"][0]["collections"][1].clone();
    placed_status["workSeconds"] = json!(0);
    let reads = json!([{ "collection": "pods", "parts": [".spec.nodeName"] }]);
    assert_eq!(
        placed_status,
        json!({
            "name": "placed", "operator": "map", "isSynced": true, "unsyncedBecause": null, "values": 1,
            "evaluations": 2, "unchanged": 1, "failures": 0, "failingKeys": 0, "duplicateKeys": 0, "changes": 0,
            "workSeconds": 0, "reads": reads,
        })
    );

    // A metric is described once, however many graphs there are.
    let (_, _, text) = get(&router, "/metrics").await;
    assert_eq!(text.matches("# HELP tidings_collection_values ").count(), 1, "{text}");
    for series in
        ["{graph=\"placement\",collection=\"placed\"} 1.0", "{graph=\"second\",collection=\"fixed\"} 1.0"]
    {
        assert!(text.contains(&format!("tidings_collection_values{series}")), "{text}");
    }
    running.shutdown().await;
}
