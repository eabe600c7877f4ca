//! JSON merge patch (RFC 7386): objects merge, `null` removes, anything else replaces.

use serde_json::Value;

pub(crate) fn patched(object: &Value, patch: &Value) -> Value {
    let mut patched = object.clone();
    json_patch::merge(&mut patched, patch);
    patched
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, json};

    use super::*;

    /// Arbitrary JSON without nulls, because a merge patch can't write a null.
    pub(crate) fn json_without_nulls() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[a-c/~$\\.]{0,4}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-d]{1,2}", inner, 0..5)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    fn difference(old: &Value, new: &Value) -> Value {
        let (Value::Object(old), Value::Object(new)) = (old, new) else {
            return new.clone();
        };
        let mut patch = Map::new();
        for key in old.keys().filter(|key| !new.contains_key(*key)) {
            patch.insert(key.clone(), Value::Null);
        }
        for (key, value) in new {
            match old.get(key) {
                Some(before) if before == value => {}
                // The patch of an object merges; all other values are replaced.
                Some(before) if before.is_object() => {
                    patch.insert(key.clone(), difference(before, value));
                }
                _ => {
                    patch.insert(key.clone(), value.clone());
                }
            }
        }
        Value::Object(patch)
    }

    #[test]
    fn null_removes_and_objects_merge() {
        let object = json!({"a": {"b": 1, "c": 2}, "d": [1, 2]});
        let patch = json!({"a": {"b": null, "e": 3}, "d": [3]});
        assert_eq!(patched(&object, &patch), json!({"a": {"c": 2, "e": 3}, "d": [3]}));
    }

    proptest! {
        #[test]
        fn patching_with_a_difference_gives_the_new_object(
            old in json_without_nulls(), new in json_without_nulls(),
        ) {
            prop_assert_eq!(patched(&old, &difference(&old, &new)), new);
        }
    }
}
