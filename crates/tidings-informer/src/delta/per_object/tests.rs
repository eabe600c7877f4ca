//! Tests of the per-object queue, written as transcripts.

use std::sync::Arc;

use tidings_object::{NothingKnown, Version};
use tidings_source::{ChangeType, StreamScope};

use super::IDLE_ENTRIES_MAX;
use crate::delta::QueueOrder::PerObject;
use crate::delta::transcript::{check, object, show};
use crate::delta::{Delta, DeltaFifo, DeltaKind, StreamId};
use crate::indexer::indexer;

// holds: Q1, Q2
#[test]
fn a_key_keeps_its_first_position_and_its_deltas_leave_together() {
    check(
        PerObject,
        "+ a/x@1
         + a/y@2
         ~ a/x@3
         - a/x@4
         + a/x@5
         take: + a/x@1 | ~ a/x@3 | - a/x@4 | + a/x@5 | reached 1 | + a/y@2 | reached 5
         ~ a/x@6
         take: ~ a/x@6 | reached 6
         take:",
    );
}

// holds: Q3
#[test]
fn two_deletions_become_the_older_unless_only_the_newer_is_from_the_server() {
    check(
        PerObject,
        "known a/w@1 a/x@1 a/y@1 a/z@1
         - a/w@2
         - a/w@3
         - a/x@4
         list * @9: a/z@1
         - a/y@10
         list * @11: a/z@1
         list * @12: a/z@1
         take: - a/w@2 | reached 3 | - a/x@4 | - a/y@10 | listed 9 | listed 11 | listed 12",
    );
}

// holds: Q3
#[test]
fn deletions_with_an_addition_between_them_all_stay() {
    check(
        PerObject,
        "known a/x@1
         - a/x@2
         + a/x@3
         - a/x@4
         take: - a/x@2 | + a/x@3 | - a/x@4 | reached 4",
    );
}

#[test]
fn an_ignored_replayed_deletion_never_replaces_one_that_is_applied() {
    // The state that is newer than the deletion is known, queued, or in flight.
    for (before, queued, missing, reached) in [
        ("known a/x@5\n- a/x@3", "- a/x@3", "a/x@5", 3),
        ("+ a/x@5\n- a/x@3", "+ a/x@5 | - a/x@3", "a/x@5", 5),
        ("+ a/x@5\ntake: + a/x@5 | reached 5\n- a/x@3", "- a/x@3", "a/x@5", 3),
    ] {
        let listed = format!("take: {queued} | ? {missing} | reached {reached} | listed 9");
        check(PerObject, &format!("{before}\nlist * @9:\n{listed}"));
        check(PerObject, &format!("{before}\n- a/x@7\ntake: {queued} | - a/x@7 | reached 7"));
    }
    check(
        PerObject,
        "known a/x@5
         - a/x@3
         take: - a/x@3 | reached 3
         list * @9:
         take: ? a/x@5 | listed 9
         list * @10:
         take: listed 10",
    );
    check(
        PerObject,
        "known a/x@5
         list * @9:
         - a/x@3
         take: ? a/x@5 | listed 9 | reached 3",
    );
}

// holds: Q6, X29
#[test]
fn an_object_missing_from_a_list_has_its_newest_known_state_despite_replays() {
    // A change older than the known state is queued, or in flight.
    check(
        PerObject,
        "known a/x@5
         ~ a/x@3
         list * @9:
         take: ~ a/x@3 | ? a/x@5 | reached 3 | listed 9",
    );
    check(
        PerObject,
        "known a/x@5
         ~ a/x@3
         take: ~ a/x@3 | reached 3
         list * @9:
         take: ? a/x@5 | listed 9",
    );
    // A listed object is applied at any version.
    check(
        PerObject,
        "known a/x@5
         relist * @3: a/x@3
         take: = a/x@3 | relisted 3
         list * @9:
         take: ? a/x@3 | listed 9",
    );
}

// holds: Q7, X29
#[test]
fn a_resync_queues_each_known_object_without_queued_deltas() {
    check(
        PerObject,
        "known a/x@1 a/y@1 b/z@1
         ~ a/y@2
         sync: 2
         sync: 0
         ~ a/x@3
         take: ~ a/y@2 | reached 2 | s a/x@1 | ~ a/x@3 | s b/z@1 | reached 3
         take:
         sync: 3
         take: s a/x@3 | s a/y@2 | s b/z@1",
    );
}

