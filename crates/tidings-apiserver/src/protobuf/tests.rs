//! Tests that protobuf decodes to the JSON that the same client would have sent.

use std::path::PathBuf;

use proptest::prelude::*;

use super::*;

fn corpus() -> impl Iterator<Item = PathBuf> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/protobuf");
    let entries = std::fs::read_dir(folder).expect("the corpus is checked in");
    entries.map(|entry| entry.expect("a readable entry").path())
}

/// Removes nulls, which mean the same as absent fields.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(
            map.into_iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| (name, without_nulls(value)))
                .collect(),
        ),
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

#[test]
fn each_kind_decodes_to_the_json_of_the_same_object() {
    let mut cases = 0;
    for json in corpus().filter(|path| path.extension().is_some_and(|extension| extension == "json")) {
        let protobuf = std::fs::read(json.with_extension("protobuf")).expect("both forms are checked in");
        let expected = serde_json::from_slice(&std::fs::read(&json).expect("a readable case")).expect("JSON");
        let found = decode(&protobuf).unwrap_or_else(|error| panic!("{}: {error}", json.display()));
        assert_eq!(without_nulls(found), without_nulls(expected), "{}", json.display());
        cases += 1;
    }
    assert!(cases >= 16, "only {cases} cases");
}

#[test]
fn truncated_and_corrupted_bodies_never_panic() {
    for path in corpus().filter(|path| path.extension().is_some_and(|extension| extension == "protobuf")) {
        let whole = std::fs::read(path).expect("a readable case");
        for length in 0..whole.len() {
            fuzz(&whole[..length]);
            let mut changed = whole.clone();
            changed[length] ^= 0x55;
            fuzz(&changed);
        }
    }
}

#[test]
fn malformed_bodies_are_refused_with_the_code_of_kubernetes() {
    for (body, code) in [(&b"{}"[..], 400), (b"k8s\0\xff", 400), (b"k8s\0", 415), (b"", 400)] {
        assert_eq!(decode(body).map_err(|error| ApiError::from(error).code), Err(code), "{body:?}");
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        fuzz(&[b"k8s\0", bytes.as_slice()].concat());
    }
}
