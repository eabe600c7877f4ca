//! A cluster of stand-ins: which ones, with which clock and seed, and the controllers that they consist of.
//!
//! Nothing runs here. The caller runs the controllers, with a manager or in a simulation.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use tidings::SharedInformerFactory;
use tidings::controller::{Controller, Manager};

use crate::clock::Clock;
use crate::{
    CronJobs, DaemonSets, Deployments, EndpointSlices, GarbageCollector, Jobs, Kubelet, Namespaces, Nodes,
    ReplicaSets, Scheduler, ServiceAccounts, StatefulSets,
};

/// One part of a cluster, imitated by controllers.
///
/// Implement it for a part of your own, such as a cloud's load balancers.
pub trait StandIn: Send + Sync + 'static {
    /// Its name in lists such as `deployments,kubelet`.
    fn name(&self) -> &'static str;

    /// Its controllers. Called again for each [`Cluster::controllers`], for example when a simulation restarts them.
    fn controllers(&self, setup: &Setup<'_>) -> Vec<Controller>;
}

/// What a stand-in makes its controllers of.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    factory: &'a SharedInformerFactory,
    clock: &'a Clock,
    seed: u64,
}

impl<'a> Setup<'a> {
    /// The factory whose informers the controllers share.
    pub fn factory(&self) -> &'a SharedInformerFactory {
        self.factory
    }

    /// The time of the cluster.
    pub fn clock(&self) -> Clock {
        self.clock.clone()
    }

    /// The seed of every random choice.
    pub fn seed(&self) -> u64 {
        self.seed
    }
}

/// The parts of a cluster that are imitated: a list of stand-ins, which give the controllers that a manager runs.
///
/// ```
/// use std::time::Duration;
/// use tidings::SharedInformerFactory;
/// use tidings_apiserver::{ApiServer, Kubelet as ServerKubelet};
/// use tidings_cluster::{Cluster, Deployments, Kubelet, Nodes, Scheduler};
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = ApiServer::builder().kubelet(ServerKubelet::Absent).start().await;
/// let cluster = Cluster::new()
///     .with(Deployments)
///     .with(Nodes::new(3))
///     .with(Scheduler)
///     .with(Kubelet::new().ready_after(Duration::from_secs(2)));
/// let factory = SharedInformerFactory::new(server.client());
/// cluster.manager(factory).run_until(async { /* the test */ }).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Cluster {
    stand_ins: Vec<Arc<dyn StandIn>>,
    clock: Option<Clock>,
    seed: u64,
}

/// A name that is not the name of a stand-in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no stand-in is called {name:?}; the names are {}, and all", NAMES.join(", "))]
#[non_exhaustive]
pub struct UnknownStandIn {
    /// The name.
    pub name: String,
}

/// The names that [`Cluster::from_str`] knows, besides `all`.
const NAMES: [&str; 13] = [
    "gc",
    "namespaces",
    "serviceaccounts",
    "deployments",
    "replicasets",
    "statefulsets",
    "daemonsets",
    "jobs",
    "cronjobs",
    "endpointslices",
    "nodes",
    "scheduler",
    "kubelet",
];

impl Cluster {
    /// A cluster without stand-ins.
    pub fn new() -> Self {
        Cluster::default()
    }

    /// A cluster with all stand-ins and one node.
    pub fn complete() -> Self {
        NAMES.iter().filter_map(|name| stand_in(name)).fold(Cluster::new(), Cluster::with_shared)
    }

    /// Adds a stand-in. It replaces one of the same name.
    #[must_use]
    pub fn with(self, stand_in: impl StandIn) -> Self {
        self.with_shared(Arc::new(stand_in))
    }

    fn with_shared(mut self, stand_in: Arc<dyn StandIn>) -> Self {
        self.stand_ins.retain(|other| other.name() != stand_in.name());
        self.stand_ins.push(stand_in);
        self
    }

    /// Sets the clock, which should show the time of the API server. Without it, each call of
    /// [`controllers`](Self::controllers) starts one with the machine's time.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Sets the seed of every random choice, for example which pods fail. Default 0.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Whether a stand-in of this name is in the cluster.
    pub fn contains(&self, name: &str) -> bool {
        self.stand_ins.iter().any(|stand_in| stand_in.name() == name)
    }

