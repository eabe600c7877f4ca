//! Caches that are behind the server: how a reconcile learns it, and what a controller does meanwhile.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use serde_json::json;
use tidings_apiserver::{Ending, Fault, Verb};
use tidings_controller::{Action, Context, ControllerBuilder, Request, WhenStale};
use tidings_object::Kind as _;

use crate::controller::harness::{RequestLog, RunningController, TestCluster, config_maps, settle};

const SECOND: Duration = Duration::from_secs(1);

/// What reconciles saw: whether the secret of the same name exists, and for how long the stream was down.
type Seen = Arc<Mutex<Vec<(bool, Duration)>>>;

async fn start(
    cluster: &TestCluster,
    builder: ControllerBuilder<ConfigMap>,
) -> (RunningController, RequestLog, Seen) {
    let (requests, seen) = (RequestLog::new(), Seen::default());
    let (log, noted) = (requests.clone(), Arc::clone(&seen));
    let controller = builder.reads::<Secret>().reconcile(move |request: Request, context: Context| {
        log.record(&request);
        let noted = Arc::clone(&noted);
        async move {
            let staleness = context.staleness::<Secret>()?;
            assert_eq!(context.staleness_of(&Secret::resource())?, staleness);
            let found = context.get::<Secret>(&request).await?.is_some();
            let listed = context.list::<Secret>().await?.iter().any(|secret| secret.name() == request.name());
            assert_eq!(found, listed);
            noted.lock().unwrap().push((found, staleness.down_for));
            Ok(Action::await_change())
        }
    });
    (cluster.start_synced(controller).await, requests, seen)
}

/// Ends the stream of secrets, and lets no other begin. A secret that is written then is missing in the cache.
async fn cut_off(cluster: &TestCluster) {
    let down = || Fault::Status { code: 503, retry_after_seconds: None }.always().of("secrets");
    cluster.server.faults().inject(down().on(Verb::Watch));
    cluster.server.faults().inject(down().on(Verb::List));
    cluster.server.faults().cut_watches(Ending::Broken);
    tokio::time::sleep(SECOND).await;
    cluster.server.put("secrets", json!({ "metadata": { "name": "a" } }));
    tokio::time::sleep(120 * SECOND).await;
}

// holds: X73
#[tokio::test(start_paused = true)]
async fn a_reconcile_knows_how_long_a_stream_is_down_and_goes_on() {
    for builder in [config_maps(), config_maps().stale_after(60 * SECOND, WhenStale::Continue)] {
        let cluster = TestCluster::new().await;
        let (started, _, seen) = start(&cluster, builder).await;
        cluster.put("first");
        settle().await;
        cut_off(&cluster).await;
        cluster.put("a");
        settle().await;
        let seen = seen.lock().unwrap().clone();
        assert_eq!(seen[0], (false, Duration::ZERO));
        assert!(!seen[1].0 && seen[1].1 > 100 * SECOND, "{seen:?}");
        started.shutdown().await;
    }
}

// holds: X73
#[tokio::test(start_paused = true)]
async fn requests_wait_while_a_cache_is_stale_if_so_chosen() {
    let cluster = TestCluster::new().await;
    let (started, requests, seen) =
        start(&cluster, config_maps().stale_after(60 * SECOND, WhenStale::Wait)).await;
    cut_off(&cluster).await;
    cluster.put("a");
    tokio::time::sleep(60 * SECOND).await;
    assert!(requests.take().is_empty());
    assert!(started.handle.stats().stale_waits > 0);
    cluster.server.faults().clear();
    tokio::time::sleep(120 * SECOND).await;
    assert_eq!(*seen.lock().unwrap(), [(true, Duration::ZERO)], "nothing is lost");
    started.shutdown().await;
}

// holds: X73
#[tokio::test(start_paused = true)]
async fn reads_go_to_the_server_while_a_cache_is_stale_if_so_chosen() {
    let cluster = TestCluster::new().await;
    let (started, _, seen) =
        start(&cluster, config_maps().stale_after(60 * SECOND, WhenStale::ReadLive)).await;
    cut_off(&cluster).await;
    cluster.server.faults().clear();
    cluster.server.faults().inject(
        Fault::Status { code: 503, retry_after_seconds: None }.always().on(Verb::Watch).of("secrets"),
    );
    cluster.put("a");
    settle().await;
    assert!(seen.lock().unwrap().iter().any(|(found, _)| *found), "{seen:?}");
    assert!(started.handle.stats().live_reads >= 2);
    started.shutdown().await;
}
