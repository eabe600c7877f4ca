//! What an object is after pruning and transforms.

use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::*;
use crate::arbitrary;
use crate::field;

fn prune(paths: &[&str]) -> Transform {
    Transform::prune(paths.iter().map(|path| FieldPath::parse(path).unwrap()))
}

/// Replaces a removed item until all paths are applied, so that the indexes of later items stay.
const REMOVED: &str = "removed by a path";

/// The model: prunes the decoded tree; an item of a list becomes [`REMOVED`].
fn remove(value: &mut Value, steps: &[field::PathStep<'_>]) {
    match (steps, value) {
        ([field::PathStep::Member(name)], Value::Object(map)) => {
            map.remove(&**name);
        }
        ([field::PathStep::Each], Value::Array(items)) => items.fill(REMOVED.into()),
        ([field::PathStep::Index(index)], Value::Array(items)) => {
            items.get_mut(*index).into_iter().for_each(|item| *item = REMOVED.into());
        }
        ([field::PathStep::Member(name), rest @ ..], Value::Object(map)) => {
            map.get_mut(&**name).into_iter().for_each(|value| remove(value, rest));
        }
        ([field::PathStep::Each, rest @ ..], Value::Array(items)) => {
            items.iter_mut().for_each(|value| remove(value, rest));
        }
        ([field::PathStep::Index(index), rest @ ..], Value::Array(items)) => {
            items.get_mut(*index).into_iter().for_each(|value| remove(value, rest));
        }
        _ => {}
    }
}

fn without_removed(value: &mut Value) {
    match value {
        Value::Object(map) => map.values_mut().for_each(without_removed),
        Value::Array(items) => {
            items.retain(|item| item != REMOVED);
            items.iter_mut().for_each(without_removed);
        }
        _ => {}
    }
}

const PATHS: [&str; 15] = [
    ".a",
    ".b",
    ".b.a",
    "['c.d/e']",
    "[*]",
    "[*].a",
    ".a[*]",
    ".a[*].b",
    ".metadata.labels",
    ".metadata.ownerReferences[*].uid",
    "[0]",
    "[1].a",
    ".a[1]",
    ".a[0].b",
    ".metadata.ownerReferences[1].uid",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn pruning_bytes_is_pruning_the_tree(
        text in prop_oneof![arbitrary::value(), arbitrary::object_text()],
        paths in subsequence(PATHS.to_vec(), 1..4),
    ) {
        let pruned = prune(&paths).apply(text.as_bytes()).unwrap();
        let mut expected: Value = serde_json::from_str(&text).unwrap();
        for path in &paths {
            remove(&mut expected, FieldPath::parse(path).unwrap().steps());
        }
        without_removed(&mut expected);
        prop_assert_eq!(serde_json::from_slice::<Value>(&pruned).unwrap(), expected);
    }

    #[test]
    fn no_bytes_cause_a_panic(json in proptest::collection::vec(any::<u8>(), 0..100), path in select(PATHS.to_vec())) {
        let _ = prune(&[path]).apply(&json);
    }
}

#[test]
fn a_cut_takes_one_comma_along_and_copies_the_rest() {
    for (path, json, expected) in [
        (".a", r#"{"a":1,"b":2,"c":3}"#, r#"{"b":2,"c":3}"#),
        (".b", r#"{"a":1, "b":2, "c":3}"#, r#"{"a":1, "c":3}"#),
        (".c", r#"{"a":1,"b":2,"c":3}"#, r#"{"a":1,"b":2}"#),
        (".a", r#"{ "a" : [1,{}] }"#, "{  }"),
        (".a", r#"{"a":1,"a":2,"b":3,"a":4,"a":5}"#, r#"{"b":3}"#),
        (".a", r#"{"b":1,"a":1,"a":2,"c":3}"#, r#"{"b":1,"c":3}"#),
        ("[*].a", r#"[{"a":1},2,{"b":1,"a":1}]"#, r#"[{},2,{"b":1}]"#),
        (".x[*]", r#"{"x":[1,2,3],"y":[1]}"#, r#"{"x":[],"y":[1]}"#),
        (".x", r#"{"y":{"x":1}}"#, r#"{"y":{"x":1}}"#),
        (".x[0]", r#"{"x":[1,2,3],"y":[1]}"#, r#"{"x":[2,3],"y":[1]}"#),
        (".x[2]", r#"{"x":[1,2, 3 ]}"#, r#"{"x":[1,2 ]}"#),
        (".x[3]", r#"{"x":[1,2,3]}"#, r#"{"x":[1,2,3]}"#),
        ("[1].a", r#"[{"a":1},{"a":1,"b":2},{"a":1}]"#, r#"[{"a":1},{"b":2},{"a":1}]"#),
    ] {
        let pruned = prune(&[path]).apply(json.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(pruned).unwrap(), expected, "{path} of {json}");
    }
}

// holds: X5
#[test]
fn a_panic_in_a_transform_is_its_error() {
    let transform = prune(&[".a"]).then(Transform::json(|_| panic!("out of {}", "ideas")));
    let error = transform.apply(b"{}").unwrap_err();
    assert_eq!(error.message, "it panicked: out of ideas");
}

#[test]
fn a_typed_transform_changes_what_its_type_knows() {
    use k8s_openapi::api::core::v1::ConfigMap;
    let transform = Transform::typed::<ConfigMap>(|map| map.data = None);
    let json =
        br#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"v"},"unknown":1}"#;
    let value: Value = serde_json::from_slice(&transform.apply(json).unwrap()).unwrap();
    assert_eq!(value["metadata"]["name"], "a");
    assert!(value["data"].is_null() && value["unknown"].is_null());
    assert!(transform.apply(br#"{"data":3}"#).is_err());
}

#[test]
fn transforms_are_equal_only_if_they_certainly_do_the_same() {
    let change = Transform::json(|_| ());
    assert_eq!(prune(&[".a", ".b"]), prune(&[".a", ".b"]));
    assert_ne!(prune(&[".a"]), prune(&[".b"]));
    assert_eq!(change, change.clone());
    assert_ne!(change, Transform::json(|_| ()));
    assert_ne!(change.clone().then(prune(&[".a"])), change);
}

// holds: X32
#[test]
fn fields_are_compared_by_value_and_functions_by_their_names() {
    assert_eq!(prune(&[".a", ".b", ".a"]), prune(&[".b", "['a']"]));
    let named = |name: &str| prune(&[".a"]).then(Transform::json(|_| ())).named(name);
    assert_eq!(named("x"), named("x"));
    assert_ne!(named("x"), named("y"));
    assert_ne!(
        named("x"),
        prune(&[".b"]).then(Transform::json(|_| ())).named("x"),
        "fields are compared too"
    );
    let two = || Transform::json(|_| ()).then(Transform::json(|_| ())).named("x");
    assert_eq!(two(), two());
    assert_ne!(two(), Transform::json(|_| ()).named("x"));
    let (one, other) = (Transform::json(|_| ()).named("x"), Transform::json(|_| ()));
    assert_eq!(
        one.clone().then(other.clone()).named("y"),
        Transform::json(|_| ()).named("x").then(other.clone()).named("y")
    );
    let ids = std::collections::HashSet::from([named("x").id(), named("x").id(), prune(&[".a"]).id()]);
    assert_eq!(ids.len(), 2, "equal ids have equal hashes");
    // An id does not keep its function alive, and a later function never equals a dropped one.
    let dropped = other.id();
    drop((one, other));
    assert!((0..100).all(|_| Transform::json(|_| ()).id() != dropped));
}
