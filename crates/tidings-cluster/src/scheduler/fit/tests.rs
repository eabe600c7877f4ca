//! Which pods fit on which nodes.

use serde_json::{Value, from_value, json};

use super::*;

fn node(spec: Value) -> Room {
    let node = json!({
        "metadata": { "name": "n", "labels": { "zone": "a", "cores": "8" } },
        "spec": spec,
        "status": { "allocatable": { "cpu": "2", "memory": "1Gi", "pods": "2" } },
    });
    Room::of(&from_value(node).unwrap())
}

fn pod(spec: Value) -> Pod {
    let mut pod = json!({ "metadata": { "name": "p" }, "spec": spec });
    if pod["spec"]["containers"].is_null() {
        pod["spec"]["containers"] = json!([]);
    }
    from_value(pod).unwrap()
}

#[track_caller]
fn check(room: &Room, spec: Value, misfit: Option<&str>) {
    let pod = pod(spec);
    let found = room.misfit(&pod, pod.spec.as_ref().unwrap()).map(|misfit| misfit.to_string());
    assert_eq!(found.as_deref(), misfit);
}

fn affinity(key: &str, operator: &str, values: Value) -> Value {
    let term = json!({ "matchExpressions": [{ "key": key, "operator": operator, "values": values }] });
    json!({ "affinity": { "nodeAffinity": { "requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [term],
    }}}})
}

const NO_MATCH: Option<&str> = Some("node(s) didn't match Pod's node affinity/selector");

#[test]
fn a_pod_goes_only_to_nodes_that_its_selector_and_affinity_match() {
    let room = node(json!({}));
    check(&room, json!({ "nodeSelector": { "zone": "a" } }), None);
    check(&room, json!({ "nodeSelector": { "zone": "b" } }), NO_MATCH);
    check(&room, affinity("zone", "In", json!(["b", "a"])), None);
    check(&room, affinity("zone", "NotIn", json!(["a"])), NO_MATCH);
    check(&room, affinity("disk", "Exists", json!(null)), NO_MATCH);
    check(&room, affinity("disk", "DoesNotExist", json!(null)), None);
    check(&room, affinity("cores", "Gt", json!(["4"])), None);
    check(&room, affinity("cores", "Lt", json!(["4"])), NO_MATCH);
    let by_name = json!({ "affinity": { "nodeAffinity": { "requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{ "matchFields": [{ "key": "metadata.name", "operator": "In", "values": ["n"] }] }],
    }}}});
    check(&room, by_name, None);
}

#[test]
fn taints_repel_pods_that_do_not_tolerate_them() {
    let tainted = node(json!({ "taints": [{ "key": "gpu", "value": "yes", "effect": "NoSchedule" }] }));
    check(&tainted, json!({}), Some("node(s) had untolerated taint {gpu: yes}"));
    check(&tainted, json!({ "tolerations": [{ "key": "gpu", "operator": "Exists" }] }), None);
    check(
        &tainted,
        json!({ "tolerations": [{ "key": "gpu", "value": "yes", "effect": "NoSchedule" }] }),
        None,
    );
    let other = json!({ "tolerations": [{ "key": "gpu", "value": "no" }] });
    check(&tainted, other, Some("node(s) had untolerated taint {gpu: yes}"));
    let soft = node(json!({ "taints": [{ "key": "gpu", "effect": "PreferNoSchedule" }] }));
    check(&soft, json!({}), None);
    check(&node(json!({ "unschedulable": true })), json!({}), Some("node(s) were unschedulable"));
}

#[test]
fn a_full_node_takes_no_more_pods() {
    let needs = |cpu: &str, memory: &str| json!({ "containers": [{ "name": "c", "resources": { "requests": { "cpu": cpu, "memory": memory } } }] });
    let mut room = node(json!({}));
    room.add(&pod(needs("1500m", "512Mi")));
    check(&room, needs("500m", "512Mi"), None);
    check(&room, needs("600m", "1Mi"), Some("Insufficient cpu"));
    check(&room, needs("1m", "600Mi"), Some("Insufficient memory"));
    room.add(&pod(json!({})));
    check(&room, json!({}), Some("Too many pods"));
}
