//! Watches without informers, over the same client, to measure the memory of connections alone.

use anyhow::{Context, ensure};
use http::Request;
use http_body_util::BodyExt;
use kube_client::Client;
use kube_client::client::Body;
use tokio::task::JoinSet;

/// Open watches.
pub(super) struct Connections {
    _reading: JoinSet<()>,
}

/// Opens watches and waits until all have a response.
pub(super) async fn open(client: Client, count: usize) -> anyhow::Result<Connections> {
    let mut reading = JoinSet::new();
    for number in 0..count {
        let path = format!("/api/v1/namespaces/many-{number}/configmaps?watch=1");
        let request = Request::get(path).body(Body::empty()).context("making a request")?;
        let response = client.send(request).await.context("opening a watch")?;
        ensure!(response.status().is_success(), "the server responded to a watch with {}", response.status());
        let mut body = response.into_body();
        reading.spawn(async move { while body.frame().await.is_some_and(|frame| frame.is_ok()) {} });
    }
    Ok(Connections { _reading: reading })
}
