//! A scan of protobuf reads the same identity as a scan of the object's JSON, and accepts hostile bytes.

use proptest::prelude::*;

use super::*;

/// One field of bytes.
fn field(number: u32, content: &[u8]) -> Vec<u8> {
    [&varints(&[u64::from(number) << 3 | 2, content.len() as u64]), content].concat()
}

fn number(number: u32, value: u64) -> Vec<u8> {
    varints(&[u64::from(number) << 3, value])
}

fn varints(values: &[u64]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for value in values {
        let mut value = *value;
        while value >= 0x80 {
            bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        bytes.push(value as u8);
    }
    bytes
}

fn entry(map: u32, key: &str, value: &str) -> Vec<u8> {
    field(map, &[field(1, key.as_bytes()), field(2, value.as_bytes())].concat())
}

fn object(metadata: &[Vec<u8>]) -> Vec<u8> {
    field(METADATA, &metadata.concat())
}

fn owner_of(uid: &str, controller: Option<u64>) -> Vec<u8> {
    let texts = [(1, "ReplicaSet"), (3, "web"), (4, uid), (5, "apps/v1")];
    let mut reference: Vec<u8> = texts.iter().flat_map(|(n, text)| field(*n, text.as_bytes())).collect();
    reference.extend(controller.into_iter().flat_map(|value| number(6, value)));
    field(object_meta::OWNER_REFERENCES, &reference)
}

/// A pod as Go encodes it: fields in order, including empty ones.
fn web() -> Vec<u8> {
    let metadata = [
        field(1, b"web-0"),
        field(2, b"web-"),
        field(3, b"shop"),
        field(4, b""),
        field(5, b"u-1"),
        field(6, b"42"),
        number(7, 3),
        field(8, &number(1, 1_767_225_600)),
        field(9, &[number(1, 1_767_225_660), number(2, 0)].concat()),
        entry(11, "app", "web"),
        entry(11, "tier", ""),
        entry(12, "k8s.io/initial-events-end", "true"),
        entry(12, "note", "é"),
        owner_of("o-1", None),
        owner_of("o-2", Some(1)),
        owner_of("o-3", Some(0)),
        field(14, b"example.com/finalizer"),
        field(17, &field(1, b"kubelet")),
    ];
    [object(&metadata), field(2, b"\xff what is no pod's spec"), field(3, b"")].concat()
}

const WEB: &str = r#"{"metadata":{"name":"web-0","namespace":"shop","uid":"u-1","resourceVersion":"42",
    "generation":3,"deletionTimestamp":"2026-01-01T00:01:00Z","labels":{"app":"web","tier":""},
    "annotations":{"k8s.io/initial-events-end":"true","note":"é"},
    "ownerReferences":[{"uid":"o-1"},{"uid":"o-2","controller":true},{"uid":"o-3","controller":false}]}}"#;

#[test]
fn the_identity_equals_that_of_the_json_and_nothing_else_is_read() {
    let (message, json) = (web(), Identity::from_json(WEB.as_bytes()).unwrap());
    assert_eq!(scan(&message).unwrap(), Identity { rest_at: 0, ..json });
}

#[test]
fn fields_that_json_omits_as_empty_are_absent() {
    let empty = [field(1, b""), field(3, b""), field(5, b""), field(6, b""), number(7, 0), field(8, b"")];
    assert_eq!(scan(&object(&empty)).unwrap(), Identity::default());
    assert_eq!(scan(b"").unwrap(), Identity::default());
    assert_eq!(scan(&object(&[field(9, b"")])).unwrap().deletion_timestamp, None);
}

#[test]
fn labels_are_sorted_and_the_last_of_duplicates_counts() {
    let labels = [entry(11, "b", "1"), entry(11, "a", "2"), entry(11, "b", "3"), field(11, b"")];
    let message = object(&labels);
    let expected = [("", ""), ("a", "2"), ("b", "3")].map(|(key, value)| (key.into(), value.into()));
    assert_eq!(scan(&message).unwrap().labels, expected);
}

#[test]
fn a_second_metadata_replaces_the_first() {
    let message = [object(&[field(1, b"a"), field(5, b"u")]), object(&[field(1, b"b")])].concat();
    let identity = scan(&message).unwrap();
    assert_eq!((&*identity.name, &*identity.uid), ("b", ""));
}

#[test]
fn a_generation_may_be_any_number() {
    for generation in [1, i64::MAX, -1] {
        let message = object(&[number(7, generation.cast_unsigned())]);
        assert_eq!(scan(&message).unwrap().generation, Some(generation));
    }
}

const NOT_UTF8: &[u8] = b"\xff\xfe";
const REPAIRED: &str = "\u{fffd}\u{fffd}";

// holds: X35
#[test]
fn texts_that_are_not_utf8_read_as_go_writes_them() {
    let metadata = [
        field(1, NOT_UTF8),
        field(3, NOT_UTF8),
        field(5, NOT_UTF8),
        field(6, NOT_UTF8),
        field(11, &[field(1, NOT_UTF8), field(2, NOT_UTF8)].concat()),
        field(11, &[field(1, b"\xfd\xfd"), field(2, b"last")].concat()),
        field(12, &[field(1, NOT_UTF8), field(2, NOT_UTF8)].concat()),
        field(13, &field(4, NOT_UTF8)),
    ];
    let message = object(&metadata);
    let identity = scan(&message).unwrap();
    assert_eq!([&*identity.name, &*identity.namespace, &*identity.uid], [REPAIRED; 3]);
    assert_eq!(identity.version, Some(Version::new(REPAIRED)));
    assert_eq!(identity.labels, [(REPAIRED.into(), "last".into())], "equal keys are one label");
    assert_eq!(identity.owners, [(REPAIRED.into(), false)]);
}

