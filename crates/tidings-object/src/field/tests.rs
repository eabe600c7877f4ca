//! Which texts are paths, and what paths find.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::arbitrary;

/// The model: evaluates a path on the decoded tree.
fn from_tree(path: &FieldPath, tree: Value) -> Vec<Value> {
    let mut values = vec![tree];
    for step in path.steps() {
        values = values
            .into_iter()
            .flat_map(|value| match (step, value) {
                (PathStep::Member(name), Value::Object(mut map)) => map.remove(&**name).into_iter().collect(),
                (PathStep::Each, Value::Array(items)) => items,
                (PathStep::Index(index), Value::Array(items)) => {
                    items.into_iter().skip(*index).take(1).collect()
                }
                _ => Vec::new(),
            })
            .collect();
    }
    values.retain(|value| !value.is_null());
    values
}

const PATHS: [&str; 16] = [
    ".a",
    ".b.a",
    "a.b.name",
    "['c.d/e']",
    "[*]",
    "[*].a",
    ".a[*]",
    ".a[*][*].b",
    "['é']",
    ".metadata.labels.app",
    ".metadata.ownerReferences[*].uid",
    ".metadata",
    "[0]",
    ".a[1]",
    "[1][0].b",
    ".metadata.ownerReferences[0].uid",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn a_path_reads_what_the_decoded_tree_has(
        text in prop_oneof![arbitrary::value(), arbitrary::object_text()],
        path in select(PATHS.to_vec()),
    ) {
        let path = FieldPath::parse(path).unwrap();
        let expected = from_tree(&path, serde_json::from_str(&text).unwrap());
        prop_assert_eq!(path.read(text.as_bytes()).unwrap().values, expected);
    }

    #[test]
    fn no_text_causes_a_panic(text in any::<String>(), json in proptest::collection::vec(any::<u8>(), 0..60)) {
        if let Ok(path) = FieldPath::parse(&text) {
            let _ = path.read(&json);
        }
    }

    #[test]
    fn any_name_can_be_quoted(name in any::<String>()) {
        let quoted = name.replace('\\', "\\\\").replace('\'', "\\'");
        let path = FieldPath::parse(&format!("['{quoted}']")).unwrap();
        prop_assert_eq!(path.steps(), &[PathStep::Member(name.into())]);
    }
}

#[test]
fn a_path_is_names_quoted_names_indexes_and_each() {
    let member = |name: &str| PathStep::Member(name.to_owned().into());
    for (text, steps) in [
        (".status.phase", vec![member("status"), member("phase")]),
        ("status.phase", vec![member("status"), member("phase")]),
        (".a['b.c/d'].e", vec![member("a"), member("b.c/d"), member("e")]),
        (r#".a["it's"]"#, vec![member("a"), member("it's")]),
        (r".a['it\'s \\']", vec![member("a"), member(r"it's \")]),
        ("[*].a[*]", vec![PathStep::Each, member("a"), PathStep::Each]),
        (".a[0][12].b", vec![member("a"), PathStep::Index(0), PathStep::Index(12), member("b")]),
        ("[18446744073709551615]", vec![PathStep::Index(usize::MAX)]),
        (".metadata.annotations['']", vec![member("metadata"), member("annotations"), member("")]),
        (".app-1_x/y:z", vec![member("app-1_x/y:z")]),
    ] {
        let path = FieldPath::parse(text).unwrap();
        assert_eq!(path.steps(), steps, "{text}");
        assert_eq!(path.to_string(), text);
    }
}

#[test]
fn an_error_says_where_the_path_goes_wrong() {
    for (text, at) in [
        ("", 0),
        (".", 1),
        (".a.", 3),
        ("..a", 1),
        (".a[", 3),
        (".a[x]", 3),
        (".a[00]", 3),
        (".a[-1]", 3),
        (".a[]", 3),
        (".a[1", 4),
        (".a[1 ]", 4),
        (".a[1x]", 4),
        (".a[18446744073709551616]", 3),
        (".a['b", 5),
        (".a['b'", 6),
        (".a['b'x]", 6),
        (".a[*]b", 5),
        (".a b", 2),
        (".a]", 2),
        (".a[*", 3),
        (r".a['\x']", 5),
        (".*", 1),
    ] {
        assert_eq!(FieldPath::parse(text).unwrap_err().at, at, "{text:?}");
    }
    assert!(FieldPath::parse(&".a".repeat(64)).is_ok());
    assert!(FieldPath::parse(&".a".repeat(65)).is_err());
    let error = FieldPath::parse(".a[x]").unwrap_err();
    let text = r#"field path ".a[x]" at byte 3: expected *, an index such as 0 or a quoted name in brackets"#;
    assert_eq!(error.to_string(), text);
}

#[test]
fn absent_and_null_are_no_value() {
    let json = br#"{"a":null,"b":[null,1,null],"c":"x","c":null}"#;
    for absent in [".a", ".z", ".a.b", ".c", ".b.a"] {
        assert!(FieldPath::parse(absent).unwrap().read(json).unwrap().is_absent(), "{absent}");
    }
    assert_eq!(FieldPath::parse(".b[*]").unwrap().read(json).unwrap().to_string(), "1");
}

#[test]
fn an_index_selects_one_item_of_a_list_counted_from_zero() {
    let json = br#"{"a":["x",null,["y","z"],{"b":1}],"a2":{"0":"no"},"c":[]}"#;
    for (path, text) in [
        (".a[0]", "x"),
        (".a[1]", "<none>"),
        (".a[2][1]", "z"),
        (".a[2][*]", "y,z"),
        (".a[*][1]", "z"),
        (".a[3].b", "1"),
        (".a[4]", "<none>"),
        (".a2[0]", "<none>"),
        (".c[0]", "<none>"),
        (".a[0][0]", "<none>"),
    ] {
        assert_eq!(FieldPath::parse(path).unwrap().read(json).unwrap().to_string(), text, "{path}");
    }
}

#[test]
fn bytes_that_are_not_well_formed_are_an_error_even_after_the_value() {
    let path = FieldPath::parse(".a").unwrap();
    for json in ["", "{", r#"{"a":1"#, r#"{"a":1} x"#, r#"{"a":1,"b":}"#] {
        assert!(path.read(json.as_bytes()).is_err(), "{json}");
    }
}
