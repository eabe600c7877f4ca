//! The server with all specimens on it: made once, for all tests that look at them.

use http::Method;
use kube_client::Client;
use kubernetes_tests::Cluster;
use kubernetes_tests::built::{RELEASE_DEFAULT, release_tested};
use serde_json::Value;
use tokio::sync::OnceCell;

use crate::answer::{Answer, JSON, Sent};
use crate::discovery::{Served, served};
use crate::specimens::{self, Specimen};

/// What is on the server.
pub(crate) struct Stage {
    pub(crate) served: Vec<Served>,
    /// Which specimens the server did not take, and why.
    refused: Vec<String>,
}

static STAGE: OnceCell<Stage> = OnceCell::const_new();

/// The server with all specimens on it.
pub(crate) async fn stage(cluster: &Cluster) -> &'static Stage {
    STAGE.get_or_init(|| make(cluster)).await
}

/// Whether the release is the one that the specimens are written for. Others may know less.
pub(crate) fn is_release_of_specimens() -> bool {
    release_tested() == RELEASE_DEFAULT
}

/// What this server refuses of the specimens, another way of reading could not show.
pub(crate) async fn takes_every_specimen(cluster: &Cluster) {
    let refused = &stage(cluster).await.refused;
    assert!(refused.is_empty() || !is_release_of_specimens(), "{}", refused.join("\n"));
}

impl Stage {
    /// The resource of this kind.
    pub(crate) fn resource(&self, api_version: &str, kind: &str) -> Option<&Served> {
        let is_it = |served: &&Served| {
            served.resource.api_version() == api_version
                && served.resource.kind == kind
                && !served.verbs.is_empty()
        };
        self.served.iter().find(is_it)
    }
}

async fn make(cluster: &Cluster) -> Stage {
    let client = cluster.client().await;
    let mut stage = Stage { served: served(&client).await, refused: Vec::new() };
    for specimen in specimens::all() {
        if let Err(reason) = make_one(&client, &stage, &specimen).await {
            stage.refused.push(format!("{}: {reason}", specimen.shown()));
        }
    }
    stage
}

async fn make_one(client: &Client, stage: &Stage, specimen: &Specimen) -> Result<(), String> {
    let served = stage.resource(specimen.text("/apiVersion"), specimen.text("/kind"));
    let resource = &served.ok_or("it is not served")?.resource;
    let path = resource.url_path(Some(specimen.namespace()));
    let body = Some((JSON, &specimen.object));
    taken(Sent { method: &Method::POST, path: &path, accept: JSON, body }.answered(client).await)?;
    for (subresource, patch) in &specimen.later {
        let path = format!("{path}/{}/{subresource}", specimen.text("/metadata/name"));
        let body = Some(("application/merge-patch+json", patch));
        let patched = Sent { method: &Method::PATCH, path: &path, accept: JSON, body }.answered(client).await;
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
