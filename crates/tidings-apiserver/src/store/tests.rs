//! Tests of the store: order of keys, preconditions, bounds of the history, restore, and reads at earlier versions.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::json;

use super::*;

const PODS: &str = "/pods";

fn draft(key: &str, value: u64) -> UnversionedObject {
    let object = json!({"metadata": {"name": key}, "data": value});
    UnversionedObject::encode(key, object.as_object().unwrap(), KeyOrder::Struct)
}

fn put(store: &Store, key: &str, value: u64) -> u64 {
    store.put(PODS, Precondition::None, draft(key, value), WatchVisibility::Visible).unwrap().version()
}

fn keys(store: &Store, range: &KeyRange, at: Option<u64>) -> Vec<String> {
    let snapshot = store.snapshot(PODS, range, usize::MAX, at).unwrap();
    snapshot.objects.iter().map(|object| object.key().to_owned()).collect()
}

#[test]
fn keys_are_ordered_as_etcd_orders_them() {
    let store = Store::new(HistoryLimits::default());
    for key in ["a/x", "a-b/x", "a.b/x", "b/x", "a/w"] {
        put(&store, key, 0);
    }
    assert_eq!(keys(&store, &KeyRange::all(), None), ["a-b/x", "a.b/x", "a/w", "a/x", "b/x"]);
    assert_eq!(keys(&store, &KeyRange::namespace("a"), None), ["a/w", "a/x"]);
}

#[test]
fn an_encoded_object_is_kept_while_its_change_is_recent_and_no_longer() {
    let store = Store::new(HistoryLimits::default());
    let message = tidings_protobuf::message("", "v1", "Pod").unwrap();
    let is_encoded = |object: &StoredObject| {
        let mut is_encoded = false;
        let encode = || {
            is_encoded = true;
            Ok::<_, std::convert::Infallible>(Vec::new())
        };
        let Ok(_) = object.protobuf(message, encode);
        is_encoded
    };
    let object = store.put(PODS, Precondition::Absent, draft("a", 0), WatchVisibility::Visible).unwrap();
    assert!(is_encoded(&object));
    assert!(!is_encoded(&object), "the response to the write and the watchers share the same bytes");
    for value in 0..history::ENCODED_KEPT as u64 {
        put(&store, "b", value);
    }
    assert!(is_encoded(&object) && is_encoded(&object), "the encoded bytes of old changes are not kept");
}

#[test]
fn a_write_that_expects_another_version_changes_nothing() {
    let store = Store::new(HistoryLimits::default());
    let first = put(&store, "a", 1);
    let stale = store.put(PODS, Precondition::Version(first + 1), draft("a", 2), WatchVisibility::Visible);
    assert_eq!(stale.unwrap_err(), PreconditionFailed);
    assert_eq!(
        store.put(PODS, Precondition::Absent, draft("a", 2), WatchVisibility::Visible).unwrap_err(),
        PreconditionFailed
    );
    assert_eq!(
        store.remove(PODS, "a", Precondition::Version(9), WatchVisibility::Visible).unwrap_err(),
        PreconditionFailed
    );
    assert_eq!(store.version(), first);
}

#[test]
fn history_is_bounded_by_count_and_by_bytes() {
    let few = HistoryLimits::default().changes_max(3);
    let small = HistoryLimits::default().bytes_max(700);
    for limits in [few, small] {
        let store = Store::new(limits);
        let first = put(&store, "a", 0);
        for value in 0..20 {
            put(&store, "a", value);
        }
        let size = store.size();
        assert!(size.changes <= 5 && size.history_bytes <= 1000, "{size:?}");
        let subscription = store.subscribe(PODS);
        assert!(matches!(
            store.read_history(&subscription, first, WatchRead::First, 10),
            HistoryRead::Compacted { .. }
        ));
        assert!(matches!(
            store.read_history(&subscription, store.version() - 1, WatchRead::First, 10),
            HistoryRead::Changes(_)
        ));
    }
}

#[tokio::test(start_paused = true)]
async fn history_is_bounded_by_age() {
    let store = Store::new(HistoryLimits::default().age_max(Duration::from_secs(60)));
    let first = put(&store, "a", 0);
    put(&store, "a", 1);
    let subscription = store.subscribe(PODS);
    assert!(matches!(
        store.read_history(&subscription, first, WatchRead::First, 10),
        HistoryRead::Changes(_)
    ));
    tokio::time::advance(Duration::from_secs(61)).await;
    assert!(matches!(
        store.read_history(&subscription, first, WatchRead::First, 10),
        HistoryRead::Compacted { .. }
    ));
    assert!(store.snapshot(PODS, &KeyRange::all(), 10, Some(first)).is_err());
}

#[test]
fn a_restored_store_assigns_versions_again_and_ends_watches() {
    let store = Store::new(HistoryLimits::default());
    put(&store, "a", 0);
    let saved = store.save();
    let subscription = store.subscribe(PODS);
    let later = put(&store, "b", 0);
    store.restore(&saved);
    assert_eq!(keys(&store, &KeyRange::all(), None), ["a"]);
    assert!(matches!(
        store.read_history(&subscription, later, WatchRead::First, 10),
        HistoryRead::WatchEnded
    ));
    assert_eq!(put(&store, "c", 0), later);
    let subscription = store.subscribe(PODS);
    match store.read_history(&subscription, saved.version(), WatchRead::First, 10) {
        HistoryRead::Changes(changes) => assert_eq!(changes[0].key(), "c"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_owner_without_remaining_dependents_owns_nothing() {
    let store = Store::new(HistoryLimits::default());
    let object = json!({"metadata": {"name": "d", "ownerReferences": [{"uid": "u-1"}]}});
    let draft = UnversionedObject::encode("d", object.as_object().unwrap(), KeyOrder::Struct);
    store.put(PODS, Precondition::Absent, draft, WatchVisibility::Visible).unwrap();
    assert!(store.may_own("u-1") && !store.may_own("u-2"));
    store.remove(PODS, "d", Precondition::None, WatchVisibility::Visible).unwrap();
    assert!(!store.may_own("u-1"));
}

#[derive(Clone, Debug)]
enum Write {
    Put(u8, u64),
    Remove(u8),
}

proptest! {
    #[test]
    fn every_version_within_the_history_reads_as_it_was(
        writes in prop::collection::vec(
            prop_oneof![
                (0u8..12, any::<u64>()).prop_map(|(key, value)| Write::Put(key, value)),
                (0u8..12).prop_map(Write::Remove),
            ],
            1..60,
        ),
    ) {
        let store = Store::new(HistoryLimits::default());
        let mut model: BTreeMap<String, u64> = BTreeMap::new();
        let mut past = vec![(store.version(), model.clone())];
        for write in writes {
            match write {
                Write::Put(key, value) => {
                    put(&store, &format!("k{key:02}"), value);
                    model.insert(format!("k{key:02}"), value);
                }
                Write::Remove(key) => {
                    let key = format!("k{key:02}");
                    store.remove(PODS, &key, Precondition::None, WatchVisibility::Visible).unwrap();
                    model.remove(&key);
                }
            }
            past.push((store.version(), model.clone()));
        }
        for (version, then) in past {
            let snapshot = store.snapshot(PODS, &KeyRange::all(), usize::MAX, Some(version)).unwrap();
            let read: BTreeMap<String, u64> = snapshot
                .objects
                .iter()
                .map(|object| (object.key().to_owned(), object.decoded()["data"].as_u64().unwrap()))
                .collect();
            prop_assert_eq!(read, then);
        }
    }
}
