//! Operations that tests need and the Kubernetes API does not have: compaction, and bulk copies.

use http::Request;
use kube_client::{Client, Config};
use tidings_source::client_from_config;

use crate::cluster::Cluster;

/// Copies of a stored object, written directly to etcd.
#[derive(Debug, Clone)]
pub struct Copies<'a> {
    /// The object, as `/registry/pods/NAMESPACE/NAME`.
    pub of: &'a str,
    /// The namespace of the copies.
    pub namespace: &'a str,
    /// The prefix of their names. A number of six digits follows, from 1.
    pub prefix: &'a str,
    /// The number of copies.
    pub count: usize,
}

impl Cluster {
    /// Compacts etcd at its current revision, which deletes older versions.
    pub async fn compact(&self) -> Result<(), kube_client::Error> {
        match self.post("/compact").await {
            // Another test compacted a later revision after this request had read its own: the history is gone all the same.
            Err(kube_client::Error::Api(status)) if status.message.contains("has been compacted") => Ok(()),
            response => response.map(drop),
        }
    }

    /// Writes copies of an object. Each has its own uid and version, and watches receive it.
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
