//! The ReplicaSets of one Deployment during one reconcile: which is new, which are old, and how large each is.
//!
//! Sizes that this reconcile writes are updated here too, so that the steps after it compute with them.

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec, ReplicaSet, ReplicaSetSpec};
use kube_client::api::{DeleteParams, Patch, PatchParams, Preconditions};
use serde_json::{Map, Value, json};
use tidings::controller::{Context, Error, NewEvent};

use super::arithmetic::Limits;
use crate::object::{annotation, is_deleting, name, part, status_of, uid};
use crate::template;

pub(super) const REVISION: &str = "deployment.kubernetes.io/revision";
pub(super) const DESIRED: &str = "deployment.kubernetes.io/desired-replicas";
pub(super) const MAX: &str = "deployment.kubernetes.io/max-replicas";

pub(super) struct Sets<'a> {
    pub(super) context: &'a Context,
    pub(super) deployment: Deployment,
    pub(super) spec: DeploymentSpec,
    /// The new status, as far as it is known.
    pub(super) status: Map<String, Value>,
    /// The set with the template of the Deployment.
    pub(super) new: Option<ReplicaSet>,
    /// The others, the oldest first.
    pub(super) old: Vec<ReplicaSet>,
    /// Whether annotations of the Deployment changed, which are written together with the status.
    pub(super) is_annotated: bool,
}

impl<'a> Sets<'a> {
    pub(super) fn new(
        context: &'a Context,
        deployment: Deployment,
        spec: DeploymentSpec,
        mut claimed: Vec<ReplicaSet>,
    ) -> Result<Self, Error> {
        claimed.sort_by_key(|set| (created(set), name(set).to_owned()));
        let is_new =
            |set: &ReplicaSet| template_of(set).is_some_and(|own| template::is_equal(own, &spec.template));
        // If several have the template, the oldest is the new set, as in Kubernetes.
        let new = claimed.iter().position(is_new).map(|at| claimed.remove(at));
        let status = status_of(&deployment)?;
        Ok(Sets { context, deployment, spec, status, new, old: claimed, is_annotated: false })
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &ReplicaSet> {
        self.old.iter().chain(&self.new)
    }

    /// The number of pods that the Deployment wants.
    pub(super) fn wanted(&self) -> i64 {
        i64::from(self.spec.replicas.unwrap_or(1)).max(0)
    }

    /// Whether old pods are deleted before new ones are created.
    pub(super) fn is_recreated(&self) -> bool {
        self.spec.strategy.as_ref().and_then(|strategy| strategy.type_.as_deref()) == Some("Recreate")
    }

    pub(super) fn limits(&self) -> Limits {
        if self.is_recreated() {
            return Limits::none();
        }
        let update = self.spec.strategy.as_ref().and_then(|strategy| strategy.rolling_update.as_ref());
        Limits::of(update, self.wanted())
    }

    /// Whether the number of replicas changed since the sets were sized. The sets then change their sizes, and the
    /// rollout continues afterwards.
    pub(super) fn is_scaling(&self) -> bool {
        let wanted = self.wanted().to_string();
        let is_other = |set: &ReplicaSet| annotation(set, DESIRED).is_some_and(|desired| desired != wanted);
        self.all().any(|set| size(set) > 0 && is_other(set))
    }

    /// The annotations that record how large the Deployment was when a set was sized.
    pub(super) fn size_annotations(&self) -> BTreeMap<String, String> {
        let wanted = self.wanted();
        let max = wanted + self.limits().surge;
        BTreeMap::from([(DESIRED.to_owned(), wanted.to_string()), (MAX.to_owned(), max.to_string())])
    }

    /// Scales a set of this uid, and records its size annotations. Does nothing if it has both already.
    pub(super) async fn resize(&mut self, which: &str, wanted: i64) -> Result<bool, Error> {
        let annotations = self.size_annotations();
        let (context, deployment) = (self.context, &self.deployment);
        let Some(set) = self.old.iter_mut().chain(&mut self.new).find(|set| uid(*set) == which) else {
            return Ok(false);
        };
        let before = size(set);
        let is_annotated =
            annotations.iter().all(|(name, value)| annotation(set, name) == Some(value.as_str()));
        if before == wanted && is_annotated {
            return Ok(false);
        }
        let patch = json!({
            "metadata": { "annotations": annotations, "resourceVersion": set.metadata.resource_version },
            "spec": { "replicas": wanted },
        });
        let api = context.api::<ReplicaSet>();
        *set = api.patch(name(set), &PatchParams::default(), &Patch::Merge(patch)).await?.decoded()?;
        if before != wanted {
            let direction = if before < wanted { "up" } else { "down" };
            let note = format!("Scaled {direction} replica set {} from {before} to {wanted}", name(set));
            context.recorder().event(deployment, NewEvent::normal("ScalingReplicaSet", note));
        }
        Ok(before != wanted)
    }

    /// Deletes old, empty sets beyond `revisionHistoryLimit`, once the rollout is complete.
    pub(super) async fn delete_old_revisions(&mut self) -> Result<(), Error> {
        let limit = usize::try_from(self.spec.revision_history_limit.unwrap_or(10)).unwrap_or(usize::MAX);
        let is_complete = self.new.as_ref().is_some_and(|new| available(new) >= self.wanted())
            && self.old.iter().all(|set| size(set) == 0 && actual(set) == 0);
        if !is_complete || self.old.len() <= limit {
            return Ok(());
        }
        self.old.sort_by_key(revision);
        let surplus = self.old.len() - limit;
        for set in self.old.drain(..surplus).filter(|set| !is_deleting(set)) {
            let preconditions = Preconditions { uid: set.metadata.uid.clone(), resource_version: None };
            let only_this = DeleteParams { preconditions: Some(preconditions), ..DeleteParams::default() };
            self.context.api::<ReplicaSet>().delete_with(name(&set), &only_this).await?;
        }
        Ok(())
    }
}

pub(super) fn template_of(set: &ReplicaSet) -> Option<&k8s_openapi::api::core::v1::PodTemplateSpec> {
    part::<ReplicaSetSpec>(&set.spec)?.template.as_ref()
}

fn created(set: &ReplicaSet) -> Option<jiff::Timestamp> {
    set.metadata.creation_timestamp.as_ref().map(|time| time.0)
}

/// The number of pods that a set wants.
pub(super) fn size(set: &ReplicaSet) -> i64 {
    part::<ReplicaSetSpec>(&set.spec).map_or(0, |spec| i64::from(spec.replicas.unwrap_or(1)))
}

/// The number of pods that a set has.
pub(super) fn actual(set: &ReplicaSet) -> i64 {
    set.status.as_ref().map_or(0, |status| i64::from(status.replicas))
}

pub(super) fn ready(set: &ReplicaSet) -> i64 {
    set.status.as_ref().map_or(0, |status| i64::from(status.ready_replicas.unwrap_or(0)))
}

pub(super) fn available(set: &ReplicaSet) -> i64 {
    set.status.as_ref().map_or(0, |status| i64::from(status.available_replicas.unwrap_or(0)))
}

pub(super) fn revision(set: &ReplicaSet) -> i64 {
    annotation(set, REVISION).and_then(|text| text.parse().ok()).unwrap_or(0)
}
