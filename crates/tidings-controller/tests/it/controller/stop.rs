//! How a controller ends: running reconciles are finished or dropped, and no request is lost.

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use serde_json::json;
use tidings_apiserver::{Fault, Verb};
use tidings_controller::{Action, Context, Controller, ControllerError, Request};
use tidings_informer::Lifecycle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::controller::harness::{RequestLog, TestCluster, config_maps, settle};

const SECOND: Duration = Duration::from_secs(1);

fn key(name: &str) -> Request {
    Request::new(Some("default"), name).unwrap()
}

/// A controller whose reconciles take ten seconds. They are logged when they begin and when they end.
fn slow(begun: &RequestLog, ended: &RequestLog) -> Controller {
    let (begun, ended) = (begun.clone(), ended.clone());
    config_maps().reconcile(move |request: Request, _| {
        begun.record(&request);
        let ended = ended.clone();
        async move {
            tokio::time::sleep(10 * SECOND).await;
            ended.record(&request);
            Ok(Action::await_change())
        }
    })
}

#[tokio::test(start_paused = true)]
async fn a_stop_finishes_running_reconciles_and_leaves_other_requests_on_the_queue() {
    let cluster = TestCluster::new().await;
    let (begun, ended) = (RequestLog::new(), RequestLog::new());
    let started = cluster.start_synced(slow(&begun, &ended)).await;
    cluster.put("first");
    settle().await;
    cluster.put("second");
    settle().await;
    let stopped_at = Instant::now();
    let queue = started.handle.queue().clone();
    started.shutdown().await;
    assert_eq!(stopped_at.elapsed().as_secs(), 9);
    assert_eq!((begun.take(), ended.take()), (vec!["first".to_owned()], vec!["first".to_owned()]));
    assert_eq!(queue.next().await.as_deref(), Some(&key("second")));
    assert!(queue.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn an_abandoned_reconcile_ends_at_its_next_await_and_its_request_is_back_on_the_queue() {
    let cluster = TestCluster::new().await;
    let (begun, ended) = (RequestLog::new(), RequestLog::new());
    let started = cluster.start_synced(slow(&begun, &ended)).await;
    cluster.put("first");
    settle().await;
    let (queue, handle) = (started.handle.queue().clone(), started.handle.clone());
    let stopped_at = Instant::now();
    started.stop.cancel();
    started.abandon.cancel();
    started.finished().await;
    assert!(stopped_at.elapsed() < SECOND);
    assert_eq!((begun.take(), ended.take()), (vec!["first".to_owned()], Vec::new()));
    assert_eq!(queue.next().await.as_deref(), Some(&key("first")));
    assert_eq!((handle.stats().abandoned, handle.stats().active_workers), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn the_next_controller_reconciles_what_the_last_one_left() {
    let cluster = TestCluster::new().await;
    let (begun, ended) = (RequestLog::new(), RequestLog::new());
    let started = cluster.start_synced(slow(&begun, &ended)).await;
    for name in ["a", "b", "c"] {
        cluster.put(name);
    }
    settle().await;
    started.abandon.cancel();
    started.finished().await;
    assert_eq!(ended.take(), [""; 0]);
    let started = cluster.start_synced(slow(&begun, &ended)).await;
    tokio::time::sleep(31 * SECOND).await;
    let mut all = ended.take();
    all.sort();
    assert_eq!(all, ["a", "b", "c"]);
    started.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_controller_that_has_ended_takes_no_requests_and_still_has_stats() {
    let cluster = TestCluster::new().await;
    let requests = RequestLog::new();
    let started = cluster.start_synced(slow(&requests, &requests)).await;
    let handle = started.handle.clone();
    started.shutdown().await;
    handle.request(key("late"));
    handle.queue().add_rate_limited(key("late"));
    handle.queue().add_after(key("late"), SECOND);
    tokio::time::sleep(10 * SECOND).await;
    assert!(handle.queue().is_empty() && handle.queue().is_shutting_down());
    assert!(handle.queue().next().await.is_none());
    assert_eq!(requests.take(), [""; 0]);
    assert_eq!(handle.stats().successes, 0);
}

#[tokio::test(start_paused = true)]
async fn informers_stop_when_their_only_controller_has_ended() {
    let cluster = TestCluster::new().await;
    let requests = RequestLog::new();
    let controller = config_maps().owns::<Secret>().reconcile(requests.reconciler());
    let (handle, task) = controller.attach(&cluster.factory).unwrap();
    let maps = cluster.factory.informer::<ConfigMap>();
    let running = cluster.factory.start();
    let stop = CancellationToken::new();
    stop.cancel();
    task.run(stop).await.unwrap();
    // Nothing else uses the informer of secrets, so it stops. The handle keeps nothing alive.
    settle().await;
    let names: Vec<_> = cluster.factory.stats().into_iter().map(|stats| stats.name).collect();
    assert_eq!(names, ["configmaps"]);
    assert!(maps.stats().handlers.is_empty());
    drop(maps);
    running.finished().await;
    drop(handle);
}

#[tokio::test(start_paused = true)]
async fn dropping_a_task_that_never_ran_removes_its_handlers() {
    let cluster = TestCluster::new().await;
    let maps = cluster.factory.informer::<ConfigMap>();
    let (_, task) = config_maps()
        .reconcile(|_, _| async { Ok(Action::await_change()) })
        .attach(&cluster.factory)
        .unwrap();
    assert_eq!(maps.stats().handlers.len(), 1);
    drop(task);
    assert!(maps.stats().handlers.is_empty());
    assert_eq!(maps.lifecycle(), Lifecycle::New);
}

#[tokio::test(start_paused = true)]
async fn a_controller_waits_for_all_its_caches_and_can_be_stopped_while_it_waits() {
    let cluster = TestCluster::new().await;
    cluster.put("map");
    cluster
        .server
        .faults()
        .inject(Fault::Status { code: 403, retry_after_seconds: None }.always().of("secrets"));
    let requests = RequestLog::new();
    let controller = || config_maps().reads::<Secret>().reconcile(requests.reconciler());
    let started = cluster.start(controller());
    tokio::time::sleep(60 * SECOND).await;
    assert!(!started.handle.is_synced());
    assert_eq!(requests.take(), [""; 0]);
    // The request is already on the queue.
    assert_eq!(started.handle.queue().len(), 1);
    started.shutdown().await;
    let started = cluster.start(controller());
    cluster.server.faults().clear();
    tokio::time::sleep(120 * SECOND).await;
    assert!(started.handle.is_synced());
    assert_eq!(requests.take(), ["map"]);
    started.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_controller_that_is_stopped_while_a_request_waits_for_its_writes_ends_at_once() {
    let cluster = TestCluster::new().await;
    cluster.server.faults().inject(Fault::SlowStream(600 * SECOND).always().on(Verb::Watch).of("secrets"));
    let requests = RequestLog::new();
    let logged = requests.clone();
    let controller = config_maps().reads::<Secret>().write_wait_max(600 * SECOND).reconcile(
        move |request: Request, context: Context| {
            let at = logged.record(&request);
            async move {
                let secret = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": format!("s-{at}") } });
                context.api::<Secret>().create(&serde_json::from_value(secret)?).await?;
                Ok(Action::requeue_after(Duration::ZERO))
            }
        },
    );
    let started = cluster.start_synced(controller).await;
    cluster.put("map");
    tokio::time::sleep(10 * SECOND).await;
    let before = requests.now();
    started.shutdown().await;
    assert!(requests.now() - before < SECOND);
    assert_eq!(requests.take(), ["map"], "no reconcile of a cache that does not show the write");
}

#[tokio::test(start_paused = true)]
async fn a_cache_that_will_never_be_filled_ends_the_controller_with_an_error() {
    let cluster = TestCluster::new().await;
    let maps = cluster.factory.informer::<ConfigMap>();
    let controller = config_maps().reconcile(|_, _| async { Ok(Action::await_change()) });
    let (handle, task) = controller.attach(&cluster.factory).unwrap();
    maps.stop();
    let running = cluster.factory.start();
    let ended = task.run(CancellationToken::new()).await;
    assert!(matches!(ended, Err(ControllerError::NotSynced { .. })), "{ended:?}");
    assert!(handle.queue().is_shutting_down());
    running.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_controller_without_a_name_or_workers_is_an_error() {
    let cluster = TestCluster::new().await;
    let reconcile = |_, _| async { Ok(Action::await_change()) };
    let nameless = Controller::for_kind::<ConfigMap>("").reconcile(reconcile).attach(&cluster.factory);
    assert!(matches!(nameless, Err(ControllerError::EmptyName)));
    let idle = config_maps().workers(0).reconcile(reconcile).attach(&cluster.factory);
    assert!(matches!(idle, Err(ControllerError::NoWorkers { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_long_reconcile_can_wait_for_the_stop() {
    let cluster = TestCluster::new().await;
    cluster.put("map");
    let controller = config_maps().reconcile(|_, context: Context| async move {
        assert!(!context.is_cancelled());
        context.cancelled().await;
        Ok(Action::await_change())
    });
    let started = cluster.start_synced(controller).await;
    assert_eq!(started.handle.stats().active_workers, 1);
    let handle = started.handle.clone();
    started.shutdown().await;
    assert_eq!(handle.stats().successes, 1);
}
