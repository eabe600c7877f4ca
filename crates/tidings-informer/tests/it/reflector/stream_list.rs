//! Streaming lists: the marker, refusals, and what follows a failure.

use std::time::Duration;

use tidings_informer::reflector::ReflectorConfig;
use tidings_object::Version;
use tidings_source::scripted::{ListResponse, WatchResponse};
use tidings_source::{ChangeType, ErrorKind, Skipped, WatchEvent, WatchOptions};
use tokio::time::{Instant, advance, sleep};

use crate::reflector::harness::*;

fn streaming() -> ReflectorHarness {
    ReflectorHarness::new(ReflectorConfig::default())
}

/// The requests, without the lists of one object that request the server's version.
fn without_probes(harness: &ReflectorHarness) -> Vec<String> {
    harness.source.requests().into_iter().filter(|request| request != "list limit 1").collect()
}

// holds: R5, R49, R50, R53, R31
#[tokio::test(start_paused = true)]
async fn the_first_list_is_streamed_and_its_stream_continues_as_the_watch() {
    let mut harness = streaming();
    let initial = WatchResponse::open().all_added(&[pod("b", 4), pod("a", 3)]).initial_events_end(5);
    harness.source.will_watch(initial.modified(&pod("a", 6)));
    assert_eq!(harness.requests(2).await, ["stream", "watch @6"]);
    assert_eq!(harness.sink.log(), ["Replaced [a@3 b@4] @5", "Modified a@6"]);
    let [stream, watch] = &harness.source.watches()[..] else { panic!("two requests") };
    assert!((300..=600).contains(&stream.timeout_seconds.unwrap()));
    let expected = WatchOptions {
        version: None,
        allow_bookmarks: true,
        send_initial_events: true,
        timeout_seconds: stream.timeout_seconds,
    };
    assert_eq!(*stream, expected);
    assert!(!watch.send_initial_events && watch.version == Some(Version::from(6)));
    assert_eq!(harness.observed.only("watching"), ["watching @5"], "the next one has no answer yet");
}

// holds: R38, R53
#[tokio::test(start_paused = true)]
async fn a_stream_that_closes_right_after_its_marker_is_followed_by_a_watch_at_once() {
    let mut harness = streaming();
    harness.source.will_watch(WatchResponse::open().initial_events_end(5));
    assert_eq!(harness.requests(2).await, ["stream", "watch @5"]);
    assert!(harness.gaps()[0].is_zero());
}

// holds: R51, R52, R60
#[tokio::test(start_paused = true)]
async fn nothing_reaches_the_sink_before_the_marker_whose_version_is_that_of_the_list() {
    let mut harness = streaming();
    let feed = harness.source.will_watch_live();
    harness.requests(1).await;
    feed.added(&pod("a", 9));
    feed.added(&pod("b", 2));
    feed.added(&pod("c", 3));
    feed.modified(&pod("b", 10));
    feed.deleted(&pod("c", 11));
    harness.settle().await;
    assert_eq!(harness.sink.log(), [""; 0]);
    feed.initial_events_end(13);
    harness.settle().await;
    assert_eq!(harness.sink.log(), ["Replaced [a@9 b@10] @13"]);
}

