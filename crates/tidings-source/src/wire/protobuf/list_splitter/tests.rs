//! A list splits into the same items however it is cut into chunks, and bodies that are not lists are refused.

use k8s_openapi::api::core::v1::Pod;
use proptest::prelude::*;
use tidings_object::{Kind as _, Projection, Version};

use super::*;
use crate::testing::protobuf_fields::{envelope, field, number};
use crate::{ErrorClass, Sharded};

fn pods() -> ListKind {
    ListKind::of(&Pod::resource(), Projection::Full)
}

type Split = (Vec<Vec<u8>>, Result<ListEnd, ListSplitError>);

fn split_chunks(chunks: &[&[u8]], limit: usize) -> Split {
    let mut split = ProtobufListSplitter::new(pods(), limit);
    let mut items = Vec::new();
    for chunk in chunks {
        let mut input = *chunk;
        loop {
            match split.next(&mut input) {
                Ok(Some(item)) => items.push(item.to_vec()),
                Ok(None) => break,
                Err(error) => return (items, Err(error)),
            }
        }
        assert!(input.is_empty());
        assert!(split.partial.len() <= limit.max(HEAD_FIELD_BYTES_MAX));
    }
    assert_eq!(split.items(), items.len());
    (items, split.finish())
}

/// Splits a body whole and cut at every byte: the result must be the same.
fn split(body: &[u8]) -> Split {
    let whole = split_chunks(&[body], 1000);
    for cut in 0..body.len() {
        let (first, second) = body.split_at(cut);
        assert_eq!(split_chunks(&[first, second], 1000), whole, "cut at {cut}");
    }
    let bytes: Vec<&[u8]> = body.chunks(1).collect();
    assert_eq!(split_chunks(&bytes, 1000), whole, "cut everywhere");
    whole
}

fn metadata(version: &str) -> Vec<u8> {
    field(1, &[field(1, b""), field(2, version.as_bytes()), field(3, b"")].concat())
}

fn item(bytes: &[u8]) -> Vec<u8> {
    field(2, bytes)
}

fn pod_list(parts: &[Vec<u8>]) -> Vec<u8> {
    envelope("v1", "PodList", &parts.concat())
}

fn end(version: &str) -> ListEnd {
    ListEnd { version: Version::new(version), continue_token: None, remaining_items: None, sharded: None }
}

