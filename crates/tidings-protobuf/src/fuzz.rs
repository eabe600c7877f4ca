//! The bodies of the fuzz targets: each takes any bytes and must not panic. `cargo test` runs them over the files of
//! `corpus/`; a fuzzer runs them longer.

use serde_json::Value;

use crate::table::KINDS;
use crate::wire::Reader;
use crate::{
    EncodeError, Error, Message, PathStep, TypeMeta, encode, encode_text, from_slice, to_json, values_at,
    without,
};

/// One target: the name of its folder in `corpus/`, and what it runs.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 3] = [("wire", wire), ("message", message), ("encoded", encoded)];

/// How much longer than its bytes an object's JSON may be: an empty message is two bytes, and JSON names the lists
/// that it does not have.
const GROWTH_MAX: usize = 200;

/// Reads the fields of any bytes: each takes at least one of them.
pub fn wire(bytes: &[u8]) {
    let mut reader = Reader::new(bytes);
    let mut left = bytes.len();
    while let Ok(Some(_)) = reader.next() {
        assert!(reader.rest().len() < left, "a field has a length");
        left = reader.rest().len();
    }
}

/// Reads any bytes as the kind that the first two of them choose.
pub fn message(bytes: &[u8]) {
    if let [first, second, bytes @ ..] = bytes {
        let which = usize::from(u16::from_be_bytes([*first, *second]));
        check(bytes, KINDS[which % KINDS.len()].1);
    }
}

/// Reads any bytes in every way, and asserts that the ways agree.
pub fn check(bytes: &[u8], message: &'static Message) {
    let paths = [
        vec!["metadata", "labels"],
        vec!["metadata", "managedFields", "[*]", "fieldsV1"],
        vec!["metadata", "ownerReferences", "[0]", "uid"],
        vec!["spec"],
    ];
    let paths = paths.map(|path| path.into_iter().map(step).collect::<Vec<_>>());
    if let Ok(left) = without(message, bytes, &paths) {
        let again = without(message, &left, &paths).expect("what was read can be read again");
        assert!(again == left, "pruning once is enough");
    }
    let found = values_at(message, bytes, &paths[0]);
    let value: Value = match from_slice(message, TypeMeta::default(), bytes) {
        Ok(value) => value,
        Err(error) => {
            let json = to_json(message, TypeMeta::default(), bytes);
            assert!(json.is_err() || matches!(error, Error::Raw { .. }), "both fail or none: {error}");
            return;
        }
    };
    let labels = value.pointer("/metadata/labels").filter(|labels| !labels.is_null());
    assert_eq!(found.expect("the whole was read").first(), labels);
    let json = to_json(message, TypeMeta::default(), bytes).expect("it was read as a value");
    assert!(json.len() <= GROWTH_MAX * (bytes.len() + 1), "{} bytes give {}", bytes.len(), json.len());
    // serde_json reads no deeper than 128 levels.
    if let Ok(parsed) = serde_json::from_slice::<Value>(&json) {
        assert_eq!(parsed, value, "the text says what the value does");
    }
    written(message, &value);
}

/// Writes any JSON as the kind that it names, read before or not.
pub fn encoded(bytes: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return };
    let text = |pointer| value.get(pointer).and_then(Value::as_str).unwrap_or_default();
    let (group, version) = text("apiVersion").split_once('/').unwrap_or(("", text("apiVersion")));
    if let Some(message) = crate::message(group, version, text("kind")) {
        let refused = |encoded: Result<Vec<u8>, EncodeError>| encoded.err();
        assert_eq!(refused(encode_text(message, bytes)), refused(encode(message, &value)));
        written(message, &value);
    }
}

/// Writes a value as protobuf; what was written is read and written the same.
fn written(message: &'static Message, value: &Value) {
    let Ok(bytes) = encode(message, value) else { return };
    let read =
        from_slice::<Value>(message, TypeMeta::default(), &bytes).expect("what was written can be read");
    let again = encode(message, &read).expect("what was read can be written");
    assert!(again == bytes, "{} is written the same", message.name());
}

fn step(name: &'static str) -> PathStep<'static> {
    match name {
        "[*]" => PathStep::Each,
        "[0]" => PathStep::Index(0),
        name => PathStep::Member(name.into()),
    }
}
