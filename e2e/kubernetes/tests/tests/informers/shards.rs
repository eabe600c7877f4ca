//! Informers of one shard each, on a server that applies `shardSelector` and on one that ignores it.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::api::PartialObjectMeta;
use kubernetes_tests::Cluster;
use kubernetes_tests::agreement::wait_until;
use tidings::{InformerOptions, ShardRange, Sharded};

use crate::test_informer::{TestInformer, quick};
use crate::test_namespace::TestNamespace;

const SHARDS: u32 = 3;
const NAMESPACES: usize = 6;

/// What decides in which shard an object is.
#[derive(Clone, Copy)]
enum ShardedBy {
    Uid,
    Namespace,
}

pub(crate) async fn by_uid(cluster: &Cluster) {
    add_up(cluster, "sharded-by-uid", ShardedBy::Uid, true).await;
}

pub(crate) async fn by_namespace(cluster: &Cluster) {
    add_up(cluster, "sharded-by-namespace", ShardedBy::Namespace, true).await;
}

/// A server without the gate sends all objects, and the client drops those of other shards.
pub(crate) async fn ignored(cluster: &Cluster) {
    add_up(cluster, "unsharded", ShardedBy::Uid, false).await;
}

/// A list of metadata does not report the shard, so that the client filters again what the server has filtered.
pub(crate) async fn of_metadata(cluster: &Cluster) {
    let namespaces = namespaces(cluster, "sharded-metadata").await;
    let shards: Vec<TestInformer<PartialObjectMeta<ConfigMap>>> = (0..SHARDS)
        .map(|index| {
            let options = options(&namespaces, range(index, ShardedBy::Uid));
            TestInformer::of(namespaces[0].client.clone(), |factory| factory.metadata_with(options).unwrap())
        })
        .collect();
    for shard in &shards {
        shard.synced().await;
        for stream in shard.informer.health().streams {
            assert_eq!(stream.sharded, Some(Sharded::ByClient));
        }
    }
    follow(&namespaces, || shards.iter().flat_map(cached).collect()).await;
    for shard in shards {
        shard.running.shutdown().await;
    }
}

/// The shards have each object exactly once, at the start and after changes.
async fn add_up(cluster: &Cluster, name: &str, by: ShardedBy, is_applied: bool) {
    let namespaces = namespaces(cluster, name).await;
    let mut shards: Vec<TestInformer<ConfigMap>> = Vec::new();
    for index in 0..SHARDS {
        let options = options(&namespaces, range(index, by));
        shards.push(TestInformer::start(namespaces[0].client.clone(), options).await);
    }
    for (index, shard) in (0..).zip(&shards) {
        for stream in shard.informer.health().streams {
            let selector = range(index, by).to_string();
            let applied = if is_applied { Sharded::ByServer(selector) } else { Sharded::ByClient };
            assert_eq!(stream.sharded, Some(applied));
        }
        if let ShardedBy::Namespace = by {
            for map in shard.informer.lister().list() {
                let namespace = map.key().namespace().unwrap_or_default().to_owned();
                assert!(range(index, by).contains(&namespace), "{} is in shard {index}", map.key());
            }
        }
    }
    follow(&namespaces, || shards.iter().flat_map(cached).collect()).await;
    for shard in shards {
        assert_eq!(shard.errors.all(), []);
        shard.running.shutdown().await;
    }
}

async fn namespaces(cluster: &Cluster, name: &str) -> Vec<TestNamespace> {
    let mut namespaces = Vec::new();
    for number in 0..NAMESPACES {
        let namespace = TestNamespace::new(cluster, &format!("{number}-{name}")).await;
        namespace.write_many(4).await;
        namespaces.push(namespace);
    }
    namespaces
}

fn range(index: u32, by: ShardedBy) -> ShardRange {
    let range = ShardRange::part(index, SHARDS).unwrap();
    match by {
        ShardedBy::Uid => range,
        ShardedBy::Namespace => range.by_namespace(),
    }
}

fn options(namespaces: &[TestNamespace], range: ShardRange) -> InformerOptions {
    let names = namespaces.iter().map(|namespace| &namespace.namespace);
    InformerOptions::new().namespaces(names).unwrap().reflector(quick()).shard(range)
}

/// The keys and versions in the cache of an informer.
fn cached<K: 'static>(informer: &TestInformer<K>) -> Vec<(String, String)> {
    let list = informer.informer.lister().list();
    list.iter().map(|map| (map.key().to_string(), map.version().to_string())).collect()
}

/// Compares what all shards have with what the server lists, before and after changes in each namespace.
async fn follow(namespaces: &[TestNamespace], together: impl Fn() -> Vec<(String, String)>) {
    for is_changed in [false, true] {
        if is_changed {
            for namespace in namespaces {
                namespace.change().await;
            }
        }
        let mut listed = BTreeMap::new();
        for namespace in namespaces {
            for map in namespace.maps().list(&Default::default()).await.unwrap() {
                let metadata = map.metadata;
                let key = format!("{}/{}", namespace.namespace, metadata.name.unwrap());
                listed.insert(key, metadata.resource_version.unwrap());
            }
        }
        wait_until("each object is in exactly one shard", || {
            let mut cached = together();
            cached.sort();
            cached.into_iter().eq(listed.clone())
        })
        .await;
    }
}
