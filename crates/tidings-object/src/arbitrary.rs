//! Strategies for property tests: JSON as a hostile or unusual server could write it, with duplicate keys, escapes,
//! white space anywhere and wrong types.

use proptest::prelude::*;
use proptest::sample::select;

/// The text of one object with `kind`, `apiVersion`, `metadata` and more; each may be missing, repeated or of a wrong
/// type.
pub(crate) fn object_text() -> impl Strategy<Value = String> {
    let labels = object_of(&["app", "tier", "b", "a"], scalar());
    let annotations = object_of(&["k8s.io/initial-events-end", "note"], scalar());
    let owner = prop_oneof![
        4 => object_of(&["uid", "controller", "name"], scalar()),
        1 => value(),
    ];
    let owners = array_of(owner);
    let metadata_value = prop_oneof![
        4 => scalar(), 2 => labels, 2 => annotations, 2 => owners, 1 => value(),
    ];
    let metadata_keys = &[
        "name",
        "namespace",
        "uid",
        "resourceVersion",
        "generation",
        "deletionTimestamp",
        "labels",
        "annotations",
        "ownerReferences",
        "managedFields",
    ];
    let metadata = object_of(metadata_keys, metadata_value);
    let member_value = prop_oneof![3 => scalar(), 4 => metadata, 2 => value()];
    object_of(&["kind", "apiVersion", "metadata", "metadata", "spec", "status"], member_value)
}

/// The text of any value.
pub(crate) fn value() -> impl Strategy<Value = String> {
    scalar().prop_recursive(4, 40, 5, |inner| {
        prop_oneof![array_of(inner.clone()), object_of(&["a", "b", "c.d/e", "name", "é"], inner)]
    })
}

/// The text of a string, number or literal.
pub(crate) fn scalar() -> impl Strategy<Value = String> {
    let texts = vec!["Pod", "v1", "true", "", "12", "7", "é\"\\\n\u{1f600}", "shop/web", "a,b=c"];
    let others = vec!["0", "-1", "12", "1.5", "-2e3", "9223372036854775808", "true", "false", "null"];
    prop_oneof![
        3 => select(texts).prop_flat_map(string),
        2 => select(others).prop_map(str::to_owned),
    ]
}

/// The text of a string: without needless escapes, or with every character escaped.
pub(crate) fn string(text: &'static str) -> impl Strategy<Value = String> {
    let usual = serde_json::to_string(text).expect("a string is JSON");
    let escaped: String = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
    prop_oneof![4 => Just(usual), 1 => Just(format!("\"{escaped}\""))]
}

fn object_of(
    keys: &'static [&'static str],
    value: impl Strategy<Value = String> + 'static,
) -> BoxedStrategy<String> {
    let member = (select(keys).prop_flat_map(string), space(), space(), value)
        .prop_map(|(key, before, after, value)| format!("{key}{before}:{after}{value}"));
    joined(member, "{", "}")
}

fn array_of(value: impl Strategy<Value = String> + 'static) -> BoxedStrategy<String> {
    joined(value, "[", "]")
}

fn joined(
    part: impl Strategy<Value = String> + 'static,
    open: &'static str,
    close: &'static str,
) -> BoxedStrategy<String> {
    (proptest::collection::vec(part, 0..6), space(), space(), space())
        .prop_map(move |(parts, first, between, last)| {
            format!("{open}{first}{}{last}{close}", parts.join(&format!("{between},{between}")))
        })
        .boxed()
}

fn space() -> impl Strategy<Value = &'static str> {
    prop_oneof![6 => Just(""), 1 => Just(" "), 1 => Just("\n\t ")]
}
