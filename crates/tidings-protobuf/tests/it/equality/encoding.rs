//! Encoding: JSON becomes the bytes that Go writes.

use serde_json::{Value, json};
use tidings_protobuf::{EncodeError, TypeMeta, encode, encode_text, from_slice, message};

use crate::equality::pairs::pairs;

/// A text in raw JSON that serde_json would write with other white space, numbers or order of keys.
const NOT_CANONICAL_RAW: &str = "-1.5e3";

#[test]
fn the_bytes_of_an_object_are_those_that_go_writes() {
    let mut compared = 0;
    for pair in pairs() {
        let bytes =
            encode(pair.message, &pair.value()).unwrap_or_else(|error| panic!("{}: {error}", pair.name()));
        if !pair.json.contains(NOT_CANONICAL_RAW) {
            assert!(bytes == pair.protobuf_from_json, "{}\n{}\n{bytes:x?}", pair.name(), pair.json);
            compared += 1;
        }
        let read = |bytes: &[u8]| from_slice::<Value>(pair.message, TypeMeta::default(), bytes);
        let as_go = read(&pair.protobuf_from_json).expect("Go wrote it");
        assert_eq!(read(&bytes).expect("what was just written"), as_go, "{}", pair.name());
    }
    assert!(compared > 900, "only {compared} objects were compared");
}

#[test]
fn a_text_encodes_as_its_decoded_value() {
    for pair in pairs() {
        let bytes = encode_text(pair.message, pair.json.as_bytes());
        assert!(bytes.as_deref() == Ok(&pair.protobuf_from_json[..]), "{}\n{bytes:x?}", pair.name());
    }
    let pod = message("", "v1", "Pod").expect("a built-in kind");
    let twice = br#"{"metadata": {"name": "a", "n\u0061me": "w\u0065b"}}"#;
    assert_eq!(encode_text(pod, twice), encode(pod, &json!({"metadata": {"name": "web"}})));
    assert_eq!(encode_text(pod, b"{\"metadata\": {"), Err(EncodeError::NotJson));
    assert_eq!(encode_text(pod, "[".repeat(100_000).as_bytes()), Err(EncodeError::NotJson));
}

#[test]
fn a_mismatch_has_the_path_and_does_not_quote_the_value() {
    let pod = message("", "v1", "Pod").expect("a built-in kind");
    for (json, wanted) in [
        (json!(["hunter2"]), "the whole value is not of type object"),
        (json!({"spec": "hunter2"}), ".spec is not of type object"),
        (json!({"spec": {"containers": {"hunter2": 1}}}), ".spec.containers is not of type list"),
        (
            json!({"spec": {"containers": [{}, {"name": 2}]}}),
            ".spec.containers[1].name is not of type string",
        ),
        (
            json!({"spec": {"volumes": [{"name": "a", "emptyDir": []}]}}),
            ".spec.volumes[0].emptyDir is not of type object",
        ),
        (json!({"metadata": {"labels": {"a.b/c": 1}}}), ".metadata.labels['a.b/c'] is not of type string"),
        (
            json!({"metadata": {"generation": "hunter2"}}),
            ".metadata.generation is not of type integer of 64 bits",
        ),
        (
            json!({"metadata": {"creationTimestamp": "hunter2"}}),
            ".metadata.creationTimestamp is not of type time",
        ),
        (json!({"spec": {"hostNetwork": "hunter2"}}), ".spec.hostNetwork is not of type boolean"),
        (
            json!({"spec": {"priority": 2_147_483_648_u32}}),
            ".spec.priority is not of type integer of 32 bits",
        ),
    ] {
        let error = encode(pod, &json).expect_err("it does not fit");
        assert_eq!(error.to_string(), wanted);
    }
}

#[test]
fn members_that_the_message_does_not_have_are_omitted() {
    let pod = message("", "v1", "Pod").expect("a built-in kind");
    let known = json!({"metadata": {"name": "web"}});
    let more = json!({"kind": "Pod", "metadata": {"name": "web", "nickname": 1}, "more": []});
    assert_eq!(encode(pod, &more), encode(pod, &known));
}
