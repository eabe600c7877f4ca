//! StatefulSets: pods with fixed names, started in order, stopped and updated in reverse order.
//!
//! With the policy `OrderedReady` each reconcile makes at most one change, and only if all pods before it are ready. A
//! claim for a volume is created with its pod and outlives it.

mod pods_by_ordinal;

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::apps::v1::{ControllerRevision, StatefulSet, StatefulSetSpec};
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod};
use serde_json::{Map, Value, json};
use tidings::controller::{Action, Context, Controller, Error, NewEvent, Request};

use crate::claim::{claim, possible_owners};
use crate::clock::Clock;
use crate::cluster::{Setup, StandIn};
use crate::object::{count, is_deleting, name, part, set_count, status_of, write_status};
use crate::pods;
use crate::revisions::{self, REVISION, Revision};

/// Imitates the StatefulSet controller.
#[derive(Clone, Copy, Debug, Default)]
pub struct StatefulSets;

impl StandIn for StatefulSets {
    fn name(&self) -> &'static str {
        "statefulsets"
    }

    fn controllers(&self, setup: &Setup<'_>) -> Vec<Controller> {
        let clock = setup.clock();
        let of_orphan = possible_owners(setup.factory(), |set: &StatefulSet| {
            Some(part::<StatefulSetSpec>(&set.spec)?.selector.clone())
        });
        vec![
            Controller::for_kind::<StatefulSet>("statefulset-controller")
                .owns::<Pod>()
                .watches::<Pod>(of_orphan)
                .reads::<ControllerRevision>()
                .reads::<PersistentVolumeClaim>()
                .reconcile(move |request, context| reconcile(request, context, clock.clone())),
        ]
    }
}

/// A StatefulSet during one reconcile.
struct Step<'a> {
    context: &'a Context,
    set: &'a StatefulSet,
    spec: &'a StatefulSetSpec,
    pods: BTreeMap<usize, Pod>,
    revisions: Vec<Revision>,
    /// The name of the revision that pods had before the update.
    current: String,
}

async fn reconcile(request: Request, context: Context, clock: Clock) -> Result<Action, Error> {
    let Some(set) = context.get::<StatefulSet>(&request).await? else { return Ok(Action::await_change()) };
    let Some(spec) = part::<StatefulSetSpec>(&set.spec) else { return Ok(Action::await_change()) };
    let claimed: Vec<Pod> = claim(&context, &*set, &spec.selector).await?;
    let revisions = revisions::sync(&context, &*set, &spec.selector, &spec.template).await?;
    let status = status_of(&*set)?;
    let known = status.get("currentRevision").and_then(Value::as_str).unwrap_or_default();
    let is_there = revisions.iter().any(|revision| revision.name == known);
    let newest = revisions.last().map(|revision| revision.name.clone()).unwrap_or_default();
    let current = if is_there { known.to_owned() } else { newest };
    let ordinal = |pod: Pod| Some((pods_by_ordinal::ordinal(name(&*set), name(&pod))?, pod));
    let pods = claimed.into_iter().filter_map(ordinal).collect();
    let step = Step { context: &context, set: &set, spec, pods, revisions, current };
    step.report(status, &clock).await?;
    if !is_deleting(&*set) {
        step.take().await?;
    }
    Ok(step.available_in(&clock).map_or_else(Action::await_change, Action::requeue_after))
}

