//! An API server that leaves everything to controllers, the stand-ins over it, and what tests do and read.

use std::time::Duration;

use kube_client::Client;
use serde_json::{Value, json};
use tidings::SharedInformerFactory;
use tidings_apiserver::{ApiServer, GarbageCollection, Kubelet, NamespaceDeletion};
use tidings_cluster::{Clock, Cluster};

/// The time at which every test starts.
pub(crate) const START: &str = "2026-01-01T00:00:00Z";

pub(crate) const fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A running cluster.
pub(crate) struct World {
    pub(crate) server: ApiServer,
    pub(crate) client: Client,
}

/// Runs the stand-ins until the test is over.
pub(crate) async fn run(cluster: Cluster, test: impl AsyncFnOnce(&World)) {
    let time = START.parse().unwrap();
    let server = ApiServer::builder()
        .time(time)
        .garbage_collection(GarbageCollection::External)
        .namespace_deletion(NamespaceDeletion::External)
        .kubelet(Kubelet::Absent)
        .start()
        .await;
    let world = World { client: server.client(), server };
    let cluster = cluster.clock(Clock::starting_at(time));
    let manager = cluster.manager(SharedInformerFactory::builder(world.client.clone()).seed(1).build());
    let mut is_done = false;
    let scenario = async {
        test(&world).await;
        is_done = true;
    };
    manager.run_until(scenario).await.unwrap();
    assert!(is_done, "the manager ended before the test");
}

impl World {
    /// Sends an object to the server as a client does, so that the server completes it.
    pub(crate) async fn create(&self, path: &str, object: Value) -> Value {
        self.send("POST", path, Some(object)).await
    }

    pub(crate) async fn patch(&self, path: &str, patch: Value) -> Value {
        self.send("PATCH", path, Some(patch)).await
    }

    pub(crate) async fn delete(&self, path: &str, options: Value) -> Value {
        self.send("DELETE", path, Some(options)).await
    }

    async fn send(&self, method: &str, path: &str, body: Option<Value>) -> Value {
        let media_type = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
        let request = http::Request::builder()
            .method(method)
            .uri(path)
            .header("content-type", media_type)
            .body(body.map(|body| body.to_string().into_bytes()).unwrap_or_default())
            .unwrap();
        let response = self.client.request_text(request).await;
        serde_json::from_str(&response.unwrap_or_else(|error| panic!("{method} {path}: {error}"))).unwrap()
    }

    /// Lets this much time pass. Everything that becomes due happens.
    pub(crate) async fn pass(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    /// Lets time pass until the condition holds, at most ten minutes.
    #[track_caller]
    pub(crate) fn until<'a>(
        &'a self,
        what: &'a str,
        condition: impl Fn(&World) -> bool + 'a,
    ) -> impl Future<Output = ()> + 'a {
        let caller = std::panic::Location::caller();
        async move {
            for _ in 0..60_000 {
                if condition(self) {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            panic!("{caller}: not within ten minutes: {what}");
        }
    }

    pub(crate) fn object(&self, plural: &str, name: &str) -> Option<Value> {
        self.server.object(plural, &format!("default/{name}"))
    }

    /// The objects of a resource in the namespace `default`, by name.
    pub(crate) fn list(&self, plural: &str) -> Vec<Value> {
        let keys = self.server.list_versions(plural).into_keys().filter(|key| key.starts_with("default/"));
        keys.filter_map(|key| self.server.object(plural, &key)).collect()
    }

    pub(crate) fn names(&self, plural: &str) -> Vec<String> {
        self.list(plural)
            .iter()
            .map(|object| object["metadata"]["name"].as_str().unwrap().to_owned())
            .collect()
    }
}

pub(crate) const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";
pub(crate) const PODS: &str = "/api/v1/namespaces/default/pods";

/// A Deployment with pods of one container.
pub(crate) fn deployment(name: &str, replicas: usize, image: &str) -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": name },
        "spec": {
            "replicas": replicas,
            "selector": { "matchLabels": { "app": name } },
            "template": template(name, image),
        },
    })
}

pub(crate) fn template(app: &str, image: &str) -> Value {
    json!({
        "metadata": { "labels": { "app": app } },
        "spec": { "containers": [{ "name": "main", "image": image }] },
    })
}

pub(crate) fn condition<'a>(object: &'a Value, kind: &str) -> Option<&'a Value> {
    object["status"]["conditions"].as_array()?.iter().find(|condition| condition["type"] == kind)
}

pub(crate) fn is_true(object: &Value, kind: &str) -> bool {
    condition(object, kind).is_some_and(|condition| condition["status"] == "True")
}
