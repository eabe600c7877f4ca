//! Table cells of workloads: Deployments, ReplicaSets, StatefulSets, DaemonSets, Jobs.

use serde_json::{Value, json};

fn pod_spec(object: &Value) -> &Value {
    let spec = &object["spec"];
    let spec = if spec["jobTemplate"].is_object() { &spec["jobTemplate"]["spec"] } else { spec };
    &spec["template"]["spec"]
}

fn joined<'a>(items: impl Iterator<Item = &'a str>) -> Value {
    json!(items.collect::<Vec<_>>().join(","))
}

fn of_containers<'a>(object: &'a Value, field: &'a str) -> impl Iterator<Item = &'a str> {
    let containers = pod_spec(object)["containers"].as_array().into_iter().flatten();
    containers.filter_map(move |container| container[field].as_str())
}

/// Ready and desired replicas, such as `1/3`.
pub(super) fn ready(object: &Value) -> Value {
    let ready = object["status"]["readyReplicas"].as_i64().unwrap_or(0);
    json!(format!("{ready}/{}", object["spec"]["replicas"].as_i64().unwrap_or(0)))
}

pub(super) fn containers(object: &Value) -> Value {
    joined(of_containers(object, "name"))
}

pub(super) fn images(object: &Value) -> Value {
    joined(of_containers(object, "image"))
}

/// The selector as text.
pub(super) fn selector(object: &Value) -> Value {
    let selector = &object["spec"]["selector"];
    let equal = if selector["matchLabels"].is_object() { &selector["matchLabels"] } else { selector };
    let mut parts: Vec<String> = pairs(equal);
    for expression in selector["matchExpressions"].as_array().into_iter().flatten() {
        let key = expression["key"].as_str().unwrap_or_default();
        let values: Vec<_> =
            expression["values"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let values = values.join(",");
        parts.push(match expression["operator"].as_str() {
            Some("In") => format!("{key} in ({values})"),
            Some("NotIn") => format!("{key} notin ({values})"),
            Some("DoesNotExist") => format!("!{key}"),
            _ => key.to_owned(),
        });
    }
    if parts.is_empty() { json!("<none>") } else { json!(parts.join(",")) }
}

pub(super) fn node_selector(object: &Value) -> Value {
    let parts = pairs(&pod_spec(object)["nodeSelector"]);
    if parts.is_empty() { json!("<none>") } else { json!(parts.join(",")) }
}

fn pairs(map: &Value) -> Vec<String> {
    let map = map.as_object().into_iter().flatten();
    map.filter_map(|(key, value)| Some(format!("{key}={}", value.as_str()?))).collect()
}
