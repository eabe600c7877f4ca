//! The fields that differ between two versions of an object, such as `status.phase Pending -> Running`.
//!
//! It ignores `resourceVersion` and `managedFields`, which change with every write.

use serde_json::Value;
use tidings_util::json_diff::differences;

/// How many changes are reported at most. A rewritten object would fill the screen.
const CHANGES_MAX: usize = 20;

const IGNORED_PATHS: &[&str] =
    &[".metadata.resourceVersion", ".metadata.managedFields", ".apiVersion", ".kind"];

/// A field that differs. `None` means that the field is absent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FieldChange<'a> {
    /// Without a dot at the start.
    pub(crate) path: String,
    pub(crate) old: Option<&'a Value>,
    pub(crate) new: Option<&'a Value>,
}

/// The first fields that differ, in the order of their paths.
pub(crate) fn between<'a>(old: &'a Value, new: &'a Value) -> Vec<FieldChange<'a>> {
    let found = differences(old, new, IGNORED_PATHS, CHANGES_MAX).into_iter();
    let change = |path: &str, old, new| FieldChange {
        path: path.strip_prefix('.').unwrap_or(path).to_owned(),
        old,
        new,
    };
    found.map(|found| change(&found.path, found.old, found.new)).collect()
}

/// `status.phase Pending -> Running`.
impl std::fmt::Display for FieldChange<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} -> {}", self.path, short(self.old), short(self.new))
    }
}

/// A value, shortened to fit on a line.
pub(crate) fn short(value: Option<&Value>) -> String {
    const CHARS_MAX: usize = 60;
    let text = match value {
        None => "<none>".to_owned(),
        Some(Value::String(text)) => text.replace('\n', " "),
        Some(other) => other.to_string(),
    };
    match text.char_indices().nth(CHARS_MAX) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(old: Value, new: Value, expected: &[&str]) {
        let found: Vec<String> = between(&old, &new).iter().map(ToString::to_string).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn each_field_that_differs_is_reported_with_both_values() {
        check(
            json!({ "metadata": { "resourceVersion": "1", "labels": { "app": "a" } }, "status": { "phase": "Pending" } }),
            json!({ "metadata": { "resourceVersion": "2", "labels": { "app": "a", "x.y/z": "1" } }, "status": { "phase": "Running", "podIP": "10.0.0.1" } }),
            &[
                "metadata.labels['x.y/z'] <none> -> 1",
                "status.phase Pending -> Running",
                "status.podIP <none> -> 10.0.0.1",
            ],
        );
        check(json!({ "a": [1, 2] }), json!({ "a": [1, 3] }), &["a[1] 2 -> 3"]);
        check(json!({ "a": [1] }), json!({ "a": [] }), &["a [1] -> []"]);
    }

    #[test]
    fn fields_that_change_with_every_write_are_left_out() {
        check(
            json!({ "kind": "Pod", "metadata": { "resourceVersion": "1", "managedFields": [] } }),
            json!({ "metadata": { "resourceVersion": "2", "managedFields": [1] } }),
            &[],
        );
    }

    #[test]
    fn of_a_rewritten_object_the_first_fields_are_reported() {
        let many = |n: i64| Value::Object((0..1000).map(|i| (format!("f{i:04}"), json!(n))).collect());
        assert_eq!(between(&many(1), &many(2)).len(), CHANGES_MAX);
    }
}
