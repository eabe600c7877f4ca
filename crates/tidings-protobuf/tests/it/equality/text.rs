//! Conversion to JSON text.

use serde_json::Value;
use tidings_protobuf::{TypeMeta, from_slice, to_json};

use crate::equality::pairs::pairs;

#[test]
fn the_json_of_an_object_equals_the_text_that_go_writes() {
    for pair in pairs() {
        let json = to_json(pair.message, TypeMeta::default(), &pair.protobuf)
            .unwrap_or_else(|error| panic!("{}: {error}", pair.name()));
        assert_eq!(String::from_utf8(json).expect("JSON is UTF-8"), pair.json, "{}", pair.name());
    }
}

#[test]
fn an_object_decodes_to_the_same_value_as_its_json() {
    for pair in pairs() {
        let value: Value = from_slice(pair.message, TypeMeta::default(), &pair.protobuf)
            .unwrap_or_else(|error| panic!("{}: {error}", pair.name()));
        assert_eq!(value, pair.value(), "{}", pair.name());
    }
}

#[test]
fn kind_and_api_version_come_first_if_they_are_given() {
    let pairs = pairs();
    let pair = pairs.iter().find(|pair| pair.kind == "Pod").expect("there are pods");
    let json = |api_version, kind| {
        let json = to_json(pair.message, TypeMeta { api_version, kind }, &pair.protobuf).expect("a pod");
        String::from_utf8(json).expect("JSON is UTF-8")
    };
    let rest = &pair.json[1..];
    assert_eq!(json(Some("v1"), Some("Pod")), format!(r#"{{"kind":"Pod","apiVersion":"v1",{rest}"#));
    assert_eq!(json(None, Some("Pod")), format!(r#"{{"kind":"Pod",{rest}"#));
    assert_eq!(json(Some("v1"), None), format!(r#"{{"apiVersion":"v1",{rest}"#));
}
