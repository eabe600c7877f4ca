//! Where diagnostics come from: the `/informers` endpoint of another program, or informers of this process. It never
//! changes what it reads.

use std::time::Duration;

use http::Uri;
use http_body_util::{BodyExt as _, Limited};
use k8s_openapi::api::apps::v1::Deployment;
use kube_client::client::Body;
use kube_client::{Client, Config};
use kube_core::dynamic::DynamicObject;
use serde_json::Value;
use tidings::controller::ControllerHandle;
use tidings::derived::GraphMetrics;
use tidings::workqueue::QueueMetrics;
use tidings::{InformerOptions, Kind, Scope, SharedInformer, SharedInformerFactory};
use tidings_endpoints::{Endpoints, ReconcileFilter};

use crate::cluster::{self, ClusterOptions, resource};
use crate::demo_cluster::{self, DemoCluster};
use crate::diagnostics_model::Diagnostics;
use crate::failure::{CliResult, Failure, FailureCode};

const RESPONSE_TIMEOUT: Duration = Duration::from_secs(5);
/// Enough for the diagnostics of ten thousand informers.
const RESPONSE_BYTES_MAX: usize = 32 << 20;
/// The resources that are shown if none is given.
const DEFAULT_RESOURCES: [&str; 3] = ["pods", "nodes", "deployments.apps"];

/// Selects the informers that this program creates.
#[derive(clap::Args)]
pub(crate) struct InformerSelection {
    /// The resources, each by any of its names. Default: pods, nodes and deployments.
    #[arg(value_name = "RESOURCE")]
    resources: Vec<String>,
    /// A namespace. May be repeated. Default: all namespaces.
    #[arg(short, long, value_name = "NAMESPACE")]
    namespace: Vec<String>,
    /// Shows a small simulated cluster in this process instead of a real one.
    #[arg(long, conflicts_with_all = ["resources", "namespace", "kubeconfig", "context", "server"])]
    pub(crate) demo: bool,
    /// The seed of the demo. The same seed repeats its workload.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    cluster: ClusterOptions,
}

pub(crate) enum DiagnosticsSource {
    /// Another program, over HTTP.
    RemoteProgram(RemoteProgram),
    /// This process.
    LocalInformers(Box<LocalInformers>),
}

/// Another program that serves `/informers`.
pub(crate) struct RemoteProgram {
    client: Client,
    /// Without user name and password, which a URL can contain.
    host: String,
}

/// Informers of this process.
pub(crate) struct LocalInformers {
    pub(crate) factory: SharedInformerFactory,
    pub(crate) queues: QueueMetrics,
    pub(crate) graphs: GraphMetrics,
    /// One informer for each resource. They are stored here, because a factory drops informers without users.
    pub(crate) informers: Vec<SharedInformer<DynamicObject>>,
    pub(crate) controllers: Vec<LocalController>,
}

/// A controller of this process.
pub(crate) struct LocalController {
    /// The resource that it reconciles.
    resource: String,
    handle: ControllerHandle,
}

impl DiagnosticsSource {
    /// The diagnostics at this moment.
    pub(crate) async fn diagnostics(&self) -> CliResult<Diagnostics> {
        match self {
            DiagnosticsSource::RemoteProgram(program) => program.diagnostics().await,
            DiagnosticsSource::LocalInformers(local) => Ok(serde_json::from_value(local.diagnostics())?),
        }
    }
}

