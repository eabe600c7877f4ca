//! Two replicas of a controller share its keys.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;
use tidings_apiserver::ApiServer;
use tidings_controller::{Controller, LeaseError, Sharding};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::controller::harness::{RequestLog, RunningController, TestCluster};

const MINUTE: Duration = Duration::from_secs(60);

struct Replica {
    started: RunningController,
    requests: RequestLog,
    leave: CancellationToken,
    sharding: JoinSet<Result<(), LeaseError>>,
}

fn replica(server: &ApiServer, identity: &str) -> Replica {
    let cluster = TestCluster::over(server.clone());
    let sharding = Sharding::new("maps").identity(identity).seed(identity.len() as u64);
    let (shard, task) = sharding.build(&cluster.factory).unwrap();
    let requests = RequestLog::new();
    let controller = Controller::for_kind::<ConfigMap>("maps").shard(shard).reconcile(requests.reconciler());
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