// holds: R54, R60
#[tokio::test(start_paused = true)]
async fn a_stream_that_closes_before_the_marker_is_discarded_and_requested_again_at_once() {
    let mut harness = streaming();
    harness.source.will_watch(WatchResponse::open().added(&pod("a", 3)).modified(&pod("b", 4)));
    harness.source.will_watch(WatchResponse::open().added(&pod("c", 6)).initial_events_end(7).hang());
    assert_eq!(harness.requests(2).await, ["stream", "stream"], "no version of it was recorded");
    assert!(harness.gaps()[0].is_zero());
    assert_eq!(harness.sink.log(), ["Replaced [c@6] @7"]);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_closes_before_the_marker_three_times_is_replaced_by_a_list() {
    let mut harness = streaming();
    for _ in 0..3 {
        harness.source.will_watch(WatchResponse::open().added(&pod("a", 3)));
    }
    harness.source.will_list(ListResponse::page(5));
    assert_eq!(harness.requests(5).await[2..], ["stream", "list @0 limit 500", "watch @5"]);
}

// holds: R55
#[tokio::test(start_paused = true)]
async fn a_very_short_stream_without_events_is_replaced_by_a_list() {
    let mut harness = streaming();
    harness.source.will_watch(WatchResponse::open());
    harness.source.will_list(ListResponse::page(5));
    assert_eq!(harness.requests(3).await, ["stream", "list @0 limit 500", "watch @5"]);
    assert_eq!(harness.observed.only("waiting"), [""; 0]);
}

// holds: R56, X6
#[tokio::test(start_paused = true)]
async fn a_throttled_stream_is_requested_again_after_a_delay_that_can_be_cancelled() {
    let answers = [
        WatchResponse::refused(refused()),
        WatchResponse::status(429, "TooManyRequests"),
        WatchResponse::open().error(429, "TooManyRequests"),
    ];
    for answer in answers {
        let mut harness = streaming();
        harness.source.will_watch(answer);
        harness.source.will_watch(WatchResponse::refused(ErrorKind::Status(busy(seconds(200)))));
        assert_eq!(harness.requests(2).await, ["stream", "stream"]);
        assert!(harness.gaps()[0] >= Duration::from_millis(800));
        sleep(seconds(1)).await;
        assert!(harness.stopped().await.is_zero());
    }
}

// holds: R57, X26
#[tokio::test(start_paused = true)]
async fn a_stream_whose_version_is_unavailable_is_requested_at_once_without_a_version() {
    let too_large = status(504, "Timeout", "Too large resource version: 5, current: 3");
    let expired = WatchResponse::open().error(410, "Expired");
    for answer in [WatchResponse::status(410, "Gone"), expired, WatchResponse::refused(too_large)] {
        let mut harness = streaming();
        harness.source.will_watch(WatchResponse::open().initial_events_end(5).error(500, "StoreReadError"));
        harness.source.will_watch(answer);
        harness.source.will_watch(WatchResponse::open().initial_events_end(3).error(500, "StoreReadError"));
        let requests = harness.requests(4).await;
        assert_eq!(requests, ["stream", "stream @5", "stream", "stream @3"], "only once");
        assert!(harness.gaps()[1].is_zero(), "at once");
        assert_eq!(harness.sink.log()[1], "Replaced [] @3 in a new epoch");
        assert_eq!(harness.observed.only("went back"), ["went back 5 -> 3"]);
    }
}

// holds: X26
#[tokio::test(start_paused = true)]
async fn a_stream_without_a_version_that_expires_is_replaced_by_a_list_after_a_delay() {
    let mut harness = streaming();
    harness.source.will_watch(WatchResponse::status(410, "Expired"));
    harness.source.will_watch(WatchResponse::status(410, "Expired"));
    assert_eq!(harness.requests(3).await, ["stream", "stream", "list limit 500"]);
    assert!(harness.gaps()[0].is_zero() && !harness.gaps()[1].is_zero());
}

// holds: R58, X7
#[tokio::test(start_paused = true)]
async fn any_other_failure_is_followed_by_a_list_for_this_time_only() {
    let answers: [fn() -> WatchResponse; 6] = [
        || WatchResponse::status(403, "Forbidden"),
        || WatchResponse::status(404, "NotFound"),
        || WatchResponse::status(503, "ServiceUnavailable"),
        || WatchResponse::status(422, "Invalid"),
        || WatchResponse::refused(broken_connection()),
        || WatchResponse::open().added(&pod("a", 1)).error(500, "InternalError"),
    ];
    for answer in answers {
        let mut harness = streaming();
        harness.source.will_watch(answer());
        harness.source.will_list(ListResponse::page(5));
        harness.source.will_watch(WatchResponse::open().error(500, "StoreReadError"));
        let requests = harness.requests(4).await;
        assert_eq!(requests, ["stream", "list @0 limit 500", "watch @5", "stream @5"]);
        assert!(harness.gaps()[0].is_zero());
        assert_eq!(harness.observed.only("refused"), [""; 0]);
        assert_eq!(harness.observed.only("failed StreamingList").len(), 1);
    }
}

// holds: X7
#[tokio::test(start_paused = true)]
async fn a_refusal_is_remembered_for_an_hour() {
    let names = |code, message| WatchResponse::refused(status(code, "Invalid", message));
    let refusals: [Box<dyn Fn() -> WatchResponse>; 6] = [
        Box::new(move || names(422, "sendInitialEvents: Forbidden")),
        Box::new(move || names(400, "resourceVersionMatch is forbidden for watch")),
        Box::new(|| WatchResponse::open().error(500, "InternalError")),
        Box::new(|| WatchResponse::open().error(500, "")),
        Box::new(|| WatchResponse::open().added(&pod("a", 1)).hang()),
        Box::new(WatchResponse::hanging),
    ];
    for refusal in refusals {
        let mut harness = streaming();
        harness.source.will_watch(refusal());
        harness.source.will_list_always(|_| ListResponse::page(5));
        harness.source.will_watch_always(|_| WatchResponse::open().hang());
        harness.requests(2).await;
        sleep(seconds(45)).await;
        let requests = without_probes(&harness);
        assert_eq!(requests, ["stream", "list @0 limit 500", "watch @5"]);
        assert_eq!(harness.observed.only("refused"), ["refused streaming for 3600 s"]);
        assert_eq!(harness.observed.only("failed StreamingList").len(), 1);
    }
}

// holds: X7
#[tokio::test(start_paused = true)]
async fn a_remembered_refusal_is_forgotten_after_its_time() {
    let mut harness = ReflectorHarness::new(ReflectorConfig::default().liveness(None));
    harness.source.will_watch(WatchResponse::refused(status(422, "Invalid", "sendInitialEvents: Forbidden")));
    harness.source.will_list(ListResponse::page(5));
    harness.source.will_watch(WatchResponse::open().wait(seconds(59 * 60)).error(500, "StoreReadError"));
    harness.source.will_list(ListResponse::page(6));
    harness.source.will_watch(WatchResponse::open().wait(seconds(60)).error(500, "StoreReadError"));
    let requests = harness.requests(6).await;
    assert_eq!(requests[2..], ["watch @5", "list @5", "watch @6", "stream @6"]);
}

// holds: X7, X39
#[tokio::test(start_paused = true)]
async fn a_long_first_list_is_not_cut_off_while_initial_objects_arrive() {
    // If lists fail, there is nothing to fall back to: every object is progress.
    let lists: [fn() -> ListResponse; 3] = [
        || ListResponse::page(40),
        || ListResponse::status(503, "ServiceUnavailable"),
        ListResponse::hanging,
    ];
    for list in lists {
        let mut harness = streaming();
        harness.source.will_list_always(move |_| list());
        let slow = (1..=40).fold(WatchResponse::open(), |watch, version| {
            watch.wait(seconds(29)).added(&pod(&format!("pod-{version:02}"), version))
        });
        harness.source.will_watch(slow.wait(seconds(29)).initial_events_end(41).hang());
        harness.requests(1).await;
        sleep(seconds(41 * 29)).await;
        harness.settle().await;
        assert_eq!(harness.sink.objects().len(), 40);
        let requests = without_probes(&harness);
        assert!(!requests.iter().any(|request| request.starts_with("list")), "{requests:?}");
    }
}

// holds: X7
#[tokio::test(start_paused = true)]
async fn silence_before_the_marker_counts_from_the_last_event() {
    let mut harness = ReflectorHarness::new(ReflectorConfig::default().marker_silence_max(seconds(5)));
    harness.source.will_watch(WatchResponse::open().wait(seconds(4)).added(&pod("a", 1)).hang());
    assert_eq!(harness.requests(2).await[1], "list @0 limit 500");
    assert_eq!(harness.gaps()[0], seconds(9));
}

// holds: X39
#[tokio::test(start_paused = true)]
async fn an_ordinary_bookmark_before_the_marker_is_followed_by_a_list_at_once() {
    let mut harness = streaming();
    harness.source.will_watch(WatchResponse::open().added(&pod("a", 3)).bookmark(4).hang());
    harness.source.will_list(ListResponse::page(5));
    assert_eq!(harness.requests(3).await, ["stream", "list @0 limit 500", "watch @5"]);
    assert!(harness.gaps()[0].is_zero());
    assert_eq!(harness.observed.only("refused"), ["refused streaming for 3600 s"]);
    let failed = harness.observed.only("failed StreamingList");
    assert!(failed[0].ends_with("the server ignores sendInitialEvents"), "{failed:?}");
}

/// The event that is sent after this many seconds.
type Traffic = fn(u64) -> WatchEvent;

fn changed(change: ChangeType, name: &str, version: u64) -> WatchEvent {
    WatchEvent::Changed(change, pod(name, version))
}

// holds: X7, X39
#[tokio::test(start_paused = true)]
async fn a_stream_without_a_marker_is_replaced_by_a_list_within_45_s_whatever_else_arrives() {
    let traffics: [Traffic; 6] = [
        |second| changed(ChangeType::Modified, "a", 100 + second),
        |second| changed(ChangeType::Added, &format!("new-{second}"), 100 + second),
        |second| {
            changed([ChangeType::Added, ChangeType::Deleted][second as usize % 2], "flapping", 100 + second)
        },
        |_| changed(ChangeType::Added, "a", 3),
        |_| changed(ChangeType::Deleted, "a", 3),
        |_| WatchEvent::Skipped(Skipped::UnknownEvent { event_type: "PATCHED".to_owned() }),
    ];
    for (number, traffic) in traffics.into_iter().enumerate() {
        for (every_seconds, list_takes) in [(1, 0), (1, 4), (9, 0), (14, 0), (29, 0)] {
            let mut harness = streaming();
            let began = Instant::now();
            // The server's version is 100 plus the elapsed seconds.
            harness.source.will_list_always(move |_| {
                let version = 100 + began.elapsed().as_secs();
                ListResponse::page(version).after(seconds(list_takes))
            });
            let stream = (1..200).map(|nth| nth * every_seconds);
            let stream = stream.fold(WatchResponse::open().added(&pod("a", 3)), |watch, second| {
                watch.wait(seconds(every_seconds)).event(traffic(second))
            });
            harness.source.will_watch(stream.hang());
            harness.requests(1).await;
            sleep(seconds(45)).await;
            let requests = without_probes(&harness);
            let listed = requests.get(1).map(String::as_str);
            assert_eq!(listed, Some("list @0 limit 500"), "traffic {number} every {every_seconds} s");
        }
    }
}

// holds: X39
#[tokio::test(start_paused = true)]
async fn a_stream_without_a_marker_that_is_never_pending_is_replaced_by_a_list_within_45_s() {
    let mut harness = streaming();
    harness.source.will_list_always(|_| ListResponse::page(50));
    let feed = harness.source.will_watch_live();
    harness.requests(1).await;
    // A task that is never pending yields after about a thousand events; these are enough for minutes.
    let again = pod("a", 100);
    for _ in 0..300_000 {
        feed.modified(&again);
    }
    let began = Instant::now();
    while !feed.is_closed() && began.elapsed() < seconds(100) {
        advance(seconds(1)).await;
    }
    assert!(began.elapsed() <= seconds(45), "{:?}", began.elapsed());
}

// holds: R52
#[tokio::test(start_paused = true)]
async fn a_marker_inside_an_ordinary_watch_is_an_ordinary_bookmark() {
    let mut harness = ReflectorHarness::new(chunked());
    harness.source.will_list(ListResponse::page(5));
    let marker = WatchEvent::Bookmark { version: Version::from(6), is_initial_events_end: true };
    harness.source.will_watch(WatchResponse::open().event(marker));
    assert_eq!(harness.requests(3).await[2], "watch @6");
    assert_eq!(harness.sink.log(), ["Replaced [] @5", "Bookmark @6"]);
}
