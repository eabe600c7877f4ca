//! The writes of a seed, sent directly to the server without faults.

use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube_client::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube_client::{Api, Client};
use kubernetes_tests::{Cluster, Copies};
use serde_json::{Value, json};

use crate::script::{Labelled, Write, WriteKind};

/// The label of the watched objects.
pub(crate) const SELECTOR: &str = "watched=yes";

/// The namespace of a seed.
pub(crate) struct Workload {
    objects: Api<ConfigMap>,
    namespace: String,
    /// Each write uses another number, so that all versions of an object differ.
    writes: usize,
}

impl Workload {
    pub(crate) async fn begin(client: &Client, namespace: &str) -> Workload {
        let made = json!({ "metadata": { "name": namespace } });
        let made = serde_json::from_value(made).expect("a namespace has a name");
        let namespaces: Api<Namespace> = Api::all(client.clone());
        namespaces.create(&PostParams::default(), &made).await.expect("a new namespace can be made");
        Workload {
            objects: Api::namespaced(client.clone(), namespace),
            namespace: namespace.to_owned(),
            writes: 0,
        }
    }

    /// Creates objects that never change.
    pub(crate) async fn create_many(&mut self, cluster: &Cluster, crowd: usize) {
        if crowd == 0 {
            return;
        }
        self.create("crowd", Labelled::Yes, 0).await;
        let (of, namespace) = (format!("/registry/configmaps/{}/crowd", self.namespace), &*self.namespace);
        let copies = Copies { of: &of, namespace, prefix: "crowd-", count: crowd };
        cluster.copy_object(copies).await.expect("a stored object can be copied");
    }

    pub(crate) async fn write(&mut self, write: Write) {
        let name = format!("object-{}", write.object);
        match write.kind {
            WriteKind::Create(labelled) => self.create(&name, labelled, write.padding).await,
            WriteKind::Update => {
                let data = self.data(write.padding);
                self.patch(&name, json!({ "data": data })).await;
            }
            WriteKind::Label(labelled) => {
                self.patch(&name, json!({ "metadata": { "labels": labels(labelled) } })).await
            }
            WriteKind::Delete => self.delete(&name).await,
            WriteKind::Recreate(labelled) => {
                self.delete(&name).await;
                self.create(&name, labelled, write.padding).await;
            }
        }
    }

    async fn create(&mut self, name: &str, labelled: Labelled, padding: usize) {
        let metadata = json!({ "name": name, "labels": labels(labelled) });
        let object = json!({ "metadata": metadata, "data": self.data(padding) });
        let object = serde_json::from_value(object).expect("it is a config map");
        self.objects.create(&PostParams::default(), &object).await.expect("what is not there can be created");
    }

    async fn patch(&self, name: &str, patch: Value) {
        let patched = self.objects.patch(name, &PatchParams::default(), &Patch::Merge(patch)).await;
        patched.expect("what is there can be changed");
    }

    async fn delete(&self, name: &str) {
        self.objects.delete(name, &DeleteParams::default()).await.expect("what is there can be deleted");
    }

    fn data(&mut self, padding: usize) -> Value {
        self.writes += 1;
        json!({ "write": self.writes.to_string(), "padding": "x".repeat(padding) })
    }
}

fn labels(labelled: Labelled) -> Value {
    match labelled {
        Labelled::Yes => json!({ "watched": "yes" }),
        Labelled::No => json!({ "watched": "no" }),
    }
}
