//! Counts the ends of pods exactly once, whatever stops in between (the protocol of Kubernetes' Job tracking):
//!
//! 1. A pod is created with a finalizer, so that it stays until its end is counted.
//! 2. When it has ended, its uid is written into `status.uncountedTerminatedPods`.
//! 3. Then its finalizer is removed.
//! 4. When the cache shows it without finalizer, or not at all, its uid becomes part of the count, in one write.
//!
//! A controller that stops between two steps finds in the objects which was the last one.

use k8s_openapi::api::batch::v1::JobSpec;
use k8s_openapi::api::core::v1::{EnvVar, Pod};
use kube_client::api::{Patch, PatchParams};
use serde_json::{Map, Value, json};
use tidings::controller::{Context, Error};

use super::indexes::Indexes;
use crate::object::{annotation, count, is_deleting, name, set_count, uid};
use crate::pods;

pub(super) const FINALIZER: &str = "batch.kubernetes.io/job-tracking";
const INDEX: &str = "batch.kubernetes.io/job-completion-index";

/// How many pods have succeeded and failed, and which of them are not counted yet.
#[derive(Debug, Default)]
pub(super) struct FinishedPods {
    counted: [usize; 2],
    uncounted: [Vec<String>; 2],
    /// The completed indexes of an indexed Job.
    pub(super) completed: Indexes,
    is_indexed: bool,
}

const FIELDS: [&str; 2] = ["succeeded", "failed"];
const SUCCEEDED: usize = 0;
const FAILED: usize = 1;

impl FinishedPods {
    /// Reads the counts of the status, and takes steps 2 and 4 with the pods that the cache shows.
    pub(super) fn read(status: &Map<String, Value>, spec: &JobSpec, pods: &[Pod]) -> Self {
        let number = |field: &str| status.get(field).and_then(Value::as_u64).unwrap_or(0) as usize;
        let listed = |field: &str| -> Vec<String> {
            let uids =
                status.get("uncountedTerminatedPods").and_then(|uncounted| uncounted[field].as_array());
            uids.into_iter().flatten().filter_map(|uid| uid.as_str().map(str::to_owned)).collect()
        };
        let completed = status.get("completedIndexes").and_then(Value::as_str).unwrap_or_default();
        let mut finished = FinishedPods {
            counted: FIELDS.map(number),
            uncounted: FIELDS.map(listed),
            completed: Indexes::parse(completed),
            is_indexed: spec.completion_mode.as_deref() == Some("Indexed"),
        };
        let is_held =
            |wanted: &String| pods.iter().any(|pod| uid(pod) == wanted && has_tracking_finalizer(pod));
        for end in [SUCCEEDED, FAILED] {
            let before = finished.uncounted[end].len();
            finished.uncounted[end].retain(is_held);
            finished.counted[end] += before - finished.uncounted[end].len();
        }
        let completions = count(spec.completions);
        for pod in pods.iter().filter(|pod| has_tracking_finalizer(pod)) {
            let Some(end) = end_of(pod, spec) else { continue };
            if !finished.is_uncounted(uid(pod)) {
                finished.uncounted[end].push(uid(pod).to_owned());
            }
            if let Some(index) = index(pod).filter(|index| end == SUCCEEDED && *index < completions) {
                finished.completed.insert(index);
            }
        }
        finished
    }

    pub(super) fn is_uncounted(&self, uid: &str) -> bool {
        self.uncounted.iter().flatten().any(|other| other == uid)
    }

    /// The number of pods that succeeded; of an indexed Job, the number of indexes.
    pub(super) fn succeeded(&self) -> usize {
        match self.is_indexed {
            true => self.completed.len(),
            false => self.counted[SUCCEEDED] + self.uncounted[SUCCEEDED].len(),
        }
    }

    pub(super) fn failed(&self) -> usize {
        self.counted[FAILED] + self.uncounted[FAILED].len()
    }

    /// Whether all ends are counted.
    pub(super) fn is_complete(&self) -> bool {
        self.uncounted.iter().all(Vec::is_empty)
    }

    pub(super) fn write(&self, status: &mut Map<String, Value>) {
        let mut uncounted = json!({});
        for (end, field) in FIELDS.into_iter().enumerate() {
            set_count(status, field, self.counted[end]);
            if !self.uncounted[end].is_empty() {
                uncounted[field] = json!(self.uncounted[end]);
            }
        }
        status.insert("uncountedTerminatedPods".to_owned(), uncounted);
        if self.is_indexed {
            set_count(status, "succeeded", self.completed.len());
            status.insert("completedIndexes".to_owned(), json!(self.completed.to_string()));
            if self.completed.len() == 0 {
                status.remove("completedIndexes");
            }
        }
    }
}

/// How a pod ended: a deleted pod failed, unless the Job was suspended, which deletes pods itself.
fn end_of(pod: &Pod, spec: &JobSpec) -> Option<usize> {
    match pods::phase(pod) {
        "Succeeded" => Some(SUCCEEDED),
        "Failed" => Some(FAILED),
        _ if is_deleting(pod) && spec.suspend != Some(true) => Some(FAILED),
        _ => None,
    }
}

pub(super) fn has_tracking_finalizer(pod: &Pod) -> bool {
    pod.metadata.finalizers.iter().flatten().any(|name| name == FINALIZER)
}

/// Removes the finalizer of a pod whose end is in the status.
pub(super) async fn release(context: &Context, pod: &Pod) -> Result<(), Error> {
    if !has_tracking_finalizer(pod) {
        return Ok(());
    }
    let rest: Vec<&String> =
        pod.metadata.finalizers.iter().flatten().filter(|name| *name != FINALIZER).collect();
    let patch = Patch::Merge(json!({ "metadata": {
        "uid": pod.metadata.uid,
        "resourceVersion": pod.metadata.resource_version,
        "finalizers": rest,
    }}));
    match context.api::<Pod>().patch(name(pod), &PatchParams::default(), &patch).await {
        Ok(_) => Ok(()),
        Err(kube_client::Error::Api(status)) if status.code == 404 => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The completion index of a pod.
pub(super) fn index(pod: &Pod) -> Option<usize> {
    annotation(pod, INDEX)?.parse().ok()
}

/// Gives a pod its completion index: as annotation, label, host name and environment.
pub(super) fn set_index(pod: &mut Pod, job: &str, index: usize) {
    pod.metadata.generate_name = Some(format!("{job}-{index}-"));
    pod.metadata.annotations.get_or_insert_default().insert(INDEX.to_owned(), index.to_string());
    pod.metadata.labels.get_or_insert_default().insert(INDEX.to_owned(), index.to_string());
    let Some(spec) = pod.spec.as_mut() else { return };
    spec.hostname = Some(format!("{job}-{index}"));
    for container in &mut spec.containers {
        let variable = EnvVar {
            name: "JOB_COMPLETION_INDEX".to_owned(),
            value: Some(index.to_string()),
            ..EnvVar::default()
        };
        container.env.get_or_insert_default().push(variable);
    }
}
