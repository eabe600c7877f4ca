//! Silent watches.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tidings_informer::reflector::ReflectorConfig;
use tidings_source::scripted::{ListResponse, WatchResponse};
use tokio::time::{Instant, sleep};

use crate::reflector::harness::*;

fn listed(config: ReflectorConfig) -> ReflectorHarness {
    let harness = ReflectorHarness::new(config);
    harness.source.will_list(ListResponse::page(5));
    harness
}

/// Three bookmarks, ten seconds apart, and then silence.
fn bookmarks_every_ten_seconds() -> WatchResponse {
    [6_u64, 7, 8]
        .into_iter()
        .fold(WatchResponse::open(), |watch, v| watch.wait(seconds(10)).bookmark(v))
        .hang()
}

// holds: X22
#[tokio::test(start_paused = true)]
async fn a_silent_watch_is_reopened_at_the_last_version_without_failure_or_relist() {
    let mut harness = listed(chunked());
    harness.source.will_watch(bookmarks_every_ten_seconds());
    assert_eq!(harness.requests(3).await[1..], ["watch @5", "watch @8"]);
    let silence = harness.gaps()[1] - seconds(30);
    assert!(seconds(24) <= silence && silence <= seconds(30), "three intervals: {silence:?}");
    assert_eq!(harness.observed.only("silent").len(), 1);
    for nothing in ["failed", "relisting", "waiting"] {
        assert_eq!(harness.observed.only(nothing), [""; 0]);
    }
}

/// The time between each two watch requests.
fn gaps_of_watches(harness: &ReflectorHarness) -> Vec<Duration> {
    let (mut gaps, mut since_watch) = (Vec::new(), Duration::ZERO);
    for (gap, request) in harness.gaps().into_iter().zip(&harness.source.requests()[1..]) {
        since_watch += gap;
        if request.starts_with("watch") {
            gaps.push(since_watch);
            since_watch = Duration::ZERO;
        }
    }
    gaps
}

// holds: X22, X38
#[tokio::test(start_paused = true)]
async fn while_reopened_watches_receive_nothing_the_timeout_doubles_to_three_minutes() {
    let mut harness = listed(chunked().watch_timeout_min(seconds(3600)));
    harness.source.will_watch(bookmarks_every_ten_seconds());
    harness.source.will_watch_always(|_| WatchResponse::open().hang());
    harness.source.will_list_always(|_| ListResponse::page(8));
    let requests = harness.requests(7).await;
    assert_eq!(requests[2..5], ["watch @8", "watch @8", "list limit 1"], "a probe");
    let waits = &gaps_of_watches(&harness)[2..];
    let doubled = [60, 120, 180].map(seconds);
    assert_eq!(waits.len(), doubled.len());
    for (gap, full) in waits.iter().zip(doubled) {
        assert!(full.mul_f64(0.8) <= *gap && *gap <= full + seconds(1), "{gap:?} of {full:?}");
    }
}

// holds: X38
#[tokio::test(start_paused = true)]
async fn silence_before_the_first_bookmark_reopens_the_watch_within_200_s() {
    let silences: [(fn() -> WatchResponse, u64); 4] = [
        (|| WatchResponse::open().hang(), 0),
        (|| WatchResponse::open().wait(seconds(1)).added(&pod("a", 6)).hang(), 1),
        (|| WatchResponse::open().wait(seconds(140)).added(&pod("a", 6)).hang(), 140),
        (|| WatchResponse::open().wait(seconds(140)).bookmark(6).hang(), 140),
    ];
    for (answer, last_event_at) in silences {
        let mut harness = listed(chunked());
        harness.source.will_watch(answer());
        harness.requests(3).await;
        let silence = harness.gaps()[1] - seconds(last_event_at);
        assert!(seconds(144) <= silence && silence <= seconds(200), "{silence:?} from {last_event_at} s on");
        assert_eq!(harness.observed.only("failed"), [""; 0]);
    }
}

// holds: X38
#[tokio::test(start_paused = true)]
async fn a_watch_that_is_not_answered_is_requested_again_after_60_s() {
    let mut harness = listed(chunked());
    harness.source.will_watch(WatchResponse::open().after(seconds(59)).wait(seconds(1)).added(&pod("a", 6)));
    harness.source.will_watch_always(|_| WatchResponse::hanging());
    harness.source.will_list_always(|_| ListResponse::page(6));
    let requests = harness.requests(6).await;
    assert_eq!(requests[1..], ["watch @5", "watch @6", "watch @6", "list limit 1", "watch @6"]);
    assert_eq!(harness.sink.objects(), ["a@6"], "a slow answer is not too late");
    assert_eq!(gaps_of_watches(&harness)[1..], [seconds(60), seconds(60), seconds(60)]);
    assert_eq!(harness.observed.only("failed"), [""; 0]);
}

// holds: X38
#[tokio::test(start_paused = true)]
async fn on_a_quiet_day_no_watch_is_silent_for_more_than_200_s_even_if_probes_hang() {
    let mut harness = listed(chunked());
    harness.source.will_watch_always(|_| WatchResponse::open().hang());
    harness.source.will_list_always(|_| ListResponse::hanging());
    harness.requests(2).await;
    sleep(seconds(24 * 3600)).await;
    let longest = gaps_of_watches(&harness).into_iter().max().unwrap();
    assert!(longest <= seconds(200), "{longest:?}");
    assert!(!harness.observed.only("failed Probe").is_empty(), "probes were sent");
}