// holds: Q7, X29
#[test]
fn a_resync_is_of_the_objects_after_the_last_batch_is_applied() {
    check(
        PerObject,
        "known a/x@1 a/y@1
         ~ a/x@2
         - a/y@3
         + a/z@4
         take: ~ a/x@2 | reached 2 | - a/y@3 | + a/z@4 | reached 4
         sync: 2
         take: s a/x@2 | s a/z@4",
    );
}

// holds: Q7, X29
#[test]
fn a_resync_skips_the_objects_of_an_ending_scope() {
    check(
        PerObject,
        "known a/x@1 b/y@1
         end a
         sync: 1
         take: end a | s b/y@1
         sync: 1
         take: s b/y@1",
    );
    check(
        PerObject,
        "known a/x@1
         sync: 1
         list * @9:
         take: s a/x@1 | ? a/x@1 | listed 9",
    );
}

// holds: Q1, Q2, Q4, Q5, Q7, X29
#[test]
fn used_directly_it_behaves_as_client_gos_delta_fifo() {
    let (mut writer, reader) = indexer();
    let mut fifo = DeltaFifo::new(Arc::new(reader));
    let popped = |fifo: &mut DeltaFifo| -> Vec<String> {
        let deltas = fifo.pop().into_iter().flatten();
        deltas.map(|delta| show(StreamId(1), &delta)).collect()
    };
    fifo.add(object("a/x@1"));
    fifo.add(object("a/y@2"));
    fifo.update(object("a/x@3"));
    fifo.delete(object("a/y@4"));
    fifo.delete(object("a/unknown@5"));
    assert_eq!((fifo.len(), fifo.is_empty()), (4, false));
    assert_eq!(popped(&mut fifo), ["+ a/x@1", "~ a/x@3"]);
    writer.upsert(object("a/x@3"));
    writer.publish(None);
    assert_eq!(popped(&mut fifo), ["+ a/y@2", "- a/y@4"]);
    assert!(fifo.pop().is_none() && fifo.is_empty());
    assert_eq!(fifo.resync(), 1);
    assert_eq!(popped(&mut fifo), ["s a/x@3"]);
    fifo.replace([object("a/z@6")]);
    assert_eq!(popped(&mut fifo), ["= a/z@6"]);
    writer.upsert(object("a/z@6"));
    assert_eq!(popped(&mut fifo), ["? a/x@3"]);
    writer.remove("a/x");
    writer.publish(None);
    fifo.replace([object("a/z@6")]);
    assert!(fifo.pop().is_none(), "known unchanged");
    // Markers of streams are skipped.
    fifo.bookmark(StreamId(1), Version::new("9"));
    fifo.add(object("a/w@10"));
    assert_eq!(popped(&mut fifo), ["+ a/w@10"]);
    let kinds = [
        (Delta::Changed(ChangeType::Added, object("a/x@1")), Some(DeltaKind::Added)),
        (Delta::Changed(ChangeType::Modified, object("a/x@1")), Some(DeltaKind::Updated)),
        (Delta::Changed(ChangeType::Deleted, object("a/x@1")), Some(DeltaKind::Deleted)),
        (Delta::MissingFromList(object("a/x@1")), Some(DeltaKind::Deleted)),
        (Delta::Replaced(object("a/x@1")), Some(DeltaKind::Replaced)),
        (Delta::Sync(object("a/x@1")), Some(DeltaKind::Sync)),
        (Delta::ScopeEnded { scope: StreamScope::All }, None),
    ];
    for (delta, kind) in kinds {
        assert_eq!(delta.kind(), kind);
    }
}

#[test]
fn a_replayed_change_does_not_lower_the_reached_version() {
    check(
        PerObject,
        "+ a/x@5
         ~ a/x@3
         + a/y@7
         ~ a/x@4
         take: + a/x@5 | ~ a/x@3 | ~ a/x@4 | reached 5 | + a/y@7 | reached 7",
    );
}

// holds: Q4, X10
#[test]
fn a_deletion_of_an_object_that_is_neither_queued_nor_known_is_dropped() {
    check(
        PerObject,
        "known a/x@1
         - a/x@2
         - a/y@3
         + a/z@4
         - a/z@5
         take: - a/x@2 | reached 3 | + a/z@4 | - a/z@5 | reached 5
         take:
         - a/x@6
         take: reached 6",
    );
}

