//! Servers that are killed, and a server that is restored from a backup.

use k8s_openapi::api::core::v1::ConfigMap;
use kubernetes_tests::agreement::wait_until;
use kubernetes_tests::trials::seed;
use kubernetes_tests::{Cluster, Copies};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::test_informer::{TestInformer, with_short_watches};
use crate::test_namespace::TestNamespace;
use crate::workload::Workload;

const KILLS: usize = 20;

/// How many notifications there must be between two kills, so that the server is killed while it is busy.
const NOTIFICATIONS_BETWEEN: usize = 30;

// holds: X1
pub(crate) async fn outlives_twenty_servers(cluster: &mut Cluster) {
    let namespace_of_test = TestNamespace::new(cluster, "killed").await;
    let maps: TestInformer<ConfigMap> =
        TestInformer::start(namespace_of_test.client.clone(), namespace_of_test.options()).await;
    let (stop, mut writers) = (CancellationToken::new(), JoinSet::new());
    for writer in 0..2 {
        let workload = Workload::new(seed() + writer, namespace_of_test.maps(), format!("writer-{writer}"));
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
    maps.ends_with(namespace_of_test.collection("configmaps")).await;
}

/// Versions decrease: the restored server assigns the versions after the backup again.
// holds: X14, R36
pub(crate) async fn follows_a_restored_server(cluster: &mut Cluster) {
    let namespace_of_test = TestNamespace::new(cluster, "restored").await;
    namespace_of_test.write_many(4).await;
    cluster.kill();
    let copy = cluster.copy_data().unwrap();
    cluster.restart().await.unwrap();

    let options = namespace_of_test.options().reflector(with_short_watches());
    let maps: TestInformer<ConfigMap> = TestInformer::start(namespace_of_test.client.clone(), options).await;
    namespace_of_test.change().await;
    // The server itself writes a little. It must not reach the version of the informer before the informer asks.
    let of = "/registry/configmaps/restored/new";
    cluster.copy_object(Copies { of, namespace: "restored", prefix: "lost-", count: 2_000 }).await.unwrap();
    namespace_of_test.collection("configmaps").agrees_with(&maps.informer, &maps.recorder).await;

    cluster.kill();
    cluster.restore(&copy).unwrap();
    cluster.restart().await.unwrap();
    namespace_of_test.collection("configmaps").agrees_with(&maps.informer, &maps.recorder).await;
    assert_eq!(maps.recorder.object_count(), 4, "what was before the copy");
    assert!(maps.informer.stats().faults.went_back > 0, "{:?}", maps.informer.stats().faults);
    namespace_of_test.write("afterwards", "followed").await;
    maps.ends_with(namespace_of_test.collection("configmaps")).await;
}
