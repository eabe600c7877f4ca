//! Validates the metadata of objects of all kinds.

use serde_json::Value;

use super::{invalid, name, required};
use crate::resource::ResourceDef;
use crate::status::StatusCause;

/// The largest sum of bytes of the annotations of an object.
const ANNOTATIONS_BYTES_MAX: usize = 256 * 1024;
/// The finalizers that need no domain.
const PLAIN_FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];

/// Checks name, namespace, labels, annotations, finalizers and owners.
pub(super) fn check(def: &ResourceDef, object: &Value, causes: &mut Vec<StatusCause>) {
    let metadata = &object["metadata"];
    check_name(def, metadata, causes);
    check_labels("metadata.labels", &metadata["labels"], causes);
    check_annotations(&metadata["annotations"], causes);
    for (index, finalizer) in metadata["finalizers"].as_array().into_iter().flatten().enumerate() {
        let text = finalizer.as_str().unwrap_or_default();
        let at = format!("metadata.finalizers[{index}]");
        if let Some(why) = name::qualified_name(text) {
            causes.push(invalid("metadata.finalizers", finalizer, why));
        }
        if needs_domains(def) && is_bare_finalizer(text) {
            let why = "name is neither a standard finalizer name nor is it fully qualified";
            causes.push(invalid(at, finalizer, why));
        }
    }
    check_owners(&metadata["ownerReferences"], causes);
}

/// Whether a finalizer without a domain is refused. Custom resources get only a warning, and definitions may have such
/// a finalizer.
fn needs_domains(def: &ResourceDef) -> bool {
    !def.is_custom() && !matches!(def.group.as_ref(), "apiextensions.k8s.io" | "apiregistration.k8s.io")
}

/// Whether a finalizer has no domain, although it needs one.
pub(crate) fn is_bare_finalizer(name: &str) -> bool {
    !name.contains('/') && !PLAIN_FINALIZERS.contains(&name)
}

fn check_name(def: &ResourceDef, metadata: &Value, causes: &mut Vec<StatusCause>) {
    let prefix = metadata["generateName"].as_str().unwrap_or_default();
    // A random suffix follows, so the prefix may end with a character that a name may not end with.
    if let Some(why) = name::object_name(def, &format!("{}a", prefix.trim_end_matches('-'))) {
        causes.push(invalid("metadata.generateName", &metadata["generateName"], why));
    }
    match metadata["name"].as_str() {
        None | Some("") => causes.push(required("metadata.name", "name or generateName is required")),
        Some(found) => {
            if let Some(why) = name::object_name(def, found) {
                causes.push(invalid("metadata.name", &metadata["name"], why));
            }
        }
    }
    match (def.is_namespaced(), metadata["namespace"].as_str()) {
        (true, None | Some("")) => causes.push(required("metadata.namespace", "")),
        (true, Some(namespace)) => {
            if let Some(why) = name::dns_label(namespace) {
                causes.push(invalid("metadata.namespace", &metadata["namespace"], why));
            }
        }
        (false, Some(namespace)) if !namespace.is_empty() => {
            causes.push(StatusCause::forbidden("metadata.namespace", "Forbidden: not allowed on this type"));
        }
        (false, _) => {}
    }
}

/// Checks the labels at `field`.
pub(super) fn check_labels(field: &str, labels: &Value, causes: &mut Vec<StatusCause>) {
    for (key, value) in labels.as_object().into_iter().flatten() {
        if let Some(why) = name::qualified_name(key) {
            causes.push(invalid(field, &Value::from(key.as_str()), why));
        }
        if let Some(why) = value.as_str().map_or(Some("must be text"), name::label_value) {
            causes.push(invalid(field, value, why));
        }
    }
}

fn check_annotations(annotations: &Value, causes: &mut Vec<StatusCause>) {
    let mut bytes = 0;
    for (key, value) in annotations.as_object().into_iter().flatten() {
        // Upper case is allowed in the prefix too, as in Kubernetes.
        if let Some(why) = name::qualified_name(&key.to_lowercase()) {
            causes.push(invalid("metadata.annotations", &Value::from(key.as_str()), why));
        }
        if !value.is_string() {
            causes.push(invalid("metadata.annotations", value, "must be text"));
        }
        bytes += key.len() + value.as_str().map_or(0, str::len);
    }
    if bytes > ANNOTATIONS_BYTES_MAX {
        let message = format!("Too long: may not be more than {ANNOTATIONS_BYTES_MAX} bytes");
        causes.push(StatusCause::field("FieldValueTooLong", "metadata.annotations", message));
    }
}

fn check_owners(owners: &Value, causes: &mut Vec<StatusCause>) {
    let mut controllers = 0;
    for (index, owner) in owners.as_array().into_iter().flatten().enumerate() {
        for field in ["apiVersion", "kind", "name", "uid"] {
            if owner[field].as_str().unwrap_or_default().is_empty() {
                let at = format!("metadata.ownerReferences[{index}].{field}");
                causes.push(required(at, "must not be empty"));
            }
        }
        controllers += usize::from(owner["controller"] == true);
    }
    if controllers > 1 {
        let why = "only one reference can have controller set to true";
        causes.push(invalid("metadata.ownerReferences", owners, why));
    }
}

/// Checks that immutable metadata did not change.
pub(super) fn check_change(old: &Value, new: &Value, causes: &mut Vec<StatusCause>) {
    for field in
        ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"]
    {
        let (old, new) = (&old["metadata"][field], &new["metadata"][field]);
        if !new.is_null() && old != new {
            causes.push(invalid(format!("metadata.{field}"), new, "field is immutable"));
        }
    }
    if old["metadata"]["deletionTimestamp"].is_null() {
        return;
    }
    let before = old["metadata"]["finalizers"].as_array().map_or(&[][..], Vec::as_slice);
    let added: Vec<_> = new["metadata"]["finalizers"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|finalizer| !before.contains(finalizer))
        .map(Value::to_string)
        .collect();
    if !added.is_empty() {
        let message = format!(
            "Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers {}",
            added.join(", ")
        );
        causes.push(StatusCause::forbidden("metadata.finalizers", message));
    }
}
