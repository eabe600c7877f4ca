//! Validation rules of single kinds: only those that clients observe.

use serde_json::Value;

use super::metadata::check_labels;
use super::{invalid, name, required};
use crate::resource::ResourceDef;
use crate::status::StatusCause;

type Causes = Vec<StatusCause>;

/// Checks the rules of the kind.
pub(super) fn check(def: &ResourceDef, object: &Value, causes: &mut Causes) {
    if def.is_custom() {
        return;
    }
    let spec = &object["spec"];
    match (def.group.as_ref(), def.kind.as_ref()) {
        ("", "Pod") => check_pod_spec("spec", spec, causes),
        ("apps", "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet") => check_workload(spec, causes),
        ("batch", "Job") => check_pod_spec("spec.template.spec", &spec["template"]["spec"], causes),
        ("batch", "CronJob") => {
            if spec["schedule"].as_str().unwrap_or_default().is_empty() {
                causes.push(required("spec.schedule", ""));
            }
            let template = &spec["jobTemplate"]["spec"]["template"]["spec"];
            check_pod_spec("spec.jobTemplate.spec.template.spec", template, causes);
        }
        ("", "Service") => check_service(spec, causes),
        ("", "ConfigMap") => {
            check_data_keys("data", &object["data"], causes);
            check_data_keys("binaryData", &object["binaryData"], causes);
            check_config_map(&object["data"], &object["binaryData"], causes);
        }
        ("admissionregistration.k8s.io", kind) => super::expressions::check(kind, object, causes),
        ("", "Secret") => {
            check_data_keys("data", &object["data"], causes);
            check_size("data", decoded_bytes(&object["data"]), causes);
        }
        _ => {}
    }
}

/// Checks that the immutable fields of the kind did not change.
pub(super) fn check_change(def: &ResourceDef, old: &Value, new: &Value, causes: &mut Causes) {
    let mut immutable = |path: &[&str]| {
        let at = |object: &Value| path.iter().fold(object.clone(), |value, name| value[name].clone());
        if at(old) != at(new) {
            causes.push(invalid(path.join("."), &at(new), "field is immutable"));
        }
    };
    match (def.group.as_ref(), def.kind.as_ref()) {
        ("apps", "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet") => {
            immutable(&["spec", "selector"])
        }
        ("batch", "Job") => immutable(&["spec", "selector"]),
        ("rbac.authorization.k8s.io", "RoleBinding" | "ClusterRoleBinding") => immutable(&["roleRef"]),
        ("storage.k8s.io", "StorageClass") => immutable(&["provisioner"]),
        ("scheduling.k8s.io", "PriorityClass") => immutable(&["value"]),
        ("", "Secret" | "ConfigMap") => {
            if def.kind == "Secret" && !old["type"].is_null() {
                immutable(&["type"]);
            }
            if old["immutable"] == true {
                for field in ["data", "binaryData", "immutable"] {
                    if old[field] != new[field] {
                        let message = "Forbidden: field is immutable when `immutable` is set";
                        causes.push(StatusCause::forbidden(field, message));
                    }
                }
            }
        }
        _ => {}
    }
}

/// Checks that an update of a pod changes only images and the few other mutable fields.
pub(super) fn check_immutable_pod(def: &ResourceDef, old: &Value, new: &Value, causes: &mut Causes) {
    let is_pod = def.group.is_empty() && def.kind == "Pod";
    if is_pod && immutable_pod_fields(&old["spec"]) != immutable_pod_fields(&new["spec"]) {
        let message = "Forbidden: pod updates may not change fields other than images, activeDeadlineSeconds, \
                       terminationGracePeriodSeconds, tolerations and schedulingGates";
        causes.push(StatusCause::forbidden("spec", message));
    }
}

fn immutable_pod_fields(spec: &Value) -> Value {
    let mut kept = spec.clone();
    for list in ["containers", "initContainers"] {
        for container in kept[list].as_array_mut().into_iter().flatten() {
            if let Some(container) = container.as_object_mut() {
                container.remove("image");
            }
        }
    }
    if let Some(fields) = kept.as_object_mut() {
        fields.retain(|name, value| {
            let may_change = matches!(
                name.as_str(),
                "activeDeadlineSeconds" | "terminationGracePeriodSeconds" | "tolerations" | "schedulingGates"
            );
            !may_change && !value.is_null()
        });
    }
    kept
}

fn check_pod_spec(field: &str, spec: &Value, causes: &mut Causes) {
    let field_of = |list: &str| format!("{field}.{list}");
    if spec["containers"].as_array().is_none_or(Vec::is_empty) {
        causes.push(required(field_of("containers"), ""));
    }
    let mut names = Vec::new();
    for list in ["initContainers", "containers"] {
        for (index, container) in spec[list].as_array().into_iter().flatten().enumerate() {
            let at = format!("{}[{index}]", field_of(list));
            check_list_name(&at, &container["name"], &mut names, causes);
            if container["image"].as_str().unwrap_or_default().is_empty() {
                causes.push(required(format!("{at}.image"), ""));
            }
        }
    }
    let mut names = Vec::new();
    for (index, volume) in spec["volumes"].as_array().into_iter().flatten().enumerate() {
        check_list_name(&format!("{}[{index}]", field_of("volumes")), &volume["name"], &mut names, causes);
    }
}

