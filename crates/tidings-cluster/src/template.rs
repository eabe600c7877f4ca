//! Pod templates: the pod that a template describes, whether two templates are equal, and their hash.
//!
//! The hash has the form of Kubernetes' but not its value, which depends on how Go prints structs. Nothing may compare
//! hashes of the two.

use k8s_openapi::api::core::v1::{Pod, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_core::Resource;
use serde::Serialize;
use serde_json::Value;
use tidings::controller::{ControllerError, controller_reference};

/// The label that distinguishes the pods of one ReplicaSet from those of another.
pub(crate) const TEMPLATE_HASH: &str = "pod-template-hash";

/// Letters and digits that make no words: Kubernetes' alphabet of generated names.
const SAFE: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// The pod of a template, controlled by `owner`. Its name is for the caller to set.
pub(crate) fn pod<K>(template: &PodTemplateSpec, owner: &K) -> Result<Pod, ControllerError>
where
    K: Resource<DynamicType = ()>,
{
    let metadata = template.metadata.clone().unwrap_or_default();
    Ok(Pod {
        metadata: ObjectMeta {
            namespace: owner.meta().namespace.clone(),
            labels: metadata.labels,
            annotations: metadata.annotations,
            finalizers: metadata.finalizers,
            owner_references: Some(vec![controller_reference(owner)?]),
            ..ObjectMeta::default()
        },
        spec: template.spec.clone(),
        status: None,
    })
}

/// Whether two templates describe the same pods. The label with the hash does not count.
pub(crate) fn is_equal(one: &PodTemplateSpec, other: &PodTemplateSpec) -> bool {
    without_hash(one) == without_hash(other)
}

/// A short hash of a template. A collision counter makes another one of the same template.
pub(crate) fn hash(template: &PodTemplateSpec, collisions: i32) -> String {
    hash_of(&(without_hash(template), collisions))
}

/// A short hash (FNV-1a, 32 bits) of anything that has a JSON form, in letters that are safe in names.
pub(crate) fn hash_of(value: &impl Serialize) -> String {
    let bytes = serde_json::to_vec(value).unwrap_or_default();
    let hash =
        bytes.iter().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    hash.to_string().bytes().map(|digit| char::from(SAFE[usize::from(digit) % SAFE.len()])).collect()
}

fn without_hash(template: &PodTemplateSpec) -> Value {
    let mut template = template.clone();
    if let Some(labels) = template.metadata.as_mut().and_then(|metadata| metadata.labels.as_mut()) {
        labels.remove(TEMPLATE_HASH);
    }
    serde_json::to_value(template).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json};

    use super::*;

    fn template(image: &str, hash: Option<&str>) -> PodTemplateSpec {
        let mut template = json!({
            "metadata": { "labels": { "app": "web" } },
            "spec": { "containers": [{ "name": "web", "image": image }] },
        });
        if let Some(hash) = hash {
            template["metadata"]["labels"][TEMPLATE_HASH] = json!(hash);
        }
        from_value(template).unwrap()
    }

    #[test]
    fn templates_are_equal_whatever_their_hash_label_says() {
        assert!(is_equal(&template("a", None), &template("a", Some("xyz"))));
        assert!(!is_equal(&template("a", None), &template("b", None)));
        assert_eq!(hash(&template("a", None), 0), hash(&template("a", Some("xyz")), 0));
    }

    #[test]
    fn another_template_or_a_collision_gives_another_hash() {
        let one = hash(&template("a", None), 0);
        assert_ne!(one, hash(&template("b", None), 0));
        assert_ne!(one, hash(&template("a", None), 1));
        assert!(one.bytes().all(|letter| SAFE.contains(&letter)), "{one}");
    }
}
