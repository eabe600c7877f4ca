//! Replicas that lose their lease: no other replica works on their keys before they have stopped.

use std::sync::Arc;
use std::time::Duration;

use tidings_apiserver::ApiServer;
use tidings_controller::{LeaseError, OnOverrun};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::shard::replica::{Replica, keys, sharding, until};

/// Two replicas, and a key of the first.
async fn two(server: &ApiServer) -> (Replica, Replica) {
    let (first, second) = (Replica::start(server, "a"), Replica::start(server, "b"));
    until("both own some", || !first.owned(&keys()).is_empty() && !second.owned(&keys()).is_empty()).await;
    (first, second)
}

#[tokio::test(start_paused = true)]
async fn a_replica_that_can_not_renew_stops_before_another_takes_its_keys() {
    let server = ApiServer::start().await;
    let (cut, other) = two(&server).await;
    let key = cut.owned(&keys()).remove(0);
    let permit = cut.permit(&key).await;
    cut.cut();
    let begun = Instant::now();
    permit.lost().cancelled().await;
    let lost_after = begun.elapsed();
    assert!((8..=10).contains(&lost_after.as_secs()), "{lost_after:?}");
    assert_eq!(cut.owned(&keys()), []);
    assert!(matches!(cut.shard.check(), Err(LeaseError::NotRenewed { .. })));
    assert!(other.shard.permit(&key).is_none());
    drop(permit);
    drop(other.permit(&key).await);
    let taken_after = begun.elapsed();
    assert!((13..20).contains(&taken_after.as_secs()), "{taken_after:?}");
}

#[tokio::test(start_paused = true)]
async fn a_replica_that_was_disconnected_gets_keys_again() {
    let server = ApiServer::start().await;
    let (cut, other) = two(&server).await;
    cut.cut();
    until("the other owns all", || other.owned(&keys()) == keys()).await;
    cut.is_cut.store(false, std::sync::atomic::Ordering::SeqCst);
    until("each has its share", || {
        let (mine, others) = (cut.owned(&keys()).len(), other.owned(&keys()).len());
        mine > 0 && mine + others == keys().len()
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_permit_that_is_held_when_the_lease_could_expire_is_reported() {
    let server = ApiServer::start().await;
    let (report, mut reported) = mpsc::unbounded_channel();
    let hook = OnOverrun::call(move |overrun| report.send(overrun.clone()).unwrap());
    let replica = Replica::start_with(&server, sharding("a").on_overrun(hook));
    let permit = replica.permit(&keys()[3]).await;
    replica.cut();
    let begun = Instant::now();
    let overrun = reported.recv().await.unwrap();
    assert_eq!(overrun.keys, [keys()[3].clone()]);
    assert!(overrun.lease.starts_with("default/foo-"), "{}", overrun.lease);
    assert_eq!(overrun.expired_at.elapsed().as_secs(), 0);
    assert!(permit.lost().is_cancelled());
    // 4/5 of the lease duration after the last renewal.
    assert!((10..=12).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn dropping_the_task_revokes_all_permits() {
    let server = ApiServer::start().await;
    let mut replica = Replica::start(&server, "a");
    let permit = replica.permit(&keys()[0]).await;
    replica.tasks.shutdown().await;
    assert!(permit.lost().is_cancelled());
    assert_eq!(replica.owned(&keys()), []);
}

#[tokio::test(start_paused = true)]
async fn deleting_the_lease_by_hand_revokes_all_permits_until_it_is_written_again() {
    let server = ApiServer::start().await;
    let replica = Replica::start(&server, "a");
    let permit = replica.permit(&keys()[0]).await;
    let lease: Arc<str> = server.list_versions("leases").into_keys().next().unwrap().into();
    assert!(server.remove("leases", &lease));
    permit.lost().cancelled().await;
    drop(permit);
    until("it owns all again", || replica.owned(&keys()) == keys()).await;
    assert_eq!(server.list_versions("leases").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_replica_with_a_stale_cache_fails_its_health_check() {
    let server = ApiServer::start().await;
    let replica = Replica::start(&server, "a");
    until("it owns all", || replica.owned(&keys()) == keys()).await;
    server.faults().inject(
        tidings_apiserver::Fault::StallStream { after_events: 0 }.always().on(tidings_apiserver::Verb::Watch),
    );
    server.faults().cut_watches(tidings_apiserver::Ending::Stalled);
    until("its cache is stale", || matches!(replica.shard.check(), Err(LeaseError::StaleCache { .. }))).await;
    assert_eq!(replica.owned(&keys()), keys(), "no other replica can have taken its keys");
    tokio::time::sleep(Duration::from_secs(1)).await;
}