    /// The names of the stand-ins.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.stand_ins.iter().map(|stand_in| stand_in.name())
    }

    /// The controllers of all stand-ins, each once, over the informers of this factory.
    pub fn controllers(&self, factory: &SharedInformerFactory) -> Vec<Controller> {
        let clock = self.clock.clone().unwrap_or_default();
        let setup = Setup { factory, clock: &clock, seed: self.seed };
        let mut controllers: Vec<Controller> = Vec::new();
        for controller in self.stand_ins.iter().flat_map(|stand_in| stand_in.controllers(&setup)) {
            // Deployments bring ReplicaSets along, which may be listed too.
            if controllers.iter().all(|other| other.name() != controller.name()) {
                controllers.push(controller);
            }
        }
        controllers
    }

    /// A manager that runs the controllers.
    pub fn manager(&self, factory: SharedInformerFactory) -> Manager {
        let controllers = self.controllers(&factory);
        controllers.into_iter().fold(Manager::new(factory), Manager::controller)
    }
}

/// Reads a list of names: `deployments,jobs,kubelet`, or `all`. A kubelet without a scheduler or nodes in the list
/// brings them along, with one node, because a pod runs only on a node.
impl FromStr for Cluster {
    type Err = UnknownStandIn;

    fn from_str(names: &str) -> Result<Self, UnknownStandIn> {
        let mut cluster = Cluster::new();
        for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            if name == "all" {
                cluster = Cluster::complete();
                continue;
            }
            let stand_in = stand_in(name).ok_or_else(|| UnknownStandIn { name: name.to_owned() })?;
            cluster = cluster.with_shared(stand_in);
        }
        if cluster.contains("kubelet") && !cluster.contains("scheduler") {
            cluster = cluster.with(Scheduler);
        }
        if cluster.contains("kubelet") && !cluster.contains("nodes") {
            cluster = cluster.with(Nodes::default());
        }
        Ok(cluster)
    }
}

fn stand_in(name: &str) -> Option<Arc<dyn StandIn>> {
    Some(match name {
        "gc" => Arc::new(GarbageCollector::new()),
        "namespaces" => Arc::new(Namespaces),
        "serviceaccounts" => Arc::new(ServiceAccounts),
        "deployments" => Arc::new(Deployments),
        "replicasets" => Arc::new(ReplicaSets),
        "statefulsets" => Arc::new(StatefulSets),
        "daemonsets" => Arc::new(DaemonSets),
        "jobs" => Arc::new(Jobs),
        "cronjobs" => Arc::new(CronJobs),
        "endpointslices" => Arc::new(EndpointSlices),
        "nodes" => Arc::new(Nodes::default()),
        "scheduler" => Arc::new(Scheduler),
        "kubelet" => Arc::new(Kubelet::new()),
        _ => return None,
    })
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster")
            .field("stand_ins", &self.names().collect::<Vec<_>>())
            .field("clock", &self.clock)
            .field("seed", &self.seed)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &str) -> Vec<&'static str> {
        list.parse::<Cluster>().unwrap().names().collect()
    }

    #[test]
    fn a_list_of_names_gives_stand_ins_and_a_kubelet_brings_what_it_needs() {
        assert_eq!(names("deployments, jobs"), ["deployments", "jobs"]);
        assert_eq!(names("jobs,kubelet"), ["jobs", "kubelet", "scheduler", "nodes"]);
        assert_eq!(names("nodes,scheduler,kubelet"), ["nodes", "scheduler", "kubelet"]);
        assert_eq!(names("all"), NAMES);
        assert_eq!(names(""), [""; 0]);
    }

    #[test]
    fn every_name_is_that_of_its_stand_in() {
        for name in NAMES {
            assert_eq!(stand_in(name).unwrap().name(), name);
        }
        let error = "gc,cats".parse::<Cluster>().unwrap_err().to_string();
        assert!(error.starts_with("no stand-in is called \"cats\"; the names are gc, "), "{error}");
    }
}
