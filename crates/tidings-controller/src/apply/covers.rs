//! Whether a server-side apply would change anything, decided from the cached object alone.
//!
//! The server keeps in `managedFields` which fields each manager has applied (FieldsV1). An apply changes nothing if
//! the object has every wanted value, and if the manager's fields are exactly the wanted ones: a field that was applied
//! before and is no longer wanted would be removed. FieldsV1 also says which lists merge by key, so that no schema is
//! needed:
//!
//! ```text
//! wanted     { "ports": [ { "port": 80 } ] }
//! fields     { "f:ports": { "k:{\"port\":80,\"protocol\":\"TCP\"}": { ".": {}, "f:port": {} } } }
//! live       { "ports": [ { "port": 80, "protocol": "TCP", "targetPort": 80 }, { "port": 443, … } ] }     unchanged
//! ```
//!
//! A wrong "no" costs a request that changes nothing. A wrong "yes" must never happen: what is not understood is "no".

use serde_json::{Map, Value, json};

/// Members of an object that `managedFields` never lists.
const UNMANAGED: [&str; 2] = ["apiVersion", "kind"];
const UNMANAGED_METADATA: [&str; 2] = ["name", "namespace"];

/// Whether `live` already is what an apply of `wanted` by this manager would make it.
pub(super) fn is_applied(wanted: &Value, live: &Value, manager: &str) -> bool {
    let mut of_manager = applied_fields(live, manager);
    let (Some(entry), None) = (of_manager.next(), of_manager.next()) else { return false };
    // The fields of another version of the API have other names.
    if entry["apiVersion"] != wanted["apiVersion"] {
        return false;
    }
    let mut wanted = wanted.clone();
    if let Some(fields) = wanted.as_object_mut() {
        UNMANAGED.iter().for_each(|name| drop(fields.remove(*name)));
        let metadata = fields.get_mut("metadata").and_then(Value::as_object_mut);
        if let Some(metadata) = metadata {
            UNMANAGED_METADATA.iter().for_each(|name| drop(metadata.remove(*name)));
        }
        if fields.get("metadata").is_some_and(|metadata| *metadata == json!({})) {
            fields.remove("metadata");
        }
    }
    covers(&wanted, &entry["fieldsV1"], live)
}

/// Whether this manager has applied the object. `None` if the object has no managed fields at all.
pub(super) fn is_applied_by(live: &Value, manager: &str) -> Option<bool> {
    live["metadata"]["managedFields"].as_array().filter(|entries| !entries.is_empty())?;
    Some(applied_fields(live, manager).next().is_some())
}

/// The entries of applies by this manager, of the object itself and not of a subresource.
fn applied_fields<'a>(live: &'a Value, manager: &str) -> impl Iterator<Item = &'a Value> {
    let entries = live["metadata"]["managedFields"].as_array().into_iter().flatten();
    entries.filter(move |entry| {
        let is_main = entry["subresource"].as_str().is_none_or(str::is_empty);
        is_main && entry["operation"] == "Apply" && entry["manager"] == manager
    })
}

/// Whether `live` has every value of `wanted`, and `fields` lists exactly the fields of `wanted`.
///
/// The recursion is as deep as `wanted`, which the program itself has built.
fn covers(wanted: &Value, fields: &Value, live: &Value) -> bool {
    let Some(fields) = fields.as_object() else { return false };
    let members = || fields.iter().filter(|(name, _)| *name != ".");
    let Some((first, _)) = members().next() else { return is_equal(wanted, live) };
    match first.split_once(':').map(|(form, _)| form) {
        Some("f") => covers_object(wanted, fields, live),
        Some("k") => covers_keyed_list(wanted, fields, live),
        Some("v") => covers_set(wanted, fields, live),
        _ => false,
    }
}

