//! Authentication and authorization.

use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::api::rbac::v1::{Role, RoleBinding};
use kube_client::api::PostParams;
use kube_client::{Api, Client};
use kubernetes_tests::agreement::wait_until;
use kubernetes_tests::{Cluster, User};
use serde_json::json;
use tidings::ErrorClass;
use tidings_source::http2_client;

use crate::test_informer::TestInformer;
use crate::test_namespace::TestNamespace;

pub(crate) async fn accepts_every_credential(cluster: &Cluster) {
    let ways = [
        ("by-certificate", cluster.client_of(User::Admin).await),
        ("by-token", cluster.client_of(User::AdminByToken).await),
        ("by-certificate-http2", http2_client(cluster.config(User::Admin).await).unwrap()),
        ("by-token-http2", http2_client(cluster.config(User::AdminByToken).await).unwrap()),
    ];
    for (namespace, client) in ways {
        let namespace_of_test = TestNamespace::new(cluster, namespace).await;
        namespace_of_test.write_many(3).await;
        let maps: TestInformer<ConfigMap> = TestInformer::start(client, namespace_of_test.options()).await;
        namespace_of_test.change().await;
        assert_eq!(maps.errors.all(), [], "{namespace}");
        maps.ends_with(namespace_of_test.collection("configmaps")).await;
    }
}

// holds: R39
pub(crate) async fn syncs_when_it_may(cluster: &Cluster) {
    for (namespace, user) in [("forbidden", User::Limited), ("forbidden-by-token", User::LimitedByToken)] {
        let namespace_of_test = TestNamespace::new(cluster, namespace).await;
        namespace_of_test.write_many(3).await;
        let client = cluster.client_of(user).await;
        let maps: TestInformer<ConfigMap> = TestInformer::begin(client, namespace_of_test.options());
        wait_until("the server says no, twice", || maps.errors.count(ErrorClass::Forbidden) > 1).await;
        assert!(!maps.informer.is_synced());
        assert!(maps.informer.unsynced().reason.contains("403"), "{}", maps.informer.unsynced());
        allow(&namespace_of_test.client, namespace).await;
        maps.synced().await;
        namespace_of_test.change().await;
        maps.ends_with(namespace_of_test.collection("configmaps")).await;
    }
}

/// Allows the limited user to read config maps in a namespace.
async fn allow(client: &Client, namespace: &str) {
    let role = json!({
        "metadata": { "name": "reader" },
        "rules": [{ "apiGroups": [""], "resources": ["configmaps"], "verbs": ["list", "watch"] }],
    });
    let binding = json!({
        "metadata": { "name": "reader" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader" },
        "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "user" }],
    });
    let roles: Api<Role> = Api::namespaced(client.clone(), namespace);
    roles.create(&PostParams::default(), &serde_json::from_value(role).unwrap()).await.unwrap();
    let bindings: Api<RoleBinding> = Api::namespaced(client.clone(), namespace);
    bindings.create(&PostParams::default(), &serde_json::from_value(binding).unwrap()).await.unwrap();
}