// holds: X35
#[test]
fn a_field_of_another_type_counts_as_absent_and_a_broken_entry_is_skipped() {
    let named = [field(1, b"a"), field(6, b"7"), entry(11, "app", "web"), owner_of("o-1", None)].concat();
    let wanted = object(std::slice::from_ref(&named));
    for mistyped in [
        number(3, 7),
        number(5, 7),
        field(7, b"7"),
        number(9, 7),
        field(9, &field(1, b"yesterday")),
        field(9, NOT_UTF8),
        number(11, 7),
        field(11, &number(1, 7)),
        field(11, &number(2, 7)),
        field(11, b"\x0a\x7f"),
        number(12, 7),
        field(12, b"\x0b"),
        number(13, 7),
        field(13, NOT_UTF8),
        field(13, &[field(4, b"o-2"), field(6, b"true")].concat()),
        field(13, &[field(4, b"o-2"), number(4, 7)].concat()),
    ] {
        let message = object(&[named.clone(), mistyped.clone()]);
        assert_eq!(scan(&message), scan(&wanted), "{mistyped:x?}");
    }
    for (mistyped, name, version) in [(number(1, 0), "", true), (number(6, 0), "a", false)] {
        let message = object(&[named.clone(), mistyped]);
        let identity = scan(&message).unwrap();
        assert_eq!(
            (&*identity.name, identity.version.is_some()),
            (name, version),
            "the last of duplicates counts"
        );
    }
    let replaced = [object(std::slice::from_ref(&named)), number(METADATA, 0)].concat();
    assert_eq!(scan(&replaced), Ok(Identity::default()));
}

// holds: X35
#[test]
fn a_later_value_of_the_right_type_counts_in_entries_and_references() {
    let label = field(11, &[field(1, b"app"), number(2, 7), field(2, b"web")].concat());
    let owner = [field(6, b"true"), number(4, 7), field(4, b"o-1"), number(6, 1)].concat();
    let message = object(&[field(1, b"a"), field(6, b"7"), label, field(13, &owner)]);
    let table = tidings_protobuf::message("meta.k8s.io", "v1", "PartialObjectMetadata").unwrap();
    let json = tidings_protobuf::to_json(table, tidings_protobuf::TypeMeta::default(), &message).unwrap();
    let identity = scan(&message).unwrap();
    assert_eq!(identity, Identity { rest_at: 0, ..Identity::from_json(&json).unwrap() });
    assert_eq!((identity.labels.len(), identity.owners.len()), (1, 1));
}

// holds: X35
#[test]
fn bytes_that_end_early_have_an_identity_if_a_key_and_a_version_come_before() {
    let (message, whole) = (web(), web());
    let whole = scan(&whole).unwrap();
    let metadata_end = message.len() - field(2, b"\xff what is no pod's spec").len() - field(3, b"").len();
    for end in 1..message.len() {
        let scanned = scan(&message[..end]);
        match end < metadata_end {
            true => assert!(matches!(scanned, Err(ScanError::Protobuf(_))), "cut at {end}"),
            false => assert_eq!(scanned.as_ref(), Ok(&whole), "cut at {end}"),
        }
    }
    let broken = object(&[field(1, b"a"), field(6, b"7"), entry(11, "app", "web"), b"\x0b".to_vec()]);
    let identity = scan(&broken).unwrap();
    assert_eq!((&*identity.name, identity.labels.len()), ("a", 1));
    for part in [field(1, b"a"), field(6, b"7")] {
        assert!(scan(&object(&[part, b"\x0b".to_vec()])).is_err());
    }
}

/// Bytes of any kind; some are text, some are not UTF-8.
fn texts() -> impl Strategy<Value = [Vec<u8>; 9]> {
    let byte = prop_oneof![4 => any::<u8>(), 3 => b'a'..=b'c', 1 => Just(0xe2_u8), 1 => Just(0x80_u8)];
    proptest::array::uniform9(proptest::collection::vec(byte, 0..6))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn no_bytes_cause_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60), metadata in any::<bool>()) {
        let _ = scan(&if metadata { object(&[bytes]) } else { bytes });
    }

    // holds: X35
    #[test]
    fn with_any_bytes_in_its_texts_the_identity_equals_that_of_the_json(texts in texts(), twice in any::<bool>()) {
        let [name, namespace, uid, version, key, value, other, owner, note] = texts;
        let entry = |map: u32, key: &[u8], value: &[u8]| field(map, &[field(1, key), field(2, value)].concat());
        let mut metadata = vec![
            field(1, &name), field(3, &namespace), field(5, &uid), field(6, &version),
            entry(11, &key, &value), entry(11, &other, &note), entry(12, &note, &value),
            field(13, &[field(4, &owner), number(6, 1)].concat()),
        ];
        if twice {
            metadata.push(entry(11, &key, &other));
        }
        let message = object(&metadata);
        let table = tidings_protobuf::message("meta.k8s.io", "v1", "PartialObjectMetadata").unwrap();
        let json = tidings_protobuf::to_json(table, tidings_protobuf::TypeMeta::default(), &message).unwrap();
        let expected = Identity::from_json(&json).unwrap();
        prop_assert_eq!(scan(&message).unwrap(), Identity { rest_at: 0, ..expected });
    }

    #[test]
    fn no_damage_causes_a_panic(at in any::<proptest::sample::Index>(), byte in any::<u8>()) {
        let mut message = web();
        let at = at.index(message.len());
        message[at] = byte;
        let _ = scan(&message);
    }
}
