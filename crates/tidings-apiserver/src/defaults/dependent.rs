//! Defaults that depend on other fields of the object.

use serde_json::{Map, Value, json};

use super::object_at;
use crate::resource::ResourceDef;

/// Where a kind has the specification of its pods.
fn pod_path(def: &ResourceDef) -> Option<&'static [&'static str]> {
    match (def.group.as_ref(), def.kind.as_ref()) {
        ("", "Pod") => Some(&["spec"]),
        ("", "PodTemplate") => Some(&["template", "spec"]),
        (
            "" | "apps",
            "ReplicationController" | "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet",
        )
        | ("batch", "Job") => Some(&["spec", "template", "spec"]),
        ("batch", "CronJob") => Some(&["spec", "jobTemplate", "spec", "template", "spec"]),
        _ => None,
    }
}

/// Sets defaults that must come before those of the table.
pub(super) fn set_before(def: &ResourceDef, object: &mut Value) {
    match (def.group.as_ref(), def.kind.as_ref()) {
        ("apps", "Deployment") => set_rolling_update(object, "strategy"),
        ("apps", "StatefulSet" | "DaemonSet") => set_rolling_update(object, "updateStrategy"),
        ("batch", "Job") => {
            if let Some(spec) = object_at(object, &["spec"])
                && !spec.contains_key("completions")
                && !spec.contains_key("parallelism")
            {
                spec.insert("completions".to_owned(), json!(1));
            }
            insert(object_at(object, &["spec"]), "parallelism", json!(1));
        }
        ("networking.k8s.io", "NetworkPolicy") => {
            let has_egress = object["spec"]["egress"].as_array().is_some_and(|rules| !rules.is_empty());
            let types = if has_egress { json!(["Ingress", "Egress"]) } else { json!(["Ingress"]) };
            insert(object_at(object, &["spec"]), "policyTypes", types);
        }
        ("rbac.authorization.k8s.io", _) => {
            for subject in object["subjects"].as_array_mut().into_iter().flatten() {
                if matches!(subject["kind"].as_str(), Some("User" | "Group")) {
                    insert(subject.as_object_mut(), "apiGroup", json!("rbac.authorization.k8s.io"));
                }
            }
        }
        ("", "Namespace") => {
            let name = object["metadata"]["name"].clone();
            if let (Value::String(_), Some(metadata)) = (&name, object_at(object, &["metadata"])) {
                let labels = metadata.entry("labels").or_insert_with(|| json!({}));
                if labels.is_null() {
                    *labels = json!({});
                }
                insert(labels.as_object_mut(), "kubernetes.io/metadata.name", name);
            }
        }
        ("", "ReplicationController") => {
            let labels = object["spec"]["template"]["metadata"]["labels"].clone();
            if labels.is_object() {
                insert(object_at(object, &["spec"]), "selector", labels);
            }
        }
        _ => {}
    }
}

/// Sets defaults that read those of the table.
pub(super) fn set_after(def: &ResourceDef, object: &mut Value) {
    if let Some(spec) = pod_path(def).and_then(|path| object_at(object, path)) {
        set_pod(spec);
    }
    if def.group.is_empty() && def.kind == "Pod" {
        set_tolerations(&mut object["spec"]);
    }
    if def.group.is_empty()
        && def.kind == "Service"
        && let Some(spec) = object_at(object, &["spec"])
    {
        set_service(spec);
    }
}

fn insert(fields: Option<&mut Map<String, Value>>, name: &str, value: Value) {
    if let Some(fields) = fields
        && fields.get(name).is_none_or(Value::is_null)
    {
        fields.insert(name.to_owned(), value);
    }
}

/// A strategy without `rollingUpdate` gets one if its type is `RollingUpdate`; the table fills it.
fn set_rolling_update(object: &mut Value, field: &str) {
    if let Some(strategy) = object_at(object, &["spec", field])
        && matches!(strategy.get("type").and_then(Value::as_str), None | Some("" | "RollingUpdate"))
    {
        if strategy.get("type").and_then(Value::as_str) == Some("") {
            strategy.remove("type");
        }
        insert(Some(strategy), "rollingUpdate", json!({}));
    }
}

