//! The server with all fixtures, created once for all tests.

use http::Method;
use kube_client::Client;
use kubernetes_tests::Cluster;
use kubernetes_tests::built::{RELEASE_DEFAULT, release_tested};
use serde_json::Value;
use tokio::sync::OnceCell;

use crate::discovery::{ServedResource, served};
use crate::fixtures::{self, Fixture};
use crate::response::{Answer, JSON, TestRequest};

pub(crate) struct SeededServer {
    pub(crate) served: Vec<ServedResource>,
    /// The fixtures that the server refused, with the reason.
    refused: Vec<String>,
}

static SEEDED_SERVER: OnceCell<SeededServer> = OnceCell::const_new();

pub(crate) async fn seeded_server(cluster: &Cluster) -> &'static SeededServer {
    SEEDED_SERVER.get_or_init(|| make(cluster)).await
}

/// Whether the release is the one that the fixtures were written for. Other releases may know less.
pub(crate) fn is_release_of_fixtures() -> bool {
    release_tested() == RELEASE_DEFAULT
}

/// A fixture that the server refuses can't be compared.
pub(crate) async fn accepts_every_fixture(cluster: &Cluster) {
    let refused = &seeded_server(cluster).await.refused;
    assert!(refused.is_empty() || !is_release_of_fixtures(), "{}", refused.join("\n"));
}

impl SeededServer {
    /// The resource of this kind.
    pub(crate) fn resource(&self, api_version: &str, kind: &str) -> Option<&ServedResource> {
        let is_it = |served: &&ServedResource| {
            served.resource.api_version() == api_version
                && served.resource.kind == kind
                && !served.verbs.is_empty()
        };
        self.served.iter().find(is_it)
    }
}

async fn make(cluster: &Cluster) -> SeededServer {
    let client = cluster.client().await;
    let mut server = SeededServer { served: served(&client).await, refused: Vec::new() };
    for fixture in fixtures::all() {
        if let Err(reason) = make_one(&client, &server, &fixture).await {
            server.refused.push(format!("{}: {reason}", fixture.shown()));
        }
    }
    server
}

async fn make_one(client: &Client, server: &SeededServer, fixture: &Fixture) -> Result<(), String> {
    let served = server.resource(fixture.text("/apiVersion"), fixture.text("/kind"));
    let resource = &served.ok_or("it is not served")?.resource;
    let path = resource.url_path(Some(fixture.namespace()));
    let body = Some((JSON, &fixture.object));
    taken(TestRequest { method: &Method::POST, path: &path, accept: JSON, body }.answered(client).await)?;
    for (subresource, patch) in &fixture.later {
        let path = format!("{path}/{}/{subresource}", fixture.text("/metadata/name"));
        let body = Some(("application/merge-patch+json", patch));
        let patched =
            TestRequest { method: &Method::PATCH, path: &path, accept: JSON, body }.answered(client).await;
        taken(patched).map_err(|reason| format!("its {subresource}: {reason}"))?;
    }
    Ok(())
}

fn taken(answer: Answer) -> Result<(), String> {
    match answer.code {
        200..300 => Ok(()),
        code => {
            let status: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
            Err(format!("{code}: {}", status["message"].as_str().unwrap_or_default()))
        }
    }
}
