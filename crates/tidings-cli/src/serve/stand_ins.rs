//! `tidings serve --with`: runs stand-ins for the rest of a cluster over the server.

use std::collections::BTreeSet;

use futures_util::StreamExt;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use tidings::{Lister, SharedInformerFactory};
use tidings_apiserver::{
    ApiServer, ApiServerBuilder, GarbageCollection, Kubelet as ServerKubelet, NamespaceDeletion,
};
use tidings_cluster::{Cluster, GarbageCollector, Kubelet, Script};

use crate::failure::{CliResult, Failure, FailureCode};

#[derive(clap::Args)]
pub(super) struct StandInArguments {
    /// Runs stand-ins for parts of a cluster: a comma-separated list of gc, namespaces, serviceaccounts, deployments,
    /// replicasets, statefulsets, daemonsets, jobs, cronjobs, endpointslices, nodes, scheduler and kubelet, or all.
    #[arg(long, value_name = "NAMES")]
    with: Option<Cluster>,
    /// What the kubelet of --with does with pods, such as start-after=1s,ready-after=2s. A pod may have a script of its
    /// own in its annotation tidings.dev/kubelet.
    #[arg(long, value_name = "SCRIPT", requires = "with")]
    kubelet: Option<Script>,
}

impl StandInArguments {
    pub(super) fn is_requested(&self) -> bool {
        self.with.is_some()
    }

    /// Leaves to the stand-ins what they do.
    pub(super) fn configure(&self, mut server: ApiServerBuilder) -> ApiServerBuilder {
        let has = |name: &str| self.with.as_ref().is_some_and(|cluster| cluster.contains(name));
        if has("gc") {
            server = server.garbage_collection(GarbageCollection::External);
        }
        if has("namespaces") {
            server = server.namespace_deletion(NamespaceDeletion::External);
        }
        if has("kubelet") {
            server = server.kubelet(ServerKubelet::Absent);
        }
        server
    }

    /// Runs the stand-ins until this is dropped. They are started again when custom resources are defined or removed,
    /// because the garbage collector watches those too.
    pub(super) async fn run(&self, server: &ApiServer, seed: u64) -> CliResult {
        let Some(cluster) = self.with.clone() else { return Ok(()) };
        let mut cluster = cluster.seed(seed);
        if let Some(script) = self.kubelet.clone().filter(|_| cluster.contains("kubelet")) {
            cluster = cluster.with(Kubelet::new().script(script));
        }
        let factory = SharedInformerFactory::new(server.client());
        let informer = factory.informer::<CustomResourceDefinition>();
        let mut changes = informer.notifications()?;
        let definitions = informer.lister();
        let running = factory.start();
        running.synced().await?;
        loop {
            if cluster.contains("gc") {
                let collector = GarbageCollector::discovered(&server.client()).await;
                let failed =
                    |error: kube_client::Error| Failure::from_request("reading the resources", &error);
                cluster = cluster.with(collector.map_err(failed)?);
            }
            let known = names(&definitions);
            let is_other = async {
                while names(&definitions) == known {
                    changes.next().await;
                }
            };
            let stopped =
                cluster.manager(SharedInformerFactory::new(server.client())).run_until(is_other).await;
            stopped.map_err(|error| {
                Failure::new(FailureCode::Failed, format!("running the stand-ins: {error}"))
            })?;
        }
    }
}

fn names(definitions: &Lister<CustomResourceDefinition>) -> BTreeSet<String> {
    definitions.keys().iter().map(|key| key.to_string()).collect()
}
