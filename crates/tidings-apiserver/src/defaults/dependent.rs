//! Defaults that depend on several fields of the object, and those of admission plugins. `generator/byhand.go` lists the former.

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

/// Sets defaults that read only what was sent.
pub(super) fn set_before(def: &ResourceDef, object: &mut Value) {
    match (def.group.as_ref(), def.kind.as_ref()) {
        ("batch", "Job") => set_labels_of_template(object),
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
            set_labels_of_template(object);
            let labels = object["spec"]["template"]["metadata"]["labels"].clone();
            if labels.is_object() {
                insert(object_at(object, &["spec"]), "selector", labels);
            }
        }
        ("", "LimitRange") => {
            for limit in object_at(object, &["spec"]).into_iter().flat_map(|spec| items(spec, "limits")) {
                set_limit(limit);
            }
        }
        ("apps", "StatefulSet") => {
            let spec = object_at(object, &["spec"]).into_iter();
            for claim in spec.flat_map(|spec| items(spec, "volumeClaimTemplates")) {
                insert(claim.as_object_mut(), "apiVersion", json!("v1"));
                insert(claim.as_object_mut(), "kind", json!("PersistentVolumeClaim"));
            }
        }
        _ => {}
    }
}

/// Sets defaults that read those of the table.
pub(super) fn set_after(def: &ResourceDef, object: &mut Value) {
    if let Some(spec) = pod_path(def).and_then(|path| object_at(object, path)) {
        set_pod_spec(spec);
    }
    if !def.group.is_empty() {
        return;
    }
    match (def.kind.as_ref(), object_at(object, &["spec"])) {
        ("Pod", Some(spec)) => {
            set_pod(spec);
            set_tolerations(&mut object["spec"]);
        }
        ("Service", Some(spec)) => set_service(spec),
        _ => {}
    }
}

/// An object without labels gets those of its pods.
fn set_labels_of_template(object: &mut Value) {
    let labels = object["spec"]["template"]["metadata"]["labels"].clone();
    let Some(metadata) = object_at(object, &["metadata"]) else { return };
    let has_labels =
        metadata.get("labels").and_then(Value::as_object).is_some_and(|labels| !labels.is_empty());
    if labels.is_object() && !has_labels {
        metadata.insert("labels".to_owned(), labels);
    }
}

/// The limits of containers: a maximum is the default limit, and a default limit or a minimum the default request.
fn set_limit(limit: &mut Value) {
    if limit["type"] != "Container" {
        return;
    }
    for (from, to) in [("max", "default"), ("default", "defaultRequest"), ("min", "defaultRequest")] {
        let Some(given) = limit[from].as_object().cloned() else { continue };
        if limit[to].is_null() && !given.is_empty() {
            limit[to] = json!({});
        }
        for (resource, quantity) in given {
            insert(limit[to].as_object_mut(), &resource, quantity);
        }
    }
}

fn insert(fields: Option<&mut Map<String, Value>>, name: &str, value: Value) {
    if let Some(fields) = fields
        && fields.get(name).is_none_or(Value::is_null)
    {
        fields.insert(name.to_owned(), value);
    }
}

/// As [`insert`], also if the field has an empty text.
fn insert_for_zero(fields: Option<&mut Map<String, Value>>, name: &str, value: Value) {
    if let Some(fields) = fields
        && fields.get(name).is_none_or(|value| value.is_null() || value == "")
    {
        fields.insert(name.to_owned(), value);
    }
}

