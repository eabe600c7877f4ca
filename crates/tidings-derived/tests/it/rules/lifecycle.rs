//! The end of collections and of graphs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::StreamExt;
use tidings_derived::Graph;

use crate::fixture::{RunningGraph, values, within};

fn pair(key: &str, value: u32) -> (String, u32) {
    (key.to_owned(), value)
}

// holds: V13
#[tokio::test(start_paused = true)]
async fn the_work_of_a_collection_ends_with_its_last_user() {
    let running = RunningGraph::new();
    let (feed, fed) = running.graph.feed::<(String, u32)>("fed");
    feed.complete();
    let calls = Arc::new(AtomicU32::new(0));
    let own = Arc::clone(&calls);
    let middle = fed.map("middle", move |_, one| {
        own.fetch_add(1, Ordering::Relaxed);
        Some(pair(&one.key(), one.1))
    });
    let top = middle.map("top", |_, one| Some(pair(&one.key(), one.1)));
    drop(middle);
    feed.set(pair("a", 1));
    running.settled().await;
    assert_eq!((calls.load(Ordering::Relaxed), values(&top)), (1, vec![pair("a", 1)]));
    // A handler is a user.
    let handler = top.add_handler("user", |_| {}).unwrap();
    drop(top);
    feed.set(pair("a", 2));
    running.settled().await;
    assert_eq!(calls.load(Ordering::Relaxed), 2);
    within(handler.remove()).await;
    running.settled().await;
    feed.set(pair("a", 3));
    running.settled().await;
    assert_eq!((calls.load(Ordering::Relaxed), Arc::strong_count(&calls)), (2, 1), "the function is dropped");
    let left: Vec<_> = running.graph.stats().into_iter().map(|stats| stats.name).collect();
    assert_eq!(left, ["ticks", "fed"]);
}

// holds: V24
#[tokio::test(start_paused = true)]
async fn a_graph_that_stops_delivers_what_is_pending_and_its_last_state_stays_readable() {
    let mut running = RunningGraph::new();
    let (feed, fed) = running.graph.feed::<(String, u32)>("fed");
    feed.complete();
    let mut stream = fed.notifications().unwrap();
    feed.set(pair("a", 1));
    running.settled().await;
    running.graph.stop();
    within(running.graph.stopped()).await;
    within(async { while running.tasks.join_next().await.is_some() {} }).await;
    assert_eq!(stream.next().await.unwrap().value().1, 1);
    assert!(stream.next().await.is_none());
    assert_eq!(values(&fed), [pair("a", 1)]);
    let error = fed.add_handler("late", |_| {}).unwrap_err().to_string();
    assert_eq!(
        error,
        "adding handler \"late\" of collection \"fed\" to graph \"test\": the graph has stopped; make a new one"
    );
    let late = fed.map("late", |_, one| Some(pair(&one.key(), one.1)));
    let error = late.synced().await.unwrap_err().to_string();
    assert_eq!(error, "reading collection \"late\": it has not synced: its graph has stopped");
}

// holds: V13
#[tokio::test(start_paused = true)]
async fn the_task_of_a_graph_ends_when_nothing_uses_it() {
    let (graph, task) = Graph::new("unused");
    let fixed = graph.fixed("fixed", [pair("a", 1)]);
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(task.run());
    fixed.synced().await.unwrap();
    drop(graph);
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    assert!(tasks.try_join_next().is_none(), "the collection is in use");
    drop(fixed);
    within(tasks.join_next()).await.unwrap().unwrap();
}

// holds: V13
#[tokio::test(start_paused = true)]
async fn a_graph_whose_task_never_ran_is_freed() {
    let used = Arc::new(());
    let (graph, task) = Graph::new("unused");
    let fixed = graph.fixed("fixed", [pair("a", 1)]);
    let own = Arc::clone(&used);
    let map = fixed.map("map", move |_, one| Some(pair(&one.key(), Arc::strong_count(&own) as u32)));
    let mut stream = fixed.notifications().unwrap();
    let handler = fixed.add_handler("never", |_| {}).unwrap();
    drop((map, fixed));
    drop(task);
    assert_eq!(Arc::strong_count(&used), 1);
    assert!(within(stream.next()).await.is_none(), "nothing waits for a task that is gone");
    assert!(within(handler.synced()).await.is_err());
    drop(graph);
}

// holds: V13
#[cfg(feature = "metrics")]
#[tokio::test(start_paused = true)]
async fn metrics_report_each_collection_as_long_as_it_exists() {
    let running = RunningGraph::new();
    let fixed = running.graph.fixed("fixed", [pair("a", 1), pair("b", 3)]);
    let map = fixed.map("map", |_, one| (one.1 == 1).then(|| pair(&one.key(), one.1)));
    map.synced().await.unwrap();
    running.settled().await;
    let mut registry = prometheus_client::registry::Registry::default();
    registry.register_collector(Box::new(running.graph.metrics()));
    let scrape = |registry: &prometheus_client::registry::Registry| {
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, registry).unwrap();
        text
    };
    let text = scrape(&registry);
    assert!(text.contains(r#"tidings_collection_values{graph="test",collection="map"} 1.0"#), "{text}");
    assert!(
        text.contains(r#"tidings_collection_evaluations_total{graph="test",collection="map"} 2.0"#),
        "{text}"
    );
    drop(map);
    running.settled().await;
    let text = scrape(&registry);
    assert!(text.contains("collection=\"fixed\"") && !text.contains("collection=\"map\""), "{text}");
}
