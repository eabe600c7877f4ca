//! Stand-ins for the rest of a cluster: kube-controller-manager, scheduler and kubelet as small tidings controllers.
//!
//! An API server alone stores objects. A test of a controller that creates a Deployment and waits until it is available
//! needs the parts that create its pods and run them. Each part here is one file and one value; a [`Cluster`] combines
//! them, and a [`Manager`](tidings::controller::Manager) runs them. They work in tokio's paused time, decide from a
//! seed, and leave no task behind.
//!
//! Never use them in a cluster that has the real ones: both would act on the same objects.

mod claim;
mod clock;
mod cluster;
mod condition;
mod cron_jobs;
mod daemon_sets;
mod deployments;
mod endpoint_slices;
mod garbage_collector;
mod jobs;
mod kubelet;
mod namespaces;
mod nodes;
mod object;
mod pods;
mod replica_sets;
mod revisions;
mod run;
mod scheduler;
mod service_accounts;
mod stateful_sets;
mod sync;
mod template;

pub use clock::Clock;
pub use cluster::{Cluster, Setup, StandIn, UnknownStandIn};
pub use cron_jobs::CronJobs;
pub use daemon_sets::DaemonSets;
pub use deployments::Deployments;
pub use endpoint_slices::EndpointSlices;
pub use garbage_collector::GarbageCollector;
pub use jobs::Jobs;
pub use kubelet::{Kubelet, Script, ScriptError};
pub use namespaces::Namespaces;
pub use nodes::Nodes;
pub use replica_sets::ReplicaSets;
pub use scheduler::Scheduler;
pub use service_accounts::ServiceAccounts;
pub use stateful_sets::StatefulSets;
