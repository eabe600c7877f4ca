//! Informers beside tasks that keep all threads busy.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;
use tidings::SharedInformerFactory;
use tidings_apiserver::ApiServer;
use tokio::task::JoinSet;

/// Yields once and is ready again at once, so that tokio does not defer the task.
async fn yield_once() {
    let mut has_waited = false;
    poll_fn(|cx| {
        if std::mem::replace(&mut has_waited, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_cache_keeps_up_with_tasks_that_are_always_busy() {
    let server = ApiServer::start().await;
    let factory = SharedInformerFactory::new(server.client());
    let maps = factory.informer::<ConfigMap>();
    let running = factory.start();
    running.synced().await.unwrap();
    let changes = 1_000;
    server.load("configmaps", changes, |at| json!({ "metadata": { "name": format!("map-{at}") } }));

    let turns = Arc::new(AtomicUsize::new(0));
    let mut busy = JoinSet::new();
    for _ in 0..8 {
        let turns = Arc::clone(&turns);
        busy.spawn(async move {
            loop {
                turns.fetch_add(1, Ordering::Relaxed);
                yield_once().await;
            }
        });
    }
    while maps.lister().len() < changes {
        yield_once().await;
    }
    busy.shutdown().await;
    // A task that spends one unit of its budget per change must yield eight times, for 61 polls of other tasks each.
    let turns = turns.load(Ordering::Relaxed);
    assert!(turns < 200, "the others had {turns} turns meanwhile");
    running.shutdown().await;
}
