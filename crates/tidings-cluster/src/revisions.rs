//! ControllerRevisions: the templates that StatefulSets and DaemonSets have had, each under a number.

use k8s_openapi::api::apps::v1::ControllerRevision;
use k8s_openapi::api::core::v1::PodTemplateSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube_client::api::{Patch, PatchParams};
use kube_core::{NamespaceResourceScope, Resource};
use serde_json::{Value, from_value, json};
use tidings::controller::{Context, Error, controller_reference};

use crate::claim::claim;
use crate::object::{ApiObject, name, namespace};
use crate::template::hash_of;

/// The label of a pod that names the revision of its template, and of a revision that contains its hash.
pub(crate) const REVISION: &str = "controller-revision-hash";

/// One template, and its number.
pub(crate) struct Revision {
    pub(crate) name: String,
    pub(crate) hash: String,
    number: i64,
    data: Value,
}

impl Revision {
    /// The template.
    pub(crate) fn template(&self) -> Result<PodTemplateSpec, Error> {
        Ok(from_value(self.data["spec"]["template"].clone())?)
    }
}

/// All revisions of an owner, the newest last, after one for its current template was created, or got the next number
/// if it existed. The newest is the current one.
pub(crate) async fn sync<K>(
    context: &Context,
    owner: &K,
    selector: &LabelSelector,
    template: &PodTemplateSpec,
) -> Result<Vec<Revision>, Error>
where
    K: ApiObject + Resource<Scope = NamespaceResourceScope>,
{
    let mut found = Vec::new();
    for revision in claim::<ControllerRevision, K>(context, owner, selector).await? {
        found.push(read(&serde_json::to_value(revision)?));
    }
    found.sort_by_key(|revision: &Revision| revision.number);
    let data = json!({ "spec": { "template": template } });
    let next = found.last().map_or(1, |last| last.number + 1);
    let api = context.api::<ControllerRevision>();
    match found.iter().position(|revision| revision.data == data) {
        Some(at) if at + 1 == found.len() => {}
        Some(at) => {
            let mut again = found.remove(at);
            let patch = Patch::Merge(json!({ "revision": next }));
            api.patch(&again.name, &PatchParams::default(), &patch).await?;
            again.number = next;
            found.push(again);
        }
        None => {
            let hash = hash_of(&data);
            let mut labels = selector.match_labels.clone().unwrap_or_default();
            labels.insert(REVISION.to_owned(), hash.clone());
            let new: ControllerRevision = from_value(json!({
                "metadata": {
                    "name": format!("{}-{hash}", name(owner)),
                    "namespace": namespace(owner),
                    "labels": labels,
                    "ownerReferences": [controller_reference(owner)?],
                },
                "revision": next,
                "data": data,
            }))?;
            let created = api.create(&new).await?;
            found.push(Revision { name: created.name().to_owned(), hash, number: next, data });
        }
    }
    Ok(found)
}

fn read(revision: &Value) -> Revision {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Revision {
        name: text(&revision["metadata"]["name"]),
        hash: text(&revision["metadata"]["labels"][REVISION]),
        number: revision["revision"].as_i64().unwrap_or(0),
        data: revision["data"].clone(),
    }
}
