//! Tests of all kinds of patches: media types, error codes, bounds, and that none panics.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::resource::builtin::builtin_resources;

fn pods() -> ResourceDef {
    builtin_resources().into_iter().find(|def| def.kind == "Pod").expect("pods are built in")
}

#[test]
fn the_media_type_is_the_kind_of_patch() {
    for (content_type, expected) in [
        ("application/json-patch+json", Some(PatchKind::Json)),
        ("application/merge-patch+json; charset=utf-8", Some(PatchKind::Merge)),
        ("application/strategic-merge-patch+json", Some(PatchKind::Strategic)),
        ("application/apply-patch+yaml", Some(PatchKind::Apply)),
        ("application/json", None),
        ("", None),
    ] {
        assert_eq!(PatchKind::from_content_type(content_type), expected, "{content_type}");
    }
}

#[test]
fn a_malformed_patch_gets_the_code_of_kubernetes() {
    let object = json!({"metadata": {"name": "a"}});
    for (kind, body, code) in [
        (PatchKind::Json, "{", 400),
        (PatchKind::Json, "{}", 400),
        (PatchKind::Json, r#"[{"op": "remove", "path": "/nothing"}]"#, 422),
        (PatchKind::Json, r#"[{"op": "replace", "path": "", "value": 1}]"#, 400),
        (PatchKind::Merge, "[]", 400),
        (PatchKind::Merge, "nonsense", 400),
        (PatchKind::Strategic, r#"{"$patch": "fly"}"#, 500),
        (PatchKind::Strategic, r#"{"spec": {"containers": [{}]}}"#, 500),
    ] {
        let error = patched(&pods(), kind, &object, body.as_bytes()).expect_err(body);
        assert_eq!(ApiError::from(error).code, code, "{body}");
    }
    let many = format!("[{}]", vec![r#"{"op":"test","path":"","value":1}"#; 10_001].join(","));
    let error = patched(&pods(), PatchKind::Json, &object, many.as_bytes()).expect_err("too many");
    assert_eq!(ApiError::from(error).code, 413);
    let mut custom = pods();
    custom.origin = crate::resource::ResourceOrigin::Custom(Default::default());
    let error = patched(&custom, PatchKind::Strategic, &object, b"{}").expect_err("no merge keys");
    assert_eq!(ApiError::from(error).code, 415);
}

#[test]
fn an_object_can_not_be_nested_deeper_than_a_parser_reads() {
    let wraps: Vec<_> = (0..200).map(|_| json!({"op": "move", "from": "/a", "path": "/a/a"})).collect();
    let nested = json!({"a": {}});
    assert!(patched(&pods(), PatchKind::Json, &nested, json!(wraps).to_string().as_bytes()).is_err());
    let copies: Vec<_> = (0..12).map(|_| json!({"op": "copy", "from": "/a", "path": "/a/a"})).collect();
    let _ = patched(&pods(), PatchKind::Json, &nested, json!(copies).to_string().as_bytes());
    let deep = format!("{}{}", "{\"a\":".repeat(125), "1") + &"}".repeat(125);
    assert!(patched(&pods(), PatchKind::Merge, &nested, deep.as_bytes()).is_err());
}

#[test]
fn the_checked_in_corpus_does_not_panic() {
    crate::fuzz::run_corpus("patch", fuzz, 10);
}

proptest! {
    #[test]
    fn arbitrary_bytes_do_not_panic(data in prop::collection::vec(any::<u8>(), 0..200)) {
        fuzz(&data);
    }

    #[test]
    fn arbitrary_json_does_not_panic(
        pick in 0u8..4,
        object in merge::tests::json_without_nulls(),
        patch in merge::tests::json_without_nulls(),
    ) {
        fuzz(format!("{}{object}\n{patch}", char::from(pick)).as_bytes());
    }
}
