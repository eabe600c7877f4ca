//! Takes out of an object what must never be shown: the data of Secrets, wherever an object carries a copy of it.

use serde_json::Value;

/// What kubectl leaves on everything that was applied: a whole copy of it.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Replaces the values of a Secret by their sizes. Other kinds stay as they are.
pub(crate) fn redacted(mut object: Value, kind: &str) -> Value {
    if kind != "Secret" {
        return object;
    }
    for part in ["data", "stringData"] {
        if let Some(Value::Object(values)) = object.get_mut(part) {
            values.values_mut().for_each(|value| *value = Value::String(size(value)));
        }
    }
    if let Some(Value::Object(annotations)) = object.pointer_mut("/metadata/annotations")
        && let Some(copy) = annotations.get_mut(LAST_APPLIED)
    {
        *copy = Value::String("<redacted>".to_owned());
    }
    object
}

fn size(value: &Value) -> String {
    format!("<redacted, {} characters>", value.as_str().map_or(0, str::len))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_value_of_a_secret_is_left_anywhere() {
        let secret = json!({
            "metadata": { "name": "a", "annotations": { LAST_APPLIED: "hunter2", "note": "kept" } },
            "data": { "password": "aHVudGVyMg==" }, "stringData": { "password": "hunter2" },
        });
        let shown = redacted(secret, "Secret").to_string();
        assert!(!shown.contains("hunter2") && !shown.contains("aHVudGVyMg"), "{shown}");
        assert!(shown.contains("password") && shown.contains("kept"), "{shown}");
    }

    #[test]
    fn other_kinds_stay_as_they_are() {
        let map = json!({ "data": { "a": "b" } });
        assert_eq!(redacted(map.clone(), "ConfigMap"), map);
    }
}
