//! Which notifications merge, and how much memory a backlog needs.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;
use tidings_object::{Kind, RawObject};
use tidings_source::scripted::object;

use super::*;

fn pod(name: &str, version: u64) -> Arc<RawObject> {
    let resource = k8s_openapi::api::core::v1::Pod::resource();
    object(&resource, Some("default"), name, version, &format!("uid-{name}"), json!({}))
}

fn added(name: &str, version: u64) -> RawNotification {
    RawNotification::added(pod(name, version), false)
}

fn initial(name: &str, version: u64) -> RawNotification {
    RawNotification::added(pod(name, version), true)
}

fn updated(name: &str, old: u64, new: u64) -> RawNotification {
    RawNotification::updated(pod(name, old), pod(name, new))
}

fn resync(name: &str, version: u64) -> RawNotification {
    RawNotification::resync(pod(name, version))
}

fn deleted(name: &str, old: u64, version: u64) -> RawNotification {
    RawNotification::deleted(pod(name, old), pod(name, version), false)
}

#[test]
fn statistics_describe_the_pending_notifications() {
    let mut backlog = Backlog::new(2);
    let statistics = |backlog: &Backlog| (backlog.len(), backlog.merges(), backlog.oldest_since());
    assert_eq!((statistics(&backlog), backlog.memory_bytes()), ((0, 0, None), 0));
    let began = Instant::now();
    let later = began + std::time::Duration::from_secs(1);
    backlog.push(added("a", 1), began);
    backlog.push(added("b", 2), later);
    let queued_bytes = backlog.entries.capacity() * size_of::<Option<PendingEntry>>();
    assert_eq!(backlog.memory_bytes(), queued_bytes, "below the bound there is no table of keys");
    for version in 3..6 {
        backlog.push(updated("a", version - 1, version), later);
    }
    assert_eq!(statistics(&backlog), (2, 3, Some(began)));
    let numbers =
        backlog.newest.as_ref().map(HashTable::capacity).expect("above the bound there is a table of keys");
    assert_eq!(backlog.memory_bytes(), queued_bytes + 8 * numbers);
    backlog.push(added("c", 6), later);
    backlog.push(deleted("c", 6, 7), later);
    assert_eq!(statistics(&backlog), (2, 4, Some(began)), "a cancelled addition counts as a merge");
    backlog.pop();
    assert_eq!(statistics(&backlog), (1, 4, Some(later)));
    assert_eq!((backlog.clear(), statistics(&backlog)), (1, (0, 4, None)));
}

#[test]
fn a_handler_that_has_caught_up_frees_its_memory() {
    let mut backlog = Backlog::new(10);
    for name in 0..1_000 {
        backlog.push(added(&name.to_string(), 1), Instant::now());
    }
    while let live @ 1.. = backlog.len() {
        assert_eq!(backlog.newest.is_some(), live >= 5, "{live} wait");
        backlog.pop();
    }
    assert_eq!(backlog.memory_bytes(), 0, "the memory of a burst is freed");
    backlog.push(added("a", 2), Instant::now());
    backlog.pop();
    assert_ne!(backlog.memory_bytes(), 0, "a small buffer is kept");
}

#[test]
fn entries_are_compacted_when_holes_outnumber_them() {
    let (mut backlog, now) = (Backlog::new(0), Instant::now());
    let names: Vec<_> = (0..500).map(|name| name.to_string()).collect();
    let first_to_last = ["first"].into_iter().chain(names.iter().map(String::as_str)).chain(["last"]);
    first_to_last.for_each(|name| _ = backlog.push(added(name, 1), now));
    for (gone, name) in names.iter().enumerate() {
        backlog.push(deleted(name, 1, 2), now);
        assert!(backlog.entries.len() <= 2 * backlog.len() + 64, "after {gone}: {}", backlog.entries.len());
        assert!(gone > 250 || backlog.entries.len() == 502, "after {gone} there are still few holes");
    }
    let left = [backlog.pop(), backlog.pop(), backlog.pop()];
    let left: Vec<_> = left.iter().flatten().map(|entry| shown(&entry.notification)).collect();
    assert_eq!(left, ["add first@1", "add last@1"]);
}

fn shown(notification: &RawNotification) -> String {
    match notification {
        Notification::Added { object, is_initial } => {
            format!("{} {}@{}", if *is_initial { "initial" } else { "add" }, object.name(), object.version())
        }
        Notification::Updated { old, new, is_resync } => {
            let word = if *is_resync { "resync" } else { "update" };
            format!("{word} {}@{}->{}", new.name(), old.version(), new.version())
        }
        Notification::Deleted { old, object, .. } => {
            format!("delete {}@{}->{}", object.name(), old.version(), object.version())
        }
    }
}

/// Checks what is popped from a backlog with this bound.
#[track_caller]
fn check(merge_above: usize, pushed: Vec<RawNotification>, expected: &[&str]) {
    let mut backlog = Backlog::new(merge_above);
    for notification in pushed {
        backlog.push(notification, Instant::now());
    }
    let out: Vec<String> =
        std::iter::from_fn(|| backlog.pop()).map(|entry| shown(&entry.notification)).collect();
    assert_eq!(out, expected);
}

