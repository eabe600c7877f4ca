//! ReplicaSets: keeps the number of pods that each ReplicaSet wants.
//!
//! Adopts pods that match the selector and have no controller. Never deletes a pod that it does not control.

use k8s_openapi::api::apps::v1::{ReplicaSet, ReplicaSetSpec};
use k8s_openapi::api::core::v1::Pod;
use serde_json::json;
use tidings::controller::{Action, Context, Controller, Error, NewEvent, Request};

use crate::claim::{claim, possible_owners};
use crate::clock::Clock;
use crate::cluster::{Setup, StandIn};
use crate::object::{count, is_deleting, name, part, set_count, status_of, write_status};
use crate::{pods, template};

/// How many pods one reconcile creates or deletes at most. The next reconcile continues.
const PODS_AT_ONCE: usize = 500;

/// Imitates the ReplicaSet controller.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReplicaSets;

impl StandIn for ReplicaSets {
    fn name(&self) -> &'static str {
        "replicasets"
    }

    fn controllers(&self, setup: &Setup<'_>) -> Vec<Controller> {
        let clock = setup.clock();
        let of_orphan = possible_owners(setup.factory(), |set: &ReplicaSet| {
            Some(part::<ReplicaSetSpec>(&set.spec)?.selector.clone())
        });
        vec![
            Controller::for_kind::<ReplicaSet>("replicaset-controller")
                .owns::<Pod>()
                .watches::<Pod>(of_orphan)
                .reconcile(move |request, context| reconcile(request, context, clock.clone())),
        ]
    }
}

async fn reconcile(request: Request, context: Context, clock: Clock) -> Result<Action, Error> {
    let Some(set) = context.get::<ReplicaSet>(&request).await? else {
        return Ok(Action::await_change()); // the garbage collector deletes its pods
    };
    let Some(spec) = part::<ReplicaSetSpec>(&set.spec) else { return Ok(Action::await_change()) };
    let pods: Vec<Pod> = claim(&context, &*set, &spec.selector).await?;
    let active: Vec<&Pod> = pods.iter().filter(|pod| pods::is_active(pod)).collect();
    update_status(&context, &set, spec, &active, &clock).await?;
    if !is_deleting(&*set) {
        manage(&context, &set, spec, &active).await?;
    }
    let min_ready = pods::min_ready(spec.min_ready_seconds);
    let next = active.iter().filter_map(|pod| pods::available_in(pod, min_ready, &clock)).min();
    Ok(next.map_or_else(Action::await_change, Action::requeue_after))
}

/// Creates missing pods, or deletes surplus ones.
async fn manage(
    context: &Context,
    set: &ReplicaSet,
    spec: &ReplicaSetSpec,
    active: &[&Pod],
) -> Result<(), Error> {
    let wanted = spec.replicas.map_or(1, |replicas| count(Some(replicas)));
    for _ in active.len()..wanted.min(active.len() + PODS_AT_ONCE) {
        let mut pod = template::pod(&spec.template.clone().unwrap_or_default(), set)?;
        pod.metadata.generate_name = Some(format!("{}-", name(set)));
        let created = context.api::<Pod>().create(&pod).await?;
        let note = format!("Created pod: {}", created.name());
        context.recorder().event(set, NewEvent::normal("SuccessfulCreate", note));
    }
    if active.len() > wanted {
        let mut surplus = active.to_vec();
        pods::sort_for_deletion(&mut surplus);
        for pod in surplus.into_iter().take((active.len() - wanted).min(PODS_AT_ONCE)) {
            pods::delete(context, pod).await?;
            let note = format!("Deleted pod: {}", name(pod));
            context.recorder().event(set, NewEvent::normal("SuccessfulDelete", note));
        }
    }
    Ok(())
}

async fn update_status(
    context: &Context,
    set: &ReplicaSet,
    spec: &ReplicaSetSpec,
    active: &[&Pod],
    clock: &Clock,
) -> Result<(), Error> {
    let min_ready = pods::min_ready(spec.min_ready_seconds);
    let wanted = spec.template.as_ref().and_then(|template| template.metadata.as_ref()?.labels.clone());
    let has_all_labels = |pod: &Pod| {
        let labels = pod.metadata.labels.as_ref();
        wanted.iter().flatten().all(|(key, value)| labels.and_then(|labels| labels.get(key)) == Some(value))
    };
    let number = |which: &dyn Fn(&Pod) -> bool| active.iter().filter(|pod| which(pod)).count();
    let mut status = status_of(set)?;
    status.insert("replicas".to_owned(), json!(active.len()));
    set_count(&mut status, "fullyLabeledReplicas", number(&has_all_labels));
    set_count(&mut status, "readyReplicas", number(&pods::is_ready));
    set_count(&mut status, "availableReplicas", number(&|pod| pods::is_available(pod, min_ready, clock)));
    status.insert("observedGeneration".to_owned(), json!(set.metadata.generation));
    write_status(context, set, status).await
}
