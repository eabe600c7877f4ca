//! The fuzz targets: functions that accept any bytes and must not panic. `cargo test` runs them over the files of
//! `corpus/`, and the crate in `fuzz/` runs them with a fuzzer.

use serde_json::Value;

use crate::table::KINDS;
use crate::wire::FieldReader;
use crate::{
    EncodeError, Error, Message, PathStep, TypeMeta, encode, encode_text, from_slice, to_json, values_at,
    without,
};

/// The name of a target, which is also its folder in `corpus/`, and its function.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 3] = [("wire", wire), ("message", message), ("encoded", encoded)];

/// The maximum ratio of the length of the JSON to the length of the bytes. It is high, because an empty message has two
/// bytes, and its JSON has the names of its absent lists.
const GROWTH_MAX: usize = 200;

/// Reads the fields of any bytes. Each must consume at least one byte.
pub fn wire(bytes: &[u8]) {
    let mut reader = FieldReader::new(bytes);
    let mut left = bytes.len();
    while let Ok(Some(_)) = reader.next() {
        assert!(reader.rest().len() < left, "each field consumes bytes");
        left = reader.rest().len();
    }
}

/// Reads any bytes as a kind that the first two bytes choose.
pub fn message(bytes: &[u8]) {
    if let [first, second, bytes @ ..] = bytes {
        let which = usize::from(u16::from_be_bytes([*first, *second]));
        check(bytes, KINDS[which % KINDS.len()].1);
    }
}

/// Reads any bytes in every way, and asserts that the results agree.
pub fn check(bytes: &[u8], message: &'static Message) {
    let paths = [
        vec!["metadata", "labels"],
        vec!["metadata", "managedFields", "[*]", "fieldsV1"],
        vec!["metadata", "ownerReferences", "[0]", "uid"],
        vec!["spec"],
    ];
    let paths = paths.map(|path| path.into_iter().map(step).collect::<Vec<_>>());
    if let Ok(left) = without(message, bytes, &paths) {
        let again = without(message, &left, &paths).expect("a pruned message can be read");
        assert!(again == left, "pruning is idempotent");
    }
    let found = values_at(message, bytes, &paths[0]);
    let value: Value = match from_slice(message, TypeMeta::default(), bytes) {
        Ok(value) => value,
        Err(error) => {
            let json = to_json(message, TypeMeta::default(), bytes);
            assert!(json.is_err() || matches!(error, Error::Raw { .. }), "both fail or none does: {error}");
            return;
        }
    };
    let labels = value.pointer("/metadata/labels").filter(|labels| !labels.is_null());
    assert_eq!(found.expect("the whole was read").first(), labels);
    let json = to_json(message, TypeMeta::default(), bytes).expect("it was read as a value");
    assert!(json.len() <= GROWTH_MAX * (bytes.len() + 1), "{} bytes give {}", bytes.len(), json.len());
    // serde_json has a limit of 128 levels.
    if let Ok(parsed) = serde_json::from_slice::<Value>(&json) {
        assert_eq!(parsed, value, "the text has the same value");
    }
    check_encoding(message, &value);
}

/// Encodes any JSON as the kind that it names, from the text and from the value.
pub fn encoded(bytes: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return };
    let text = |pointer| value.get(pointer).and_then(Value::as_str).unwrap_or_default();
    let (group, version) = text("apiVersion").split_once('/').unwrap_or(("", text("apiVersion")));
    if let Some(message) = crate::message(group, version, text("kind")) {
        let error = |encoded: Result<Vec<u8>, EncodeError>| encoded.err();
        assert_eq!(error(encode_text(message, bytes)), error(encode(message, &value)));
        check_encoding(message, &value);
    }
}

/// Encodes a value, decodes the result and encodes it again: the bytes must be equal.
///
/// A value with a long fraction is skipped: serde_json may read its own text of it as the next floating-point number.
fn check_encoding(message: &'static Message, value: &Value) {
    if serde_json::from_str::<Value>(&value.to_string()).ok().as_ref() != Some(value) {
        return;
    }
    let Ok(bytes) = encode(message, value) else { return };
    let read = from_slice::<Value>(message, TypeMeta::default(), &bytes).expect("an encoded value decodes");
    let again = encode(message, &read).expect("a decoded value encodes");
    assert!(again == bytes, "{} encodes to the same bytes", message.name());
}

fn step(name: &'static str) -> PathStep<'static> {
    match name {
        "[*]" => PathStep::Each,
        "[0]" => PathStep::Index(0),
        name => PathStep::Member(name.into()),
    }
}
