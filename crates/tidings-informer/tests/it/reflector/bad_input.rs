//! Malformed responses and objects that are skipped.

use std::time::Duration;

use tidings_object::IntakeError;
use tidings_source::scripted::{ListResponse, WatchResponse};
use tidings_source::{ErrorKind, Skipped, WatchEvent};

use crate::reflector::harness::*;

fn no_name() -> Skipped {
    Skipped::Object(IntakeError::NoIdentity { missing: "metadata.name" })
}

fn wrong_kind() -> Skipped {
    Skipped::Object(IntakeError::WrongKind { expected: "Pod".to_owned(), found: "Node".to_owned() })
}

fn unknown_event() -> Skipped {
    Skipped::UnknownEvent { event_type: "RENAMED".to_owned() }
}

fn too_large() -> ErrorKind {
    ErrorKind::FrameTooLarge { limit_bytes: 1000 }
}

// holds: R27, X5
#[tokio::test(start_paused = true)]
async fn a_truncated_or_malformed_list_does_not_change_the_sink_and_is_requested_again() {
    let truncated = ErrorKind::Truncated { objects: 1 };
    for kind in [malformed(), truncated, too_large(), status(500, "Other", "")] {
        let mut harness = ReflectorHarness::new(chunked());
        harness.source.will_list(ListResponse::page(5).object(&pod("a", 1)));
        harness.source.will_watch(WatchResponse::open().error(500, "StoreReadError"));
        for _ in 0..3 {
            harness.source.will_list(ListResponse::page(7).object(&pod("b", 6)).broken(kind.clone()));
        }
        let requests = harness.requests(6).await;
        assert_eq!(requests[2..], ["list @5"; 4], "{kind}: the version is kept");
        assert!(harness.gaps()[2..].iter().all(|gap| *gap >= Duration::from_millis(800)));
        assert_eq!(harness.sink.log(), ["Replaced [a@1] @5"], "{kind}");
        assert_eq!(harness.observed.only("failed List").len(), 3);
    }
}

// holds: X5, X7
#[tokio::test(start_paused = true)]
async fn a_malformed_streaming_list_does_not_change_the_sink_and_is_followed_by_a_list() {
    let mut harness = ReflectorHarness::new(Default::default());
    harness.source.will_watch(WatchResponse::open().added(&pod("a", 1)).broken(malformed()));
    assert_eq!(harness.requests(2).await, ["stream", "list @0 limit 500"]);
    assert_eq!(harness.sink.log(), [""; 0]);
    assert_eq!(harness.observed.only("refused"), [""; 0]);
}

// holds: R37, X5
#[tokio::test(start_paused = true)]
async fn a_malformed_watch_is_reopened_at_the_last_version_and_relisted_if_it_is_malformed_there_again() {
    for kind in [malformed(), too_large()] {
        let mut harness = ReflectorHarness::new(chunked());
        harness.source.will_list(ListResponse::page(5));
        harness.source.will_watch(WatchResponse::open().added(&pod("a", 6)).broken(kind.clone()));
        harness.source.will_watch(WatchResponse::open().added(&pod("b", 7)).broken(kind.clone()));
        harness.source.will_watch(WatchResponse::open().broken(kind.clone()));
        let requests = harness.requests(5).await;
        assert_eq!(requests[1..], ["watch @5", "watch @6", "watch @7", "list @7"], "{kind}");
        assert!(harness.gaps()[1..].iter().all(|gap| *gap >= Duration::from_millis(800)));
        assert_eq!(harness.sink.objects(), ["a@6", "b@7"], "events before the error are kept");
        assert_eq!(harness.observed.only("relisting"), ["relisting Malformed"]);
        let failed = harness.observed.only("failed Watch");
        assert_eq!(failed.len(), 3);
        assert!(failed[0].contains("watch pods in all namespaces from version 5"), "{failed:?}");
    }
}

// holds: X5
#[tokio::test(start_paused = true)]
async fn an_object_without_a_usable_identity_is_skipped_in_a_list_and_reported() {
    let mut harness = ReflectorHarness::new(chunked());
    harness
        .source
        .will_list(ListResponse::page(5).skipped(no_name()).object(&pod("a", 1)).skipped(wrong_kind()));
    harness.requests(2).await;
    assert_eq!(harness.sink.log(), ["Replaced [a@1] @5"]);
    assert_eq!(harness.observed.only("skipped").len(), 2);

    let mut harness = ReflectorHarness::new(Default::default());
    let initial = WatchResponse::open().event(WatchEvent::Skipped(no_name())).added(&pod("a", 1));
    harness
        .source
        .will_watch(initial.event(WatchEvent::Skipped(unknown_event())).initial_events_end(5).hang());
    harness.requests(1).await;
    assert_eq!(harness.sink.log(), ["Replaced [a@1] @5"]);
    assert_eq!(harness.observed.only("skipped").len(), 2);
}

// holds: R42, X5
#[tokio::test(start_paused = true)]
async fn a_skipped_event_changes_no_version_and_does_not_count_as_an_event() {
    let mut harness = ReflectorHarness::new(chunked());
    harness.source.will_list(ListResponse::page(5));
    let bad = [no_name(), wrong_kind(), unknown_event()].map(WatchEvent::Skipped);
    let watch = bad.into_iter().fold(WatchResponse::open(), WatchResponse::event);
    harness.source.will_watch(watch);
    assert_eq!(harness.requests(3).await[2], "list @5");
    assert_eq!(harness.observed.only("skipped").len(), 3);
    assert_eq!(harness.observed.only("relisting"), ["relisting VeryShortWatch"]);
    assert_eq!(harness.sink.log(), ["Replaced [] @5"]);
}

// holds: X5
#[tokio::test(start_paused = true)]
async fn events_after_a_skipped_one_arrive() {
    let mut harness = ReflectorHarness::new(chunked());
    harness.source.will_list(ListResponse::page(5));
    harness
        .source
        .will_watch(WatchResponse::open().event(WatchEvent::Skipped(wrong_kind())).added(&pod("a", 6)));
    assert_eq!(harness.requests(3).await[2], "watch @6");
    assert_eq!(harness.sink.objects(), ["a@6"]);
}