// holds: Q5, Q6, Q13
#[test]
fn a_list_queues_its_objects_and_then_the_missing_ones_with_their_last_known_state() {
    check(
        PerObject,
        "known a/k@1 a/q@1 a/u@1 a/v@1
         ~ a/q@5
         + a/n@6
         list * @9: a/v@8 a/u@1 a/w@7
         take: ~ a/q@5 | ? a/q@5 | reached 5 | + a/n@6 | ? a/n@6 | = a/v@8 | = a/w@7 | ? a/k@1 | listed 9",
    );
}

// holds: X23
#[test]
fn a_list_of_one_namespace_deletes_nothing_in_another() {
    check(
        PerObject,
        "known a/x@1 b/x@1
         2> + b/y@2
         list a @9:
         take: 2> + b/y@2 | 2> reached 2 | ? a/x@1 | listed 9",
    );
}

// holds: X14
#[test]
fn a_listed_object_is_skipped_only_if_it_is_known_unchanged_and_nothing_is_pending() {
    let cases = [
        ("known unchanged", "known a/x@1", "a/x@1", ""),
        ("unknown", "", "a/x@1", "= a/x@1 | "),
        ("newer", "known a/x@1", "a/x@2", "= a/x@2 | "),
        ("older: the server went back", "known a/x@2", "a/x@1", "= a/x@1 | "),
        ("another body at the same version", "known a/x@1", "a/x@1#other", "= a/x@1 | "),
        ("another object of the same name", "known a/x@1", "a/x@1!other", "= a/x@1!other | "),
        // Whether the consumer applies the queued delta depends on its state, so the listed object must follow it.
        ("queued unchanged", "known a/x@1\n~ a/x@2", "a/x@2", "~ a/x@2 | = a/x@2 | reached 2 | "),
        ("queued newer than listed", "known a/x@1\n~ a/x@2", "a/x@1", "~ a/x@2 | = a/x@1 | reached 2 | "),
        ("queued older than listed", "known a/x@1\n~ a/x@2", "a/x@3", "~ a/x@2 | = a/x@3 | reached 2 | "),
        ("deletion queued", "known a/x@1\n- a/x@2", "a/x@1", "- a/x@2 | = a/x@1 | reached 2 | "),
        (
            "known unchanged, in flight unchanged",
            "known a/x@1\n~ a/x@1\ntake: ~ a/x@1 | reached 1",
            "a/x@1",
            "= a/x@1 | ",
        ),
        (
            "known unchanged, in flight newer",
            "known a/x@1\n~ a/x@2\ntake: ~ a/x@2 | reached 2",
            "a/x@1",
            "= a/x@1 | ",
        ),
        ("deletion in flight", "known a/x@1\n- a/x@2\ntake: - a/x@2 | reached 2", "a/x@1", "= a/x@1 | "),
        ("its scope is ending", "known a/x@1\nend a", "a/x@1", "end a | = a/x@1 | "),
        ("the end of its scope is in flight", "known a/x@1\nend a\ntake: end a", "a/x@1", "= a/x@1 | "),
    ];
    for (_case, before, item, queued) in cases {
        check(PerObject, &format!("{before}\nlist * @9: {item}\ntake: {queued}listed 9"));
    }
}

// holds: Q4, Q5, Q11
#[test]
fn an_object_in_flight_counts_as_known() {
    check(
        PerObject,
        "+ a/x@1
         + a/y@2
         take: + a/x@1 | reached 1 | + a/y@2 | reached 2
         - a/x@3
         list * @9:
         take: - a/x@3 | reached 3 | ? a/y@2 | listed 9
         - a/x@10
         list * @11:
         take: reached 10 | listed 11",
    );
}

// holds: Q9
#[test]
fn the_version_of_a_list_is_reported_after_all_its_objects_and_deletions() {
    check(
        PerObject,
        "list * @1:
         take: listed 1
         known a/x@1
         list * @9: a/y@2
         take: = a/y@2 | ? a/x@1 | listed 9",
    );
}

#[test]
fn progress_is_reported_without_bookmarks_by_one_marker_per_stream() {
    check(
        PerObject,
        "+ a/x@1
         + a/y@2
         + a/z@3
         2> + b/x@1
         mark @4
         mark @5
         take: + a/x@1 | reached 1 | + a/y@2 | + a/z@3 | 2> + b/x@1 | 2> reached 1 | reached 5
         mark @6
         mark @7
         take: reached 7",
    );
}

