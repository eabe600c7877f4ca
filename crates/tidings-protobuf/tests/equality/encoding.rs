//! The way back: JSON becomes the bytes that Go writes.

use serde_json::{Value, json};
use tidings_protobuf::{EncodeError, TypeMeta, encode, from_slice, message};

use crate::pairs::pairs;

/// Stands in raw JSON whose white space, numbers and order of keys are not those that serde_json would write.
const RAW_IN_OTHER_WORDS: &str = "-1.5e3";

#[test]
fn the_bytes_of_an_object_are_those_that_go_writes() {
    let mut compared = 0;
    for pair in pairs() {
        let bytes =
            encode(pair.message, &pair.value()).unwrap_or_else(|error| panic!("{}: {error}", pair.name()));
        if !pair.json.contains(RAW_IN_OTHER_WORDS) {
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
fn what_does_not_fit_says_which_member_it_is() {
    let pod = message("", "v1", "Pod").expect("a built-in kind");
    for (json, member) in [
        (json!([]), "Pod"),
        (json!({"spec": 1}), "spec"),
        (json!({"spec": {"containers": {}}}), "containers"),
        (json!({"metadata": {"name": 1}}), "name"),
        (json!({"metadata": {"generation": "1"}}), "generation"),
        (json!({"metadata": {"creationTimestamp": "yesterday"}}), "creationTimestamp"),
        (json!({"spec": {"hostNetwork": "yes"}}), "hostNetwork"),
        (json!({"spec": {"priority": 2_147_483_648_u32}}), "priority"),
    ] {
        let error = encode(pod, &json).expect_err("it does not fit");
        assert!(matches!(&error, EncodeError::Unfit { member: at, .. } if *at == member), "{json}: {error}");
    }
}

#[test]
fn members_that_the_message_does_not_know_are_left_out() {
    let pod = message("", "v1", "Pod").expect("a built-in kind");
    let known = json!({"metadata": {"name": "web"}});
    let more = json!({"kind": "Pod", "metadata": {"name": "web", "nickname": 1}, "more": []});
    assert_eq!(encode(pod, &more), encode(pod, &known));
}
