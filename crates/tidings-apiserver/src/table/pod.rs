//! Table cells of pods. The status is the most specific reason of the pod, its containers and its init containers.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::age;

fn list<'a>(pod: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    pod.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

fn non_empty(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty())
}

/// Ready containers and all containers, such as `1/2`.
pub(super) fn ready(pod: &Value) -> Value {
    let ready = list(pod, "/status/containerStatuses").filter(|status| status["ready"] == true).count();
    json!(format!("{ready}/{}", list(pod, "/spec/containers").count()))
}

/// The phase, or the reason of a container that is not running.
pub(super) fn status(pod: &Value) -> Value {
    let phase = non_empty(&pod["status"]["phase"]).unwrap_or("Unknown");
    let mut status = non_empty(&pod["status"]["reason"]).unwrap_or(phase).to_owned();
    let initializing = initializing(pod);
    match &initializing {
        Some(initializing) => status.clone_from(initializing),
        None => {
            let mut is_running = false;
            let statuses: Vec<_> = list(pod, "/status/containerStatuses").collect();
            for container in statuses.into_iter().rev() {
                match stopped(&container["state"]) {
                    Some(reason) => status = reason,
                    None => {
                        is_running |= container["ready"] == true && container["state"]["running"].is_object()
                    }
                }
            }
            if status == "Completed" && is_running {
                status = if is_ready(pod) { "Running" } else { "NotReady" }.to_owned();
            }
        }
    }
    if !pod["metadata"]["deletionTimestamp"].is_null() && !matches!(phase, "Succeeded" | "Failed") {
        status = if pod["status"]["reason"] == "NodeLost" { "Unknown" } else { "Terminating" }.to_owned();
    }
    json!(status)
}

fn is_ready(pod: &Value) -> bool {
    list(pod, "/status/conditions")
        .any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
}

/// The reason of a waiting or terminated container.
fn stopped(state: &Value) -> Option<String> {
    if let Some(reason) = non_empty(&state["waiting"]["reason"]) {
        return Some(reason.to_owned());
    }
    let ended = &state["terminated"];
    if !ended.is_object() {
        return None;
    }
    Some(match (non_empty(&ended["reason"]), ended["signal"].as_i64().unwrap_or(0)) {
        (Some(reason), _) => reason.to_owned(),
        (None, 0) => format!("ExitCode:{}", ended["exitCode"].as_i64().unwrap_or(0)),
        (None, signal) => format!("Signal:{signal}"),
    })
}

/// The progress of the init containers; `None` if all are done.
fn initializing(pod: &Value) -> Option<String> {
    let count = list(pod, "/spec/initContainers").count();
    for (index, container) in list(pod, "/status/initContainerStatuses").enumerate() {
        let state = &container["state"];
        if state["terminated"]["exitCode"] == 0
            || (container["started"] == true && is_sidecar(pod, container))
        {
            continue;
        }
        return Some(match stopped(state) {
            Some(reason) if reason != "PodInitializing" => format!("Init:{reason}"),
            _ => format!("Init:{index}/{count}"),
        });
    }
    None
}

fn is_sidecar(pod: &Value, status: &Value) -> bool {
    list(pod, "/spec/initContainers")
        .any(|container| container["name"] == status["name"] && container["restartPolicy"] == "Always")
}

/// The restarts of all containers, and the age of the last one.
pub(super) fn restarts(pod: &Value, now: Timestamp) -> Value {
    let statuses: Vec<_> = list(pod, "/status/containerStatuses").collect();
    let count: i64 = statuses
        .iter()
        .map(|status| status["restartCount"].as_i64().unwrap_or(0))
        .fold(0, i64::saturating_add);
    let last = statuses.iter().map(|status| &status["lastState"]["terminated"]["finishedAt"]);
    match last.filter(|time| time.is_string()).max_by_key(|time| time.as_str()) {
        Some(time) if count > 0 => json!(format!("{count} ({} ago)", age::since(Some(time), now))),
        _ => json!(count.to_string()),
    }
}

/// Met readiness gates and all gates, such as `1/2`.
pub(super) fn readiness_gates(pod: &Value) -> Value {
    let gates: Vec<_> = list(pod, "/spec/readinessGates").collect();
    if gates.is_empty() {
        return json!("<none>");
    }
    let is_met = |gate: &&&Value| {
        list(pod, "/status/conditions")
            .any(|condition| condition["type"] == gate["conditionType"] && condition["status"] == "True")
    };
    json!(format!("{}/{}", gates.iter().filter(is_met).count(), gates.len()))
}
