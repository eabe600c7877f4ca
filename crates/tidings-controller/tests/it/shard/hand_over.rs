//! Keys that go from one replica to another while both are well.

use std::time::Duration;

use tidings_apiserver::ApiServer;
use tidings_object::Key;
use tokio::time::{Instant, timeout};

use crate::shard::replica::{Replica, keys, sharding, until};

/// A key that is the newcomer's once both know of each other.
async fn key_of(newcomer: &Replica) -> Key {
    let is_newcomers = |key: &&Key| {
        let owner = newcomer.shard.owner(key);
        newcomer.shard.status().members.len() == 2 && owner == Some(newcomer.shard.status().identity)
    };
    until("they know of each other", || keys().iter().any(|key| is_newcomers(&key))).await;
    keys().iter().find(is_newcomers).unwrap().clone()
}

#[tokio::test(start_paused = true)]
async fn a_key_is_handed_over_when_its_permit_was_dropped_and_not_before() {
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
async fn work_that_holds_up_a_hand_over_is_told_to_end_after_its_grace() {
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
        assert_eq!(permit.lost().is_cancelled(), !stays, "only what is handed over ends");
    }
}

#[tokio::test(start_paused = true)]
async fn a_replica_that_stops_hands_its_keys_over_at_once_and_takes_its_lease_away() {
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
async fn a_replica_that_comes_back_under_its_name_waits_for_its_former_self() {
    let server = ApiServer::start().await;
    let former = Replica::start(&server, "a");
    let held = former.permit(&keys()[0]).await;
    let mut present = Replica::start_with(&server, sharding("a").seed(77));
    tokio::time::sleep(Duration::from_secs(40)).await;
    assert_eq!(present.owned(&keys()), [], "the former is alive and works");
    assert!(!held.lost().is_cancelled());
    let mut tasks = former.tasks;
    tasks.shutdown().await;
    drop(held);
    let waited = until("the lease of the former expires", || present.owned(&keys()) == keys()).await;
    assert!((13..19).contains(&waited.as_secs()), "{waited:?}");
    until("it is cleared away", || server.list_versions("leases").len() == 1).await;
    present.tasks.shutdown().await;
}
