//! A list splits into the same items however it is cut into chunks, and bodies that are not lists are refused.

use k8s_openapi::api::core::v1::Pod;
use proptest::prelude::*;
use serde_json::json;
use tidings_object::{Kind as _, Projection, ResourceKind, Scope, Version};

use super::*;
use crate::ErrorClass;
use crate::wire::list_head::ListHeadError;

fn pods() -> ListKind {
    ListKind::of(&Pod::resource(), Projection::Full)
}

fn widgets() -> ListKind {
    let widgets = ResourceKind {
        group: "example.com".into(),
        version: "v1".into(),
        kind: "Widget".into(),
        plural: "widgets".into(),
        scope: Scope::Namespaced,
    };
    ListKind::of(&widgets, Projection::Full)
}

fn split_chunks(
    kind: ListKind,
    chunks: &[&[u8]],
    limit: usize,
) -> (Vec<String>, Result<ListEnd, ListSplitError>) {
    let mut split = JsonListSplitter::new(kind, limit);
    let mut items = Vec::new();
    for chunk in chunks {
        let mut input = *chunk;
        loop {
            match split.next(&mut input) {
                Ok(Some(item)) => items.push(String::from_utf8_lossy(item).into_owned()),
                Ok(None) => break,
                Err(error) => return (items, Err(error)),
            }
        }
        assert!(input.is_empty());
    }
    assert_eq!(split.items(), items.len());
    (items, split.finish())
}

/// Splits a body whole and cut at every byte: the result must be the same.
fn split(kind: ListKind, body: &str) -> (Vec<String>, Result<ListEnd, ListSplitError>) {
    let whole = split_chunks(kind.clone(), &[body.as_bytes()], 1000);
    for cut in 0..body.len() {
        let (first, second) = body.as_bytes().split_at(cut);
        assert_eq!(split_chunks(kind.clone(), &[first, second], 1000), whole, "cut at {cut}");
    }
    let bytes: Vec<&[u8]> = body.as_bytes().chunks(1).collect();
    assert_eq!(split_chunks(kind, &bytes, 1000), whole, "cut everywhere");
    whole
}

fn end(version: &str) -> ListEnd {
    ListEnd { version: Version::new(version), continue_token: None, remaining_items: None, sharded: None }
}

