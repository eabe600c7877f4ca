//! Properties of pods that controllers read, and the order in which pods are deleted.

use std::cmp::Reverse;
use std::time::Duration;

use k8s_openapi::api::core::v1::{Pod, PodCondition};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube_client::api::{DeleteParams, Preconditions};
use tidings::controller::{Context, Error};

use crate::clock::Clock;
use crate::object::{annotation, is_deleting, name, uid};

pub(crate) fn phase(pod: &Pod) -> &str {
    pod.status.as_ref().and_then(|status| status.phase.as_deref()).unwrap_or("Pending")
}

/// Whether all containers have ended for good.
pub(crate) fn has_ended(pod: &Pod) -> bool {
    matches!(phase(pod), "Succeeded" | "Failed")
}

/// Whether the pod has neither ended nor is being deleted.
pub(crate) fn is_active(pod: &Pod) -> bool {
    !has_ended(pod) && !is_deleting(pod)
}

pub(crate) fn condition<'a>(pod: &'a Pod, kind: &str) -> Option<&'a PodCondition> {
    pod.status.as_ref()?.conditions.as_ref()?.iter().find(|condition| condition.type_ == kind)
}

pub(crate) fn is_ready(pod: &Pod) -> bool {
    condition(pod, "Ready").is_some_and(|ready| ready.status == "True")
}

/// Whether a pod has been ready for long enough.
pub(crate) fn is_available(pod: &Pod, min_ready: Duration, clock: &Clock) -> bool {
    is_ready(pod) && available_in(pod, min_ready, clock).is_none()
}

/// How long a ready pod must stay ready until it is available. `None` if it is available, or not ready.
pub(crate) fn available_in(pod: &Pod, min_ready: Duration, clock: &Clock) -> Option<Duration> {
    let since: &Time =
        condition(pod, "Ready").filter(|ready| ready.status == "True")?.last_transition_time.as_ref()?;
    if min_ready.is_zero() { None } else { clock.until(since, min_ready) }
}

/// `minReadySeconds`.
pub(crate) fn min_ready(seconds: Option<i32>) -> Duration {
    Duration::from_secs(u64::try_from(seconds.unwrap_or(0)).unwrap_or(0))
}

pub(crate) fn node_name(pod: &Pod) -> Option<&str> {
    pod.spec.as_ref()?.node_name.as_deref().filter(|node| !node.is_empty())
}

pub(crate) fn restarts(pod: &Pod) -> i32 {
    let containers = pod.status.as_ref().and_then(|status| status.container_statuses.as_ref());
    containers.into_iter().flatten().map(|container| container.restart_count).max().unwrap_or(0)
}

/// Sorts pods so that those that serve least come first: without a node, not running, not ready, with a low deletion
/// cost, with many restarts, young.
pub(crate) fn sort_for_deletion(pods: &mut [&Pod]) {
    pods.sort_by_cached_key(|pod| {
        let is_running = match phase(pod) {
            "Pending" => 0,
            "Running" => 2,
            _ => 1,
        };
        let cost = annotation(*pod, "controller.kubernetes.io/pod-deletion-cost");
        let cost: i32 = cost.and_then(|cost| cost.parse().ok()).unwrap_or(0);
        let created = pod.metadata.creation_timestamp.as_ref().map(|time| time.0);
        (
            node_name(pod).is_some(),
            is_running,
            is_ready(pod),
            cost,
            Reverse(restarts(pod)),
            Reverse(created),
            Reverse(name(*pod).to_owned()),
        )
    });
}

/// Deletes this pod, and no other of the same name.
pub(crate) async fn delete(context: &Context, pod: &Pod) -> Result<(), Error> {
    delete_with(context, pod, DeleteParams::default()).await
}

/// As [`delete`], with parameters. A pod that is gone already is no error.
pub(crate) async fn delete_with(context: &Context, pod: &Pod, params: DeleteParams) -> Result<(), Error> {
    let preconditions = Preconditions { uid: Some(uid(pod).to_owned()), resource_version: None };
    let params = DeleteParams { preconditions: Some(preconditions), ..params };
    match context.api::<Pod>().delete_with(name(pod), &params).await {
        Ok(_) => Ok(()),
        Err(kube_client::Error::Api(status)) if matches!(status.code, 404 | 409) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
