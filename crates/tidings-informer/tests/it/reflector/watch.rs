//! Watches: what reaches the sink, which version they go on from, how they end.

use std::time::Duration;

use tidings_source::scripted::{ListAnswer, WatchAnswer};

use crate::reflector::scene::*;

/// A scene whose list of version 5 has succeeded.
fn listed() -> Scene {
    let scene = Scene::new(chunked());
    scene.source.will_list(ListAnswer::page(5).object(&pod("a", 1)));
    scene
}

// holds: R43, R44, R45
#[tokio::test(start_paused = true)]
async fn every_event_reaches_the_sink_in_order_and_moves_the_version() {
    let mut scene = listed();
    scene.source.will_watch(WatchAnswer::open().added(&pod("b", 6)));
    scene.source.will_watch(WatchAnswer::open().modified(&pod("b", 7)));
    scene.source.will_watch(WatchAnswer::open().bookmark(9));
    scene.source.will_watch(WatchAnswer::open().deleted(&pod("a", 11)).added(&pod("c", 12)));
    let asked = scene.asked(6).await;
    assert_eq!(asked[1..], ["watch @5", "watch @6", "watch @7", "watch @9", "watch @12"]);
    let expected =
        ["Replaced [a@1] @5", "Added b@6", "Modified b@7", "Bookmark @9", "Deleted a@11", "Added c@12"];
    assert_eq!(scene.sunk.log(), expected);
    assert_eq!(scene.sunk.objects(), ["b@7", "c@12"]);
}

// holds: R48
#[tokio::test(start_paused = true)]
async fn a_sink_that_waits_keeps_the_stream_from_being_read_and_nothing_is_recorded_meanwhile() {
    let mut scene = listed();
    let feed = scene.source.will_watch_live();
    scene.asked(2).await;
    scene.sunk.block();
    for version in 6..20 {
        feed.added(&pod("b", version));
    }
    tokio::time::sleep(seconds(60)).await;
    assert_eq!(scene.sunk.log(), ["Replaced [a@1] @5"]);
    assert_eq!(scene.told.only("event"), [""; 0], "what the sink does not have is not recorded");
    scene.sunk.admit(2);
    scene.settle().await;
    assert_eq!(scene.told.only("event"), ["event Added @6", "event Added @7"]);
    scene.sunk.admit(100);
    scene.settle().await;
    assert_eq!(scene.sunk.objects(), ["a@1", "b@19"]);
}

// holds: R38
#[tokio::test(start_paused = true)]
async fn a_watch_that_closes_after_a_second_or_an_event_is_opened_again_at_once() {
    let mut scene = listed();
    scene.source.will_watch(WatchAnswer::open().wait(Duration::from_millis(1000)));
    scene.source.will_watch(WatchAnswer::open().bookmark(6));
    scene.source.will_watch(WatchAnswer::open().after(seconds(1)));
    let asked = scene.asked(5).await;
    assert_eq!(asked[1..], ["watch @5", "watch @5", "watch @6", "watch @6"]);
    let gaps: Vec<_> = scene.gaps()[1..].iter().map(Duration::as_millis).collect();
    assert_eq!(gaps, [1000, 0, 1000], "the time runs from before the request");
    assert_eq!(scene.told.only("failed"), [""; 0], "which is no failure");
    assert_eq!(scene.told.only("waiting"), [""; 0]);
}

// holds: R39
#[tokio::test(start_paused = true)]
async fn a_watch_that_closes_within_a_second_and_without_an_event_leads_to_a_relist() {
    let mut scene = listed();
    scene.source.will_watch(WatchAnswer::open().wait(Duration::from_millis(999)));
    assert_eq!(scene.asked(3).await[2], "list @5");
    assert!(scene.gaps()[1] >= Duration::from_millis(999 + 800), "after backing off");
    assert_eq!(scene.told.only("relisting"), ["relisting VeryShortWatch"]);
    assert_eq!(scene.told.only("failed Watch").len(), 1);
}

