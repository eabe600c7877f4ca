//! A delta unpacks to the packed bytes, for any body and reference; invalid deltas are errors.

use proptest::prelude::*;

use super::*;

fn reference(bytes: &[u8]) -> Reference {
    Reference::new(bytes, Arc::default()).expect("the length is valid")
}

fn unpacked(reference: &Reference, packed: &[u8], raw_len: usize) -> Result<Vec<u8>, UnpackError> {
    let mut out = b"head".to_vec();
    reference.unpack(packed, raw_len, &mut out)?;
    assert_eq!(&out[..4], b"head");
    Ok(out.split_off(4))
}

fn pod(name: &str, address: &str) -> Vec<u8> {
    format!(
        r#"{{"metadata":{{"name":"{name}","namespace":"shop","labels":{{"app":"web"}}}},"spec":{{"containers":[{{"name":"web","image":"example.org/web:1.2","ports":[{{"containerPort":8080}}]}}],"nodeName":"node-7"}},"status":{{"podIP":"{address}","phase":"Running","message":"{name} runs as {name}"}}}}"#
    )
    .into_bytes()
}

#[test]
fn against_a_similar_reference_a_delta_is_small() {
    let (reference, raw) = (reference(&pod("web-aaaaa", "10.0.0.7")), pod("web-bcdef", "10.17.100.23"));
    let packed = reference.pack(&raw, raw.len()).unwrap();
    assert!(packed.len() * 5 < raw.len(), "{} of {}", packed.len(), raw.len());
    assert_eq!(unpacked(&reference, &packed, raw.len()), Ok(raw));
}

/// The example in the documentation of the encoding.
#[test]
fn each_instruction_is_a_literal_and_a_copy() {
    let pad = "x".repeat(BYTES_MIN);
    let reference = reference(format!(r#"{{"name":"web-a","ip":"10.0.0.7"}}{pad}"#).as_bytes());
    let raw = br#"{"name":"web-b","ip":"10.0.0.9"}"#;
    let packed = reference.pack(raw, raw.len()).unwrap();
    assert_eq!(&*packed, b"\x00\x1a\x00\x01\x1e\x00b\x03\x00\x3f9\"}");
    assert_eq!(unpacked(&reference, &packed, raw.len()), Ok(raw.to_vec()));
}

#[test]
fn a_body_that_equals_the_reference_takes_a_few_bytes() {
    let raw = pod("web-aaaaa", "10.0.0.7");
    let packed = reference(&raw).pack(&raw, raw.len()).unwrap();
    assert!(packed.len() <= 4, "{packed:?}");
}

#[test]
fn a_delta_that_exceeds_the_limit_is_not_packed() {
    let raw = pod("web-bcdef", "10.17.100.23");
    let reference = reference(&pod("web-aaaaa", "10.0.0.7"));
    let needed = reference.pack(&raw, raw.len()).unwrap().len();
    assert!(reference.pack(&raw, needed).is_some());
    assert_eq!(reference.pack(&raw, needed - 1), None);
    assert_eq!(reference.pack(&vec![b'x'; BYTES_MAX], BYTES_MAX), None);
}

#[test]
fn a_body_that_is_too_short_or_too_long_is_no_reference() {
    for (bytes, is_reference) in
        [(0, false), (BYTES_MIN - 1, false), (BYTES_MIN, true), (BYTES_MAX - 1, true), (BYTES_MAX, false)]
    {
        assert_eq!(Reference::new(&vec![b'x'; bytes], Arc::default()).is_some(), is_reference, "{bytes}");
    }
}

#[test]
fn its_memory_is_counted_until_it_is_dropped() {
    let memory = Arc::default();
    let reference = Reference::new(&[b'x'; 1_000], Arc::clone(&memory)).unwrap();
    assert_eq!(memory.load(Ordering::Relaxed), 1_000 + 2 * 256);
    drop(reference);
    assert_eq!(memory.load(Ordering::Relaxed), 0);
}

#[test]
fn a_truncated_delta_or_another_length_is_an_error() {
    let (reference, raw) = (reference(&pod("web-aaaaa", "10.0.0.7")), pod("web-bcdef", "10.17.100.23"));
    let packed = reference.pack(&raw, raw.len()).unwrap();
    for end in 0..packed.len() {
        assert_eq!(unpacked(&reference, &packed[..end], raw.len()), Err(UnpackError), "{end}");
    }
    for raw_len in [0, raw.len() - 1, raw.len() + 1] {
        assert_eq!(unpacked(&reference, &packed, raw_len), Err(UnpackError), "{raw_len}");
    }
}

/// Texts of a few words, with many repetitions.
fn words(words_max: usize) -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        Just(b"metadata".to_vec()),
        Just(b"container".to_vec()),
        Just(b"\0\0\0\0\0\0\0\0\0".to_vec()),
        prop::collection::vec(any::<u8>(), 0..12),
        (any::<u8>(), 1..200_usize).prop_map(|(byte, times)| vec![byte; times]),
    ];
    prop::collection::vec(word, 0..words_max).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn any_body_unpacks_to_the_packed_bytes(reference_bytes in words(60), raw in words(60)) {
        if let Some(reference) = Reference::new(&reference_bytes, Arc::default()) {
            let packed = reference.pack(&raw, 2 * raw.len() + 16).expect("the limit is large enough");
            prop_assert_eq!(unpacked(&reference, &packed, raw.len()), Ok(raw));
        }
    }

    #[test]
    fn an_edited_reference_unpacks_to_the_packed_bytes(
        reference_bytes in words(60),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), words(2)), 0..8),
    ) {
        let mut raw = reference_bytes.clone();
        for (from, len, other) in edits {
            let from = from.index(raw.len() + 1);
            let len = len.index(raw.len() - from + 1).min(20);
            raw.splice(from..from + len, other);
        }
        if let Some(reference) = Reference::new(&reference_bytes, Arc::default()) {
            let packed = reference.pack(&raw, 2 * raw.len() + 16).expect("the limit is large enough");
            prop_assert_eq!(unpacked(&reference, &packed, raw.len()), Ok(raw));
        }
    }

    #[test]
    fn any_bytes_are_an_error_or_unpack_to_the_requested_length(
        reference_bytes in words(20), packed in prop::collection::vec(any::<u8>(), 0..80), raw_len in 0..5_000_usize,
    ) {
        if let Some(reference) = Reference::new(&reference_bytes, Arc::default())
            && let Ok(out) = unpacked(&reference, &packed, raw_len)
        {
            prop_assert_eq!(out.len(), raw_len);
        }
    }
}
