//! `tidings serve --with`: runs stand-ins for the rest of a cluster over the server.

use tidings_apiserver::{
    ApiServer, ApiServerBuilder, GarbageCollection, Kubelet as ServerKubelet, NamespaceDeletion,
};
use tidings_cluster::{Cluster, Kubelet, Script};

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

    /// Runs the stand-ins until this is dropped.
    pub(super) async fn run(&self, server: &ApiServer, seed: u64) -> CliResult {
        let Some(cluster) = self.with.clone() else { return Ok(()) };
        let mut cluster = cluster.seed(seed);
        if let Some(script) = self.kubelet.clone().filter(|_| cluster.contains("kubelet")) {
            cluster = cluster.with(Kubelet::new().script(script));
        }
        let stopped = cluster.run(server.client()).await;
        stopped.map_err(|error| Failure::new(FailureCode::Failed, format!("running the stand-ins: {error}")))
    }
}
