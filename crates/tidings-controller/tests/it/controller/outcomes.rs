//! The outcomes of reconciles, and what happens to their requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tidings_controller::{Action, Context, ControllerError, Error, Reconciler, Request};
use tidings_workqueue::limiter::Exponential;

use crate::controller::harness::{RequestLog, TestCluster, config_maps, settle};

const SECOND: Duration = Duration::from_secs(1);

/// Calls `bad` for the object `bad`, and succeeds for all others.
struct FailsForBad<F> {
    requests: RequestLog,
    bad: F,
}

impl<F, Ended> Reconciler for FailsForBad<F>
where
    F: Fn() -> Ended + Send + Sync + 'static,
    Ended: Future<Output = Result<Action, Error>> + Send,
{
    async fn reconcile(&self, request: Request, _: Context) -> Result<Action, Error> {
        self.requests.record(&request);
        if request.name() == "bad" { (self.bad)().await } else { Ok(Action::await_change()) }
    }
}

/// Asserts that each pause is longer than the one before, up to the longest.
fn grows(times: &[Duration], longest: Duration) {
    let pauses: Vec<_> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(pauses.len() >= 4, "{pauses:?}");
    for pair in pauses.windows(2) {
        assert!(pair[1] > pair[0] || pair[1] >= longest, "{pauses:?}");
    }
}

/// Asserts that the failing object is retried with growing delays, and that others are reconciled in the meantime.
async fn retried<F, Ended>(bad: F, timeout: Option<Duration>) -> tidings_controller::ControllerStats
where
    F: Fn() -> Ended + Send + Sync + 'static,
    Ended: Future<Output = Result<Action, Error>> + Send + 'static,
{
    let cluster = TestCluster::new().await;
    let requests = RequestLog::new();
    let mut controller = config_maps().limiter(Exponential::new(SECOND, 60 * SECOND));
    if let Some(timeout) = timeout {
        controller = controller.reconcile_timeout(timeout);
    }
    let started =
        cluster.start_synced(controller.reconcile(FailsForBad { requests: requests.clone(), bad })).await;
    cluster.put("bad");
    for round in 0..120 {
        cluster.put(&format!("good-{round}"));
        tokio::time::sleep(SECOND).await;
    }
    tokio::time::sleep(SECOND).await;
    grows(&requests.times("bad"), 60 * SECOND);
    for round in 0..120 {
        assert_eq!(requests.times(&format!("good-{round}")).len(), 1, "round {round}");
    }
    let stats = started.handle.stats();
    assert_eq!(stats.errors, requests.times("bad").len() as u64);
    assert_eq!(stats.successes, 120);
    started.shutdown().await;
    stats
}