/// An empty list or object may be absent on the server.
fn is_equal(wanted: &Value, live: &Value) -> bool {
    let is_empty = match wanted {
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    wanted == live || (is_empty && live.is_null())
}

fn covers_object(wanted: &Value, fields: &Map<String, Value>, live: &Value) -> bool {
    let (Some(wanted), Some(live)) = (wanted.as_object(), live.as_object()) else { return false };
    let members = fields.iter().filter(|(name, _)| *name != ".");
    let mut count = 0;
    for (name, below) in members {
        count += 1;
        let Some(name) = name.strip_prefix("f:") else { return false };
        let Some(value) = wanted.get(name) else { return false };
        if !covers(value, below, live.get(name).unwrap_or(&Value::Null)) {
            return false;
        }
    }
    count == wanted.len()
}

fn covers_keyed_list(wanted: &Value, fields: &Map<String, Value>, live: &Value) -> bool {
    let (Some(wanted), Some(live)) = (wanted.as_array(), live.as_array()) else { return false };
    let members = fields.iter().filter(|(name, _)| *name != ".");
    let mut count = 0;
    for (name, below) in members {
        count += 1;
        let key =
            name.strip_prefix("k:").and_then(|key| serde_json::from_str::<Map<String, Value>>(key).ok());
        let Some(key) = key else { return false };
        // Key fields may have defaults, such as the protocol of a port.
        let is_wanted =
            |item: &&Value| key.iter().all(|(name, value)| item.get(name).is_none_or(|own| own == value));
        let mut candidates = wanted.iter().filter(is_wanted);
        let (Some(item), None) = (candidates.next(), candidates.next()) else { return false };
        let mut found = live.iter().filter(is_wanted);
        let (Some(live), None) = (found.next(), found.next()) else { return false };
        if !covers(item, below, live) {
            return false;
        }
    }
    count == wanted.len()
}

fn covers_set(wanted: &Value, fields: &Map<String, Value>, live: &Value) -> bool {
    let (Some(wanted), Some(live)) = (wanted.as_array(), live.as_array()) else { return false };
    let members = fields.keys().filter(|name| *name != ".");
    let mut count = 0;
    for name in members {
        count += 1;
        let value = name.strip_prefix("v:").and_then(|value| serde_json::from_str::<Value>(value).ok());
        if !value.is_some_and(|value| wanted.contains(&value) && live.contains(&value)) {
            return false;
        }
    }
    count == wanted.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live() -> Value {
        json!({
            "apiVersion": "v1", "kind": "Service",
            "metadata": {
                "name": "web", "namespace": "shop", "uid": "u", "labels": { "app": "web", "by": "other" },
                "finalizers": ["a/b", "c/d"],
                "managedFields": [
                    { "manager": "ours", "operation": "Apply", "apiVersion": "v1", "fieldsV1": {
                        "f:metadata": {
                            "f:labels": { "f:app": {} },
                            "f:finalizers": { "v:\"a/b\"": {} },
                        },
                        "f:spec": {
                            "f:selector": {},
                            "f:ports": { "k:{\"port\":80,\"protocol\":\"TCP\"}": { ".": {}, "f:port": {} } },
                        },
                    } },
                    { "manager": "ours", "operation": "Apply", "subresource": "status", "fieldsV1": {} },
                    { "manager": "other", "operation": "Update", "apiVersion": "v1", "fieldsV1": {} },
                ],
            },
            "spec": {
                "selector": { "app": "web" }, "clusterIP": "10.0.0.1",
                "ports": [
                    { "port": 443, "protocol": "TCP", "targetPort": 443 },
                    { "port": 80, "protocol": "TCP", "targetPort": 80 },
                ],
            },
        })
    }

    fn wanted() -> Value {
        json!({
            "apiVersion": "v1", "kind": "Service",
            "metadata": {
                "name": "web", "namespace": "shop", "labels": { "app": "web" }, "finalizers": ["a/b"],
            },
            "spec": { "selector": { "app": "web" }, "ports": [{ "port": 80 }] },
        })
    }

    #[test]
    fn an_apply_that_would_change_nothing_is_recognised_with_defaults_and_other_managers() {
        assert!(is_applied(&wanted(), &live(), "ours"));
        let mut with_key = wanted();
        with_key["spec"]["ports"][0]["protocol"] = json!("TCP");
        assert!(!is_applied(&with_key, &live(), "ours"), "the protocol is not among the applied fields");
    }

    #[test]
    fn every_difference_is_a_change() {
        let changes: [(&str, Value); 13] = [
            ("/metadata/labels/app", json!("other")),
            ("/metadata/labels", json!({ "app": "web", "more": "x" })),
            ("/metadata/labels", json!({})),
            ("/metadata/finalizers", json!(["a/b", "c/d"])),
            ("/metadata/finalizers", json!([])),
            ("/spec/selector", json!({ "app": "web", "more": "x" })),
            ("/spec/ports", json!([])),
            ("/spec/ports", json!([{ "port": 81 }])),
            ("/spec/ports", json!([{ "port": 80 }, { "port": 443 }])),
            ("/spec/ports", json!([{ "port": 80, "name": "http" }])),
            ("/spec/ports", json!("80")),
            ("/spec", json!({ "ports": [{ "port": 80 }] })),
            ("/apiVersion", json!("v2")),
        ];
        for (path, value) in changes {
            let mut changed = wanted();
            *changed.pointer_mut(path).unwrap() = value.clone();
            assert!(!is_applied(&changed, &live(), "ours"), "{path} {value}");
        }
        assert!(!is_applied(&wanted(), &live(), "other"));
        assert!(!is_applied(&wanted(), &live(), "third"));
        for path in
            ["/metadata/labels/app", "/spec/selector/app", "/spec/ports/1/port", "/metadata/finalizers/0"]
        {
            let mut drifted = live();
            *drifted.pointer_mut(path).unwrap() = json!("drifted");
            assert!(!is_applied(&wanted(), &drifted, "ours"), "{path}");
        }
    }

    #[test]
    fn managed_fields_that_are_missing_or_odd_are_never_an_unchanged_object() {
        for fields in [json!(null), json!({}), json!({ "x:y": {} }), json!({ "f:spec": 7 }), json!("f:spec")]
        {
            let mut odd = live();
            odd["metadata"]["managedFields"][0]["fieldsV1"] = fields.clone();
            assert!(!is_applied(&wanted(), &odd, "ours"), "{fields}");
        }
        let mut none = live();
        none["metadata"].as_object_mut().unwrap().remove("managedFields");
        assert!(!is_applied(&wanted(), &none, "ours"));
        assert_eq!(is_applied_by(&none, "ours"), None);
        assert_eq!(is_applied_by(&live(), "ours"), Some(true));
        assert_eq!(is_applied_by(&live(), "other"), Some(false));
    }
}
