//! Servers that are silent, or never send the expected event: the informer recovers within a stated time.

use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use serde_json::json;
use tidings::{SharedInformer, SharedInformerFactory};
use tidings_apiserver::{ApiServer, Ending, Fault};
use tokio::time::{Instant, sleep, timeout};

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn put(server: &ApiServer, name: &str, round: u32) {
    let labels = json!({ "round": round.to_string() });
    server.put("pods", json!({ "metadata": { "namespace": "default", "name": name, "labels": labels } }));
}

/// The time until the cache contains the pod.
async fn until_cached(pods: &SharedInformer<Pod>, name: &str) -> Duration {
    let (key, began) = (format!("default/{name}"), Instant::now());
    while pods.lister().get(&key).is_none() && began.elapsed() < seconds(3600) {
        sleep(seconds(1)).await;
    }
    began.elapsed()
}

// holds: X38
#[tokio::test(start_paused = true)]
async fn a_watch_that_becomes_silent_before_its_first_bookmark_lags_at_most_200_s() {
    let server = ApiServer::start().await;
    put(&server, "first", 0);
    let factory = SharedInformerFactory::new(server.client());
    let pods = factory.informer::<Pod>();
    let running = factory.start();
    running.synced().await.unwrap();
    // Several times, to cover the first watch and reopened ones.
    for round in 0..5 {
        sleep(seconds(1)).await;
        server.faults().cut_watches(Ending::Stalled);
        let name = format!("late-{round}");
        put(&server, &name, 0);
        let behind = until_cached(&pods, &name).await;
        assert!(behind <= seconds(200), "{behind:?} in round {round}");
    }
    running.shutdown().await;
}

// holds: X38
#[tokio::test(start_paused = true)]
async fn with_bookmarks_every_second_a_silent_watch_lags_at_most_10_s() {
    let server = ApiServer::builder().bookmark_interval(seconds(1)).start().await;
    let factory = SharedInformerFactory::new(server.client());
    let pods = factory.informer::<Pod>();
    let running = factory.start();
    running.synced().await.unwrap();
    for round in 0..5 {
        for change in 0..60 {
            put(&server, "busy", 60 * round + change);
            sleep(seconds(1)).await;
        }
        server.faults().cut_watches(Ending::Stalled);
        let name = format!("late-{round}");
        put(&server, &name, 0);
        let behind = until_cached(&pods, &name).await;
        assert!(behind <= seconds(10), "{behind:?} in round {round}");
    }
    running.shutdown().await;
}

/// Syncs with a server that ignores `sendInitialEvents`, while one object changes per second.
async fn check_ignored_marker(bookmark_interval: Duration, change: impl Fn(&ApiServer, u32)) {
    let server = ApiServer::builder().bookmark_interval(bookmark_interval).start().await;
    put(&server, "first", 0);
    server.faults().inject(Fault::HideMarker.always());
    let factory = SharedInformerFactory::new(server.client());
    let pods = factory.informer::<Pod>();
    let running = factory.start();
    let (began, mut round) = (Instant::now(), 0);
    while timeout(seconds(1), running.synced()).await.is_err() {
        round += 1;
        change(&server, round);
        assert!(began.elapsed() <= seconds(45), "not synchronised after {:?}", began.elapsed());
    }
    sleep(seconds(1)).await;
    assert_eq!(pods.lister().list().len(), server.list_versions("pods").len());
    running.shutdown().await;
}

// holds: X39
#[tokio::test(start_paused = true)]
async fn a_streaming_list_that_never_ends_is_replaced_by_a_list_within_45_s() {
    for bookmark_interval in [seconds(5), seconds(40), seconds(3600)] {
        check_ignored_marker(bookmark_interval, |server, round| put(server, "first", round)).await;
        check_ignored_marker(bookmark_interval, |server, round| put(server, &format!("new-{round}"), 0))
            .await;
        check_ignored_marker(bookmark_interval, |server, round| {
            put(server, "flapping", round);
            server.remove("pods", "default/flapping");
        })
        .await;
    }
}