fn malformed(found: Split) -> &'static str {
    match found.1 {
        Err(ListSplitError::Malformed { expected, .. }) => expected,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_list_gives_its_items_and_then_its_metadata() {
    let shard = field(1, b"shardRange(x)");
    let metadata = [field(2, b"5"), field(3, b"t"), number(4, 7), field(5, &shard)].concat();
    let large = vec![7; 300];
    let (items, end) = split(&pod_list(&[field(1, &metadata), item(b"a"), item(&large), item(b"")]));
    assert_eq!(items, [b"a".to_vec(), large, b"".to_vec()]);
    let end = end.unwrap();
    assert_eq!(end.version, Version::from(5));
    assert_eq!(end.continue_token.as_deref(), Some("t"));
    assert_eq!(end.remaining_items, Some(7));
    assert_eq!(end.sharded, Some(Sharded::ByServer("shardRange(x)".to_owned())));
}

#[test]
fn an_empty_list_needs_metadata() {
    assert_eq!(split(&pod_list(&[metadata("5")])), (vec![], Ok(end("5"))));
    assert_eq!(split(&pod_list(&[field(1, b"")])), (vec![], Ok(end(""))));
    assert_eq!(split(&pod_list(&[])).1, Err(ListSplitError::Head(ListHeadError::NoMetadata)));
    assert_eq!(split(&pod_list(&[item(b"a")])).1, Err(ListSplitError::Head(ListHeadError::NoMetadata)));
}

#[test]
fn fields_may_be_in_any_order_and_unknown_ones_are_skipped() {
    let type_meta = field(1, &[field(2, b"PodList"), number(9, 1), field(1, b"v1")].concat());
    let list = field(2, &[item(b"a"), number(3, u64::MAX), metadata("5"), item(b"b")].concat());
    let skipped =
        [field(9, &[0xff; 2000]), vec![9 << 3 | 1, 1, 2, 3, 4, 5, 6, 7, 8], vec![9 << 3 | 5, 1, 2, 3, 4]];
    for parts in [[&type_meta, &list], [&list, &type_meta]] {
        let body = [b"k8s\0".to_vec(), parts[0].clone(), skipped.concat(), parts[1].clone()].concat();
        assert_eq!(split(&body), (vec![b"a".to_vec(), b"b".to_vec()], Ok(end("5"))));
    }
}

#[test]
fn the_last_of_duplicates_counts_and_a_second_list_is_refused() {
    assert_eq!(split(&pod_list(&[metadata("1"), metadata("2")])).1, Ok(end("2")));
    let list = field(2, &metadata("5"));
    let body = [b"k8s\0".to_vec(), list.clone(), list].concat();
    assert_eq!(split(&body).1, Err(ListSplitError::Head(ListHeadError::ItemsTwice)));
}

// holds: X5
#[test]
fn a_list_that_ends_early_is_truncated_wherever_it_ends() {
    let whole = [item(b"abc"), metadata("5"), item(b"d")].concat();
    let type_meta = field(1, &[field(1, b"v1"), field(2, b"PodList")].concat());
    let body = [b"k8s\0".to_vec(), type_meta, field(2, &whole)].concat();
    for length in 0..body.len() {
        let (items, found) = split_chunks(&[&body[..length]], 1000);
        assert_eq!(found, Err(ListSplitError::Truncated { items: items.len() }), "{length} bytes");
    }
    assert!(split(&body).1.is_ok());
    let cut_in_what_follows = [body, vec![0x1a]].concat();
    assert_eq!(split(&cut_in_what_follows).1, Err(ListSplitError::Truncated { items: 2 }));
}

#[test]
fn a_body_without_an_envelope_is_refused_at_its_first_byte() {
    for body in [&b"{\"kind\":\"PodList\"}"[..], b"<html>", b"k8s", b"k8t\0", b"k8s\x01"] {
        let expected =
            if body == b"k8s" { ListSplitError::Truncated { items: 0 } } else { ListSplitError::NotAList };
        assert_eq!(split(body), (vec![], Err(expected)));
    }
}

#[test]
fn lengths_that_exceed_the_list_are_refused() {
    let within = "a field that ends within its list";
    assert_eq!(malformed(split(b"k8s\0\x12\x04\x12\x03abc")), within);
    assert_eq!(malformed(split(b"k8s\0\x12\x02\x12\x80\x01a")), within);
    assert_eq!(malformed(split(b"k8s\0\x12\x01\x92\x01a")), within);
    assert_eq!(malformed(split(b"k8s\0\x12\x02\x25abcd")), within);
    let long = [&b"k8s\0"[..], &[0xff; 10]].concat();
    assert_eq!(malformed(split(&long)), "a number of at most 64 bits");
    for endless in [&b"k8s\0\x0a\xff\xff\xff\xff\x7f"[..], b"k8s\0\x1a\xff\xff\xff\xff\x7f"] {
        assert_eq!(malformed(split(endless)), "a field of at most 1 MiB");
    }
    let endless_list = [&b"k8s\0\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"[..], &metadata("5")].concat();
    assert_eq!(split(&endless_list).1, Err(ListSplitError::Truncated { items: 0 }));
}

#[test]
fn fields_of_a_wrong_type_are_refused() {
    for tag in [0x08, 0x09, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x18, 0x2b, 0x2c] {
        assert_eq!(malformed(split(&[b"k8s\0", &[tag, 0, 0, 0, 0][..]].concat())), "a field of another type");
    }
    assert_eq!(malformed(split(b"k8s\0\x02\0")), "a field with a number");
    assert_eq!(malformed(split(&pod_list(&[field(1, b"\xff")]))), "well-formed metadata");
    assert_eq!(malformed(split(&pod_list(&[field(1, &field(2, b"\xff"))]))), "well-formed metadata");
    let not_text = [b"k8s\0".to_vec(), field(1, &field(2, b"\xff"))].concat();
    assert_eq!(malformed(split(&not_text)), "a well-formed typeMeta");
    let encoded = [b"k8s\0".to_vec(), field(2, &metadata("5")), field(3, b"gzip")].concat();
    assert_eq!(malformed(split(&encoded)), "no content encoding");
}

#[test]
fn an_item_over_the_limit_is_refused_and_never_buffered() {
    let body = pod_list(&[metadata("5"), item(b"1234567"), item(b"12345678")]);
    let refused = Err(ListSplitError::ItemTooLarge { limit_bytes: 7 });
    assert_eq!(split_chunks(&[&body], 7), (vec![b"1234567".to_vec()], refused));
    assert!(split_chunks(&[&body], 8).1.is_ok());
}

#[test]
fn a_status_in_place_of_a_list_is_reported_as_a_status() {
    let status = [field(3, b"gone"), field(4, b"Expired"), number(6, 410)].concat();
    let Err(ListSplitError::Head(ListHeadError::Status(status))) =
        split(&envelope("v1", "Status", &status)).1
    else {
        panic!("no status")
    };
    assert_eq!((status.class(), &*status.message), (ErrorClass::Expired, "gone"));
}

#[test]
fn a_list_of_another_kind_is_refused_before_its_items() {
    let list = [metadata("5"), item(b"a")].concat();
    for (api_version, kind) in [
        ("v1", "ServiceList"),
        ("v2", "PodList"),
        ("v1", "Pod"),
        ("meta.k8s.io/v1", "PartialObjectMetadataList"),
        ("meta.k8s.io/v1", "Table"),
    ] {
        let (items, found) = split(&envelope(api_version, kind, &list));
        assert!(items.is_empty());
        assert!(
            matches!(found, Err(ListSplitError::Head(ListHeadError::Kind { .. } | ListHeadError::Table))),
            "{kind}"
        );
    }
}

fn any_list() -> impl Strategy<Value = (Vec<Vec<u8>>, Vec<u8>)> {
    let items = prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..6);
    (items, any::<bool>()).prop_map(|(items, is_metadata_last)| {
        let mut parts: Vec<_> = items.iter().map(|bytes| item(bytes)).collect();
        parts.insert(if is_metadata_last { parts.len() } else { 0 }, metadata("5"));
        (items, pod_list(&parts))
    })
}

proptest! {
    #[test]
    fn a_list_splits_into_its_items_however_it_is_cut(
        (items, body) in any_list(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
    ) {
        let chunks = crate::testing::chunks(&body, &cuts);
        prop_assert_eq!(split_chunks(&chunks, 40), (items, Ok(end("5"))));
    }

    #[test]
    fn a_garbled_list_splits_the_same_however_it_is_cut(
        (_, mut body) in any_list(),
        garbled in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        length in any::<prop::sample::Index>(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        for (at, byte) in garbled {
            let at = at.index(body.len());
            body[at] = byte;
        }
        body.truncate(length.index(body.len() + 1));
        let chunks = crate::testing::chunks(&body, &cuts);
        prop_assert_eq!(split_chunks(&chunks, 30), split_chunks(&[&body], 30));
    }
}