// holds: R39
#[tokio::test(start_paused = true)]
async fn what_repeats_the_version_that_a_watch_began_from_counts_as_no_event() {
    let mut scene = listed();
    scene.source.will_watch(WatchAnswer::open().bookmark(5));
    assert_eq!(scene.asked(3).await[2], "list @5");
    assert_eq!(scene.told.only("relisting"), ["relisting VeryShortWatch"]);
}

// holds: R36, X26
#[tokio::test(start_paused = true)]
async fn an_expiry_after_events_is_the_first_one_again() {
    let mut scene = listed();
    scene.source.will_watch(WatchAnswer::open().error(410, "Expired"));
    scene.source.will_list(ListAnswer::page(6));
    scene.source.will_watch(WatchAnswer::open().bookmark(7).error(410, "Expired"));
    assert_eq!(scene.asked(5).await[2..], ["list @5", "watch @6", "list @7"]);
    assert_eq!(scene.told.only("waiting"), [""; 0]);
}

// holds: R37
#[tokio::test(start_paused = true)]
async fn any_other_error_inside_a_watch_leads_to_a_relist_that_mends_the_sink() {
    let mut scene = listed();
    scene.source.will_watch(WatchAnswer::open().added(&pod("b", 6)).error(500, "StoreReadError"));
    scene.source.will_list(ListAnswer::page(8).object(&pod("b", 6)));
    assert_eq!(scene.asked(4).await[1..], ["watch @5", "list @6", "watch @8"]);
    assert!(scene.gaps()[1] >= Duration::from_millis(800));
    assert_eq!(scene.sunk.objects(), ["b@6"]);
    assert_eq!(scene.told.only("relisting"), ["relisting WatchFailed"]);
}

// holds: R38
#[tokio::test(start_paused = true)]
async fn a_broken_connection_is_told_and_otherwise_taken_for_a_close() {
    let mut scene = listed();
    scene.source.will_watch(WatchAnswer::open().added(&pod("b", 6)).broken(broken_connection()));
    scene.source.will_watch(WatchAnswer::open().broken(broken_connection()));
    let asked = scene.asked(4).await;
    assert_eq!(asked[1..], ["watch @5", "watch @6", "watch @6"]);
    assert!(scene.gaps()[1].is_zero() && !scene.gaps()[2].is_zero(), "{:?}", scene.gaps());
    assert_eq!(scene.told.only("failed Watch").len(), 2);
}

// holds: R46
#[tokio::test(start_paused = true)]
async fn a_watch_without_a_version_to_go_on_from_records_none_before_another_event_than_added() {
    for last in ["", "0"] {
        let mut scene = Scene::new(chunked());
        scene.source.will_list(ListAnswer::page(last));
        scene.source.will_watch(WatchAnswer::open().added(&pod("a", 9)).added(&pod("b", 3)));
        let events = WatchAnswer::open().added(&pod("b", 3)).modified(&pod("a", 10)).added(&pod("c", 11));
        scene.source.will_watch(events);
        let asked = scene.asked(4).await;
        let from = if last.is_empty() { "watch" } else { "watch @0" };
        assert_eq!(asked[1..], [from, from, "watch @11"]);
        assert_eq!(scene.sunk.objects(), ["a@10", "b@3", "c@11"]);
    }
}

// holds: R40, R41
#[tokio::test(start_paused = true)]
async fn every_stream_is_dropped_when_it_is_done_with() {
    let mut scene = Scene::new(Default::default());
    scene.source.will_watch(WatchAnswer::open().error(403, "Forbidden").hang());
    scene.source.will_list(ListAnswer::page(5).broken(malformed()).hang());
    scene.source.will_watch(WatchAnswer::open().initial_events_end(5).error(410, "Expired").hang());
    scene.source.will_watch(WatchAnswer::open().initial_events_end(6).broken(malformed()).hang());
    scene.source.will_watch(WatchAnswer::open().hang());
    let asked = scene.asked(5).await;
    assert_eq!(asked, ["stream", "list @0 limit 500", "stream", "stream @5", "watch @6"]);
    assert_eq!(scene.source.open_streams(), 1);
    scene.stopped().await;
    assert_eq!(scene.source.open_streams(), 0);
}