/// Checks the name of a list item: present, a DNS label, and unique in the list.
fn check_list_name<'a>(at: &str, name: &'a Value, names: &mut Vec<&'a str>, causes: &mut Causes) {
    let field = format!("{at}.name");
    match name.as_str() {
        None | Some("") => causes.push(required(field, "")),
        Some(text) => {
            if let Some(why) = name::dns_label(text) {
                causes.push(invalid(field, name, why));
            } else if names.contains(&text) {
                causes.push(StatusCause::field(
                    "FieldValueDuplicate",
                    field,
                    format!("Duplicate value: {name}"),
                ));
            }
            names.push(text);
        }
    }
}

fn check_workload(spec: &Value, causes: &mut Causes) {
    let selector = &spec["selector"];
    let labels = &spec["template"]["metadata"]["labels"];
    check_labels("spec.template.metadata.labels", labels, causes);
    if selector.is_null() {
        causes.push(required("spec.selector", ""));
    }
    if selector.as_object().is_some_and(|selector| selector.values().all(is_empty)) {
        let why = "empty selector is invalid for deployment";
        causes.push(invalid("spec.selector", selector, why));
    } else if selector.is_null() || !matches(selector, labels) {
        let why = "`selector` does not match template `labels`";
        causes.push(invalid("spec.template.metadata.labels", labels, why));
    }
    if spec["replicas"].as_i64().is_some_and(|replicas| replicas < 0) {
        causes.push(invalid("spec.replicas", &spec["replicas"], "must be greater than or equal to 0"));
    }
    check_pod_spec("spec.template.spec", &spec["template"]["spec"], causes);
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(map) => map.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// Whether a LabelSelector selects these labels.
pub(crate) fn matches(selector: &Value, labels: &Value) -> bool {
    let mut equal = selector["matchLabels"].as_object().into_iter().flatten();
    let mut expressions = selector["matchExpressions"].as_array().into_iter().flatten();
    equal.all(|(key, value)| labels[key] == *value)
        && expressions.all(|expression| {
            let found = expression["key"].as_str().map_or(&Value::Null, |key| &labels[key]);
            let is_listed = expression["values"].as_array().is_some_and(|values| values.contains(found));
            match expression["operator"].as_str() {
                Some("In") => is_listed,
                Some("NotIn") => !is_listed,
                Some("Exists") => !found.is_null(),
                Some("DoesNotExist") => found.is_null(),
                _ => false,
            }
        })
}

fn check_service(spec: &Value, causes: &mut Causes) {
    let ports = spec["ports"].as_array().map_or(&[][..], Vec::as_slice);
    let needs_ports = spec["type"] != "ExternalName" && spec["clusterIP"] != "None";
    if ports.is_empty() && needs_ports {
        causes.push(required("spec.ports", ""));
    }
    if spec["type"] == "ExternalName" && spec["externalName"].as_str().unwrap_or_default().is_empty() {
        causes.push(required("spec.externalName", ""));
    }
    for (index, port) in ports.iter().enumerate() {
        let at = format!("spec.ports[{index}]");
        // The default of `targetPort` is `port`.
        let target = if port["targetPort"].is_null() { &port["port"] } else { &port["targetPort"] };
        for (field, number) in [("port", &port["port"]), ("targetPort", target)] {
            let is_name = field == "targetPort" && number.is_string();
            if !is_name && !number.as_i64().is_some_and(|number| (1..=65535).contains(&number)) {
                causes.push(invalid(
                    format!("{at}.{field}"),
                    number,
                    "must be between 1 and 65535, inclusive",
                ));
            }
        }
        if ports.len() > 1 && port["name"].as_str().unwrap_or_default().is_empty() {
            causes.push(required(format!("{at}.name"), ""));
        }
    }
}

/// The largest sum of bytes of the values of a ConfigMap or Secret.
const DATA_BYTES_MAX: usize = 1 << 20;

fn check_config_map(data: &Value, binary: &Value, causes: &mut Causes) {
    for key in data.as_object().into_iter().flatten().map(|(key, _)| key) {
        if binary.get(key).is_some() {
            let why = "duplicate of key present in binaryData";
            causes.push(invalid(format!("data[{key}]"), &Value::from(key.as_str()), why));
        }
    }
    let texts = data.as_object().into_iter().flatten().filter_map(|(_, text)| text.as_str());
    let bytes = texts.map(str::len).sum::<usize>() + decoded_bytes(binary);
    // A real server has `[]` as the field here.
    check_size("[]", bytes, causes);
}

/// The approximate number of bytes of base64 values after decoding.
fn decoded_bytes(data: &Value) -> usize {
    let texts = data.as_object().into_iter().flatten().filter_map(|(_, text)| text.as_str());
    texts.map(|text| text.trim_end_matches('=').len() * 3 / 4).sum()
}

fn check_size(field: &str, bytes: usize, causes: &mut Causes) {
    if bytes > DATA_BYTES_MAX {
        let message = format!("Too long: may not be more than {DATA_BYTES_MAX} bytes");
        causes.push(StatusCause::field("FieldValueTooLong", field, message));
    }
}

fn check_data_keys(field: &str, data: &Value, causes: &mut Causes) {
    for key in data.as_object().into_iter().flatten().map(|(key, _)| key) {
        let is_key = !key.is_empty()
            && key.len() <= 253
            && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
            && !matches!(key.as_str(), "." | "..");
        if !is_key {
            let why = "a valid config key has only letters, digits, '-', '_' and '.'";
            causes.push(invalid(format!("{field}[{key}]"), &Value::from(key.as_str()), why));
        }
    }
}
