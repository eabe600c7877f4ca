//! Keys that move from one healthy replica to another.

use std::time::Duration;

use tidings_apiserver::ApiServer;
use tidings_object::Key;
use tokio::time::{Instant, timeout};

use crate::shard::replica::{Replica, keys, sharding, until};

/// A key that the new replica owns when both know each other.
async fn key_of(new_replica: &Replica) -> Key {
    let is_new_replicas = |key: &&Key| {
        let owner = new_replica.shard.owner(key);
        new_replica.shard.status().members.len() == 2 && owner == Some(new_replica.shard.status().identity)
    };
    until("they know each other", || keys().iter().any(|key| is_new_replicas(&key))).await;
    keys().iter().find(is_new_replicas).unwrap().clone()
}

#[tokio::test(start_paused = true)]
async fn a_key_is_handed_over_when_its_permit_is_dropped_and_not_before() {
    let server = ApiServer::start().await;
    let old = Replica::start(&server, "a");
    let mut held = Vec::new();
    for key in keys() {
        held.push(old.permit(&key).await);
    }
    let new = Replica::start(&server, "b");
    let key = key_of(&new).await;
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert_eq!(new.owned(&keys()), []);
    assert!(old.shard.permit(&key).is_none(), "no new work on what is handed over");
    assert_eq!(new.shard.status().waits_for, ["a".into()]);
    assert!(held.iter().all(|permit| !permit.lost().is_cancelled()));
    held.clear();
    let begun = Instant::now();
    drop(timeout(Duration::from_secs(5), new.permit(&key)).await.expect("the key is handed over"));
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    assert!(old.shard.permit(&key).is_none());
}

#[tokio::test(start_paused = true)]
async fn work_that_delays_a_hand_over_is_revoked_after_the_timeout() {
    let server = ApiServer::start().await;
    let old = Replica::start(&server, "a");
    let mut held = Vec::new();
    for key in keys() {
        held.push(old.permit(&key).await);
    }
    let begun = Instant::now();
    let new = Replica::start(&server, "b");
    let key = key_of(&new).await;
    let moved = held.iter().position(|permit| *permit.key() == key).unwrap();
    held[moved].lost().cancelled().await;
    assert!((30..33).contains(&begun.elapsed().as_secs()), "{:?}", begun.elapsed());
    for permit in &held {
        let stays = old.shard.owner(permit.key()) == Some("a".into());
        assert_eq!(permit.lost().is_cancelled(), !stays, "only permits of handed over keys are revoked");
    }
}

#[tokio::test(start_paused = true)]
async fn a_replica_that_stops_hands_over_its_keys_at_once_and_deletes_its_lease() {
    let server = ApiServer::start().await;
    let (first, second) = (Replica::start(&server, "a"), Replica::start(&server, "b"));
    until("both own some", || !first.owned(&keys()).is_empty() && !second.owned(&keys()).is_empty()).await;
    let key = first.owned(&keys()).remove(0);
    let held = first.permit(&key).await;
    first.stop.cancel();
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert!(first.shard.permit(&key).is_none() && second.shard.permit(&key).is_none());
    assert_eq!(server.list_versions("leases").len(), 2);
    drop(held);
    let begun = Instant::now();
    first.ended().await;
    until("the other owns all", || second.owned(&keys()) == keys()).await;
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    assert_eq!(server.list_versions("leases").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_restarted_replica_waits_for_its_former_process() {
    let server = ApiServer::start().await;
    let former = Replica::start(&server, "a");
    let held = former.permit(&keys()[0]).await;
    let mut present = Replica::start_with(&server, sharding("a").seed(77));
    tokio::time::sleep(Duration::from_secs(40)).await;
    assert_eq!(present.owned(&keys()), [], "the former process is alive and works");
    assert!(!held.lost().is_cancelled());
    let mut tasks = former.tasks;
    tasks.shutdown().await;
    drop(held);
    let waited = until("the lease of the former expires", || present.owned(&keys()) == keys()).await;
    assert!((13..19).contains(&waited.as_secs()), "{waited:?}");
    until("the expired lease is deleted", || server.list_versions("leases").len() == 1).await;
    present.tasks.shutdown().await;
}
