//! Versions that are no longer to be had: each time an informer is cut off while the server goes on and forgets.

use k8s_openapi::api::core::v1::{ConfigMap, LimitRange};
use kube_client::api::{ListParams, PostParams, VersionMatch};
use kube_client::{Api, ResourceExt as _};
use kubernetes_tests::{Cluster, Copies, Link, User};
use serde_json::json;
use tidings::Kind;
use tidings::{ErrorClass, client_from_config};
use tokio::time::{Duration, Instant};

use crate::follow::Follow;
use crate::scene::Scene;

/// More events of one kind than a watch cache ever keeps, which is 102,400.
const OVERFLOW: usize = 52_000;

/// How long the watch cache may take to hear of them.
const CACHE_BEHIND_MAX: Duration = Duration::from_secs(60);

// holds: R17
pub(crate) async fn by_compaction(cluster: &mut Cluster) {
    let scene = Scene::new(cluster, "compacted").await;
    scene.write_many(3).await;
    let (link, maps) = behind_a_link::<ConfigMap>(cluster, &scene).await;
    link.cut().await;
    scene.change().await;
    cluster.compact().await.unwrap();
    link.mend().unwrap();
    lists_anew(&maps, &scene, "configmaps").await;
    maps.running.shutdown().await;
}

/// A server that starts has a watch cache that starts.
pub(crate) async fn by_restart(cluster: &mut Cluster) {
    let scene = Scene::new(cluster, "restarted").await;
    scene.write_many(3).await;
    let (link, maps) = behind_a_link::<ConfigMap>(cluster, &scene).await;
    link.cut().await;
    scene.change().await;
    cluster.restart().await.unwrap();
    link.mend().unwrap();
    lists_anew(&maps, &scene, "configmaps").await;
    maps.running.shutdown().await;
}

/// Of a kind that no other test of the group watches.
pub(crate) async fn by_overflow(cluster: &Cluster) {
    let scene = Scene::new(cluster, "overflown").await;
    let ranges: Api<LimitRange> = Api::namespaced(scene.client.clone(), &scene.namespace);
    create_range(&ranges, "original").await;
    let (link, followed) = behind_a_link::<LimitRange>(cluster, &scene).await;
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
    scene.collection("limitranges").metadata().reached_by(&followed.informer, &followed.recorder).await;
    assert!(followed.troubles.count(ErrorClass::Expired) > 0, "{:?}", followed.troubles.all());
    followed.running.shutdown().await;
}

async fn create_range(ranges: &Api<LimitRange>, name: &str) -> LimitRange {
    let range = json!({ "metadata": { "name": name }, "spec": { "limits": [] } });
    ranges.create(&PostParams::default(), &serde_json::from_value(range).unwrap()).await.unwrap()
}

/// The cache is behind etcd by as much as the machine is busy, and what it has not recorder of pushes nothing out of it.
/// A list at a version is answered by the cache when it has come that far, and refused if that takes too long.
async fn watch_cache_has_all(ranges: &Api<LimitRange>) {
    let last = create_range(ranges, "last").await.resource_version().expect("it was written");
    let of_nobody = ListParams::default().labels("of=nobody").at(&last).matching(VersionMatch::NotOlderThan);
    let deadline = Instant::now() + CACHE_BEHIND_MAX;
    while let Err(error) = ranges.list(&of_nobody).await {
        assert!(Instant::now() < deadline, "the watch cache is behind for too long: {error}");
    }
}

/// An informer that is synced, over a wire that can be cut.
async fn behind_a_link<K: Kind + 'static>(cluster: &Cluster, scene: &Scene) -> (Link, Follow<K>) {
    let link = Link::to(cluster.port()).await.unwrap();
    let client = client_from_config(link.over(cluster.config(User::Admin).await)).unwrap();
    let follow = Follow::start(client, scene.options()).await;
    (link, follow)
}

/// The watch from the last version is answered with 410, and a list follows.
async fn lists_anew<K: Kind + 'static>(follow: &Follow<K>, scene: &Scene, plural: &str) {
    scene.collection(plural).agrees_with(&follow.informer, &follow.recorder).await;
    assert!(follow.troubles.count(ErrorClass::Expired) > 0, "{:?}", follow.troubles.all());
    assert!(follow.informer.stats().requests.relists > 0);
    assert_eq!(follow.recorder.versions_decreased(), 0);
}
