//! The namespace of a test, and writes to it.

use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Pod};
use kube_client::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube_client::{Api, Client};
use kubernetes_tests::{Cluster, Collection};
use serde_json::{Value, json};
use tidings::InformerOptions;

use crate::test_informer::quick;

pub(crate) struct TestNamespace {
    pub(crate) client: Client,
    pub(crate) namespace: String,
}

impl TestNamespace {
    /// Creates the namespace. Each test of a group uses another name, because a deleted namespace never disappears: no
    /// controller empties it.
    pub(crate) async fn new(cluster: &Cluster, namespace: &str) -> TestNamespace {
        let client = cluster.client().await;
        let namespaces: Api<Namespace> = Api::all(client.clone());
        let made = serde_json::from_value(json!({ "metadata": { "name": namespace } })).unwrap();
        namespaces.create(&PostParams::default(), &made).await.unwrap();
        TestNamespace { client, namespace: namespace.to_owned() }
    }

    /// Options for informers of this namespace.
    pub(crate) fn options(&self) -> InformerOptions {
        InformerOptions::new().namespace(&self.namespace).unwrap().reflector(quick())
    }

    pub(crate) fn maps(&self) -> Api<ConfigMap> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    pub(crate) fn pods(&self) -> Api<Pod> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    /// What the server lists of a core resource in the namespace.
    pub(crate) fn collection(&self, plural: &str) -> Collection {
        Collection::new(&self.client, self.path(plural))
    }

    pub(crate) fn path(&self, plural: &str) -> String {
        format!("/api/v1/namespaces/{}/{plural}", self.namespace)
    }

    /// Creates or changes a config map.
    pub(crate) async fn write(&self, name: &str, value: &str) {
        self.apply(name, json!({ "data": { "value": value } })).await;
    }

    /// Creates or replaces a config map.
    pub(crate) async fn apply(&self, name: &str, mut map: Value) {
        map["apiVersion"] = json!("v1");
        map["kind"] = json!("ConfigMap");
        map["metadata"]["name"] = json!(name);
        self.maps().patch(name, &PatchParams::apply("test").force(), &Patch::Apply(map)).await.unwrap();
    }

    /// Creates config maps `map-0`, `map-1` and so on.
    pub(crate) async fn write_many(&self, count: usize) {
        for number in 0..count {
            self.write(&format!("map-{number}"), "first").await;
        }
    }

    pub(crate) async fn remove(&self, name: &str) {
        self.maps().delete(name, &DeleteParams::default()).await.unwrap();
    }

    /// Creates, updates and deletes among `map-0`, `map-1` and `map-2`.
    pub(crate) async fn change(&self) {
        self.write("map-0", "changed").await;
        self.remove("map-1").await;
        self.remove("map-2").await;
        self.write("map-2", "another one of the same name").await;
        self.write("new", "added").await;
    }

    /// Creates a pod that no kubelet runs.
    pub(crate) async fn write_pod(&self, name: &str) {
        let pod = json!({
            "metadata": { "name": name },
            "spec": { "nodeName": "node-1", "containers": [{ "name": "main", "image": "nginx" }] },
        });
        self.pods().create(&PostParams::default(), &serde_json::from_value(pod).unwrap()).await.unwrap();
    }

    /// Sets the status of a pod, as its kubelet would.
    pub(crate) async fn set_phase(&self, name: &str, phase: &str) {
        let status = Patch::Merge(json!({ "status": { "phase": phase } }));
        self.pods().patch_status(name, &PatchParams::default(), &status).await.unwrap();
    }
}
