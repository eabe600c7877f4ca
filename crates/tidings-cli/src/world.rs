//! A small cluster that lives: nodes, deployments and pods that come, change and go. What happens is drawn from a
//! seed; what keeps the pods of a deployment is a controller of ours, as in a real cluster.

mod replicas;
mod workload;

pub(crate) use replicas::controller;
pub(crate) use workload::live;

/// What keeps the deployments and pods of this world apart from others.
const NAMESPACE: &str = "default";
