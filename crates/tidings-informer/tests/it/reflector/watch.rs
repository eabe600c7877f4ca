//! Watches: what reaches the sink, the version that they continue from, and how they end.

use std::time::Duration;

use tidings_source::scripted::{ListResponse, WatchResponse};

use crate::reflector::harness::*;

/// A harness with a successful list at version 5.
fn listed() -> ReflectorHarness {
    let harness = ReflectorHarness::new(chunked());
    harness.source.will_list(ListResponse::page(5).object(&pod("a", 1)));
    harness
}

// holds: R43, R44, R45
#[tokio::test(start_paused = true)]
async fn every_event_reaches_the_sink_in_order_and_updates_the_last_version() {
    let mut harness = listed();
    harness.source.will_watch(WatchResponse::open().added(&pod("b", 6)));
    harness.source.will_watch(WatchResponse::open().modified(&pod("b", 7)));
    harness.source.will_watch(WatchResponse::open().bookmark(9));
    harness.source.will_watch(WatchResponse::open().deleted(&pod("a", 11)).added(&pod("c", 12)));
    let requests = harness.requests(6).await;
    assert_eq!(requests[1..], ["watch @5", "watch @6", "watch @7", "watch @9", "watch @12"]);
    let expected =
        ["Replaced [a@1] @5", "Added b@6", "Modified b@7", "Bookmark @9", "Deleted a@11", "Added c@12"];
    assert_eq!(harness.sink.log(), expected);
    assert_eq!(harness.sink.objects(), ["b@7", "c@12"]);
}

// holds: R48
#[tokio::test(start_paused = true)]
async fn while_the_sink_waits_nothing_is_read_and_no_version_is_recorded() {
    let mut harness = listed();
    let feed = harness.source.will_watch_live();
    harness.requests(2).await;
    harness.sink.block();
    for version in 6..20 {
        feed.added(&pod("b", version));
    }
    tokio::time::sleep(seconds(60)).await;
    assert_eq!(harness.sink.log(), ["Replaced [a@1] @5"]);
    assert_eq!(
        harness.observed.only("event"),
        [""; 0],
        "a version is recorded only after the sink has the object"
    );
    harness.sink.admit(2);
    harness.settle().await;
    assert_eq!(harness.observed.only("event"), ["event Added @6", "event Added @7"]);
    harness.sink.admit(100);
    harness.settle().await;
    assert_eq!(harness.sink.objects(), ["a@1", "b@19"]);
}

// holds: R38
#[tokio::test(start_paused = true)]
async fn a_watch_that_closes_after_a_second_or_an_event_is_reopened_at_once() {
    let mut harness = listed();
    harness.source.will_watch(WatchResponse::open().wait(Duration::from_millis(1000)));
    harness.source.will_watch(WatchResponse::open().bookmark(6));
    harness.source.will_watch(WatchResponse::open().after(seconds(1)));
    let requests = harness.requests(5).await;
    assert_eq!(requests[1..], ["watch @5", "watch @5", "watch @6", "watch @6"]);
    let gaps: Vec<_> = harness.gaps()[1..].iter().map(Duration::as_millis).collect();
    assert_eq!(gaps, [1000, 0, 1000], "the time counts from before the request");
    assert_eq!(harness.observed.only("failed"), [""; 0], "this is not a failure");
    assert_eq!(harness.observed.only("waiting"), [""; 0]);
}

// holds: R39
#[tokio::test(start_paused = true)]
async fn a_watch_that_closes_within_a_second_and_without_an_event_leads_to_a_relist() {
    let mut harness = listed();
    harness.source.will_watch(WatchResponse::open().wait(Duration::from_millis(999)));
    assert_eq!(harness.requests(3).await[2], "list @5");
    assert!(harness.gaps()[1] >= Duration::from_millis(999 + 800), "after a backoff delay");
    assert_eq!(harness.observed.only("relisting"), ["relisting VeryShortWatch"]);
    assert_eq!(harness.observed.only("failed Watch").len(), 1);
}