fn set_pod(spec: &mut Map<String, Value>) {
    for list in ["containers", "initContainers", "ephemeralContainers"] {
        for container in spec.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            set_container(container);
        }
    }
    for volume in spec.get_mut("volumes").and_then(Value::as_array_mut).into_iter().flatten() {
        // A volume without a source is an empty directory.
        if volume.as_object().is_some_and(|fields| fields.keys().all(|name| name == "name")) {
            volume["emptyDir"] = json!({});
        }
    }
    if let Some(account) = spec.get("serviceAccountName").filter(|name| name.is_string()).cloned() {
        spec.entry("serviceAccount").or_insert(account);
    }
    if spec.get("hostNetwork") == Some(&json!(true)) {
        for list in ["containers", "initContainers"] {
            for container in spec.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
                for port in container["ports"].as_array_mut().into_iter().flatten() {
                    let number = port["containerPort"].clone();
                    insert(port.as_object_mut(), "hostPort", number);
                }
            }
        }
    }
}

/// Adds the tolerations of a node that is not reachable for five minutes, as an admission plugin of Kubernetes does.
fn set_tolerations(spec: &mut Value) {
    if !spec.is_object() {
        return;
    }
    for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
        let tolerations = spec["tolerations"].as_array().map_or(&[][..], Vec::as_slice);
        let is_tolerated = tolerations.iter().any(|toleration| {
            let effect = toleration["effect"].as_str().unwrap_or_default();
            let of_key = toleration["key"].as_str().unwrap_or_default();
            (of_key == key || of_key.is_empty()) && matches!(effect, "NoExecute" | "")
        });
        if !is_tolerated {
            let mut all = tolerations.to_vec();
            all.push(
                json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}),
            );
            spec["tolerations"] = Value::Array(all);
        }
    }
}

fn set_container(container: &mut Value) {
    let image = container["image"].as_str().unwrap_or_default();
    let name = image.rsplit('/').next().unwrap_or_default();
    let is_latest = !name.contains('@') && name.split_once(':').is_none_or(|(_, tag)| tag == "latest");
    let policy = if is_latest { "Always" } else { "IfNotPresent" };
    insert(container.as_object_mut(), "imagePullPolicy", json!(policy));
    let Some(resources) = object_at(container, &["resources"]) else { return };
    let Some(limits) = resources.get("limits").and_then(Value::as_object).cloned() else { return };
    let requests = resources.entry("requests").or_insert_with(|| json!({}));
    for (name, limit) in limits {
        insert(requests.as_object_mut(), &name, limit);
    }
}

fn set_service(spec: &mut Map<String, Value>) {
    for port in spec.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten() {
        // Zero is the absent value of the Go struct.
        if matches!(&port["targetPort"], Value::Null) || port["targetPort"] == 0 || port["targetPort"] == "" {
            port["targetPort"] = port["port"].clone();
        }
    }
    let kind = spec.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    if matches!(kind.as_str(), "NodePort" | "LoadBalancer") {
        insert(Some(spec), "externalTrafficPolicy", json!("Cluster"));
    }
    if kind == "LoadBalancer" {
        insert(Some(spec), "allocateLoadBalancerNodePorts", json!(true));
    }
    if kind != "ExternalName" {
        insert(Some(spec), "internalTrafficPolicy", json!("Cluster"));
    }
    if spec.get("sessionAffinity") == Some(&json!("ClientIP")) {
        insert(Some(spec), "sessionAffinityConfig", json!({"clientIP": {"timeoutSeconds": 10800}}));
    }
}

/// The quality of service class of a pod, from its requests and limits of CPU and memory.
pub(crate) fn qos_class(pod: &Value) -> &'static str {
    let lists = ["containers", "initContainers"].into_iter();
    let containers = lists.flat_map(|list| pod["spec"][list].as_array().into_iter().flatten());
    let (mut has_any, mut is_guaranteed) = (false, true);
    for container in containers {
        let resources = &container["resources"];
        for name in ["cpu", "memory"] {
            let (limit, request) = (&resources["limits"][name], &resources["requests"][name]);
            has_any |= !limit.is_null() || !request.is_null();
            is_guaranteed &= !limit.is_null() && (request.is_null() || request == limit);
        }
    }
    match (has_any, is_guaranteed) {
        (false, _) => "BestEffort",
        (true, true) => "Guaranteed",
        (true, false) => "Burstable",
    }
}
