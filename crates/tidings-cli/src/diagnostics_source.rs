//! Where diagnostics come from: another program's `/informers`, or informers of our own. It reads and never changes
//! what it looks at.

use std::time::Duration;

use http::Uri;
use http_body_util::{BodyExt as _, Limited};
use kube_client::client::Body;
use kube_client::{Client, Config};
use kube_core::dynamic::DynamicObject;
use tidings::stages::source;
use tidings::workqueue::QueueMetrics;
use tidings::{InformerOptions, Scope, SharedInformer, SharedInformerFactory};
use tidings_endpoints::Diagnostics;

use crate::cluster::{self, ClusterOptions, resource};
use crate::demo_cluster::{self, DemoCluster};
use crate::failure::{CliResult, Failure, FailureCode};

/// How long a program may take to answer.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(5);
/// More than ten thousand informers take.
const RESPONSE_BYTES_MAX: usize = 32 << 20;
/// What is looked at when nothing else is query for.
const DEFAULT_RESOURCES: [&str; 3] = ["pods", "nodes", "deployments.apps"];

/// Which informers this program makes, to show them.
#[derive(clap::Args)]
pub(crate) struct InformerSelection {
    /// The resources, each by any of its names; pods, nodes and deployments if none is given.
    #[arg(value_name = "RESOURCE")]
    resources: Vec<String>,
    /// A namespace; may be given several times. All if not given.
    #[arg(short, long, value_name = "NAMESPACE")]
    namespace: Vec<String>,
    /// Shows a small cluster in this process instead of a real one.
    #[arg(long, conflicts_with_all = ["resources", "namespace", "kubeconfig", "context", "server"])]
    pub(crate) demo: bool,
    /// Repeats a demo's workload.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    cluster: ClusterOptions,
}

/// Where diagnostics come from.
pub(crate) enum DiagnosticsSource {
    /// A program that serves them.
    RemoteProgram(RemoteProgram),
    /// This program.
    LocalInformers(Box<LocalInformers>),
}

/// A program that serves `/informers`.
pub(crate) struct RemoteProgram {
    client: Client,
    /// Without user and password, which may stand in an address.
    host: String,
}

/// Informers of this program.
pub(crate) struct LocalInformers {
    pub(crate) factory: SharedInformerFactory,
    pub(crate) queues: QueueMetrics,
    /// Each once, however often it was query for. They are held, since what nobody needs is not shown.
    pub(crate) informers: Vec<SharedInformer<DynamicObject>>,
}

impl DiagnosticsSource {
    /// What it says now.
    pub(crate) async fn diagnostics(&self) -> CliResult<Diagnostics> {
        match self {
            DiagnosticsSource::RemoteProgram(program) => program.diagnostics().await,
            DiagnosticsSource::LocalInformers(local) => Ok(local.diagnostics()),
        }
    }
}

impl RemoteProgram {
    /// The program at an address; nothing is query of it yet.
    pub(crate) fn new(url: &str) -> CliResult<Self> {
        let uri = cluster::address("--url", url, "http")?;
        let host = host(&uri);
        let mut config = Config::new(uri);
        config.connect_timeout = Some(RESPONSE_TIMEOUT);
        let client =
            source::client_from_config(config).map_err(|error| Failure::new(FailureCode::NoServer, error))?;
        Ok(RemoteProgram { client, host })
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    async fn diagnostics(&self) -> CliResult<Diagnostics> {
        let answer = tokio::time::timeout(RESPONSE_TIMEOUT, self.request()).await;
        answer.unwrap_or_else(|_| {
            let message = format!("{} has not answered within {RESPONSE_TIMEOUT:?}", self.host);
            Err(Failure::new(FailureCode::NoServer, message))
        })
    }

    async fn request(&self) -> CliResult<Diagnostics> {
        let query = format!("asking {} for /informers", self.host);
        let request = http::Request::get("/informers").body(Body::empty())?;
        let answer = self.client.send(request).await;
        let answer = answer.map_err(|error| Failure::from_request(&query, &error))?;
        if !answer.status().is_success() {
            let message =
                format!("{query}: it answers {}; does it serve tidings-endpoints there?", answer.status());
            return Err(Failure::new(FailureCode::NotFound, message));
        }
        let body = Limited::new(answer.into_body(), RESPONSE_BYTES_MAX).collect().await;
        let body = body
            .map_err(|error| Failure::new(FailureCode::NoServer, format!("{query}: {error}")))?
            .to_bytes();
        serde_json::from_slice(&body).map_err(|error| {
            let message =
                format!("{query}: what it answers is something else ({error}); is its address right?");
            Failure::new(FailureCode::Failed, message)
        })
    }
}

impl LocalInformers {
    /// The informers of a cluster.
    pub(crate) async fn of(selection: &InformerSelection) -> CliResult<Self> {
        let factory = SharedInformerFactory::new(selection.cluster.client().await?);
        LocalInformers::over(factory, &selection.resources, &selection.namespace).await
    }

    /// Finds the resources and makes their informers, of all namespaces if none is named. Nothing is listed yet.
    async fn over(
        factory: SharedInformerFactory,
        resources: &[String],
        namespaces: &[String],
    ) -> CliResult<Self> {
        let names: Vec<&str> = match resources {
            [] => DEFAULT_RESOURCES.to_vec(),
            some => some.iter().map(String::as_str).collect(),
        };
        let mut informers: Vec<SharedInformer<DynamicObject>> = Vec::new();
        for name in names {
            let resource = resource::find(factory.client(), name).await?;
            if informers.iter().any(|informer| *informer.resource() == resource) {
                continue;
            }
            let mut options = InformerOptions::new();
            if resource.scope == Scope::Namespaced && !namespaces.is_empty() {
                options = options.namespaces(namespaces).map_err(Failure::usage)?;
            }
            informers.push(factory.dynamic_with(resource, options)?);
        }
        Ok(LocalInformers { factory, queues: QueueMetrics::new(), informers })
    }

    /// Informers of a small cluster in this process, and what lives in it and now and then breaks: the task runs
    /// once the factory has started.
    pub(crate) async fn demo(seed: u64) -> CliResult<(Self, impl Future<Output = CliResult>)> {
        let server = demo_cluster::server(seed).await;
        let factory = SharedInformerFactory::new(server.client()).seed(seed);
        let cluster = DemoCluster::over(&server, &factory, seed)?;
        let local = LocalInformers::over(factory, &[], &[]).await?;
        local.queues.show(cluster.controller().queue());
        Ok((local, cluster.run_with_faults()))
    }

    /// What they say now.
    pub(crate) fn diagnostics(&self) -> Diagnostics {
        Diagnostics::of(&self.factory).with_queues(&self.queues)
    }
}

fn host(uri: &Uri) -> String {
    let host = uri.host().unwrap_or_default();
    uri.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_in_an_address_is_not_shown() {
        let uri: Uri = "http://admin:hunter2@127.0.0.1:8080/debug".parse().unwrap();
        assert_eq!(host(&uri), "127.0.0.1:8080");
    }
}
