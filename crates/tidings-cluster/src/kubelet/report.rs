//! The status that a kubelet reports for a pod.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Container, Pod, PodSpec};
use serde_json::{Map, Value, json};
use tidings::controller::Error;

use super::script::{Ended, Moment, State};
use crate::clock::text;
use crate::condition::{self, NewCondition};
use crate::object::{part, status_of, uid};
use crate::pods;

/// The exit code of a container that ends by the signal TERM.
const TERMINATED: i32 = 143;

/// The status of a pod at a moment of its script.
pub(super) fn running(
    pod: &Pod,
    admitted: Timestamp,
    moment: &Moment,
    now: &str,
) -> Result<Map<String, Value>, Error> {
    let mut status = status_of(pod)?;
    let is_started = !matches!(moment.state, State::Waiting { reason: "ContainerCreating" });
    let are_ready = matches!(moment.state, State::Running { is_ready: true, .. });
    let phase = match moment.state {
        State::Waiting { .. } if !is_started => "Pending",
        State::Waiting { .. } | State::Running { .. } => "Running",
        State::Ended(Ended { code: 0, .. }) => "Succeeded",
        State::Ended(_) => "Failed",
    };
    status.insert("phase".to_owned(), json!(phase));
    status.insert("startTime".to_owned(), json!(text(admitted)));
    if is_started {
        set_addresses(&mut status, pod);
    }
    set_conditions(&mut status, pod, phase, is_started, are_ready, now);
    let at = |time| text(admitted.checked_add(time).unwrap_or(Timestamp::MAX));
    let ended = |ended: Ended| terminated(ended.code, &at(ended.started), &at(ended.finished));
    let state = match moment.state {
        State::Waiting { reason } => json!({ "waiting": { "reason": reason } }),
        State::Running { started, .. } => json!({ "running": { "startedAt": at(started) } }),
        State::Ended(run) => ended(run),
    };
    let last = moment.last.map(ended).unwrap_or_else(|| json!({}));
    let containers = containers(pod).map(|container| {
        let mut report = container_status(pod, container, moment.restarts);
        report["ready"] = json!(are_ready);
        report["started"] = json!(matches!(moment.state, State::Running { .. }));
        report["state"] = state.clone();
        report["lastState"] = last.clone();
        report
    });
    status.insert("containerStatuses".to_owned(), containers.collect());
    set_init_containers(&mut status, pod, &at(std::time::Duration::ZERO), is_started);
    Ok(status)
}

/// The status of a pod whose containers were stopped because it is deleted.
pub(super) fn stopped(pod: &Pod, admitted: Timestamp, now: Timestamp) -> Result<Map<String, Value>, Error> {
    let mut status = status_of(pod)?;
    let now = text(now);
    status.insert("phase".to_owned(), json!("Failed"));
    status.insert("startTime".to_owned(), json!(text(admitted)));
    set_conditions(&mut status, pod, "Failed", true, false, &now);
    let restarts = u32::try_from(pods::restarts(pod)).unwrap_or(0);
    let containers = containers(pod).map(|container| {
        let mut report = container_status(pod, container, restarts);
        report["ready"] = json!(false);
        report["started"] = json!(false);
        report["state"] = terminated(TERMINATED, &text(admitted), &now);
        report["lastState"] = json!({});
        report
    });
    status.insert("containerStatuses".to_owned(), containers.collect());
    Ok(status)
}

fn spec(pod: &Pod) -> Option<&PodSpec> {
    part(&pod.spec)
}

fn containers(pod: &Pod) -> impl Iterator<Item = &Container> {
    spec(pod).into_iter().flat_map(|spec| &spec.containers)
}

fn container_status(pod: &Pod, container: &Container, restarts: u32) -> Value {
    let image = container.image.as_deref().unwrap_or_default();
    json!({
        "name": container.name,
        "image": image,
        "imageID": format!("stand-in://{image}"),
        "containerID": format!("stand-in://{}/{}/{restarts}", uid(pod), container.name),
        "restartCount": restarts,
    })
}

fn terminated(code: i32, started: &str, finished: &str) -> Value {
    let reason = if code == 0 { "Completed" } else { "Error" };
    json!({ "terminated": {
        "exitCode": code, "reason": reason, "startedAt": started, "finishedAt": finished,
    }})
}

/// Init containers succeed at once.
fn set_init_containers(status: &mut Map<String, Value>, pod: &Pod, at: &str, is_started: bool) {
    let init = spec(pod).and_then(|spec| spec.init_containers.as_ref()).filter(|init| !init.is_empty());
    let Some(init) = init.filter(|_| is_started) else { return };
    let reports = init.iter().map(|container| {
        let mut report = container_status(pod, container, 0);
        report["ready"] = json!(true);
        report["started"] = json!(false);
        report["state"] = terminated(0, at, at);
        report["lastState"] = json!({});
        report
    });
    status.insert("initContainerStatuses".to_owned(), reports.collect());
}

fn set_conditions(
    status: &mut Map<String, Value>,
    pod: &Pod,
    phase: &str,
    is_started: bool,
    are_ready: bool,
    now: &str,
) {
    let gates = spec(pod).and_then(|spec| spec.readiness_gates.as_ref()).into_iter().flatten();
    let are_gates_open = gates.into_iter().all(|gate| condition::is_true(status, &gate.condition_type));
    let (reason, message) = match (phase, are_ready) {
        (_, true) => ("", ""),
        ("Succeeded", _) => ("PodCompleted", ""),
        ("Failed", _) => ("PodFailed", ""),
        _ => ("ContainersNotReady", "containers with unready status"),
    };
    let ready = if are_ready && !are_gates_open {
        ("ReadinessGatesNotReady", "a readiness gate is not True")
    } else {
        (reason, message)
    };
    let all = [
        ("PodReadyToStartContainers", is_started, ("", "")),
        ("Initialized", true, ("", "")),
        ("Ready", are_ready && are_gates_open, ready),
        ("ContainersReady", are_ready, (reason, message)),
        ("PodScheduled", true, ("", "")),
    ];
    for (kind, is_true, (reason, message)) in all {
        let new = NewCondition { kind, status: if is_true { "True" } else { "False" }, reason, message };
        condition::set(status, &new, now, &[]);
    }
}

/// Addresses that differ between pods and between nodes, from their names.
fn set_addresses(status: &mut Map<String, Value>, pod: &Pod) {
    let host = address(172, pods::node_name(pod).unwrap_or_default());
    let is_host_network = spec(pod).and_then(|spec| spec.host_network) == Some(true);
    let own = if is_host_network { host.clone() } else { address(10, uid(pod)) };
    for (field, list, item, value) in [("podIP", "podIPs", "ip", own), ("hostIP", "hostIPs", "ip", host)] {
        status.insert(list.to_owned(), json!([{ item: value }]));
        status.insert(field.to_owned(), json!(value));
    }
}

/// An IPv4 address in the network of this first byte.
fn address(network: u8, of: &str) -> String {
    let hash =
        of.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let [one, two, three, four] = hash.to_be_bytes();
    // 0 and 255 are no addresses of hosts.
    format!("{network}.{}.{two}.{}", one ^ four, u16::from(three) % 254 + 1)
}
