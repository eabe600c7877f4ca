//! Requests that wait for an object without polling.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use serde_json::json;
use tidings_controller::{Action, Condition, Context, ControllerBuilder, Request, RequestReason};
use tidings_object::{Key, Kind as _};

use crate::controller::harness::{RequestLog, RunningController, TestCluster, config_maps, settle};

const SECOND: Duration = Duration::from_secs(1);

fn is_ready() -> Condition<Secret> {
    Condition::on_object("is ready", |secret| {
        Ok(secret.is_some_and(|secret| secret.labels().value("ready") == Some("yes")))
    })
}

fn put_secret(cluster: &TestCluster, name: &str, ready: &str) {
    cluster.server.put("secrets", json!({ "metadata": { "name": name, "labels": { "ready": ready } } }));
}

/// Awaits the secret of the same name until it is ready.
async fn awaiting(cluster: &TestCluster, requests: &RequestLog, within: Duration) -> RunningController {
    let log = requests.clone();
    let controller = config_maps().reads::<Secret>().reconcile(move |request: Request, context: Context| {
        log.record(&request);
        async move {
            let secret = context.lister::<Secret>()?.get(&request);
            Ok(match is_ready().holds(secret.as_ref())? {
                true => Action::await_change(),
                false => Action::await_object::<Secret>(&request, is_ready(), within),
            })
        }
    });
    cluster.start_synced(controller).await
}

fn count(started: &RunningController, reason: RequestReason) -> u64 {
    let requests = started.handle.stats().requests;
    requests.iter().filter(|request| request.reason == reason).map(|request| request.count).sum()
}

// holds: X72
#[tokio::test(start_paused = true)]
async fn a_request_sleeps_until_the_object_meets_the_condition_and_nothing_is_polled() {
    let (cluster, requests) = (TestCluster::new().await, RequestLog::new());
    let started = awaiting(&cluster, &requests, 3600 * SECOND).await;
    cluster.put("a");
    cluster.put("b");
    settle().await;
    assert_eq!(requests.take(), ["a", "b"]);
    put_secret(&cluster, "a", "no");
    tokio::time::sleep(600 * SECOND).await;
    assert!(requests.take().is_empty(), "neither time nor a change that does not meet the condition");
    put_secret(&cluster, "a", "yes");
    settle().await;
    assert_eq!(requests.take(), ["a"]);
    assert_eq!(count(&started, RequestReason::AwaitedObject), 1);
    tokio::time::sleep(2 * 3600 * SECOND).await;
    assert_eq!(requests.take(), ["b", "b"], "its time was up, and it waits again");
    started.shutdown().await;
}

// holds: X72
#[tokio::test(start_paused = true)]
async fn a_request_is_reconciled_when_its_time_is_up() {
    let (cluster, requests) = (TestCluster::new().await, RequestLog::new());
    let started = awaiting(&cluster, &requests, 10 * SECOND).await;
    cluster.put("a");
    tokio::time::sleep(35 * SECOND).await;
    let times: Vec<u64> = requests.times("a").iter().map(Duration::as_secs).collect();
    assert_eq!(times, [0, 10, 20, 30]);
    assert_eq!(count(&started, RequestReason::AwaitTimeout), 3);
    started.shutdown().await;
}

// holds: X72
#[tokio::test(start_paused = true)]
async fn another_reconcile_ends_the_wait_and_there_is_one_wait_for_a_request() {
    let (cluster, requests) = (TestCluster::new().await, RequestLog::new());
    let started = awaiting(&cluster, &requests, 100 * SECOND).await;
    cluster.put("a");
    for _ in 0..5 {
        tokio::time::sleep(10 * SECOND).await;
        cluster.put_with("a", json!({ "at": format!("{:?}", requests.now()) }));
    }
    settle().await;
    assert_eq!(requests.take().len(), 6);
    put_secret(&cluster, "a", "yes");
    settle().await;
    assert_eq!(requests.take(), ["a"], "one wait, not six");
    tokio::time::sleep(600 * SECOND).await;
    assert!(requests.take().is_empty(), "no wait is left");
    started.shutdown().await;
}

// holds: X72
#[tokio::test(start_paused = true)]
async fn a_condition_that_holds_already_does_not_make_a_request_spin() {
    let (cluster, requests) = (TestCluster::new().await, RequestLog::new());
    put_secret(&cluster, "a", "yes");
    let log = requests.clone();
    let controller = config_maps().reads::<Secret>().reconcile(move |request: Request, _: Context| {
        log.record(&request);
        async move { Ok(Action::await_object::<Secret>(&request, is_ready(), SECOND)) }
    });
    let started = cluster.start_synced(controller).await;
    cluster.put("a");
    tokio::time::sleep(SECOND).await;
    let reconciles = requests.take().len();
    assert!((2..20).contains(&reconciles), "{reconciles} reconciles in a second: the delay grows");
    started.shutdown().await;
}

// holds: X63, X72
#[tokio::test(start_paused = true)]
async fn awaiting_an_undeclared_kind_is_an_error_that_names_the_line_to_add() {
    let cluster = TestCluster::new().await;
    let errors = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&errors);
    let builder: ControllerBuilder<ConfigMap> = config_maps().on_error(move |_, error, _| {
        noted.lock().unwrap().push(error.to_string());
        Action::await_change()
    });
    let controller = builder.reconcile(async |request: Request, _: Context| {
        Ok(Action::await_object::<Secret>(&request, is_ready(), SECOND))
    });
    let started = cluster.start_synced(controller).await;
    cluster.put("a");
    settle().await;
    let errors = errors.lock().unwrap().clone();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].contains("declare it with `.reads::<") && errors[0].contains("secrets"), "{errors:?}");
    started.shutdown().await;
}

// holds: X72
#[tokio::test(start_paused = true)]
async fn an_object_of_a_kind_known_at_run_time_and_a_deletion_can_be_awaited() {
    let (cluster, requests) = (TestCluster::new().await, RequestLog::new());
    put_secret(&cluster, "old", "yes");
    let log = requests.clone();
    let controller = config_maps().reads_resource(Secret::resource()).reconcile(
        move |request: Request, context: Context| {
            let tries = log.record(&request);
            async move {
                let old = context.list_of(&Secret::resource()).await?;
                let Some(old) = old.first() else { return Ok(Action::await_change()) };
                assert_eq!(tries, 1);
                let gone = Condition::is_deleted(old.uid());
                let key = Key::parse("default/old")?;
                Ok(Action::await_object_of(Secret::resource(), &key, gone, 3600 * SECOND))
            }
        },
    );
    let started = cluster.start_synced(controller).await;
    cluster.put("a");
    tokio::time::sleep(60 * SECOND).await;
    assert_eq!(requests.take(), ["a"]);
    assert!(cluster.server.remove("secrets", "default/old"));
    settle().await;
    assert_eq!(requests.take(), ["a"]);
    assert_eq!(started.handle.stats().errors, 0);
    started.shutdown().await;
}
