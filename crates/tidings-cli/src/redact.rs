//! Removes the data of Secrets from objects, including copies of it in other fields.
//!
//! An allow list names what may be shown, so that a new field is hidden by default: kind, type, `immutable`, and
//! metadata without the values of annotations. Tools store copies of the whole object in annotations: kubectl
//! (`last-applied-configuration`), kapp, Argo CD and sealed-secrets, each under its own key.

use serde_json::Value;

/// The fields of a Secret that contain no data.
const SHOWN: [&str; 5] = ["kind", "apiVersion", "metadata", "type", "immutable"];

/// Replaces the values of a Secret by their sizes. The names of its entries and annotations stay. Other kinds stay
/// unchanged.
pub(crate) fn redacted(mut object: Value, kind: &str) -> Value {
    if kind != "Secret" {
        return object;
    }
    if let Value::Object(members) = &mut object {
        let hidden = members.iter_mut().filter(|(name, _)| !SHOWN.contains(&name.as_str()));
        hidden.for_each(|(_, value)| hide(value));
    }
    if let Some(annotations) = object.pointer_mut("/metadata/annotations") {
        hide(annotations);
    }
    object
}

/// Keeps the names of an object's members. Replaces every value by its size.
fn hide(value: &mut Value) {
    match value {
        Value::Object(members) => members.values_mut().for_each(|value| *value = size(value).into()),
        Value::Null => {}
        other => *other = size(other).into(),
    }
}

fn size(value: &Value) -> String {
    let length = value.as_str().map_or_else(|| value.to_string().len(), str::len);
    format!("<redacted, {length} characters>")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_value_of_a_secret_is_left_anywhere() {
        let secret = json!({
            "kind": "Secret", "apiVersion": "v1", "type": "Opaque", "immutable": true,
            "metadata": { "name": "a", "labels": { "app": "web" }, "annotations": {
                "kubectl.kubernetes.io/last-applied-configuration": "{\"stringData\":{\"password\":\"hunter2\"}}",
                "kapp.k14s.io/original": "aHVudGVyMg==",
                "note": { "deep": ["hunter2"] },
            } },
            "data": { "password": "aHVudGVyMg==", "nested": { "hunter2": 1 } },
            "stringData": "hunter2", "newer": ["hunter2"],
        });
        let shown = redacted(secret, "Secret");
        let text = shown.to_string();
        assert!(!text.contains("hunter2") && !text.contains("aHVudGVyMg"), "{text}");
        for name in ["password", "kapp.k14s.io/original", "Opaque", "\"app\":\"web\"", "\"name\":\"a\""] {
            assert!(text.contains(name), "{name} is missing in {text}");
        }
        assert_eq!(shown["data"]["password"], "<redacted, 12 characters>");
    }

    #[test]
    fn other_kinds_stay_as_they_are() {
        let map = json!({ "metadata": { "annotations": { "note": "a" } }, "data": { "a": "b" } });
        assert_eq!(redacted(map.clone(), "ConfigMap"), map);
    }
}