#[test]
fn a_marker_at_the_end_of_the_queue_takes_the_newer_version_in_place() {
    check(
        PerObject,
        "+ a/x@1
         ~ a/x@2
         ~ a/x@3
         take: + a/x@1 | ~ a/x@2 | ~ a/x@3 | reached 3",
    );
}

#[test]
fn a_version_of_an_older_epoch_is_not_reported_after_a_newer_epoch() {
    check(
        PerObject,
        "+ a/x@90
         + a/y@100
         relist * @50: a/x@40 a/y@41
         ~ a/x@51
         take: + a/x@90 | = a/x@40 | ~ a/x@51 | reached 90 | + a/y@100 | = a/y@41 | relisted 50 | reached 51",
    );
}

#[test]
fn deltas_pushed_after_the_end_of_their_scope_leave_after_it() {
    check(
        PerObject,
        "known a/w@1 b/w@1
         + a/x@2
         3> + b/x@2
         end a
         2> list a @9: a/w@1 a/x@2
         3> ~ b/x@3
         take: + a/x@2 | reached 2 | 3> + b/x@2 | 3> ~ b/x@3 | 3> reached 2 | end a | 2> = a/w@1 | 2> = a/x@2 | 2> listed 9 | 3> reached 3
         2> list a @10: a/x@2
         take: 2> = a/x@2 | 2> ? a/w@1 | 2> listed 10",
    );
}

#[test]
fn after_the_end_of_a_scope_deletions_are_kept_because_the_consumer_may_have_kept_the_objects() {
    check(
        PerObject,
        "known a/w@1
         + a/x@2
         end a
         2> list a @9: a/y@3
         take: + a/x@2 | reached 2 | end a | 2> = a/y@3 | 2> ? a/x@2 | 2> ? a/w@1 | 2> listed 9",
    );
    check(
        PerObject,
        "known a/w@1
         + a/x@2
         end a
         take: + a/x@2 | reached 2 | end a
         2> - a/w@3
         2> list a @9:
         take: 2> - a/w@3 | 2> reached 3 | 2> ? a/x@2 | 2> listed 9",
    );
    check(
        PerObject,
        "end a
         2> - a/x@3
         take: end a | 2> - a/x@3 | 2> reached 3",
    );
}

#[test]
fn a_replayed_deletion_older_than_the_state_in_flight_replaces_no_other() {
    check(
        PerObject,
        "~ a/x@5
         ~ a/x@1
         take: ~ a/x@5 | ~ a/x@1 | reached 5
         - a/x@1
         list a @6:
         take: - a/x@1 | ? a/x@5 | reached 1 | listed 6",
    );
}

#[test]
fn a_replayed_deletion_replaces_a_missing_object_only_if_it_is_applied() {
    for (later, left) in [
        ("", "? a/x@5 | reached 1 | listed 6 | reached 3"),
        ("- a/x@7", "- a/x@7 | reached 1 | listed 6 | reached 7"),
    ] {
        let before = "known a/x@5\n~ a/x@1\nlist a @6:\n- a/x@3";
        check(PerObject, &format!("{before}\n{later}\ntake: ~ a/x@1 | {left}"));
    }
}

#[test]
fn a_state_in_flight_from_before_the_end_of_its_scope_makes_older_deletions_ignored() {
    check(
        PerObject,
        "+ a/x@9
         end a
         2> + a/x@3
         take: + a/x@9 | reached 9 | end a | 2> + a/x@3 | 2> reached 3
         2> - a/x@5
         2> list a @10:
         take: 2> - a/x@5 | 2> ? a/x@9 | 2> reached 5 | 2> listed 10",
    );
}

#[test]
fn a_large_list_leaves_in_batches_without_loss_and_frees_its_entries_at_the_end() {
    let mut fifo = DeltaFifo::new(Arc::new(NothingKnown));
    let left = |fifo: &mut DeltaFifo| -> usize {
        std::iter::from_fn(|| Some(fifo.take(1_000).len()).filter(|deltas| *deltas > 0)).sum()
    };
    fifo.add(object("a/x@1"));
    assert_eq!(left(&mut fifo), 1);
    assert!(fifo.entries.capacity() > 0, "a small queue keeps its allocation");
    let listed = IDLE_ENTRIES_MAX + 1;
    fifo.replace((0..listed).map(|name| object(&format!("a/{name}@1"))));
    assert_eq!(left(&mut fifo), listed);
    assert!(fifo.entries.capacity() <= IDLE_ENTRIES_MAX);
}
