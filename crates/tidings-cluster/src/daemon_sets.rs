//! DaemonSets: one pod on every node that accepts it.
//!
//! The pod names its node by affinity, and the scheduler binds it, as in Kubernetes.

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::apps::v1::{ControllerRevision, DaemonSet, DaemonSetSpec};
use k8s_openapi::api::core::v1::{Node, Pod, PodSpec, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use serde_json::{from_value, json};
use tidings::controller::{Action, Context, Controller, Error, NewEvent, Request};

use crate::claim::{claim, possible_owners};
use crate::clock::Clock;
use crate::cluster::{Setup, StandIn};
use crate::deployments::{Rounding, share};
use crate::object::{is_deleting, name, part, set_count, status_of, write_status};
use crate::revisions::{self, REVISION};
use crate::scheduler::{matches_node, repelled};
use crate::{pods, template};

/// Imitates the DaemonSet controller.
#[derive(Clone, Copy, Debug, Default)]
pub struct DaemonSets;

impl StandIn for DaemonSets {
    fn name(&self) -> &'static str {
        "daemonsets"
    }

    fn controllers(&self, setup: &Setup<'_>) -> Vec<Controller> {
        let clock = setup.clock();
        let of_orphan = possible_owners(setup.factory(), |set: &DaemonSet| {
            Some(part::<DaemonSetSpec>(&set.spec)?.selector.clone())
        });
        let sets = setup.factory().informer::<DaemonSet>().lister();
        let all = move |_: &tidings::Notification<Node>| -> Vec<Request> {
            sets.keys().into_iter().map(Request::from).collect()
        };
        vec![
            Controller::for_kind::<DaemonSet>("daemonset-controller")
                .owns::<Pod>()
                .watches::<Pod>(of_orphan)
                .watches::<Node>(all)
                .reads::<ControllerRevision>()
                .reconcile(move |request, context| reconcile(request, context, clock.clone())),
        ]
    }
}

/// A DaemonSet during one reconcile.
struct Step<'a> {
    context: &'a Context,
    clock: &'a Clock,
    set: &'a DaemonSet,
    spec: &'a DaemonSetSpec,
    /// The hash of the current template.
    hash: String,
    /// The nodes that should have a pod.
    nodes: Vec<String>,
    /// The pods of each node, without those that are being deleted.
    pods: BTreeMap<String, Vec<Pod>>,
}

async fn reconcile(request: Request, context: Context, clock: Clock) -> Result<Action, Error> {
    let Some(set) = context.get::<DaemonSet>(&request).await? else { return Ok(Action::await_change()) };
    let Some(spec) = part::<DaemonSetSpec>(&set.spec) else { return Ok(Action::await_change()) };
    let claimed: Vec<Pod> = claim(&context, &*set, &spec.selector).await?;
    let revisions = revisions::sync(&context, &*set, &spec.selector, &spec.template).await?;
    let hash = revisions.last().map(|revision| revision.hash.clone()).unwrap_or_default();
    let mut nodes = Vec::new();
    for node in context.lister::<Node>()?.list() {
        let node = node.decoded()?;
        if accepts(&node, &spec.template)? {
            nodes.push(name(&*node).to_owned());
        }
    }
    nodes.sort();
    let mut pods: BTreeMap<String, Vec<Pod>> = BTreeMap::new();
    for pod in claimed.into_iter().filter(|pod| !is_deleting(pod)) {
        pods.entry(target(&pod)).or_default().push(pod);
    }
    let step = Step { context: &context, clock: &clock, set: &set, spec, hash, nodes, pods };
    step.report().await?;
    if !is_deleting(&*set) {
        step.manage().await?;
    }
    let min_ready = pods::min_ready(spec.min_ready_seconds);
    let next =
        step.pods.values().flatten().filter_map(|pod| pods::available_in(pod, min_ready, &clock)).min();
    Ok(next.map_or_else(Action::await_change, Action::requeue_after))
}

/// Whether a node takes pods of this template.
fn accepts(node: &Node, template: &PodTemplateSpec) -> Result<bool, Error> {
    let Some(spec) = part::<PodSpec>(&template.spec) else { return Ok(false) };
    let mut spec = spec.clone();
    tolerate_troubles(&mut spec)?;
    Ok(matches_node(&spec, node) && repelled(&spec, node).is_none())
}

/// Pods of a DaemonSet run on nodes with problems too.
fn tolerate_troubles(spec: &mut PodSpec) -> Result<(), Error> {
    let tolerations = spec.tolerations.get_or_insert_default();
    for (problem, effect) in [
        ("not-ready", "NoExecute"),
        ("unreachable", "NoExecute"),
        ("disk-pressure", "NoSchedule"),
        ("memory-pressure", "NoSchedule"),
        ("pid-pressure", "NoSchedule"),
        ("unschedulable", "NoSchedule"),
    ] {
        let key = format!("node.kubernetes.io/{problem}");
        tolerations.push(from_value(json!({ "key": key, "operator": "Exists", "effect": effect }))?);
    }
    Ok(())
}

/// The node that a pod is on, or is meant for.
fn target(pod: &Pod) -> String {
    if let Some(node) = pods::node_name(pod) {
        return node.to_owned();
    }
    let wanted = || {
        let affinity = pod.spec.as_ref()?.affinity.as_ref()?.node_affinity.as_ref()?;
        let required = affinity.required_during_scheduling_ignored_during_execution.as_ref()?;
        required
            .node_selector_terms
            .first()?
            .match_fields
            .as_ref()?
            .first()?
            .values
            .as_ref()?
            .first()
            .cloned()
    };
    wanted().unwrap_or_default()
}