impl RemoteProgram {
    /// Does not send a request yet.
    pub(crate) fn new(url: &str) -> CliResult<Self> {
        let uri = cluster::address("--url", url, "http")?;
        let host = host(&uri);
        let mut config = Config::new(uri);
        config.connect_timeout = Some(RESPONSE_TIMEOUT);
        let client = tidings::client_from_config(config)
            .map_err(|error| Failure::new(FailureCode::NoServer, error))?;
        Ok(RemoteProgram { client, host })
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    async fn diagnostics(&self) -> CliResult<Diagnostics> {
        let answer = tokio::time::timeout(RESPONSE_TIMEOUT, self.request()).await;
        answer.unwrap_or_else(|_| {
            let message =
                format!("{} has not responded within {RESPONSE_TIMEOUT:?}; is it running?", self.host);
            Err(Failure::new(FailureCode::NoServer, message))
        })
    }

    async fn request(&self) -> CliResult<Diagnostics> {
        let attempt = format!("requesting /informers of {}", self.host);
        let request = http::Request::get("/informers").body(Body::empty())?;
        let answer = self.client.send(request).await;
        let answer = answer.map_err(|error| Failure::from_request(&attempt, &error))?;
        if !answer.status().is_success() {
            let message =
                format!("{attempt}: it responds {}; does it serve tidings-endpoints there?", answer.status());
            return Err(Failure::new(FailureCode::NotFound, message));
        }
        let body = Limited::new(answer.into_body(), RESPONSE_BYTES_MAX).collect().await;
        let body = body
            .map_err(|error| Failure::new(FailureCode::NoServer, format!("{attempt}: {error}")))?
            .to_bytes();
        serde_json::from_slice(&body).map_err(|error| {
            let message =
                format!("{attempt}: the response is not diagnostics ({error}); is the address right?");
            Failure::new(FailureCode::Failed, message)
        })
    }
}

impl LocalInformers {
    /// Creates informers for the selected resources of a cluster.
    pub(crate) async fn of(selection: &InformerSelection) -> CliResult<Self> {
        let factory = SharedInformerFactory::new(selection.cluster.client().await?);
        LocalInformers::over(factory, &selection.resources, &selection.namespace).await
    }

    /// Finds the resources and creates their informers, for all namespaces if none is given. Does not start them.
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
        Ok(LocalInformers {
            factory,
            queues: QueueMetrics::new(),
            graphs: GraphMetrics::new(),
            informers,
            controllers: Vec::new(),
        })
    }

    /// Informers of a demo cluster, and the task that runs the cluster and injects faults. The caller must start the
    /// factory before it runs the task.
    pub(crate) async fn demo(seed: u64) -> CliResult<(Self, impl Future<Output = CliResult>)> {
        let server = demo_cluster::server(seed).await;
        let factory = SharedInformerFactory::builder(server.client()).seed(seed).build();
        let cluster = DemoCluster::over(&server, &factory, seed)?;
        let mut local = LocalInformers::over(factory, &[], &[]).await?;
        let handle = cluster.controller().clone();
        local.queues.show(handle.queue());
        handle.record_history();
        local.controllers.push(LocalController { resource: Deployment::resource().to_string(), handle });
        let [pods, nodes, ..] = &*local.informers else {
            unreachable!("the demo shows the default resources")
        };
        let (graph, graph_task, load) = demo_cluster::placement(pods, nodes);
        local.graphs.show(&graph);
        let run = async move {
            // A graph drops collections that nothing uses.
            let _used = load;
            tokio::select! {
                ended = cluster.run_with_faults() => ended,
                () = graph_task.run() => Ok(()),
            }
        };
        Ok((local, run))
    }

    /// The diagnostics at this moment, as `/informers` of another program responds them.
    pub(crate) fn diagnostics(&self) -> Value {
        let handles: Vec<_> = self.controllers.iter().map(|controller| controller.handle.clone()).collect();
        Endpoints::new(&self.factory)
            .queues(self.queues.clone())
            .graphs(self.graphs.clone())
            .controllers(move |filter| handles.iter().map(|handle| handle.status(filter)).collect())
            .diagnostics()
    }

    /// The last reconciles of an object, and the loops that were reported for it, by controller.
    pub(crate) fn reconciles(&self, resource: &str, key: &str) -> Vec<Value> {
        let controllers = self.controllers.iter().filter(|controller| controller.resource == resource);
        controllers.map(|controller| controller.handle.status(ReconcileFilter::Key(key))).collect()
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