impl Step<'_> {
    fn update(&self) -> &str {
        self.revisions.last().map_or("", |revision| &revision.name)
    }

    fn is_ordered(&self) -> bool {
        self.spec.pod_management_policy.as_deref() != Some("Parallel")
    }

    /// The ordinals that the set wants.
    fn wanted(&self) -> std::ops::Range<usize> {
        let start = self.spec.ordinals.as_ref().map_or(0, |ordinals| count(ordinals.start));
        start..start + self.spec.replicas.map_or(1, |replicas| count(Some(replicas)))
    }

    /// Pods with an ordinal below this one keep the revision they have.
    fn partition(&self) -> usize {
        let strategy = self.spec.update_strategy.as_ref();
        let rolling = strategy.and_then(|strategy| strategy.rolling_update.as_ref());
        self.wanted().start + rolling.map_or(0, |rolling| count(rolling.partition))
    }

    /// Makes the next change.
    async fn take(&self) -> Result<(), Error> {
        for ordinal in self.wanted() {
            if !self.ensure(ordinal).await? && self.is_ordered() {
                return Ok(());
            }
        }
        let surplus = self.pods.iter().rev().filter(|(ordinal, _)| !self.wanted().contains(ordinal));
        for (_, pod) in surplus {
            if !is_deleting(pod) {
                self.delete(pod).await?;
            }
            if self.is_ordered() {
                return Ok(());
            }
        }
        self.roll().await
    }

    /// Creates a pod if it is missing, or replaces it if it ended. Returns whether it is running and ready.
    async fn ensure(&self, ordinal: usize) -> Result<bool, Error> {
        match self.pods.get(&ordinal) {
            Some(pod) if is_deleting(pod) => Ok(false),
            Some(pod) if pods::has_ended(pod) => {
                self.delete(pod).await?;
                Ok(false)
            }
            Some(pod) => Ok(pods::phase(pod) == "Running" && pods::is_ready(pod)),
            None => {
                self.create(ordinal).await?;
                Ok(false)
            }
        }
    }

    /// Replaces the last pod that does not have the newest revision.
    async fn roll(&self) -> Result<(), Error> {
        let strategy = self.spec.update_strategy.as_ref().and_then(|strategy| strategy.type_.as_deref());
        if strategy == Some("OnDelete") {
            return Ok(());
        }
        for ordinal in self.wanted().rev().filter(|ordinal| *ordinal >= self.partition()) {
            let Some(pod) = self.pods.get(&ordinal) else { return Ok(()) };
            if revision_of(pod) != self.update() && !is_deleting(pod) {
                return self.delete(pod).await;
            }
            if is_deleting(pod) || !pods::is_ready(pod) {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn create(&self, ordinal: usize) -> Result<(), Error> {
        let wanted = if ordinal < self.partition() { self.current.as_str() } else { self.update() };
        let Some(revision) = self.revisions.iter().find(|revision| revision.name == wanted) else {
            return Ok(());
        };
        for claim in pods_by_ordinal::claims(self.set, self.spec, ordinal) {
            if self.context.lister::<PersistentVolumeClaim>()?.get(&key(&claim)).is_none() {
                match self.context.api::<PersistentVolumeClaim>().create(&claim).await {
                    Err(kube_client::Error::Api(status)) if status.code == 409 => {}
                    result => drop(result?),
                }
            }
        }
        let pod = pods_by_ordinal::pod(self.set, self.spec, revision, ordinal)?;
        self.context.api::<Pod>().create(&pod).await?;
        let note = format!("create Pod {} in StatefulSet {} successful", name(&pod), name(self.set));
        self.context.recorder().event(self.set, NewEvent::normal("SuccessfulCreate", note));
        Ok(())
    }

    async fn delete(&self, pod: &Pod) -> Result<(), Error> {
        pods::delete(self.context, pod).await?;
        let note = format!("delete Pod {} in StatefulSet {} successful", name(pod), name(self.set));
        self.context.recorder().event(self.set, NewEvent::normal("SuccessfulDelete", note));
        Ok(())
    }

    async fn report(&self, mut status: Map<String, Value>, clock: &Clock) -> Result<(), Error> {
        let min_ready = pods::min_ready(self.spec.min_ready_seconds);
        let number = |which: &dyn Fn(&Pod) -> bool| self.pods.values().filter(|pod| which(pod)).count();
        let is_ready = |pod: &Pod| pods::phase(pod) == "Running" && pods::is_ready(pod);
        let has = |revision: &str, pod: &Pod| !is_deleting(pod) && revision_of(pod) == revision;
        let updated = number(&|pod| has(self.update(), pod));
        let ready = number(&is_ready);
        // Once all pods have the newest revision and are ready, it is the current one.
        let is_complete = updated == self.wanted().len() && ready == updated && self.pods.len() == updated;
        let current = if is_complete { self.update() } else { &self.current };
        status.insert("replicas".to_owned(), json!(self.pods.len()));
        set_count(&mut status, "readyReplicas", ready);
        set_count(&mut status, "currentReplicas", number(&|pod| has(current, pod)));
        set_count(&mut status, "updatedReplicas", updated);
        status.insert(
            "availableReplicas".to_owned(),
            json!(number(&|pod| is_ready(pod) && pods::is_available(pod, min_ready, clock))),
        );
        status.insert("currentRevision".to_owned(), json!(current));
        status.insert("updateRevision".to_owned(), json!(self.update()));
        status.insert("observedGeneration".to_owned(), json!(self.set.metadata.generation));
        status.insert("collisionCount".to_owned(), json!(0));
        write_status(self.context, self.set, status).await
    }

    fn available_in(&self, clock: &Clock) -> Option<Duration> {
        let min_ready = pods::min_ready(self.spec.min_ready_seconds);
        self.pods.values().filter_map(|pod| pods::available_in(pod, min_ready, clock)).min()
    }
}

fn revision_of(pod: &Pod) -> &str {
    pod.metadata.labels.as_ref().and_then(|labels| labels.get(REVISION)).map_or("", String::as_str)
}

fn key(claim: &PersistentVolumeClaim) -> String {
    format!("{}/{}", crate::object::namespace(claim), name(claim))
}
