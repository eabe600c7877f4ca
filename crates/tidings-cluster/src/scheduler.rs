//! The scheduler: gives each pod without a node the node with the fewest pods among those that fit.
//!
//! A binding that the cache does not show yet is remembered, so that two pods in a row do not both count on the same
//! room. No preemption, no affinity between pods, no spreading, no volumes.

mod fit;

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{Node, Pod, PodSpec};
use serde_json::json;
use tidings::controller::{Action, Context, Controller, Error, NewEvent, Request};
use tidings::{Lister, Notification};

use crate::clock::Clock;
use crate::cluster::{Setup, StandIn};
use crate::condition::{self, NewCondition};
use crate::object::{is_deleting, name, namespace, part, status_of, uid, write_status};
use crate::pods;
use crate::sync::Mutex;
use fit::{Misfit, Room};
pub(crate) use fit::{matches_node, repelled};

/// The name of the scheduler that pods ask for if they ask for none.
const NAME: &str = "default-scheduler";

/// Imitates kube-scheduler.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scheduler;

impl StandIn for Scheduler {
    fn name(&self) -> &'static str {
        "scheduler"
    }

    fn controllers(&self, setup: &Setup<'_>) -> Vec<Controller> {
        let scheduler = Arc::new(RunningScheduler { clock: setup.clock(), bound: Mutex::default() });
        let pods = setup.factory().informer::<Pod>().lister();
        let (of_node, of_ended) = (pods.clone(), pods);
        vec![
            Controller::for_kind::<Pod>(NAME)
                .watches::<Node>(move |_| waiting(&of_node))
                .watches::<Pod>(
                    move |notification| {
                        if makes_room(notification) { waiting(&of_ended) } else { Vec::new() }
                    },
                )
                .reconcile(move |request, context| {
                    let scheduler = Arc::clone(&scheduler);
                    async move { scheduler.reconcile(request, context).await }
                }),
        ]
    }
}

/// The pods without a node. Nodes and ended pods request them.
fn waiting(pods: &Lister<Pod>) -> Vec<Request> {
    let has_node = |node: tidings::FieldValue| node.text().is_some_and(|node| !node.is_empty());
    let pods = pods.list().into_iter().filter(|pod| !pod.field(".spec.nodeName").is_ok_and(has_node));
    pods.map(|pod| Request::from(pod.key())).collect()
}

/// Whether a pod has left its node.
fn makes_room(notification: &Notification<Pod>) -> bool {
    let ended = |pod: &tidings::Object<Pod>| pod.decoded().is_ok_and(|pod| pods::has_ended(&pod));
    notification.new().is_none_or(|new| ended(new) && !notification.old().is_some_and(ended))
}

struct RunningScheduler {
    clock: Clock,
    /// Bindings that the cache may not show yet: the node of each pod, by uid.
    bound: Mutex<BTreeMap<String, String>>,
}

impl RunningScheduler {
    async fn reconcile(&self, request: Request, context: Context) -> Result<Action, Error> {
        let Some(pod) = context.get::<Pod>(&request).await? else { return Ok(Action::await_change()) };
        let Some(spec) = part::<PodSpec>(&pod.spec) else { return Ok(Action::await_change()) };
        let is_ours = spec.scheduler_name.as_deref().is_none_or(|name| name == NAME || name.is_empty());
        let is_gated = spec.scheduling_gates.as_ref().is_some_and(|gates| !gates.is_empty());
        let is_waiting = pods::node_name(&pod).is_none() && pods::is_active(&pod) && !is_gated;
        if !is_ours || !is_waiting || self.bound.lock().contains_key(uid(&*pod)) {
            return Ok(Action::await_change());
        }
        match self.choose(&context, &pod, spec)? {
            Ok(node) => self.bind(&context, &pod, &node).await?,
            Err(why) => self.report_unschedulable(&context, &pod, &why).await?,
        }
        Ok(Action::await_change())
    }

