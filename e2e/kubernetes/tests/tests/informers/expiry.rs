//! Versions that are no longer to be had: each time an informer is cut off while the server goes on and forgets.

use k8s_openapi::api::core::v1::{ConfigMap, LimitRange};
use kube_client::Api;
use kube_client::api::PostParams;
use kubernetes_tests::{Cluster, Copies, Link, User};
use serde_json::json;
use tidings::Kind;
use tidings::stages::source::{ErrorClass, client_from_config};

use crate::follow::Follow;
use crate::scene::Scene;

/// More events of one kind than a watch cache ever keeps, which is 102,400.
const OVERFLOW: usize = 52_000;

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
    let range = json!({ "metadata": { "name": "original" }, "spec": { "limits": [] } });
    let ranges: Api<LimitRange> = Api::namespaced(scene.client.clone(), &scene.namespace);
    ranges.create(&PostParams::default(), &serde_json::from_value(range).unwrap()).await.unwrap();
    let (link, followed) = behind_a_link::<LimitRange>(cluster, &scene).await;
    link.cut().await;
    for _ in 0..2 {
        let of = "/registry/limitranges/overflown/original";
        cluster
            .copy_object(Copies { of, namespace: "overflown", prefix: "range-", count: OVERFLOW })
            .await
            .unwrap();
    }
    link.mend().unwrap();
    scene.collection("limitranges").metadata().reached_by(&followed.informer, &followed.heard).await;
    assert!(followed.troubles.count(ErrorClass::Expired) > 0, "{:?}", followed.troubles.all());
    followed.running.shutdown().await;
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
    scene.collection(plural).agrees_with(&follow.informer, &follow.heard).await;
    assert!(follow.troubles.count(ErrorClass::Expired) > 0, "{:?}", follow.troubles.all());
    assert!(follow.informer.stats().requests.relists > 0);
    assert_eq!(follow.heard.went_back(), 0);
}
