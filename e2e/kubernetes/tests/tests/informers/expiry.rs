//! Expired versions: an informer is cut off while the server continues and drops its history.

use k8s_openapi::api::core::v1::{ConfigMap, LimitRange};
use kube_client::api::{ListParams, PostParams, VersionMatch};
use kube_client::{Api, ResourceExt as _};
use kubernetes_tests::{Cluster, Copies, Link, User};
use serde_json::json;
use tidings::Kind;
use tidings::{ErrorClass, client_from_config};
use tokio::time::{Duration, Instant};

use crate::test_informer::TestInformer;
use crate::test_namespace::TestNamespace;

/// More events of one kind than a watch cache stores, which is 102,400.
const OVERFLOW: usize = 52_000;

/// How long the watch cache may take to receive them.
const CACHE_BEHIND_MAX: Duration = Duration::from_secs(60);

// holds: R17
pub(crate) async fn by_compaction(cluster: &mut Cluster) {
    let namespace_of_test = TestNamespace::new(cluster, "compacted").await;
    namespace_of_test.write_many(3).await;
    let (link, maps) = behind_a_link::<ConfigMap>(cluster, &namespace_of_test).await;
    link.cut().await;
    namespace_of_test.change().await;
    cluster.compact().await.unwrap();
    link.mend().unwrap();
    lists_again(&maps, &namespace_of_test, "configmaps").await;
    maps.running.shutdown().await;
}

/// A restarted server has an empty watch cache.
pub(crate) async fn by_restart(cluster: &mut Cluster) {
    let namespace_of_test = TestNamespace::new(cluster, "restarted").await;
    namespace_of_test.write_many(3).await;
    let (link, maps) = behind_a_link::<ConfigMap>(cluster, &namespace_of_test).await;
    link.cut().await;
    namespace_of_test.change().await;
    cluster.restart().await.unwrap();
    link.mend().unwrap();
    lists_again(&maps, &namespace_of_test, "configmaps").await;
    maps.running.shutdown().await;
}

/// Uses a kind that no other test of the group watches.
pub(crate) async fn by_overflow(cluster: &Cluster) {
    let namespace_of_test = TestNamespace::new(cluster, "overflown").await;
    let ranges: Api<LimitRange> =
        Api::namespaced(namespace_of_test.client.clone(), &namespace_of_test.namespace);
    create_range(&ranges, "original").await;
    let (link, followed) = behind_a_link::<LimitRange>(cluster, &namespace_of_test).await;
    link.cut().await;
    for _ in 0..2 {
        let of = "/registry/limitranges/overflown/original";
        cluster
            .copy_object(Copies { of, namespace: "overflown", prefix: "range-", count: OVERFLOW })
            .await
            .unwrap();
    }
    watch_cache_has_all(&ranges).await;
    link.mend().unwrap();
    namespace_of_test
        .collection("limitranges")
        .metadata()
        .reached_by(&followed.informer, &followed.recorder)
        .await;
    assert!(followed.errors.count(ErrorClass::Expired) > 0, "{:?}", followed.errors.all());
    followed.running.shutdown().await;
}

async fn create_range(ranges: &Api<LimitRange>, name: &str) -> LimitRange {
    let range = json!({ "metadata": { "name": name }, "spec": { "limits": [] } });
    ranges.create(&PostParams::default(), &serde_json::from_value(range).unwrap()).await.unwrap()
}

/// Waits until the watch cache has received all events. A list at a version is answered from the cache when it has
/// reached that version.
async fn watch_cache_has_all(ranges: &Api<LimitRange>) {
    let last = create_range(ranges, "last").await.resource_version().expect("it was written");
    let of_nobody = ListParams::default().labels("of=nobody").at(&last).matching(VersionMatch::NotOlderThan);
    let deadline = Instant::now() + CACHE_BEHIND_MAX;
    while let Err(error) = ranges.list(&of_nobody).await {
        assert!(Instant::now() < deadline, "the watch cache is behind for too long: {error}");
    }
}

/// A synced informer over a link that can be cut.
async fn behind_a_link<K: Kind + 'static>(
    cluster: &Cluster,
    namespace_of_test: &TestNamespace,
) -> (Link, TestInformer<K>) {
    let link = Link::to(cluster.port()).await.unwrap();
    let client = client_from_config(link.over(cluster.config(User::Admin).await)).unwrap();
    let informer = TestInformer::start(client, namespace_of_test.options()).await;
    (link, informer)
}

/// The server responds with 410 to the watch from the last version, and the informer lists again.
async fn lists_again<K: Kind + 'static>(
    informer: &TestInformer<K>,
    namespace_of_test: &TestNamespace,
    plural: &str,
) {
    namespace_of_test.collection(plural).agrees_with(&informer.informer, &informer.recorder).await;
    assert!(informer.errors.count(ErrorClass::Expired) > 0, "{:?}", informer.errors.all());
    assert!(informer.informer.stats().requests.relists > 0);
    assert_eq!(informer.recorder.versions_decreased(), 0);
}