    /// The node for a pod, or why there is none.
    fn choose(&self, context: &Context, pod: &Pod, spec: &PodSpec) -> Result<Result<String, String>, Error> {
        let rooms = self.rooms(context)?;
        let mut misfits: BTreeMap<Misfit, usize> = BTreeMap::new();
        let mut best: Option<(usize, &str)> = None;
        for room in rooms.values() {
            match room.misfit(pod, spec) {
                Some(misfit) => *misfits.entry(misfit).or_default() += 1,
                None => {
                    let candidate = (room.pods, room.name());
                    best = Some(best.map_or(candidate, |best| best.min(candidate)));
                }
            }
        }
        Ok(best.map(|(_, node)| node.to_owned()).ok_or_else(|| {
            let reasons: Vec<String> =
                misfits.iter().map(|(misfit, nodes)| format!("{nodes} {misfit}")).collect();
            let reasons =
                if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join(", ")) };
            format!("0/{} nodes are available{reasons}.", rooms.len())
        }))
    }

    /// The nodes, each with what its pods leave free.
    fn rooms(&self, context: &Context) -> Result<BTreeMap<String, Room>, Error> {
        let mut rooms = BTreeMap::new();
        for node in context.lister::<Node>()?.list() {
            let node = node.decoded()?;
            rooms.insert(name(&*node).to_owned(), Room::of(&node));
        }
        let mut bound = self.bound.lock();
        let mut is_pending = BTreeMap::new();
        for pod in context.lister::<Pod>()?.list() {
            let pod = pod.decoded()?;
            let node = match pods::node_name(&pod) {
                Some(node) => Some(node.to_owned()),
                None => bound.get(uid(&*pod)).cloned(),
            };
            if pods::node_name(&pod).is_none() && !is_deleting(&*pod) {
                is_pending.insert(uid(&*pod).to_owned(), ());
            }
            if let Some(room) = node.filter(|_| !pods::has_ended(&pod)).and_then(|node| rooms.get_mut(&node))
            {
                room.add(&pod);
            }
        }
        bound.retain(|uid, _| is_pending.contains_key(uid));
        Ok(rooms)
    }

    async fn bind(&self, context: &Context, pod: &Pod, node: &str) -> Result<(), Error> {
        let path = format!("/api/v1/namespaces/{}/pods/{}/binding", namespace(pod), name(pod));
        let binding = json!({
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": { "name": name(pod), "namespace": namespace(pod), "uid": uid(pod) },
            "target": { "apiVersion": "v1", "kind": "Node", "name": node },
        });
        let request = http::Request::post(path)
            .header(http::header::CONTENT_TYPE, "application/json")
            .body(serde_json::to_vec(&binding)?)?;
        match context.client().request_text(request).await {
            Ok(_) => {}
            // The pod was deleted, or another scheduler bound it.
            Err(kube_client::Error::Api(status)) if matches!(status.code, 404 | 409) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
        self.bound.lock().insert(uid(pod).to_owned(), node.to_owned());
        let note = format!("Successfully assigned {}/{} to {node}", namespace(pod), name(pod));
        context.recorder().event(pod, NewEvent::normal("Scheduled", note));
        Ok(())
    }

    async fn report_unschedulable(&self, context: &Context, pod: &Pod, why: &str) -> Result<(), Error> {
        let mut status = status_of(pod)?;
        let is_known = condition::find(&status, "PodScheduled").is_some_and(|found| found["message"] == why);
        if is_known {
            return Ok(());
        }
        condition::remove(&mut status, "PodScheduled");
        let new =
            NewCondition { kind: "PodScheduled", status: "False", reason: "Unschedulable", message: why };
        condition::set(&mut status, &new, &self.clock.text(), &[]);
        context.recorder().event(pod, NewEvent::warning("FailedScheduling", why));
        write_status(context, pod, status).await
    }
}
