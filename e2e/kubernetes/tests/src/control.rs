//! What a test needs of the server and the Kubernetes API does not have: compactions, and copies by the thousand.

use http::Request;
use kube_client::{Client, Config};
use tidings_source::client_from_config;

use crate::cluster::Cluster;

/// Copies of a stored object, written straight into etcd.
#[derive(Debug, Clone)]
pub struct Copies<'a> {
    /// The object, as `/registry/pods/NAMESPACE/NAME`.
    pub of: &'a str,
    /// The namespace that the copies are written to.
    pub namespace: &'a str,
    /// Their names, before a number of six digits, from 1.
    pub prefix: &'a str,
    /// How many.
    pub count: usize,
}

impl Cluster {
    /// Compacts etcd at its current revision: older versions are gone.
    pub async fn compact(&self) -> Result<(), kube_client::Error> {
        self.post("/compact").await.map(drop)
    }

    /// Writes copies of an object. Each has a uid and a version of its own, and watchers see it.
    pub async fn copy_object(&self, copies: Copies<'_>) -> Result<(), kube_client::Error> {
        let Copies { of, namespace, prefix, count } = copies;
        let path = format!("/clone?key={of}&namespace={namespace}&prefix={prefix}&count={count}");
        self.post(&path).await.map(drop)
    }

    async fn post(&self, path: &str) -> Result<String, kube_client::Error> {
        let request = Request::post(path).body(Vec::new()).expect("a path of ours is a path");
        self.control_client().request_text(request).await
    }

    fn control_client(&self) -> Client {
        let url = self.control_url().parse().expect("the server's control address is one");
        client_from_config(Config::new(url)).expect("an address alone makes a client")
    }
}
