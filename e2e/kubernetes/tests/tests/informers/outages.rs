//! Servers that are killed, and a server that forgets what it has said.

use k8s_openapi::api::core::v1::ConfigMap;
use kubernetes_tests::agreement::wait_until;
use kubernetes_tests::trials::seed;
use kubernetes_tests::{Cluster, Copies};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::follow::{Follow, with_short_watches};
use crate::scene::Scene;
use crate::workload::Workload;

const KILLS: usize = 20;

/// How much must be recorder between two kills: the server dies in the middle of something.
const NOTIFICATIONS_BETWEEN: usize = 30;

// holds: X1
pub(crate) async fn outlives_twenty_servers(cluster: &mut Cluster) {
    let scene = Scene::new(cluster, "killed").await;
    let maps: Follow<ConfigMap> = Follow::start(scene.client.clone(), scene.options()).await;
    let (stop, mut writers) = (CancellationToken::new(), JoinSet::new());
    for writer in 0..2 {
        let workload = Workload::new(seed() + writer, scene.maps(), format!("writer-{writer}"));
        writers.spawn(workload.run(stop.clone()));
    }
    for kill in 0..KILLS {
        let enough = maps.recorder.notification_count() + NOTIFICATIONS_BETWEEN;
        wait_until(&format!("enough is recorder after {kill} kills"), || {
            maps.recorder.notification_count() >= enough
        })
        .await;
        cluster.kill();
        cluster.restart().await.unwrap();
    }
    stop.cancel();
    let written: u64 = writers.join_all().await.into_iter().sum();
    assert!(written > (KILLS * NOTIFICATIONS_BETWEEN) as u64 / 2, "only {written} writes were taken");
    assert_eq!(maps.recorder.versions_decreased(), 0, "no object ever went back");
    maps.ends_with(scene.collection("configmaps")).await;
}

/// Versions go back: what the server gave out after the copy, it gives out again for something else.
// holds: X14, R36
pub(crate) async fn follows_a_restored_server(cluster: &mut Cluster) {
    let scene = Scene::new(cluster, "restored").await;
    scene.write_many(4).await;
    cluster.kill();
    let copy = cluster.copy_data().unwrap();
    cluster.restart().await.unwrap();

    let options = scene.options().reflector(with_short_watches());
    let maps: Follow<ConfigMap> = Follow::start(scene.client.clone(), options).await;
    scene.change().await;
    // The server writes a little by itself; it must not come to the informer's version before it is asked.
    let of = "/registry/configmaps/restored/new";
    cluster.copy_object(Copies { of, namespace: "restored", prefix: "lost-", count: 2_000 }).await.unwrap();
    scene.collection("configmaps").agrees_with(&maps.informer, &maps.recorder).await;

    cluster.kill();
    cluster.restore(&copy).unwrap();
    cluster.restart().await.unwrap();
    scene.collection("configmaps").agrees_with(&maps.informer, &maps.recorder).await;
    assert_eq!(maps.recorder.object_count(), 4, "what was before the copy");
    assert!(maps.informer.stats().faults.went_back > 0, "{:?}", maps.informer.stats().faults);
    scene.write("afterwards", "followed").await;
    maps.ends_with(scene.collection("configmaps")).await;
}