impl Step<'_> {
    fn min_ready(&self) -> Duration {
        pods::min_ready(self.spec.min_ready_seconds)
    }

    fn is_available(&self, pod: &Pod) -> bool {
        pods::is_available(pod, self.min_ready(), self.clock)
    }

    fn is_current(&self, pod: &Pod) -> bool {
        pod.metadata.labels.as_ref().and_then(|labels| labels.get(REVISION)) == Some(&self.hash)
    }

    /// Creates missing pods, deletes surplus and ended ones, and then old ones.
    async fn manage(&self) -> Result<(), Error> {
        let mut is_settled = true;
        for node in &self.nodes {
            if !self.pods.contains_key(node) {
                self.create(node).await?;
                is_settled = false;
            }
        }
        for (node, pods) in &self.pods {
            let is_wanted = self.nodes.contains(node);
            let mut running: Vec<&Pod> = pods.iter().filter(|pod| !pods::has_ended(pod)).collect();
            running.sort_by_key(|pod| pod.metadata.creation_timestamp.as_ref().map(|time| time.0));
            let kept = running.first().map(|pod| name(*pod)).filter(|_| is_wanted);
            for pod in pods.iter().filter(|pod| Some(name(*pod)) != kept) {
                self.delete(pod).await?;
                is_settled = false;
            }
        }
        if is_settled { self.roll().await } else { Ok(()) }
    }

    /// Deletes old pods: those that are not available anyway, then as many as may be unavailable.
    async fn roll(&self) -> Result<(), Error> {
        let strategy = self.spec.update_strategy.as_ref();
        if strategy.and_then(|strategy| strategy.type_.as_deref()) == Some("OnDelete") {
            return Ok(());
        }
        let limit = strategy.and_then(|strategy| strategy.rolling_update.as_ref()?.max_unavailable.clone());
        let wanted = i64::try_from(self.nodes.len()).unwrap_or(i64::MAX);
        let limit = share(&limit.unwrap_or(IntOrString::Int(1)), wanted, Rounding::Up).max(1);
        let all: Vec<&Pod> = self.pods.values().flatten().collect();
        let available = all.iter().filter(|pod| self.is_available(pod)).count();
        let mut room = limit - (wanted - i64::try_from(available).unwrap_or(0));
        for pod in all.into_iter().filter(|pod| !self.is_current(pod)) {
            if !self.is_available(pod) {
                self.delete(pod).await?;
            } else if room > 0 {
                room -= 1;
                self.delete(pod).await?;
            }
        }
        Ok(())
    }

    async fn create(&self, node: &str) -> Result<(), Error> {
        let mut pod = template::pod(&self.spec.template, self.set)?;
        pod.metadata.generate_name = Some(format!("{}-", name(self.set)));
        pod.metadata.labels.get_or_insert_default().insert(REVISION.to_owned(), self.hash.clone());
        if let Some(spec) = pod.spec.as_mut() {
            tolerate_troubles(spec)?;
            let fields = json!([{ "key": "metadata.name", "operator": "In", "values": [node] }]);
            let affinity = spec.affinity.get_or_insert_default().node_affinity.get_or_insert_default();
            let required = &mut affinity.required_during_scheduling_ignored_during_execution;
            match required.as_mut().filter(|required| !required.node_selector_terms.is_empty()) {
                Some(required) => {
                    for term in &mut required.node_selector_terms {
                        term.match_fields = Some(from_value(fields.clone())?);
                    }
                }
                None => {
                    *required = Some(from_value(json!({ "nodeSelectorTerms": [{ "matchFields": fields }] }))?)
                }
            }
        }
        let created = self.context.api::<Pod>().create(&pod).await?;
        let note = format!("Created pod: {}", created.name());
        self.context.recorder().event(self.set, NewEvent::normal("SuccessfulCreate", note));
        Ok(())
    }

    async fn delete(&self, pod: &Pod) -> Result<(), Error> {
        pods::delete(self.context, pod).await?;
        let note = format!("Deleted pod: {}", name(pod));
        self.context.recorder().event(self.set, NewEvent::normal("SuccessfulDelete", note));
        Ok(())
    }

    async fn report(&self) -> Result<(), Error> {
        let on_wanted = |which: &dyn Fn(&Pod) -> bool| {
            let has_one = |node: &&String| self.pods.get(*node).is_some_and(|pods| pods.iter().any(which));
            self.nodes.iter().filter(has_one).count()
        };
        let available = on_wanted(&|pod| self.is_available(pod));
        let misscheduled = self.pods.keys().filter(|node| !self.nodes.contains(*node)).count();
        let mut status = status_of(self.set)?;
        status.insert("desiredNumberScheduled".to_owned(), json!(self.nodes.len()));
        status.insert("currentNumberScheduled".to_owned(), json!(on_wanted(&|_| true)));
        status.insert("numberMisscheduled".to_owned(), json!(misscheduled));
        status.insert("numberReady".to_owned(), json!(on_wanted(&pods::is_ready)));
        set_count(&mut status, "updatedNumberScheduled", on_wanted(&|pod| self.is_current(pod)));
        set_count(&mut status, "numberAvailable", available);
        set_count(&mut status, "numberUnavailable", self.nodes.len() - available);
        status.insert("observedGeneration".to_owned(), json!(self.set.metadata.generation));
        write_status(self.context, self.set, status).await
    }
}
