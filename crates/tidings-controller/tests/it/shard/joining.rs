//! Replicas that join a group: which keys they own, and which options are refused.

use std::time::Duration;

use serde_json::json;
use tidings_apiserver::ApiServer;
use tidings_controller::{LeaseError, Sharding};
use tidings_factory::SharedInformerFactory;

use crate::shard::replica::{Replica, keys, sharding, until};

#[tokio::test(start_paused = true)]
async fn a_single_replica_owns_all_keys() {
    let server = ApiServer::start().await;
    let replica = Replica::start(&server, "a");
    assert!(matches!(replica.shard.check(), Err(LeaseError::NotRenewed { .. })));
    assert_eq!(replica.owned(&keys()), []);
    let mut shard = replica.shard.clone();
    shard.changed().await;
    let waited = until("it owns all", || replica.owned(&keys()) == keys()).await;
    assert!(waited < Duration::from_secs(1), "{waited:?}");
    assert!(replica.shard.check().is_ok());
    let status = replica.shard.status();
    assert_eq!((&*status.identity, &*status.members), ("a", &["a".into()][..]));
}

#[tokio::test(start_paused = true)]
async fn replicas_share_the_keys_and_each_key_has_one_owner() {
    let server = ApiServer::start().await;
    let replicas = ["a", "b", "c"].map(|identity| Replica::start(&server, identity));
    let owned = || replicas.iter().flat_map(|replica| replica.owned(&keys())).collect::<Vec<_>>();
    until("every key has an owner", || {
        let mut owned = owned();
        owned.sort();
        let mut all = keys();
        all.sort();
        owned == all
    })
    .await;
    for replica in &replicas {
        let share = replica.owned(&keys());
        assert!((8..=32).contains(&share.len()), "{} of 60", share.len());
        for key in share {
            assert_eq!(replica.shard.owner(&key), Some(replica.shard.status().identity));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn other_groups_and_namespaces_do_not_matter() {
    let server = ApiServer::start().await;
    let here = Replica::start(&server, "a");
    let other_group = Replica::start_with(&server, Sharding::new("bar").identity("b").seed(2));
    let other_namespace = Replica::start_with(&server, sharding("c").namespace("kube-system"));
    for replica in [&here, &other_group, &other_namespace] {
        until("each owns all of its own", || replica.owned(&keys()) == keys()).await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_unreadable_lease_claims_all_keys_until_it_expires() {
    let server = ApiServer::start().await;
    let lease = json!({
        "metadata": {
            "namespace": "default", "name": "foo-x", "labels": { "tidings.dev/shard-group": "foo" },
            "annotations": { "tidings.dev/shard-view": "from the future" },
        },
        "spec": { "leaseDurationSeconds": 20 },
    });
    server.put("leases", lease);
    let replica = Replica::start(&server, "a");
    let waited = until("it owns all", || replica.owned(&keys()) == keys()).await;
    assert!((20..24).contains(&waited.as_secs()), "{waited:?}");
}

#[tokio::test]
async fn wrong_options_are_refused() {
    let factory = SharedInformerFactory::new(ApiServer::start().await.client());
    let refused = |sharding: Sharding| sharding.build(&factory).map(drop).unwrap_err();
    for group in ["", "Foo", "-foo", "foo-", "foo/bar", &"x".repeat(64)] {
        assert!(matches!(refused(Sharding::new(group)), LeaseError::Group { .. }), "{group}");
    }
    let group = || Sharding::new("foo");
    assert!(matches!(refused(group().identity("")), LeaseError::Identity { .. }));
    assert!(matches!(refused(group().identity("x".repeat(254))), LeaseError::Identity { .. }));
    assert!(matches!(refused(group().namespace("a/b")), LeaseError::Namespace(_)));
    let seconds = Duration::from_secs_f64;
    // 10 % of difference between clocks must fit between the end of all permits and the end of the lease.
    for (lease, renew, retry) in
        [(15.0, 12.0, 2.0), (15.0, 10.0, 6.0), (15.5, 10.0, 2.0), (7200.0, 10.0, 2.0), (15.0, 10.0, 0.0)]
    {
        let sharding = group().lease_duration(seconds(lease)).renew_deadline(seconds(renew));
        let error = refused(sharding.retry_period(seconds(retry)));
        assert!(matches!(error, LeaseError::Timing { .. }), "{lease} {renew} {retry}");
    }
}
