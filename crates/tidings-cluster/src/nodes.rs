//! Nodes: creates the nodes of a cluster, and reports them as ready.
//!
//! There are no heartbeats: a node never becomes unready by itself, and paused time has nothing to wake up for.

use k8s_openapi::api::core::v1::{Namespace, Node};
use serde_json::{from_value, json};
use tidings::Notification;
use tidings::controller::{Action, Context, Controller, Error, Request};

use crate::clock::Clock;
use crate::cluster::{Setup, StandIn};
use crate::condition::{self, NewCondition};
use crate::object::{status_of, write_status};

/// Stands for a namespace in requests that create a node. A node has none, so that the deletion of a node creates
/// nothing.
const AT_START: &str = "start";

/// Creates nodes `node-1`, `node-2`, ..., and makes every node ready that reports nothing, also those that you create.
#[derive(Clone, Copy, Debug)]
pub struct Nodes {
    count: usize,
}

impl Nodes {
    /// This many nodes. With 0, only your own nodes are made ready.
    pub fn new(count: usize) -> Self {
        Nodes { count }
    }

    fn names(self) -> impl Iterator<Item = String> {
        (1..=self.count).map(|number| format!("node-{number}"))
    }
}

/// One node.
impl Default for Nodes {
    fn default() -> Self {
        Nodes::new(1)
    }
}

impl StandIn for Nodes {
    fn name(&self) -> &'static str {
        "nodes"
    }

    fn controllers(&self, setup: &Setup<'_>) -> Vec<Controller> {
        let (nodes, clock) = (*self, setup.clock());
        // Every server has this namespace, so that it requests the nodes once at the start.
        let at_start = move |notification: &Notification<Namespace>| -> Vec<Request> {
            let is_system = notification.new().is_some_and(|namespace| namespace.name() == "kube-system");
            let names = nodes.names().filter(|_| is_system);
            names.filter_map(|name| Request::new(Some(AT_START), &name).ok()).collect()
        };
        vec![
            Controller::for_kind::<Node>("node-controller")
                .watches::<Namespace>(at_start)
                .reconcile(move |request, context| reconcile(request, context, clock.clone())),
        ]
    }
}

async fn reconcile(request: Request, context: Context, clock: Clock) -> Result<Action, Error> {
    if request.namespace() == Some(AT_START) {
        if context.lister::<Node>()?.get(request.name()).is_none() {
            create(&context, request.name()).await?;
        }
        return Ok(Action::await_change());
    }
    let Some(node) = context.get::<Node>(&request).await? else { return Ok(Action::await_change()) };
    let mut status = status_of(&*node)?;
    if condition::find(&status, "Ready").is_none() {
        let new = NewCondition {
            kind: "Ready",
            status: "True",
            reason: "KubeletReady",
            message: "kubelet is posting ready status",
        };
        condition::set(&mut status, &new, &clock.text(), &["lastHeartbeatTime"]);
        let capacity = json!({ "cpu": "32", "memory": "128Gi", "pods": "110" });
        for field in ["capacity", "allocatable"] {
            status.entry(field).or_insert_with(|| capacity.clone());
        }
        write_status(&context, &*node, status).await?;
    }
    Ok(Action::await_change())
}

async fn create(context: &Context, name: &str) -> Result<(), Error> {
    let node: Node = from_value(json!({
        "metadata": {
            "name": name,
            "labels": {
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                "kubernetes.io/arch": "amd64",
            },
        },
    }))?;
    match context.api::<Node>().create(&node).await {
        Ok(_) => Ok(()),
        Err(kube_client::Error::Api(status)) if status.code == 409 => Ok(()),
        Err(error) => Err(error.into()),
    }
}
