//! The paths that differ between two states of an object.

use serde_json::Value;
use tidings_object::RawObject;
use tidings_util::json_diff::differences;

/// How many paths are reported. A rewritten object has more.
const FIELDS_MAX: usize = 16;

/// They change with every write.
const IGNORED: [&str; 2] = [".metadata.resourceVersion", ".metadata.managedFields"];

/// The paths that differ, in their order. `None` if an object can't be read, which the informer has reported.
pub(super) fn changed(old: &RawObject, new: &RawObject) -> Option<Vec<String>> {
    let value = |object: &RawObject| serde_json::from_slice::<Value>(&object.json().ok()?).ok();
    let (old, new) = (value(old)?, value(new)?);
    let found = differences(&old, &new, &IGNORED, FIELDS_MAX).into_iter();
    Some(found.map(|difference| difference.path).collect())
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
    fn of_a_rewritten_object_the_first_fields_are_reported() {
        let many = |value: u32| {
            (0..200).map(|at| (format!("k{at}"), json!(value))).collect::<serde_json::Map<_, _>>()
        };
        let metadata = json!({ "name": "a", "resourceVersion": "1" });
        let old = object(&json!({ "metadata": metadata, "data": many(1) }));
        let new = object(&json!({ "metadata": metadata, "data": many(2) }));
        assert_eq!(changed(&old, &new).unwrap().len(), FIELDS_MAX);
    }
}
