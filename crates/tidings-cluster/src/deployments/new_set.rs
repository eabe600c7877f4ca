//! The new ReplicaSet of a Deployment: found by its template, or created, and given the next revision.

use std::collections::BTreeMap;

use k8s_openapi::api::apps::v1::{ReplicaSet, ReplicaSetSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_client::api::{Patch, PatchParams};
use serde_json::json;
use tidings::controller::{Error, NewEvent, controller_reference, is_controlled_by};

use super::progress::set_progressing;
use super::sets::{DESIRED, MAX, REVISION, Sets, revision, size, template_of};
use crate::clock::Clock;
use crate::object::{annotation, name, namespace, part, uid};
use crate::template::{self, TEMPLATE_HASH};

/// Annotations of a Deployment that its ReplicaSets do not inherit.
const OWN_ANNOTATIONS: [&str; 4] =
    ["kubectl.kubernetes.io/last-applied-configuration", REVISION, DESIRED, MAX];

/// Brings the revision and the size annotations of the new set up to date, if there is one.
pub(super) async fn refresh(sets: &mut Sets<'_>, clock: &Clock) -> Result<(), Error> {
    let Some(new) = &sets.new else { return Ok(()) };
    let mut wanted = inherited(sets);
    let own = revision(new).max(next_revision(sets));
    wanted.insert(REVISION.to_owned(), own.to_string());
    let min_ready_seconds = sets.spec.min_ready_seconds;
    let is_same = wanted.iter().all(|(key, value)| annotation(new, key) == Some(value.as_str()))
        && part::<ReplicaSetSpec>(&new.spec).and_then(|spec| spec.min_ready_seconds).unwrap_or(0)
            == min_ready_seconds.unwrap_or(0);
    if !is_same {
        let patch = json!({
            "metadata": { "annotations": wanted, "resourceVersion": new.metadata.resource_version },
            "spec": { "minReadySeconds": min_ready_seconds },
        });
        let api = sets.context.api::<ReplicaSet>();
        let patched = api.patch(name(new), &PatchParams::default(), &Patch::Merge(patch)).await?;
        sets.new = Some(patched.decoded()?);
    }
    let found = sets.new.as_ref().map(|new| name(new).to_owned()).unwrap_or_default();
    if crate::condition::find(&sets.status, "Progressing").is_none() {
        set_progressing(sets, "FoundNewReplicaSet", &format!("Found new replica set \"{found}\""), clock);
    }
    annotate_revision(sets, own);
    Ok(())
}

/// As [`refresh`]; creates the set if there is none.
pub(super) async fn ensure(sets: &mut Sets<'_>, clock: &Clock) -> Result<(), Error> {
    if sets.new.is_some() {
        return refresh(sets, clock).await;
    }
    let revision = next_revision(sets);
    let collisions = sets.status.get("collisionCount").and_then(|count| count.as_i64()).unwrap_or(0);
    let set = build(sets, revision, collisions)?;
    let created = match sets.context.api::<ReplicaSet>().create(&set).await {
        Ok(created) => created.decoded()?,
        Err(kube_client::Error::Api(status)) if status.code == 409 => {
            return resolve_collision(sets, &set, collisions).await;
        }
        Err(error) => return Err(error.into()),
    };
    let note = format!("Scaled up replica set {} from 0 to {}", name(&created), size(&created));
    if size(&created) > 0 {
        sets.context.recorder().event(&sets.deployment, NewEvent::normal("ScalingReplicaSet", note));
    }
    let message = format!("Created new replica set \"{}\"", name(&created));
    sets.new = Some(created);
    set_progressing(sets, "NewReplicaSetCreated", &message, clock);
    annotate_revision(sets, revision);
    Ok(())
}

/// The name exists. If the set is the wanted one, the cache shows it soon. If it has another owner or
/// another template, a higher collision count gives another name.
async fn resolve_collision(sets: &mut Sets<'_>, set: &ReplicaSet, collisions: i64) -> Result<(), Error> {
    let client = sets.context.client().clone();
    let api: kube_client::Api<ReplicaSet> = kube_client::Api::namespaced(client, namespace(set));
    let found = api.get_opt(name(set)).await?;
    let is_ours = found.as_ref().is_some_and(|found| {
        is_controlled_by(found, uid(&sets.deployment))
            && template_of(found).is_some_and(|own| template::is_equal(own, &sets.spec.template))
    });
    if !is_ours {
        sets.status.insert("collisionCount".to_owned(), json!(collisions + 1));
    }
    sets.new = found.filter(|_| is_ours);
    Ok(())
}

fn build(sets: &Sets<'_>, revision: i64, collisions: i64) -> Result<ReplicaSet, Error> {
    let hash = template::hash(&sets.spec.template, i32::try_from(collisions).unwrap_or(i32::MAX));
    let mut template = sets.spec.template.clone();
    let labels = template.metadata.get_or_insert_default().labels.get_or_insert_default();
    labels.insert(TEMPLATE_HASH.to_owned(), hash.clone());
    let labels = labels.clone();
    let mut selector = sets.spec.selector.clone();
    selector.match_labels.get_or_insert_default().insert(TEMPLATE_HASH.to_owned(), hash.clone());
    let mut annotations = inherited(sets);
    annotations.insert(REVISION.to_owned(), revision.to_string());
    let metadata = ObjectMeta {
        name: Some(format!("{}-{hash}", name(&sets.deployment))),
        namespace: sets.deployment.metadata.namespace.clone(),
        labels: Some(labels),
        annotations: Some(annotations),
        owner_references: Some(vec![controller_reference(&sets.deployment)?]),
        ..ObjectMeta::default()
    };
    let spec = json!({
        "replicas": super::rollout::size_of_new(sets),
        "minReadySeconds": sets.spec.min_ready_seconds,
        "selector": selector,
        "template": template,
    });
    Ok(serde_json::from_value(json!({ "metadata": metadata, "spec": spec }))?)
}

/// The annotations of the Deployment and of its size.
fn inherited(sets: &Sets<'_>) -> BTreeMap<String, String> {
    let own = sets.deployment.metadata.annotations.clone().unwrap_or_default();
    let own = own.into_iter().filter(|(name, _)| !OWN_ANNOTATIONS.contains(&name.as_str()));
    own.chain(sets.size_annotations()).collect()
}

/// One more than the highest revision of the old sets.
fn next_revision(sets: &Sets<'_>) -> i64 {
    sets.old.iter().map(revision).max().unwrap_or(0) + 1
}

fn annotate_revision(sets: &mut Sets<'_>, revision: i64) {
    let annotations = sets.deployment.metadata.annotations.get_or_insert_default();
    let before = annotations.insert(REVISION.to_owned(), revision.to_string());
    sets.is_annotated |= before != Some(revision.to_string());
}
