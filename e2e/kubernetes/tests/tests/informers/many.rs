//! As many objects as a large cluster has.

use k8s_openapi::api::core::v1::Pod;
use kubernetes_tests::{Cluster, Copies};

use crate::test_informer::TestInformer;
use crate::test_namespace::TestNamespace;

const PODS: usize = 50_000;

pub(crate) async fn fifty_thousand_pods(cluster: &Cluster) {
    let namespace_of_test = TestNamespace::new(cluster, "many").await;
    namespace_of_test.write_pod("original").await;
    let of = "/registry/pods/many/original";
    cluster.copy_object(Copies { of, namespace: "many", prefix: "pod-", count: PODS }).await.unwrap();
    let pods: TestInformer<Pod> =
        TestInformer::start(namespace_of_test.client.clone(), namespace_of_test.options()).await;
    assert_eq!(pods.informer.lister().len(), PODS + 1);
    for number in 1..=20 {
        namespace_of_test.set_phase(&format!("pod-{number:06}"), "Running").await;
    }
    // Compares only metadata: the bodies would be 100 MB of JSON, and other tests compare bodies.
    namespace_of_test.collection("pods").metadata().reached_by(&pods.informer, &pods.recorder).await;
    let web = pods.informer.lister().get("many/pod-000020").unwrap().decoded().unwrap();
    assert_eq!(web.status.as_ref().and_then(|status| status.phase.as_deref()), Some("Running"));
    pods.running.shutdown().await;
}
