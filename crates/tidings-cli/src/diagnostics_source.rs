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

use crate::cluster::{self, Cluster, resource};
use crate::failure::{Code, Done, Failure};
use crate::world::{self, World};

/// How long a program may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
/// More than ten thousand informers take.
const ANSWER_BYTES_MAX: usize = 32 << 20;
/// What is looked at when nothing else is asked for.
const USUAL: [&str; 3] = ["pods", "nodes", "deployments.apps"];

/// Which informers this program makes, to show them.
#[derive(clap::Args)]
pub(crate) struct Choice {
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
    cluster: Cluster,
}

/// Where diagnostics come from.
pub(crate) enum Diagnosed {
    /// A program that serves them.
    Program(Program),
    /// This program.
    Here(Box<Here>),
}

/// A program that serves `/informers`.
pub(crate) struct Program {
    client: Client,
    /// Without user and password, which may stand in an address.
    host: String,
}

/// Informers of this program.
pub(crate) struct Here {
    pub(crate) factory: SharedInformerFactory,
    pub(crate) queues: QueueMetrics,
    /// Each once, however often it was asked for. They are held, since what nobody needs is not shown.
    pub(crate) informers: Vec<SharedInformer<DynamicObject>>,
}

impl Diagnosed {
    /// What it says now.
    pub(crate) async fn look(&self) -> Done<Diagnostics> {
        match self {
            Diagnosed::Program(program) => program.look().await,
            Diagnosed::Here(here) => Ok(here.look()),
        }
    }
}

impl Program {
    /// The program at an address; nothing is asked of it yet.
    pub(crate) fn at(url: &str) -> Done<Self> {
        let uri = cluster::address("--url", url, "http")?;
        let host = host(&uri);
        let mut config = Config::new(uri);
        config.connect_timeout = Some(ANSWER_TIMEOUT);
        let client =
            source::client_from_config(config).map_err(|error| Failure::new(Code::NoServer, error))?;
        Ok(Program { client, host })
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    async fn look(&self) -> Done<Diagnostics> {
        let answer = tokio::time::timeout(ANSWER_TIMEOUT, self.ask()).await;
        answer.unwrap_or_else(|_| {
            let message = format!("{} has not answered within {ANSWER_TIMEOUT:?}", self.host);
            Err(Failure::new(Code::NoServer, message))
        })
    }

    async fn ask(&self) -> Done<Diagnostics> {
        let asked = format!("asking {} for /informers", self.host);
        let request = http::Request::get("/informers").body(Body::empty())?;
        let answer = self.client.send(request).await;
        let answer = answer.map_err(|error| Failure::of_request(&asked, &error))?;
        if !answer.status().is_success() {
            let message =
                format!("{asked}: it answers {}; does it serve tidings-endpoints there?", answer.status());
            return Err(Failure::new(Code::NotFound, message));
        }
        let body = Limited::new(answer.into_body(), ANSWER_BYTES_MAX).collect().await;
        let body =
            body.map_err(|error| Failure::new(Code::NoServer, format!("{asked}: {error}")))?.to_bytes();
        serde_json::from_slice(&body).map_err(|error| {
            let message =
                format!("{asked}: what it answers is something else ({error}); is its address right?");
            Failure::new(Code::Failed, message)
        })
    }
}

impl Here {
    /// The informers of a cluster.
    pub(crate) async fn of(choice: &Choice) -> Done<Self> {
        let factory = SharedInformerFactory::new(choice.cluster.client().await?);
        Here::over(factory, &choice.resources, &choice.namespace).await
    }

    /// Finds the resources and makes their informers, of all namespaces if none is named. Nothing is listed yet.
    async fn over(factory: SharedInformerFactory, resources: &[String], namespaces: &[String]) -> Done<Self> {
        let names: Vec<&str> = match resources {
            [] => USUAL.to_vec(),
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
        Ok(Here { factory, queues: QueueMetrics::new(), informers })
    }

    /// Informers of a small cluster in this process, and what lives in it and now and then breaks: the task runs
    /// once the factory has started.
    pub(crate) async fn demo(seed: u64) -> Done<(Self, impl Future<Output = Done>)> {
        let server = world::server(seed).await;
        let factory = SharedInformerFactory::new(server.client()).seed(seed);
        let world = World::over(&server, &factory, seed)?;
        let here = Here::over(factory, &[], &[]).await?;
        here.queues.show(world.controller().queue());
        Ok((here, world.live_in_trouble()))
    }

    /// What they say now.
    pub(crate) fn look(&self) -> Diagnostics {
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
