//! Each delta with the notifications and the count that it causes.

use k8s_openapi::api::core::v1::Pod;
use tidings_object::{Kind, Version};

use super::*;
use crate::delta::transcript::{object, scope, word};
use crate::indexer::indexer;
use crate::informer::notification::Notification;

const STREAM: StreamId = StreamId(1);

/// An informer that follows all namespaces and has not listed yet.
fn applier(order: QueueOrder) -> Applier {
    let (writer, _) = indexer();
    let mut applier = Applier::new(writer, order);
    applier.wanted = vec![StreamScope::All];
    applier.progress.begin(STREAM, StreamScope::All);
    applier
}

/// The inverse of the transcript's `show`: `+ a/x@1`, `all *: a/x@1 a/y@2`, `listed 5`.
fn delta(step: &str) -> Delta {
    let (verb, rest) = step.split_once(' ').unwrap();
    let reached = |by| Delta::Reached { version: Version::new(rest), by };
    match verb {
        "+" => Delta::Changed(ChangeType::Added, object(rest)),
        "~" => Delta::Changed(ChangeType::Modified, object(rest)),
        "-" => Delta::Changed(ChangeType::Deleted, object(rest)),
        "=" => Delta::Replaced(object(rest)),
        "?" => Delta::MissingFromList(object(rest)),
        "s" => Delta::Sync(object(rest)),
        "end" => Delta::ScopeEnded { scope: scope(rest) },
        "reached" => reached(ReachedBy::Bookmark),
        "listed" => reached(ReachedBy::List(Epoch::Same)),
        "relisted" => reached(ReachedBy::List(Epoch::New)),
        "all" => {
            let (namespace, objects) = rest.split_once(':').unwrap();
            let objects = objects.split_whitespace().map(object).collect();
            Delta::ReplacedAll { scope: scope(namespace), objects }
        }
        _ => panic!("unknown step: {step}"),
    }
}

fn show(notification: &RawNotification) -> String {
    match notification {
        Notification::Added { object, is_initial: true } => format!("initial {}", word(object.raw())),
        Notification::Added { object, .. } => format!("added {}", word(object.raw())),
        Notification::Updated { new, is_resync: true, .. } => format!("resync {}", word(new.raw())),
        Notification::Updated { old, new, .. } => format!("{} -> {}", word(old.raw()), word(new.raw())),
        Notification::Deleted { object, is_final_state_unknown: true, .. } => {
            format!("vanished {}", word(object.raw()))
        }
        Notification::Deleted { old, object, .. } => {
            format!("deleted {} -> {}", word(old.raw()), word(object.raw()))
        }
    }
}

/// Applies deltas of one stream, each with its notifications.
fn check(applier: &mut Applier, steps: &[(&str, &str)]) {
    for (step, expected) in steps {
        let mut out = Vec::new();
        applier.apply(STREAM, delta(step), &mut out);
        let mut shown: Vec<_> = out.iter().map(show).collect();
        if step.starts_with("all") {
            shown.sort_unstable();
        }
        assert_eq!(shown.join(", "), *expected, "{step}");
    }
}

#[test]
fn each_watch_event_is_counted_by_its_result() {
    for order in [QueueOrder::InOrder, QueueOrder::PerObject] {
        let mut applier = applier(order);
        check(
            &mut applier,
            &[
                ("+ a/early@1", "initial a/early@1"),
                ("listed 2", ""),
                ("+ a/x@5", "added a/x@5"),
                ("~ a/x@4", ""),
                ("~ a/x@5", ""),
                ("~ a/x@6", "a/x@5 -> a/x@6"),
                ("- a/x@5", ""),
                ("- a/unknown@7", ""),
                ("- a/x@8", "deleted a/x@6 -> a/x@8"),
                // Replays of the deleted object, then the object again.
                ("~ a/x@7", ""),
                ("~ a/x@8", ""),
                ("+ a/x@9", "added a/x@9"),
                ("+ a/x@10!other", "vanished a/x@9, added a/x@10!other"),
                ("~ a/x@9", ""),
            ],
        );
        let expected = AppliedCounts {
            changes: 6,
            stale: 6,
            unknown_deletions: 1,
            lists: 1,
            ..AppliedCounts::default()
        };
        assert_eq!(applier.counts, expected, "{order:?}");
    }
}