// holds: R39
#[tokio::test(start_paused = true)]
async fn an_event_at_the_start_version_of_the_watch_does_not_count_as_an_event() {
    let mut harness = listed();
    harness.source.will_watch(WatchResponse::open().bookmark(5));
    assert_eq!(harness.requests(3).await[2], "list @5");
    assert_eq!(harness.observed.only("relisting"), ["relisting VeryShortWatch"]);
}

// holds: R36, X26
#[tokio::test(start_paused = true)]
async fn an_expiry_after_events_counts_as_the_first_one() {
    let mut harness = listed();
    harness.source.will_watch(WatchResponse::open().error(410, "Expired"));
    harness.source.will_list(ListResponse::page(6));
    harness.source.will_watch(WatchResponse::open().bookmark(7).error(410, "Expired"));
    assert_eq!(harness.requests(5).await[2..], ["list @5", "watch @6", "list @7"]);
    assert_eq!(harness.observed.only("waiting"), [""; 0]);
}

// holds: R37
#[tokio::test(start_paused = true)]
async fn any_other_error_inside_a_watch_leads_to_a_relist_that_corrects_the_sink() {
    let mut harness = listed();
    harness.source.will_watch(WatchResponse::open().added(&pod("b", 6)).error(500, "StoreReadError"));
    harness.source.will_list(ListResponse::page(8).object(&pod("b", 6)));
    assert_eq!(harness.requests(4).await[1..], ["watch @5", "list @6", "watch @8"]);
    assert!(harness.gaps()[1] >= Duration::from_millis(800));
    assert_eq!(harness.sink.objects(), ["b@6"]);
    assert_eq!(harness.observed.only("relisting"), ["relisting WatchFailed"]);
}

// holds: R38
#[tokio::test(start_paused = true)]
async fn a_broken_connection_is_reported_and_otherwise_handled_as_a_close() {
    let mut harness = listed();
    harness.source.will_watch(WatchResponse::open().added(&pod("b", 6)).broken(broken_connection()));
    harness.source.will_watch(WatchResponse::open().broken(broken_connection()));
    let requests = harness.requests(4).await;
    assert_eq!(requests[1..], ["watch @5", "watch @6", "watch @6"]);
    assert!(harness.gaps()[1].is_zero() && !harness.gaps()[2].is_zero(), "{:?}", harness.gaps());
    assert_eq!(harness.observed.only("failed Watch").len(), 2);
}

// holds: R46
#[tokio::test(start_paused = true)]
async fn a_watch_without_a_start_version_records_no_version_before_an_event_other_than_added() {
    for last in ["", "0"] {
        let mut harness = ReflectorHarness::new(chunked());
        harness.source.will_list(ListResponse::page(last));
        harness.source.will_watch(WatchResponse::open().added(&pod("a", 9)).added(&pod("b", 3)));
        let events = WatchResponse::open().added(&pod("b", 3)).modified(&pod("a", 10)).added(&pod("c", 11));
        harness.source.will_watch(events);
        let requests = harness.requests(4).await;
        let from = if last.is_empty() { "watch" } else { "watch @0" };
        assert_eq!(requests[1..], [from, from, "watch @11"]);
        assert_eq!(harness.sink.objects(), ["a@10", "b@3", "c@11"]);
    }
}

// holds: R40, R41
#[tokio::test(start_paused = true)]
async fn every_finished_stream_is_dropped() {
    let mut harness = ReflectorHarness::new(Default::default());
    harness.source.will_watch(WatchResponse::open().error(403, "Forbidden").hang());
    harness.source.will_list(ListResponse::page(5).broken(malformed()).hang());
    harness.source.will_watch(WatchResponse::open().initial_events_end(5).error(410, "Expired").hang());
    harness.source.will_watch(WatchResponse::open().initial_events_end(6).broken(malformed()).hang());
    harness.source.will_watch(WatchResponse::open().hang());
    let requests = harness.requests(5).await;
    assert_eq!(requests, ["stream", "list @0 limit 500", "stream", "stream @5", "watch @6"]);
    assert_eq!(harness.source.open_streams(), 1);
    harness.stopped().await;
    assert_eq!(harness.source.open_streams(), 0);
}
