//! JSON patch (RFC 6902), with limits on the size of the result.
//!
//! Operations are applied to a copy, so a patch that fails has no effect.

use std::borrow::Cow;

use json_patch::jsonptr::Pointer;
use json_patch::{AddOperation, Patch, PatchOperation};
use serde_json::Value;

use super::PatchError;

/// The largest number of operations in one patch.
pub(crate) const OPERATIONS_MAX: usize = 10_000;
/// The largest sum of bytes that the `copy` operations of one patch copy.
pub(crate) const COPIED_BYTES_MAX: usize = 3 * 1024 * 1024;

pub(crate) fn patched(object: &Value, patch: &[u8]) -> Result<Value, PatchError> {
    let items: Vec<Value> = serde_json::from_slice(patch).map_err(PatchError::Malformed)?;
    let Patch(operations) = serde_json::from_value(Value::Array(items)).map_err(PatchError::NoOperation)?;
    if operations.len() > OPERATIONS_MAX {
        return Err(PatchError::TooManyOperations { count: operations.len() });
    }
    let mut patched = object.clone();
    let mut copied_bytes = 0;
    for (index, operation) in operations.iter().enumerate() {
        copied_bytes += copied_by(&patched, operation);
        if copied_bytes > COPIED_BYTES_MAX {
            return Err(PatchError::TooMuchCopied);
        }
        let Some(operation) = adapted(&patched, operation) else { continue };
        json_patch::patch(&mut patched, std::slice::from_ref(&*operation))
            .map_err(|cause| PatchError::Operation { index, cause: Box::new(cause) })?;
        // Operations such as a chain of copies may nest the object deeper than a parser allows.
        super::check_depth(&patched)?;
    }
    Ok(patched)
}

/// Adapts an operation to the behaviour of a real server, which is more lenient than RFC 6902. `replace` of a missing
/// field of an object adds it, and `test` of a missing field for null succeeds. `None` if there is nothing to do.
fn adapted<'a>(object: &Value, operation: &'a PatchOperation) -> Option<Cow<'a, PatchOperation>> {
    let is_missing_in_object = |path: &Pointer| {
        path.resolve(object).is_err()
            && path.parent().is_some_and(|parent| parent.resolve(object).is_ok_and(Value::is_object))
    };
    match operation {
        PatchOperation::Replace(replace) if is_missing_in_object(&replace.path) => {
            let add = AddOperation { path: replace.path.clone(), value: replace.value.clone() };
            Some(Cow::Owned(PatchOperation::Add(add)))
        }
        PatchOperation::Test(test) if test.value.is_null() && is_missing_in_object(&test.path) => None,
        _ => Some(Cow::Borrowed(operation)),
    }
}

fn copied_by(object: &Value, operation: &PatchOperation) -> usize {
    match operation {
        PatchOperation::Copy(copy) => copy
            .from
            .resolve(object)
            .map_or(0, |value| serde_json::to_vec(value).map_or(0, |json| json.len())),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(object: Value, patch: Value, expected: Option<Value>) {
        let found = patched(&object, patch.to_string().as_bytes());
        assert_eq!(found.ok(), expected, "{patch} on {object}");
    }

    #[test]
    fn operations_are_applied_in_order() {
        check(
            json!({"a": {"b": [1, 2]}}),
            json!([
                {"op": "test", "path": "/a/b/0", "value": 1},
                {"op": "add", "path": "/a/b/-", "value": 3},
                {"op": "copy", "from": "/a/b", "path": "/c"},
                {"op": "remove", "path": "/a/b/0"},
                {"op": "move", "from": "/c", "path": "/d~1e"},
            ]),
            Some(json!({"a": {"b": [2, 3]}, "d/e": [1, 2, 3]})),
        );
    }

    #[test]
    fn a_patch_that_can_not_be_applied_is_refused() {
        check(json!({"a": 1}), json!([{"op": "test", "path": "/a", "value": 2}]), None);
        check(json!({"a": 1}), json!([{"op": "remove", "path": "/b"}]), None);
        check(json!({"a": 1}), json!([{"op": "replace", "path": "/b/c", "value": 1}]), None);
        check(json!({"a": 1}), json!([{"op": "fly", "path": "/b"}]), None);
        check(json!({"a": 1}), json!({"op": "remove", "path": "/a"}), None);
    }

    #[test]
    fn copies_cannot_grow_an_object_without_bound() {
        let doubling: Vec<Value> =
            (0..64).map(|n| json!({"op": "copy", "from": "", "path": format!("/{n}")})).collect();
        let found = patched(&json!({"a": "some text"}), json!(doubling).to_string().as_bytes());
        assert!(matches!(found, Err(PatchError::TooMuchCopied | PatchError::TooDeep)), "{found:?}");
    }
}