#[tokio::test(start_paused = true)]
async fn a_failed_reconcile_is_retried_later_each_time_while_others_proceed() {
    let stats = retried(|| async { Err("on purpose".into()) }, None).await;
    assert_eq!((stats.terminal_errors, stats.panics, stats.timeouts), (0, 0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_reconcile_that_panics_is_retried_and_affects_no_other() {
    let stats = retried(|| async { panic!("on purpose") }, None).await;
    assert_eq!(stats.panics, stats.errors);
}

#[tokio::test(start_paused = true)]
async fn a_reconciler_that_panics_before_its_first_await_is_retried() {
    let bad = || -> std::future::Ready<Result<Action, Error>> { panic!("on purpose") };
    let stats = retried(bad, None).await;
    assert_eq!(stats.panics, stats.errors);
}

#[tokio::test(start_paused = true)]
async fn a_reconcile_that_hangs_is_dropped_at_its_deadline_and_retried() {
    let stats = retried(std::future::pending, Some(SECOND / 4)).await;
    assert_eq!(stats.timeouts, stats.errors);
}

// holds: X41
#[tokio::test(start_paused = true)]
async fn a_reconcile_that_hangs_is_dropped_after_an_hour_unless_the_limit_is_disabled() {
    let controllers = [
        (config_maps(), Some(3600 * SECOND)),
        (config_maps().reconcile_timeout(60 * SECOND), Some(60 * SECOND)),
        (config_maps().reconcile_timeout(None), None),
        (config_maps().reconcile_timeout(Duration::MAX), None),
    ];
    for (controller, limit) in controllers {
        let cluster = TestCluster::new().await;
        let requests = RequestLog::new();
        let bad = std::future::pending;
        let started =
            cluster.start_synced(controller.reconcile(FailsForBad { requests: requests.clone(), bad })).await;
        cluster.put("bad");
        tokio::time::sleep(24 * 3600 * SECOND).await;
        let times = requests.times("bad");
        let took = times.get(1).map(|again| *again - times[0]);
        match (limit, took) {
            (None, None) => {}
            (Some(limit), Some(took)) => assert!(limit <= took && took <= limit + SECOND, "{took:?}"),
            _ => panic!("a limit of {limit:?} and another reconcile after {took:?}"),
        }
        // Dropped instead of stopped: a stop waits for running reconciles, and this one hangs.
        drop(started);
    }
}

/// Panics when it is dropped.
struct PanicsOnDrop;

impl Drop for PanicsOnDrop {
    fn drop(&mut self) {
        assert!(std::thread::panicking(), "on purpose");
    }
}

#[tokio::test(start_paused = true)]
async fn a_reconcile_that_panics_while_it_is_dropped_is_retried() {
    let bad = || async {
        let _held = PanicsOnDrop;
        std::future::pending().await
    };
    let stats = retried(bad, Some(SECOND / 4)).await;
    assert_eq!(stats.panics, stats.errors);
}

#[tokio::test(start_paused = true)]
async fn a_terminal_error_is_counted_and_not_retried_until_something_changes() {
    let cluster = TestCluster::new().await;
    let requests = RequestLog::new();
    let bad = || async { Err(Error::terminal("nothing mends this")) };
    let started =
        cluster.start_synced(config_maps().reconcile(FailsForBad { requests: requests.clone(), bad })).await;
    cluster.put("bad");
    tokio::time::sleep(10_000 * SECOND).await;
    assert_eq!(requests.take(), ["bad"]);
    cluster.put_with("bad", serde_json::json!({ "a": "b" }));
    settle().await;
    assert_eq!(requests.take(), ["bad"]);
    let stats = started.handle.stats();
    assert_eq!((stats.errors, stats.terminal_errors), (2, 2));
    assert_eq!(started.handle.queue().requeues(&Request::new(Some("default"), "bad").unwrap()), 0);
    started.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_change_requests_a_reconcile_immediately_during_a_backoff() {
    let cluster = TestCluster::new().await;
    let requests = RequestLog::new();
    let bad = || async { Err("on purpose".into()) };
    let controller = config_maps().limiter(Exponential::new(600 * SECOND, 600 * SECOND));
    let started =
        cluster.start_synced(controller.reconcile(FailsForBad { requests: requests.clone(), bad })).await;
    cluster.put("bad");
    tokio::time::sleep(SECOND).await;
    cluster.put_with("bad", serde_json::json!({ "a": "b" }));
    tokio::time::sleep(SECOND).await;
    assert_eq!(requests.times("bad").len(), 2);
    started.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn requeue_after_waits_exactly_and_success_resets_the_backoff() {
    let cluster = TestCluster::new().await;
    let requests = RequestLog::new();
    let tries = Arc::new(AtomicUsize::new(0));
    let bad = move || {
        let at = tries.fetch_add(1, Ordering::Relaxed);
        // Two errors, then a success, repeatedly.
        async move { if at % 3 == 2 { Ok(Action::requeue_after(100 * SECOND)) } else { Err("on purpose".into()) } }
    };
    let controller = config_maps().limiter(Exponential::new(SECOND, 60 * SECOND));
    let started =
        cluster.start_synced(controller.reconcile(FailsForBad { requests: requests.clone(), bad })).await;
    cluster.put("bad");
    tokio::time::sleep(309 * SECOND + SECOND / 2).await;
    let times = requests.times("bad");
    let pauses: Vec<_> = times.windows(2).map(|pair| (pair[1] - pair[0]).as_secs()).collect();
    assert_eq!(pauses, [1, 2, 100, 1, 2, 100, 1, 2, 100]);
    assert_eq!(started.handle.stats().delayed_requeues, 3);
    started.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn the_delay_of_a_requeue_grows_and_it_is_not_an_error() {
    let cluster = TestCluster::new().await;
    let requests = RequestLog::new();
    let bad = || async { Ok(Action::requeue()) };
    let controller = config_maps().limiter(Exponential::new(SECOND, 60 * SECOND));
    let started =
        cluster.start_synced(controller.reconcile(FailsForBad { requests: requests.clone(), bad })).await;
    cluster.put("bad");
    tokio::time::sleep(100 * SECOND).await;
    grows(&requests.times("bad"), 60 * SECOND);
    let stats = started.handle.stats();
    assert_eq!((stats.errors, stats.requeues), (0, requests.times("bad").len() as u64));
    started.shutdown().await;
}

/// Detects concurrent reconciles of one object.
#[derive(Default)]
struct ConcurrencyCheck {
    busy: std::sync::Mutex<std::collections::HashSet<String>>,
    together_max: AtomicUsize,
}

#[tokio::test(start_paused = true)]
async fn one_key_is_never_reconciled_concurrently_and_different_keys_are() {
    let cluster = TestCluster::new().await;
    let concurrency = Arc::new(ConcurrencyCheck::default());
    let seen = Arc::clone(&concurrency);
    let controller = config_maps().workers(4).reconcile(move |request: Request, _| {
        let concurrency = Arc::clone(&seen);
        async move {
            let together = {
                let mut busy = concurrency.busy.lock().unwrap();
                assert!(busy.insert(request.to_string()), "{request} is reconciled concurrently");
                busy.len()
            };
            concurrency.together_max.fetch_max(together, Ordering::Relaxed);
            tokio::time::sleep(SECOND).await;
            concurrency.busy.lock().unwrap().remove(request.as_str());
            Ok(Action::await_change())
        }
    });
    let started = cluster.start_synced(controller).await;
    for round in 0..40 {
        for name in ["a", "b", "c", "d", "e"] {
            cluster.put_with(name, serde_json::json!({ "round": round.to_string() }));
        }
        tokio::time::sleep(SECOND / 7).await;
    }
    let stats = started.handle.stats();
    assert_eq!((stats.active_workers, stats.workers), (4, 4));
    tokio::time::sleep(60 * SECOND).await;
    let stats = started.handle.stats();
    assert_eq!((stats.errors, stats.active_workers), (0, 0));
    assert_eq!(concurrency.together_max.load(Ordering::Relaxed), 4);
    started.shutdown().await;
}

/// The seconds between the reconciles of `bad`.
fn pauses(requests: &RequestLog) -> Vec<u64> {
    requests.times("bad").windows(2).map(|pair| (pair[1] - pair[0]).as_secs()).collect()
}

#[tokio::test(start_paused = true)]
async fn on_error_can_choose_a_fixed_delay_and_give_up_until_the_object_changes() {
    let cluster = TestCluster::new().await;
    let requests = RequestLog::new();
    let failures = Arc::new(std::sync::Mutex::new(Vec::new()));
    let log = Arc::clone(&failures);
    let controller = config_maps().on_error(move |request, error, count| {
        assert_eq!((request.name(), error.to_string().as_str()), ("bad", "on purpose"));
        log.lock().unwrap().push(count);
        if count < 4 { Action::requeue_after(15 * SECOND) } else { Action::await_change() }
    });
    let bad = || async { Err("on purpose".into()) };
    let reconciler = FailsForBad { requests: requests.clone(), bad };
    let started = cluster.start_synced(controller.reconcile(reconciler)).await;
    cluster.put("good");
    cluster.put("bad");
    tokio::time::sleep(1000 * SECOND).await;
    assert_eq!(pauses(&requests), [15, 15, 15]);
    cluster.put_with("bad", serde_json::json!({ "a": "b" }));
    tokio::time::sleep(SECOND).await;
    assert_eq!(requests.times("bad").len(), 5);
    assert_eq!(*failures.lock().unwrap(), [1, 2, 3, 4, 1], "giving up resets the number of failures");
    assert_eq!(started.handle.stats().errors, 5);
    started.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn on_error_sees_timeouts_and_panics_counts_until_a_success_and_skips_terminal_errors() {
    let cluster = TestCluster::new().await;
    let requests = RequestLog::new();
    let calls = Arc::new(std::sync::Mutex::new(Vec::new()));
    let log = Arc::clone(&calls);
    let controller = config_maps()
        .reconcile_timeout(SECOND)
        .limiter(Exponential::new(SECOND, 60 * SECOND))
        .on_error(move |_, error, count| {
            let kind = match error.cause().downcast_ref::<ControllerError>() {
                Some(ControllerError::ReconcileTimeout { .. }) => "timeout",
                Some(ControllerError::ReconcilePanicked { .. }) => "panic",
                _ => "error",
            };
            log.lock().unwrap().push((kind, count));
            Action::requeue() // as the limiter allows
        });
    let tries = AtomicUsize::new(0);
    let bad = move || {
        let at = tries.fetch_add(1, Ordering::Relaxed);
        async move {
            match at {
                0 => std::future::pending().await,
                1 => panic!("on purpose"),
                2 => Err("on purpose".into()),
                3 => Ok(Action::requeue_after(10 * SECOND)),
                4 => Err("on purpose".into()),
                _ => Err(Error::terminal("on purpose")),
            }
        }
    };
    let reconciler = FailsForBad { requests: requests.clone(), bad };
    let started = cluster.start_synced(controller.reconcile(reconciler)).await;
    cluster.put("bad");
    tokio::time::sleep(1000 * SECOND).await;
    let expected = [("timeout", 1), ("panic", 2), ("error", 3), ("error", 1)];
    assert_eq!(*calls.lock().unwrap(), expected);
    assert_eq!(pauses(&requests), [2, 2, 4, 10, 1], "the first includes the timeout of one second");
    started.shutdown().await;
}