// holds: X38
#[tokio::test(start_paused = true)]
async fn with_bookmarks_every_second_a_silent_watch_is_reopened_within_10_s() {
    let mut harness = listed(chunked());
    let every_second =
        (6..66_u64).fold(WatchResponse::open(), |watch, v| watch.wait(seconds(1)).bookmark(v)).hang();
    harness.source.will_watch(every_second);
    harness.requests(3).await;
    let silence = harness.gaps()[1] - seconds(60);
    assert!(silence <= seconds(10), "{silence:?}");
}

// holds: X22
#[tokio::test(start_paused = true)]
async fn events_also_show_that_a_watch_is_alive() {
    let mut harness = listed(chunked());
    let feed = harness.source.will_watch_live();
    harness.requests(2).await;
    for version in 6..9 {
        sleep(seconds(10)).await;
        feed.bookmark(version);
    }
    for version in 9..20 {
        sleep(seconds(20)).await;
        feed.modified(&pod("a", version));
    }
    harness.settle().await;
    assert_eq!(harness.source.requests().len(), 2);
}

// holds: X22
#[tokio::test(start_paused = true)]
async fn no_timeout_runs_while_the_sink_waits() {
    let mut harness = listed(chunked());
    let feed = harness.source.will_watch_live();
    harness.requests(2).await;
    for version in 6..9 {
        sleep(seconds(10)).await;
        feed.bookmark(version);
    }
    harness.settle().await;
    harness.sink.block();
    feed.modified(&pod("a", 9));
    sleep(seconds(3600)).await;
    assert!(!feed.is_closed() && harness.source.requests().len() == 2);
    feed.modified(&pod("a", 10));
    harness.sink.admit(2);
    harness.settle().await;
    assert_eq!(harness.sink.objects(), ["a@10"], "buffered events are read first");
}

// holds: X22
#[tokio::test(start_paused = true)]
async fn without_liveness_a_silent_watch_is_never_reopened() {
    let mut harness = listed(chunked().liveness(None));
    harness.source.will_watch(bookmarks_every_ten_seconds());
    harness.requests(2).await;
    sleep(seconds(24 * 3600)).await;
    assert_eq!(harness.source.requests().len(), 2);
}

// holds: X16
#[tokio::test(start_paused = true)]
async fn a_server_that_is_silent_after_a_restore_is_listed_again() {
    let mut harness = listed(chunked());
    harness.source.will_watch_always(|_| WatchResponse::open().wait(seconds(300)));
    harness.source.will_list(ListResponse::page(3).object(&pod("old", 2)));
    harness.source.will_list(ListResponse::page(3).object(&pod("old", 2)));
    let requests = harness.requests(6).await;
    assert_eq!(requests[1..], ["watch @5", "watch @5", "list limit 1", "list limit 500", "watch @3"]);
    assert_eq!(harness.observed.only("went back"), ["went back 5 -> 3"]);
}

/// The number of probes of a quiet server in this many hours, if its watches end like this.
async fn probes(watch: fn() -> WatchResponse, hours: u64) -> usize {
    let mut harness = listed(chunked());
    harness.source.will_watch_always(move |_| watch());
    harness.source.will_list_always(|_| ListResponse::page(5));
    harness.requests(2).await;
    sleep(seconds(hours * 3600)).await;
    harness.source.requests().iter().filter(|request| *request == "list limit 1").count()
}

// holds: X40
#[tokio::test(start_paused = true)]
async fn a_quiet_server_is_probed_at_most_once_an_hour_in_the_end_however_often_watches_end() {
    let silent: fn() -> WatchResponse = || WatchResponse::open().hang();
    let timed_out: fn() -> WatchResponse = || WatchResponse::open().wait(seconds(300));
    let closed: fn() -> WatchResponse = || WatchResponse::open().wait(seconds(1));
    let broken: fn() -> WatchResponse = || WatchResponse::open().wait(seconds(1)).broken(broken_connection());
    for watch in [silent, timed_out, closed, broken] {
        let in_three_hours = probes(watch, 3).await;
        assert!((4..=6).contains(&in_three_hours), "{in_three_hours} in three hours");
    }
    for watch in [silent, timed_out] {
        let in_a_day = probes(watch, 24).await;
        assert!((20..=27).contains(&in_a_day), "{in_a_day} in a day");
    }
}

/// The time until a server that was restored after a quiet day is listed again.
async fn time_to_detect_restore(outage: Option<WatchResponse>) -> Duration {
    let mut harness = listed(chunked());
    let version = Arc::new(AtomicU64::new(5));
    let current = Arc::clone(&version);
    harness.source.will_watch_always(|_| WatchResponse::open().wait(seconds(300)));
    harness.source.will_list_always(move |_| ListResponse::page(current.load(Ordering::Relaxed)));
    harness.requests(2).await;
    sleep(seconds(24 * 3600)).await;
    version.store(3, Ordering::Relaxed);
    if let Some(outage) = outage {
        harness.source.will_watch(outage);
    }
    let restored_at = Instant::now();
    while harness.observed.only("went back").is_empty() && restored_at.elapsed() < seconds(24 * 3600) {
        sleep(seconds(1)).await;
    }
    restored_at.elapsed()
}

// holds: X16, X40
#[tokio::test(start_paused = true)]
async fn a_restore_after_a_quiet_day_is_detected_within_15_minutes_of_an_outage_or_within_64_minutes() {
    let behind_a_load_balancer = time_to_detect_restore(None).await;
    assert!(behind_a_load_balancer <= seconds(64 * 60), "{behind_a_load_balancer:?}");
    for outage in [WatchResponse::refused(refused()), WatchResponse::status(503, "ServiceUnavailable")] {
        let after_an_outage = time_to_detect_restore(Some(outage)).await;
        assert!(after_an_outage <= seconds(15 * 60), "{after_an_outage:?}");
    }
}
