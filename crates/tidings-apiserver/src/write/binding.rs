//! `pods/binding`: assigns a pod to a node. Schedulers create it.

use http::Response;
use serde_json::{Map, Value, json};

use super::update::{FieldOwnership, change};
use super::{WriteRequest, created_status, metadata_mut, text};
use crate::body::ResponseBody;
use crate::status::{ApiError, StatusCause};

/// Binds the pod of a request to the node that is the target of the binding.
pub(super) fn bind(request: &WriteRequest<'_>, binding: Value) -> Result<Response<ResponseBody>, ApiError> {
    let name = request.name()?;
    if text(&binding, "target", "name").is_empty() {
        let cause = StatusCause::required("target.name", "Required value");
        return Err(ApiError::invalid("", "Binding", name, vec![cause]));
    }
    let dry_run = request.dry_run("CreateOptions")?;
    // The pod keeps its managed fields: a binding has no field manager.
    change(request, name, dry_run, |pod| Ok((bound(request, pod, &binding)?, FieldOwnership::Given)))?;
    Ok(created_status())
}

/// The pod on its node, with the labels and annotations of the binding.
fn bound(request: &WriteRequest<'_>, pod: &Value, binding: &Value) -> Result<Value, ApiError> {
    let name = text(pod, "metadata", "name");
    if let Some(why) = reason_against(pod) {
        let mut error = ApiError::conflict(request.def, name, &why);
        error.details.kind = "pods/binding".to_owned();
        return Err(error);
    }
    let mut bound = pod.clone();
    bound["spec"]["nodeName"] = binding["target"]["name"].clone();
    let metadata = metadata_mut(&mut bound);
    for field in ["labels", "annotations"] {
        let Some(added) = binding["metadata"][field].as_object().filter(|added| !added.is_empty()) else {
            continue;
        };
        let present = metadata.entry(field).or_insert_with(|| Value::Object(Map::new()));
        for (key, value) in added {
            present[key] = value.clone();
        }
    }
    // The preconditions of the binding become those of the change.
    for field in ["uid", "resourceVersion"] {
        let expected = text(binding, "metadata", field);
        if !expected.is_empty() {
            metadata.insert(field.to_owned(), json!(expected));
        }
    }
    set_scheduled(&mut bound["status"], &request.time);
    Ok(bound)
}

/// Why the pod can't be bound.
fn reason_against(pod: &Value) -> Option<String> {
    let name = text(pod, "metadata", "name");
    let node = text(pod, "spec", "nodeName");
    if !pod["metadata"]["deletionTimestamp"].is_null() {
        return Some(format!("pod {name} is being deleted, cannot be assigned to a host"));
    }
    if !node.is_empty() {
        return Some(format!("pod {name} is already assigned to node {node:?}"));
    }
    let gates = pod["spec"]["schedulingGates"].as_array();
    gates
        .is_some_and(|gates| !gates.is_empty())
        .then(|| format!("pod {name} has non-empty .spec.schedulingGates"))
}

/// Sets the condition `PodScheduled`. It replaces a condition with a reason, such as `Unschedulable`.
fn set_scheduled(status: &mut Value, time: &str) {
    let Some(status) = status.as_object_mut() else { return };
    status.remove("nominatedNodeName");
    let Some(conditions) = status.entry("conditions").or_insert_with(|| json!([])).as_array_mut() else {
        return;
    };
    let mut scheduled = json!({"type": "PodScheduled", "status": "True", "lastTransitionTime": time});
    match conditions.iter_mut().find(|condition| condition["type"] == "PodScheduled") {
        Some(before) => {
            if before["status"] == "True" {
                scheduled["lastTransitionTime"] = before["lastTransitionTime"].clone();
            }
            *before = scheduled;
        }
        None => conditions.push(scheduled),
    }
}