#[test]
fn a_list_gives_its_items_and_then_its_metadata() {
    let (items, end) = split(
        pods(),
        r#"{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5","continue":"t",
            "remainingItemCount":7},"items":[{"a":1}, {"b":[{}]}]}
        "#,
    );
    assert_eq!(items, [r#"{"a":1}"#, r#"{"b":[{}]}"#]);
    let end = end.unwrap();
    assert_eq!(end.version, Version::from(5));
    assert_eq!(end.continue_token.as_deref(), Some("t"));
    assert_eq!(end.remaining_items, Some(7));
}

#[test]
fn keys_may_be_in_any_order_escaped_or_repeated_deeper() {
    let body = r#" {"other":{"items":[1],"metadata":{"resourceVersion":"9"}} ,
        "\u0069tems" : [{"items":[{"x":"]}"}],"kind":"List"}],"x":"\"items\":[",
        "kind":"WidgetList","metadata":{"continue":"","resourceVersion":"5","x":{"resourceVersion":"8"}},
        "apiVersion":"example.com/v1","n":-1.5e3,"t":true,"z":null}"#;
    let (items, found) = split(widgets(), body);
    assert_eq!(items, [r#"{"items":[{"x":"]}"}],"kind":"List"}"#]);
    assert_eq!(found, Ok(end("5")));
}

#[test]
fn the_last_of_duplicate_keys_counts_and_a_second_items_is_refused() {
    let (_, found) = split(
        pods(),
        r#"{"metadata":{"resourceVersion":"1"},"items":[],
        "metadata":{"resourceVersion":"2","resourceVersion":"3"}}"#,
    );
    assert_eq!(found, Ok(end("3")));
    for twice in [r#"{"items":[],"items":[]}"#, r#"{"items":null,"items":[]}"#] {
        assert_eq!(split(pods(), twice).1, Err(ListSplitError::Head(ListHeadError::ItemsTwice)));
    }
}

// holds: X36
#[test]
fn a_response_that_is_not_a_list_is_refused() {
    for (body, wrong) in [
        ("{}", ListHeadError::NoItems),
        (r#"{"items":null}"#, ListHeadError::NoMetadata),
        (r#"{"items":[]}"#, ListHeadError::NoMetadata),
        (r#"{"items":[],"metadata":null}"#, ListHeadError::NoMetadata),
        (r#"{"items":[],"metadata":"5"}"#, ListHeadError::NoMetadata),
        (r#"{"kind":"PodList","apiVersion":"v1","items":[]}"#, ListHeadError::NoMetadata),
        (r#"{"items":[],"metadata":{}}"#, ListHeadError::Unidentified),
        (r#"{"kind":"","items":[],"metadata":{"resourceVersion":""}}"#, ListHeadError::Unidentified),
        (r#"{"kind":7,"items":[],"metadata":{"resourceVersion":5}}"#, ListHeadError::Unidentified),
    ] {
        assert_eq!(split(pods(), body).1, Err(ListSplitError::Head(wrong)), "{body}");
    }
    let unversioned = r#"{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]}"#;
    assert_eq!(split(pods(), unversioned), (vec![], Ok(end(""))));
}

#[test]
fn null_items_are_an_empty_list_and_missing_items_are_an_error() {
    assert_eq!(split(pods(), r#"{"items":null,"metadata":{"resourceVersion":"5"}}"#), (vec![], Ok(end("5"))));
    assert_eq!(split(pods(), "{}").1, Err(ListSplitError::Head(ListHeadError::NoItems)));
    for bad in [r#"{"items":{}}"#, r#"{"items":"x"}"#, r#"{"items":nul}"#, r#"{"items":3}"#] {
        assert!(matches!(split(pods(), bad).1, Err(ListSplitError::Malformed { .. })), "{bad}");
    }
}

// holds: X5
#[test]
fn a_list_that_ends_early_is_truncated_wherever_it_ends() {
    let body = r#"{"kind":"PodList","items":[{"a":1},{"b":2}],"metadata":{"resourceVersion":"5"}}"#;
    for length in 0..body.len() {
        let (items, found) = split_chunks(pods(), &[&body.as_bytes()[..length]], 1000);
        assert_eq!(found, Err(ListSplitError::Truncated { items: items.len() }), "{length} bytes");
    }
}

#[test]
fn an_error_states_the_offset() {
    for (body, at) in [
        (r#"{"items":[] "x"}"#, 12),
        (r#"{items:[]}"#, 1),
        (r#"{"items" []}"#, 9),
        (r#"{"items":[{},]}"#, 13),
        (r#"{"items":[{}{}]}"#, 12),
        (r#"{"a":}"#, 5),
        (r#"{"items":[]}x"#, 12),
        (r#"{"items":[],}"#, 12),
        (r#"{,"items":[]}"#, 1),
    ] {
        let found = split(pods(), body).1;
        assert!(
            matches!(found, Err(ListSplitError::Malformed { at: found, .. }) if found == at),
            "{body} {found:?}"
        );
    }
    for bad in ["{\"it\\ems\":[]}", r#"{"metadata":{"a"}}"#, r#"{"metadata":[}}"#, r#"{"kind":truu}"#] {
        assert!(matches!(split(pods(), bad).1, Err(ListSplitError::Malformed { .. })), "{bad}");
    }
    for other in ["<html>", "[]", "\"x\"", "7", "}"] {
        assert_eq!(split(pods(), other).1, Err(ListSplitError::NotAList), "{other}");
    }
    let invalid = b"{\"metadata\":{\"a\":\"\xff\"}}";
    assert!(matches!(split_chunks(pods(), &[invalid], 100).1, Err(ListSplitError::Malformed { .. })));
}

#[test]
fn an_item_over_the_limit_is_refused_and_never_buffered() {
    let body = br#"{"items":[{"a":1},{"a":12}],"metadata":{"resourceVersion":"5"}}"#;
    let refused = Err(ListSplitError::ItemTooLarge { limit_bytes: 7 });
    assert_eq!(split_chunks(pods(), &[body], 7), (vec![r#"{"a":1}"#.to_owned()], refused));
    assert!(split_chunks(pods(), &[body], 8).1.is_ok());

    let mut split = JsonListSplitter::new(pods(), 1000);
    split.next(&mut &b"{\"items\":["[..]).unwrap();
    let deep = [b'['; 100];
    let refused = (0..100).find(|_| split.next(&mut &deep[..]).is_err());
    assert_eq!(refused, Some(10));
    assert!(split.partial.len() <= 1000);
}

#[test]
fn an_unknown_field_may_be_of_any_size_and_depth() {
    let (open, close) = ("[".repeat(3 << 20), "]".repeat(3 << 20));
    let body = format!(r#"{{"x":{open}{close},"items":[],"metadata":{{"resourceVersion":"5"}}}}"#);
    let chunks: Vec<&[u8]> = body.as_bytes().chunks(4096).collect();
    assert!(split_chunks(pods(), &chunks, 1000).1.is_ok());
    let deep = format!(r#"{{"metadata":{}{},"items":[]}}"#, "[".repeat(1000), "]".repeat(1000));
    assert!(matches!(split_chunks(pods(), &[deep.as_bytes()], 9).1, Err(ListSplitError::Malformed { .. })));
    let large = format!(r#"{{"metadata":{{"continue":"{}"}},"items":[]}}"#, "x".repeat(2 << 20));
    assert!(matches!(split_chunks(pods(), &[large.as_bytes()], 9).1, Err(ListSplitError::Malformed { .. })));
}

#[test]
fn a_status_in_place_of_a_list_is_reported_as_a_status() {
    let body = r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"gone",
        "reason":"Expired","code":410}"#;
    for kind in [pods(), widgets()] {
        let Err(ListSplitError::Head(ListHeadError::Status(status))) = split(kind, body).1 else {
            panic!("no status")
        };
        assert_eq!(status.class(), ErrorClass::Expired);
        assert_eq!(status.message, "gone");
    }
    let sorted = r#"{"apiVersion":"v1","code":403,"kind":"Status","reason":"Forbidden"}"#;
    assert!(matches!(split(widgets(), sorted).1, Err(ListSplitError::Head(ListHeadError::Status(_)))));
}

// holds: R26
#[test]
fn a_table_in_place_of_a_list_is_refused() {
    for version in ["v1", "v1beta1"] {
        let body = format!(r#"{{"kind":"Table","apiVersion":"meta.k8s.io/{version}","rows":[],"items":[]}}"#);
        assert_eq!(split(pods(), &body).1, Err(ListSplitError::Head(ListHeadError::Table)));
    }
}

#[test]
fn a_list_of_another_kind_is_refused_before_its_items() {
    for wrong in [
        r#"{"kind":"ServiceList","apiVersion":"v1","items":[{}]}"#,
        r#"{"apiVersion":"v2","kind":"PodList","items":[{}]}"#,
        r#"{"kind":"Pod","apiVersion":"v1"}"#,
        r#"{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","items":[{}]}"#,
    ] {
        let (items, found) = split(pods(), wrong);
        assert!(items.is_empty());
        assert!(matches!(found, Err(ListSplitError::Head(ListHeadError::Kind { .. }))), "{wrong}");
    }
    let named_freely =
        r#"{"apiVersion":"example.com/v1","items":[],"kind":"WidgetCollection","metadata":{}}"#;
    assert!(split(widgets(), named_freely).1.is_ok());
    let another_group = r#"{"apiVersion":"example.org/v1","items":[],"kind":"WidgetList"}"#;
    assert!(split(widgets(), another_group).1.is_err());
    let metadata = ListKind::of(&Pod::resource(), Projection::Metadata);
    let partial =
        r#"{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","items":[{}],"metadata":{}}"#;
    assert!(split(metadata, partial).1.is_ok());
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        r#"[a-z"\\\[\]{},: \n]{0,8}"#.prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(r#"items|metadata|kind|["\\\[\]{}a]{0,3}"#, inner, 0..4)
                .prop_map(|map| map.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

proptest! {
    #[test]
    fn a_list_splits_into_what_serde_json_reads_however_it_is_cut(
        items in prop::collection::vec(any_value(), 0..6),
        unknown in any_value(),
        version in "[0-9]{0,3}",
        is_pretty in any::<bool>(),
        order in Just(["items", "metadata", "kind", "other"]).prop_shuffle(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
    ) {
        let mut list = serde_json::Map::new();
        for key in order {
            list.insert(key.to_owned(), match key {
                "items" => json!(items),
                "metadata" => json!({ "resourceVersion": version, "x": unknown }),
                "kind" => json!("PodList"),
                _ => unknown.clone(),
            });
        }
        // A map sorts its keys, so the order is written by hand.
        let write = |value: &Value| if is_pretty {
            serde_json::to_string_pretty(value).unwrap()
        } else {
            value.to_string()
        };
        let fields: Vec<String> = order.iter().map(|key| format!("{key:?}:{}", write(&list[*key]))).collect();
        let body = format!("{{{}}}", fields.join(if is_pretty { " ,\n" } else { "," }));
        let chunks = crate::testing::chunks(body.as_bytes(), &cuts);
        let (found, end) = split_chunks(pods(), &chunks, 1 << 20);
        let found: Vec<Value> = found.iter().map(|item| serde_json::from_str(item).unwrap()).collect();
        prop_assert_eq!(found, items);
        prop_assert_eq!(end.unwrap().version, Version::new(&version));
    }

    #[test]
    fn arbitrary_bytes_split_the_same_however_they_are_cut(
        body in r#"(\{"items":\[)?[{}\[\]",:\\ a1n]{0,24}"#,
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let chunks = crate::testing::chunks(body.as_bytes(), &cuts);
        prop_assert_eq!(
            split_chunks(pods(), &chunks, 16),
            split_chunks(pods(), &[body.as_bytes()], 16)
        );
    }
}
