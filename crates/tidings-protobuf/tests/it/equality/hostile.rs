//! Bytes that no server sends: they decode or give an error, and never cause a panic.

use proptest::prelude::*;
use serde_json::Value;
use tidings_protobuf::wire::write_bytes;
use tidings_protobuf::{DEPTH_MAX, Error, TypeMeta, from_slice, fuzz, message, to_json};

use crate::equality::pairs::pairs;

#[test]
fn no_prefix_of_an_object_causes_a_panic() {
    for pair in pairs() {
        let step = pair.protobuf.len().div_ceil(40).max(1);
        for end in (0..pair.protobuf.len()).step_by(step) {
            let _ = to_json(pair.message, TypeMeta::default(), &pair.protobuf[..end]);
        }
    }
}

#[test]
fn messages_that_are_nested_too_deeply_are_an_error() {
    let schema = message("apiextensions.k8s.io", "v1", "CustomResourceDefinition").expect("a built-in kind");
    let wrap = |number: u32, inside: Vec<u8>| {
        let mut out = Vec::new();
        write_bytes(number, &inside, &mut out);
        out
    };
    // Schemas in the member `not` of schemas.
    let nested = |depth: usize| {
        let schema = (0..depth).fold(vec![], |inside, _| wrap(28, inside));
        wrap(2, wrap(7, wrap(4, wrap(1, schema))))
    };
    let read = |bytes: &[u8]| from_slice::<Value>(schema, TypeMeta::default(), bytes);
    let deep = read(&nested(DEPTH_MAX - 10)).expect("deep, but not too deep");
    assert!(deep.to_string().contains(r#""not":{"not""#), "{deep}");
    assert!(matches!(read(&nested(DEPTH_MAX)), Err(Error::TooDeep)));
    assert!(matches!(read(&nested(100 * DEPTH_MAX)), Err(Error::TooDeep)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_damaged_object_causes_a_panic(which: prop::sample::Index, changes: Vec<(prop::sample::Index, u8)>) {
        thread_local!(static PAIRS: Vec<crate::equality::pairs::Pair> = pairs());
        PAIRS.with(|pairs| {
            let pair = which.get(pairs);
            let mut bytes = pair.protobuf.clone();
            for (at, byte) in changes.iter().filter(|_| !pair.protobuf.is_empty()) {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            fuzz::check(&bytes, pair.message);
        });
    }
}
