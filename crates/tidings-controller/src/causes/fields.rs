//! The paths that differ between two states of an object.

use serde_json::Value;
use tidings_object::RawObject;

/// How many paths are reported. A rewritten object has more.
const FIELDS_MAX: usize = 16;

/// Values below this depth are compared as a whole.
const DEPTH_MAX: usize = 16;

/// They change with every write.
const IGNORED: [&str; 2] = [".metadata.resourceVersion", ".metadata.managedFields"];

/// The paths that differ, in their order. `None` if an object can't be read, which the informer has reported.
pub(super) fn changed(old: &RawObject, new: &RawObject) -> Option<Vec<String>> {
    let value = |object: &RawObject| serde_json::from_slice::<Value>(&object.json().ok()?).ok();
    let mut found = Vec::new();
    compare(String::new(), Some(&value(old)?), Some(&value(new)?), 0, &mut found);
    Some(found)
}

fn compare(path: String, old: Option<&Value>, new: Option<&Value>, depth: usize, found: &mut Vec<String>) {
    if old == new || found.len() >= FIELDS_MAX || IGNORED.contains(&&*path) {
        return;
    }
    match (old, new) {
        (Some(Value::Object(before)), Some(Value::Object(after))) if depth < DEPTH_MAX => {
            let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
            names.sort_unstable();
            names.dedup();
            for name in names {
                compare(member(&path, name), before.get(name), after.get(name), depth + 1, found);
            }
        }
        (Some(Value::Array(before)), Some(Value::Array(after)))
            if before.len() == after.len() && depth < DEPTH_MAX =>
        {
            for (at, (before, after)) in before.iter().zip(after).enumerate() {
                compare(format!("{path}[{at}]"), Some(before), Some(after), depth + 1, found);
            }
        }
        _ => found.push(path),
    }
}

/// The path of a member, as [`FieldPath`](tidings_object::FieldPath) reads it.
fn member(path: &str, name: &str) -> String {
    let is_plain =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if is_plain {
        return format!("{path}.{name}");
    }
    let escaped = name.replace('\\', "\\\\").replace('\'', "\\'");
    format!("{path}['{escaped}']")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;
    use tidings_object::{FieldPath, Intake, Kind as _, NothingKnown};

    use super::*;

    fn object(value: &Value) -> Arc<RawObject> {
        let resource = k8s_openapi::api::core::v1::ConfigMap::resource();
        let intake = Intake::new(resource, Arc::default());
        intake.json(value.to_string().as_bytes(), &NothingKnown).unwrap()
    }

    #[test]
    fn each_path_that_differs_is_reported_and_versions_are_left_out() {
        let state = |version: &str, data: Value, labels: Value| {
            let metadata = json!({ "name": "a", "resourceVersion": version, "labels": labels,
                "managedFields": [{ "manager": version }] });
            object(&json!({ "metadata": metadata, "data": data }))
        };
        let old = state("1", json!({ "same": "x", "list": [1, 2], "gone": "x" }), json!({}));
        let new = state("2", json!({ "same": "x", "list": [1, 3], "a.b/c'd": "x" }), json!({ "app": "web" }));
        let paths = changed(&old, &new).unwrap();
        assert_eq!(paths, [".data['a.b/c\\'d']", ".data.gone", ".data.list[1]", ".metadata.labels.app"]);
        assert!(paths.iter().all(|path| FieldPath::parse(path).is_ok()));
        assert_eq!(changed(&old, &old), Some(Vec::new()));
    }

    #[test]
    fn a_rewritten_object_and_a_deep_one_stay_within_bounds() {
        let many = |value: u32| {
            (0..200).map(|at| (format!("k{at}"), json!(value))).collect::<serde_json::Map<_, _>>()
        };
        let metadata = json!({ "name": "a", "resourceVersion": "1" });
        let old = object(&json!({ "metadata": metadata, "data": many(1) }));
        let new = object(&json!({ "metadata": metadata, "data": many(2) }));
        assert_eq!(changed(&old, &new).unwrap().len(), FIELDS_MAX);
        let deep = |end: u32| (0..60).fold(json!(end), |inner, _| json!({ "d": inner }));
        let old = object(&json!({ "metadata": metadata, "data": deep(1) }));
        let new = object(&json!({ "metadata": metadata, "data": deep(2) }));
        let paths = changed(&old, &new).unwrap();
        assert_eq!((paths.len(), paths[0].matches(".d").count()), (1, DEPTH_MAX));
    }
}