// holds: X11
#[tokio::test]
async fn up_to_the_bound_every_notification_is_kept_in_order() {
    let pushed =
        vec![added("a", 1), added("b", 2), updated("a", 1, 3), updated("a", 3, 4), deleted("b", 2, 5)];
    check(5, pushed, &["add a@1", "add b@2", "update a@1->3", "update a@3->4", "delete b@2->5"]);
}

// holds: X11
#[tokio::test]
async fn above_the_bound_notifications_of_one_object_merge_at_the_oldest_position() {
    check(0, vec![added("a", 1), added("b", 2), updated("a", 1, 3)], &["add a@3", "add b@2"]);
    check(
        0,
        vec![updated("a", 1, 2), updated("b", 1, 2), updated("a", 2, 3)],
        &["update a@1->3", "update b@1->2"],
    );
    check(0, vec![updated("a", 1, 2), deleted("a", 2, 3)], &["delete a@1->3"]);
    check(0, vec![added("a", 1), deleted("a", 1, 2)], &[]);
    check(0, vec![deleted("a", 0, 1), added("a", 2), updated("a", 2, 3)], &["delete a@0->1", "add a@3"]);
    check(0, vec![deleted("a", 0, 1), added("a", 2), deleted("a", 2, 3)], &["delete a@0->1"]);
    check(0, vec![resync("a", 1), updated("a", 1, 2)], &["update a@1->2"]);
    check(0, vec![updated("a", 1, 2), resync("a", 2)], &["update a@1->2"]);
    check(0, vec![resync("a", 1), resync("a", 1)], &["resync a@1->1"]);
    check(0, vec![initial("a", 1), updated("a", 1, 2)], &["initial a@2"]);
}

// holds: X11
#[tokio::test]
async fn a_blocked_handler_needs_bounded_memory_under_endless_creation_and_deletion() {
    let mut backlog = Backlog::new(8);
    for round in 0..10_000u64 {
        let name = format!("pod-{}", round % 50);
        backlog.push(added(&name, 2 * round), Instant::now());
        backlog.push(deleted(&name, 2 * round, 2 * round + 1), Instant::now());
    }
    assert!(backlog.len() <= 8 + 2 * 50, "{}", backlog.len());
    assert!(backlog.entries.len() <= 2 * backlog.len() + 64, "{}", backlog.entries.len());
}

#[test]
fn two_backlogs_hash_with_different_seeds() {
    let hashes = || {
        let backlog = Backlog::new(0);
        ["default/a", "default/b", "default/c", "default/d"].map(|key| backlog.hasher.hash_one(key))
    };
    assert_ne!(hashes(), hashes(), "names that collide in one must not collide in every one");
}

proptest! {
    // holds: X11
    #[test]
    fn with_any_merges_a_handler_ends_with_the_last_state_and_receives_nothing_inconsistent(
        merge_above in 0usize..6,
        steps in prop::collection::vec((0usize..4, 0u8..6), 0..200),
    ) {
        let mut backlog = Backlog::new(merge_above);
        let mut live: BTreeMap<usize, u64> = BTreeMap::new();
        let mut received: BTreeMap<String, u64> = BTreeMap::new();
        let mut receive = |entry: PendingEntry| {
            let name = entry.notification.key().name().to_owned();
            match &entry.notification {
                Notification::Added { object, .. } => {
                    assert!(received.insert(name, object.version().number().unwrap()).is_none());
                }
                Notification::Updated { old, new, .. } => {
                    let before = received.insert(name, new.version().number().unwrap());
                    assert_eq!(before, old.version().number(), "the old object is the one that was received last");
                }
                Notification::Deleted { old, .. } => {
                    let last = received.remove(&name);
                    assert_eq!(last, old.version().number(), "the old object is the one that was received last");
                }
            }
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let now = runtime.block_on(async { Instant::now() });
        for (version, (object, action)) in (1u64..).zip(steps) {
            let name = format!("pod-{object}");
            let notification = match (live.get(&object).copied(), action) {
                (_, 0) => {
                    if let Some(entry) = backlog.pop() {
                        receive(entry);
                    }
                    continue;
                }
                (None, _) => { live.insert(object, version); added(&name, version) }
                (Some(old), 1) => { live.remove(&object); deleted(&name, old, version) }
                (Some(old), 2) => resync(&name, old),
                (Some(old), _) => { live.insert(object, version); updated(&name, old, version) }
            };
            backlog.push(notification, now);
            prop_assert!(backlog.len() <= merge_above + 2 * 4);
        }
        while let Some(entry) = backlog.pop() {
            receive(entry);
        }
        let live = live.into_iter().map(|(object, version)| (format!("pod-{object}"), version));
        let live: BTreeMap<String, u64> = live.collect();
        prop_assert_eq!(received, live);
        prop_assert_eq!(backlog.len(), 0);
    }
}