#[test]
fn each_object_of_a_list_is_counted_by_its_result() {
    let mut applier = applier(QueueOrder::InOrder);
    check(
        &mut applier,
        &[
            ("all *: a/x@1 a/y@2 a/z@3 b/w@4", "initial a/x@1, initial a/y@2, initial a/z@3, initial b/w@4"),
            ("listed 5", ""),
            (
                "all a: a/x@1 a/y@2#other a/z@4!other b/v@1",
                "a/y@2 -> a/y@2, added a/z@4!other, vanished a/z@3",
            ),
            ("listed 6", ""),
            ("all a: a/y@7", "a/y@2 -> a/y@7, vanished a/x@1, vanished a/z@4!other"),
            // The deletion by a list is remembered too.
            ("~ a/x@1", ""),
        ],
    );
    let expected = AppliedCounts {
        unchanged: 1,
        changed_in_place: 1,
        out_of_scope: 1,
        lists: 2,
        stale: 1,
        ..AppliedCounts::default()
    };
    assert_eq!(applier.counts, expected);
}

#[test]
fn each_item_of_a_list_in_the_per_object_order_is_counted_by_its_result() {
    let mut applier = applier(QueueOrder::PerObject);
    check(
        &mut applier,
        &[
            ("= a/x@1", "initial a/x@1"),
            ("= a/y@2", "initial a/y@2"),
            ("listed 5", ""),
            ("= a/x@1", ""),
            ("= a/x@1#other", "a/x@1 -> a/x@1"),
            ("= a/y@1!other", "vanished a/y@2, added a/y@1!other"),
            ("= a/z@3", "added a/z@3"),
            ("s a/z@2", "resync a/z@3"),
            ("s a/unknown@2", ""),
            ("? a/z@1", "vanished a/z@3"),
            ("? a/z@1", ""),
            ("~ a/z@3", ""),
        ],
    );
    let expected =
        AppliedCounts { unchanged: 1, changed_in_place: 1, lists: 1, stale: 1, ..AppliedCounts::default() };
    assert_eq!(applier.counts, expected);
}

#[test]
fn a_list_of_a_new_epoch_and_no_other_list_forgets_deletions() {
    let mut applier = applier(QueueOrder::InOrder);
    check(
        &mut applier,
        &[
            ("all *: a/x@1", "initial a/x@1"),
            ("listed 5", ""),
            ("- a/x@8", "deleted a/x@1 -> a/x@8"),
            ("listed 9", ""),
            ("reached 10", ""),
            ("+ a/x@7", ""),
            ("relisted 3", ""),
            ("+ a/x@7", "added a/x@7"),
        ],
    );
}

#[test]
fn an_object_without_a_version_counts_as_newer() {
    let mut applier = applier(QueueOrder::InOrder);
    check(&mut applier, &[("+ a/x@", "initial a/x@"), ("~ a/x@", "a/x@ -> a/x@")]);
}

#[test]
fn scopes_overlap_if_one_contains_the_other() {
    for (one, other, expected) in
        [("*", "*", true), ("*", "a", true), ("a", "*", true), ("a", "a", true), ("a", "b", false)]
    {
        assert_eq!(overlap(&scope(one), &scope(other)), expected, "{one} {other}");
    }
}

#[test]
fn objects_differ_by_uid_only_if_both_have_one() {
    let with_uid = |uid: &str| {
        let resource = Pod::resource();
        tidings_source::scripted::object(&resource, Some("a"), "x", 1, uid, serde_json::json!({}))
    };
    for (one, other, expected) in
        [("", "", false), ("1", "", false), ("", "1", false), ("1", "1", false), ("1", "2", true)]
    {
        assert_eq!(are_different_objects(&with_uid(one), &with_uid(other)), expected, "{one:?} {other:?}");
    }
}