/// Sets what all specifications of pods have, also those in templates.
fn set_pod_spec(spec: &mut Map<String, Value>) {
    for list in ["containers", "initContainers", "ephemeralContainers"] {
        for container in items(spec, list) {
            set_pull_policy(container, "image", "imagePullPolicy");
        }
    }
    for volume in items(spec, "volumes") {
        // A volume without a source is an empty directory.
        if volume.as_object().is_some_and(|fields| fields.keys().all(|name| name == "name")) {
            volume["emptyDir"] = json!({});
        }
        if let Some(image) = volume.get_mut("image") {
            set_pull_policy(image, "reference", "pullPolicy");
        }
    }
    // The second is the old name of the first.
    for (from, to) in [("serviceAccountName", "serviceAccount"), ("serviceAccount", "serviceAccountName")] {
        if let Some(account) = spec.get(from).filter(|name| name.is_string()).cloned() {
            insert_for_zero(Some(spec), to, account);
        }
    }
}

/// Sets what only pods have. Priority and preemption come from an admission plugin of Kubernetes.
fn set_pod(spec: &mut Map<String, Value>) {
    insert(Some(spec), "priority", json!(0));
    insert(Some(spec), "preemptionPolicy", json!("PreemptLowerPriority"));
    let is_on_host_network = spec.get("hostNetwork") == Some(&json!(true));
    for list in ["containers", "initContainers"] {
        for container in items(spec, list) {
            set_requests(container);
            let ports = container.as_object_mut().into_iter().flat_map(|container| items(container, "ports"));
            for port in ports.filter(|_| is_on_host_network) {
                let number = port["containerPort"].clone();
                insert(port.as_object_mut(), "hostPort", number);
            }
        }
    }
}

fn items<'a>(spec: &'a mut Map<String, Value>, list: &str) -> impl Iterator<Item = &'a mut Value> {
    spec.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten()
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

/// An image without a tag or with the tag `latest` is always pulled.
fn set_pull_policy(value: &mut Value, image: &str, policy: &str) {
    let image = value[image].as_str().unwrap_or_default();
    let name = image.rsplit('/').next().unwrap_or_default();
    let is_latest = !name.contains('@') && name.split_once(':').is_none_or(|(_, tag)| tag == "latest");
    let default = if is_latest { "Always" } else { "IfNotPresent" };
    insert_for_zero(value.as_object_mut(), policy, json!(default));
}

/// A container without a request of a resource requests its limit.
fn set_requests(container: &mut Value) {
    let Some(resources) = object_at(container, &["resources"]) else { return };
    let Some(limits) = resources.get("limits").and_then(Value::as_object).cloned() else { return };
    let requests = resources.entry("requests").or_insert_with(|| json!({}));
    if requests.is_null() {
        *requests = json!({});
    }
    for (name, limit) in limits {
        insert(requests.as_object_mut(), &name, limit);
    }
}

fn set_service(spec: &mut Map<String, Value>) {
    for port in items(spec, "ports").filter_map(Value::as_object_mut) {
        // Zero is the absent value of the Go struct.
        let target = port.get("targetPort").unwrap_or(&Value::Null);
        if let (true, Some(number)) =
            (target.is_null() || *target == 0 || target == "", port.get("port").cloned())
        {
            port.insert("targetPort".to_owned(), number);
        }
    }
    let has_external_address =
        spec.get("externalIPs").and_then(Value::as_array).is_some_and(|addresses| !addresses.is_empty());
    match spec.get("type").and_then(Value::as_str).unwrap_or_default() {
        "NodePort" | "LoadBalancer" => insert_for_zero(Some(spec), "externalTrafficPolicy", json!("Cluster")),
        "ClusterIP" if has_external_address => {
            insert_for_zero(Some(spec), "externalTrafficPolicy", json!("Cluster"));
        }
        _ => {}
    }
    match spec.get("sessionAffinity").and_then(Value::as_str) {
        Some("None") => {
            spec.remove("sessionAffinityConfig");
        }
        Some("ClientIP") => {
            let timeout =
                spec.get("sessionAffinityConfig").map(|config| &config["clientIP"]["timeoutSeconds"]);
            if timeout.is_none_or(Value::is_null) {
                let config = json!({"clientIP": {"timeoutSeconds": 10800}});
                spec.insert("sessionAffinityConfig".to_owned(), config);
            }
        }
        _ => {}
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
