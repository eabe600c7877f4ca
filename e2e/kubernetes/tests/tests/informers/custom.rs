//! Custom resources that are defined and removed while their informer runs.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube_client::Api;
use kube_client::api::{ApiResource, DeleteParams, DynamicObject, GroupVersionKind, PostParams};
use kubernetes_tests::Cluster;
use kubernetes_tests::agreement::{Collection, wait_until};
use serde_json::json;
use tidings::ErrorClass;
use tidings::{ResourceKind, Scope, Wire};
use tokio::time::{Duration, timeout};

use crate::test_informer::TestInformer;
use crate::test_namespace::TestNamespace;

const DEFINITION: &str = "ships.tidings.example";

/// The server needs a moment to serve a new definition, and to stop serving a deleted one.
const SERVED_MAX: Duration = Duration::from_secs(60);

pub(crate) async fn comes_and_goes(cluster: &Cluster) {
    let namespace_of_test = TestNamespace::new(cluster, "custom").await;
    let ships: TestInformer<DynamicObject> = TestInformer::of(namespace_of_test.client.clone(), |factory| {
        factory.dynamic_with(resource(), namespace_of_test.options()).expect("it is a resource")
    });
    let collection = || {
        let path = format!("/apis/tidings.example/v1/namespaces/{}/ships", namespace_of_test.namespace);
        Collection::new(&namespace_of_test.client, path)
    };
    wait_until("the server knows no ships", || ships.errors.count(ErrorClass::NotFound) > 1).await;

    define(&namespace_of_test).await;
    launch(&namespace_of_test, &["beagle", "endeavour"]).await;
    ships.synced().await;
    collection().agrees_with(&ships.informer, &ships.recorder).await;
    assert_eq!(ships.recorder.object_count(), 2);
    assert_eq!(ships.wire(), Some(Wire::Json), "custom resources have no other");

    let before = ships.errors.count(ErrorClass::NotFound);
    definitions(&namespace_of_test).delete(DEFINITION, &DeleteParams::default()).await.unwrap();
    wait_until("the ships have gone with their definition", || ships.recorder.object_count() == 0).await;
    assert!(ships.informer.lister().is_empty());
    wait_until("the server knows no ships again", || ships.errors.count(ErrorClass::NotFound) > before).await;

    define(&namespace_of_test).await;
    launch(&namespace_of_test, &["endeavour", "terra-nova", "fram"]).await;
    ships.ends_with(collection()).await;
}

fn resource() -> ResourceKind {
    ResourceKind {
        group: "tidings.example".into(),
        version: "v1".into(),
        kind: "Ship".into(),
        plural: "ships".into(),
        scope: Scope::Namespaced,
    }
}

fn definitions(namespace_of_test: &TestNamespace) -> Api<CustomResourceDefinition> {
    Api::all(namespace_of_test.client.clone())
}

/// Defines ships. Retries while an earlier definition is still being deleted.
async fn define(namespace_of_test: &TestNamespace) {
    let definition = json!({
        "metadata": { "name": DEFINITION },
        "spec": {
            "group": "tidings.example",
            "names": { "kind": "Ship", "plural": "ships" },
            "scope": "Namespaced",
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } },
            }],
        },
    });
    let definition = serde_json::from_value(definition).unwrap();
    let definitions = definitions(namespace_of_test);
    let defined = async {
        while definitions.create(&PostParams::default(), &definition).await.is_err() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(SERVED_MAX, defined).await.expect("the definition is taken");
}

async fn launch(namespace_of_test: &TestNamespace, names: &[&str]) {
    let kind = GroupVersionKind::gvk("tidings.example", "v1", "Ship");
    let resource = ApiResource::from_gvk_with_plural(&kind, "ships");
    let ships: Api<DynamicObject> =
        Api::namespaced_with(namespace_of_test.client.clone(), &namespace_of_test.namespace, &resource);
    for name in names {
        let ship = DynamicObject::new(name, &resource).data(json!({ "spec": { "port": "plymouth" } }));
        let launched = async {
            while ships.create(&PostParams::default(), &ship).await.is_err() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        timeout(SERVED_MAX, launched).await.expect("what is defined is served");
    }
}
