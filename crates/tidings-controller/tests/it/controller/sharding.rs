//! Two replicas of a controller share its keys.

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use serde_json::json;
use tidings_apiserver::{ApiServer, Fault, Verb};
use tidings_controller::{Action, Context, Controller, Error, LeaseError, Reconciler, Request, Sharding};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::controller::harness::{RequestLog, RunningController, TestCluster};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);

struct Replica {
    started: RunningController,
    requests: RequestLog,
    leave: CancellationToken,
    sharding: JoinSet<Result<(), LeaseError>>,
}

fn replica(server: &ApiServer, identity: &str) -> Replica {
    let requests = RequestLog::new();
    let reconciler = requests.reconciler();
    replica_with(server, identity, requests, reconciler)
}

fn replica_with(
    server: &ApiServer,
    identity: &str,
    requests: RequestLog,
    reconciler: impl Reconciler,
) -> Replica {
    let cluster = TestCluster::over(server.clone());
    let sharding = Sharding::new("maps").identity(identity).seed(identity.len() as u64);
    let (shard, task) = sharding.build(&cluster.factory).unwrap();
    let controller = Controller::for_kind::<ConfigMap>("maps")
        .shard(shard)
        .reads::<Secret>()
        .write_wait_max(10 * MINUTE)
        .reconcile(reconciler);
    let started = cluster.start(controller);
    let leave = CancellationToken::new();
    let mut sharding = JoinSet::new();
    sharding.spawn(task.run(leave.clone()));
    Replica { started, requests, leave, sharding }
}

fn put(server: &ApiServer, round: usize) {
    for at in 0..40 {
        server.put(
            "configmaps",
            json!({ "metadata": { "name": format!("map-{at}") }, "data": { "round": round.to_string() } }),
        );
    }
}

#[tokio::test(start_paused = true)]
async fn each_key_is_reconciled_by_one_replica_and_after_one_leaves_by_the_other() {
    let server = ApiServer::start().await;
    put(&server, 0);
    let (one, mut other) = (replica(&server, "one"), replica(&server, "other"));
    tokio::time::sleep(2 * MINUTE).await;
    let count = |replica: &Replica| {
        let mut names = replica.requests.take();
        names.sort();
        names.dedup();
        names
    };
    let (_, _) = (count(&one), count(&other));
    put(&server, 1);
    tokio::time::sleep(MINUTE).await;
    let (ones, others) = (count(&one), count(&other));
    assert_eq!(ones.len() + others.len(), 40, "{ones:?} {others:?}");
    assert!(!ones.is_empty() && !others.is_empty());
    assert!(ones.iter().all(|name| !others.contains(name)));
    assert!(one.started.handle.stats().not_ours > 0);
    // No object changes, and still the remaining replica reconciles the keys that it owns now.
    other.leave.cancel();
    while other.sharding.join_next().await.is_some() {}
    tokio::time::sleep(2 * MINUTE).await;
    let taken_over = count(&one);
    assert!(others.iter().all(|name| taken_over.contains(name)), "{taken_over:?}");
    other.started.shutdown().await;
    one.leave.cancel();
    one.started.shutdown().await;
}

/// Creates a secret in the first reconcile, which the cache shows a minute later. Fails if a later reconcile does not see
/// it.
async fn create_then_read(request: Request, context: Context, requests: RequestLog) -> Result<Action, Error> {
    if requests.record(&request) > 1 {
        context.lister::<Secret>()?.require("default/copy")?;
        return Ok(Action::await_change());
    }
    let secret = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "copy" } });
    context.api::<Secret>().create(&serde_json::from_value(secret)?).await?;
    Ok(Action::requeue_after(Duration::ZERO))
}

#[tokio::test(start_paused = true)]
async fn a_key_that_is_lost_and_regained_while_it_waits_for_its_writes_still_waits_for_them() {
    let server = ApiServer::start().await;
    server.faults().inject(Fault::SlowStream(MINUTE).always().on(Verb::Watch).of("secrets"));
    let requests = RequestLog::new();
    let logged = requests.clone();
    let reconciler = move |request, context| create_then_read(request, context, logged.clone());
    let one = replica_with(&server, "one", requests, reconciler);
    one.started.handle.synced().await.unwrap();
    server.put("configmaps", json!({ "metadata": { "name": "map" } }));
    while one.started.handle.stats().delayed_requeues == 0 {
        tokio::time::sleep(SECOND).await;
    }
    // The replica loses its keys with its lease, and writes the lease again.
    let lease = server.list_versions("leases").into_keys().next().unwrap();
    assert!(server.remove("leases", &lease));
    while one.started.handle.stats().not_ours == 0 {
        tokio::time::sleep(SECOND / 10).await;
    }
    tokio::time::sleep(10 * MINUTE).await;

    let times = one.requests.times("map");
    assert!(times.len() > 1 && times[1] - times[0] > MINUTE / 2, "{times:?}");
    let stats = one.started.handle.stats();
    assert_eq!((stats.errors, stats.write_waits_given_up), (0, 0));
    one.leave.cancel();
    one.started.shutdown().await;
}
