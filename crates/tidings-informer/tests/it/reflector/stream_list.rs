//! Streaming lists: their marker, their refusals, what follows when they fail.

use std::time::Duration;

use tidings_informer::reflector::ReflectorConfig;
use tidings_object::Version;
use tidings_source::scripted::{ListAnswer, WatchAnswer};
use tidings_source::{ChangeType, ErrorKind, Skipped, WatchEvent, WatchOptions};
use tokio::time::{Instant, advance, sleep};

use crate::reflector::scene::*;

fn streaming() -> Scene {
    Scene::new(ReflectorConfig::default())
}

/// What was asked for, without the lists of one object that ask for the server's version.
fn without_probes(scene: &Scene) -> Vec<String> {
    scene.source.requests().into_iter().filter(|asked| asked != "list limit 1").collect()
}

// holds: R5, R49, R50, R53, R31
#[tokio::test(start_paused = true)]
async fn the_first_list_is_streamed_and_its_stream_goes_on_as_the_watch() {
    let mut scene = streaming();
    let initial = WatchAnswer::open().all_added(&[pod("b", 4), pod("a", 3)]).initial_events_end(5);
    scene.source.will_watch(initial.modified(&pod("a", 6)));
    assert_eq!(scene.asked(2).await, ["stream", "watch @6"]);
    assert_eq!(scene.sunk.log(), ["Replaced [a@3 b@4] @5", "Modified a@6"]);
    let [stream, watch] = &scene.source.watches()[..] else { panic!("two requests") };
    assert!((300..=600).contains(&stream.timeout_seconds.unwrap()));
    let expected = WatchOptions {
        version: None,
        allow_bookmarks: true,
        send_initial_events: true,
        timeout_seconds: stream.timeout_seconds,
    };
    assert_eq!(*stream, expected);
    assert!(!watch.send_initial_events && watch.version == Some(Version::from(6)));
    assert_eq!(scene.told.only("watching"), ["watching @5"], "the next is not answered yet");
}

// holds: R38, R53
#[tokio::test(start_paused = true)]
async fn a_stream_that_closes_right_after_its_marker_has_brought_something_and_is_watched_on_at_once() {
    let mut scene = streaming();
    scene.source.will_watch(WatchAnswer::open().initial_events_end(5));
    assert_eq!(scene.asked(2).await, ["stream", "watch @5"]);
    assert!(scene.gaps()[0].is_zero());
}

// holds: R51, R52, R60
#[tokio::test(start_paused = true)]
async fn nothing_reaches_the_sink_before_the_marker_and_its_version_is_the_lists() {
    let mut scene = streaming();
    let feed = scene.source.will_watch_live();
    scene.asked(1).await;
    feed.added(&pod("a", 9));
    feed.added(&pod("b", 2));
    feed.added(&pod("c", 3));
    feed.modified(&pod("b", 10));
    feed.deleted(&pod("c", 11));
    scene.settle().await;
    assert_eq!(scene.sunk.log(), [""; 0]);
    feed.initial_events_end(13);
    scene.settle().await;
    assert_eq!(scene.sunk.log(), ["Replaced [a@9 b@10] @13"]);
}

// holds: R54, R60
#[tokio::test(start_paused = true)]
async fn a_stream_that_closes_before_the_marker_is_thrown_away_and_asked_for_again_at_once() {
    let mut scene = streaming();
    scene.source.will_watch(WatchAnswer::open().added(&pod("a", 3)).modified(&pod("b", 4)));
    scene.source.will_watch(WatchAnswer::open().added(&pod("c", 6)).initial_events_end(7).hang());
    assert_eq!(scene.asked(2).await, ["stream", "stream"], "no version of it was recorded");
    assert!(scene.gaps()[0].is_zero());
    assert_eq!(scene.sunk.log(), ["Replaced [c@6] @7"]);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_closes_before_the_marker_three_times_gives_way_to_a_list() {
    let mut scene = streaming();
    for _ in 0..3 {
        scene.source.will_watch(WatchAnswer::open().added(&pod("a", 3)));
    }
    scene.source.will_list(ListAnswer::page(5));
    assert_eq!(scene.asked(5).await[2..], ["stream", "list @0 limit 500", "watch @5"]);
}

// holds: R55
#[tokio::test(start_paused = true)]
async fn a_very_short_stream_without_events_gives_way_to_a_list() {
    let mut scene = streaming();
    scene.source.will_watch(WatchAnswer::open());
    scene.source.will_list(ListAnswer::page(5));
    assert_eq!(scene.asked(3).await, ["stream", "list @0 limit 500", "watch @5"]);
    assert_eq!(scene.told.only("waiting"), [""; 0]);
}

// holds: R56, X6
#[tokio::test(start_paused = true)]
async fn a_throttled_stream_backs_off_and_is_asked_for_again_and_the_wait_can_be_cancelled() {
    let answers = [
        WatchAnswer::refused(refused()),
        WatchAnswer::status(429, "TooManyRequests"),
        WatchAnswer::open().error(429, "TooManyRequests"),
    ];
    for answer in answers {
        let mut scene = streaming();
        scene.source.will_watch(answer);
        scene.source.will_watch(WatchAnswer::refused(ErrorKind::Status(busy(seconds(200)))));
        assert_eq!(scene.asked(2).await, ["stream", "stream"]);
        assert!(scene.gaps()[0] >= Duration::from_millis(800));
        sleep(seconds(1)).await;
        assert!(scene.stopped().await.is_zero());
    }
}

// holds: R57, X26
#[tokio::test(start_paused = true)]
async fn a_stream_whose_version_is_not_to_be_had_is_asked_for_at_once_without() {
    let too_large = status(504, "Timeout", "Too large resource version: 5, current: 3");
    let expired = WatchAnswer::open().error(410, "Expired");
    for answer in [WatchAnswer::status(410, "Gone"), expired, WatchAnswer::refused(too_large)] {
        let mut scene = streaming();
        scene.source.will_watch(WatchAnswer::open().initial_events_end(5).error(500, "StoreReadError"));
        scene.source.will_watch(answer);
        scene.source.will_watch(WatchAnswer::open().initial_events_end(3).error(500, "StoreReadError"));
        let asked = scene.asked(4).await;
        assert_eq!(asked, ["stream", "stream @5", "stream", "stream @3"], "and then forgotten");
        assert!(scene.gaps()[1].is_zero(), "at once");
        assert_eq!(scene.sunk.log()[1], "Replaced [] @3 in a new epoch");
        assert_eq!(scene.told.only("went back"), ["went back 5 -> 3"]);
    }
}

// holds: X26
#[tokio::test(start_paused = true)]
async fn a_stream_that_expires_without_a_version_gives_way_to_a_list_after_backing_off() {
    let mut scene = streaming();
    scene.source.will_watch(WatchAnswer::status(410, "Expired"));
    scene.source.will_watch(WatchAnswer::status(410, "Expired"));
    assert_eq!(scene.asked(3).await, ["stream", "stream", "list limit 500"]);
    assert!(scene.gaps()[0].is_zero() && !scene.gaps()[1].is_zero());
}

// holds: R58, X7
#[tokio::test(start_paused = true)]
async fn any_other_failure_gives_way_to_a_list_for_this_round_only() {
    let answers: [fn() -> WatchAnswer; 6] = [
        || WatchAnswer::status(403, "Forbidden"),
        || WatchAnswer::status(404, "NotFound"),
        || WatchAnswer::status(503, "ServiceUnavailable"),
        || WatchAnswer::status(422, "Invalid"),
        || WatchAnswer::refused(broken_connection()),
        || WatchAnswer::open().added(&pod("a", 1)).error(500, "InternalError"),
    ];
    for answer in answers {
        let mut scene = streaming();
        scene.source.will_watch(answer());
        scene.source.will_list(ListAnswer::page(5));
        scene.source.will_watch(WatchAnswer::open().error(500, "StoreReadError"));
        let asked = scene.asked(4).await;
        assert_eq!(asked, ["stream", "list @0 limit 500", "watch @5", "stream @5"]);
        assert!(scene.gaps()[0].is_zero());
        assert_eq!(scene.told.only("refused"), [""; 0]);
        assert_eq!(scene.told.only("failed StreamingList").len(), 1);
    }
}

// holds: X7
#[tokio::test(start_paused = true)]
async fn a_refusal_is_remembered_for_an_hour() {
    let names = |code, message| WatchAnswer::refused(status(code, "Invalid", message));
    let refusals: [Box<dyn Fn() -> WatchAnswer>; 6] = [
        Box::new(move || names(422, "sendInitialEvents: Forbidden")),
        Box::new(move || names(400, "resourceVersionMatch is forbidden for watch")),
        Box::new(|| WatchAnswer::open().error(500, "InternalError")),
        Box::new(|| WatchAnswer::open().error(500, "")),
        Box::new(|| WatchAnswer::open().added(&pod("a", 1)).hang()),
        Box::new(WatchAnswer::hanging),
    ];
    for refusal in refusals {
        let mut scene = streaming();
        scene.source.will_watch(refusal());
        scene.source.will_list_always(|_| ListAnswer::page(5));
        scene.source.will_watch_always(|_| WatchAnswer::open().hang());
        scene.asked(2).await;
        sleep(seconds(45)).await;
        let asked = without_probes(&scene);
        assert_eq!(asked, ["stream", "list @0 limit 500", "watch @5"]);
        assert_eq!(scene.told.only("refused"), ["refused streaming for 3600 s"]);
        assert_eq!(scene.told.only("failed StreamingList").len(), 1);
    }
}

// holds: X7
#[tokio::test(start_paused = true)]
async fn a_remembered_refusal_is_forgotten_after_its_time() {
    let mut scene = Scene::new(ReflectorConfig::default().liveness(None));
    scene.source.will_watch(WatchAnswer::refused(status(422, "Invalid", "sendInitialEvents: Forbidden")));
    scene.source.will_list(ListAnswer::page(5));
    scene.source.will_watch(WatchAnswer::open().wait(seconds(59 * 60)).error(500, "StoreReadError"));
    scene.source.will_list(ListAnswer::page(6));
    scene.source.will_watch(WatchAnswer::open().wait(seconds(60)).error(500, "StoreReadError"));
    let asked = scene.asked(6).await;
    assert_eq!(asked[2..], ["watch @5", "list @5", "watch @6", "stream @6"]);
}

// holds: X7, X39
#[tokio::test(start_paused = true)]
async fn a_long_first_list_is_waited_for_as_long_as_it_brings_objects_that_the_server_had_when_asked() {
    // Where lists fail, there is nothing to fall back to: any object counts.
    let lists: [fn() -> ListAnswer; 3] =
        [|| ListAnswer::page(40), || ListAnswer::status(503, "ServiceUnavailable"), ListAnswer::hanging];
    for list in lists {
        let mut scene = streaming();
        scene.source.will_list_always(move |_| list());
        let slow = (1..=40).fold(WatchAnswer::open(), |watch, version| {
            watch.wait(seconds(29)).added(&pod(&format!("pod-{version:02}"), version))
        });
        scene.source.will_watch(slow.wait(seconds(29)).initial_events_end(41).hang());
        scene.asked(1).await;
        sleep(seconds(41 * 29)).await;
        scene.settle().await;
        assert_eq!(scene.sunk.objects().len(), 40);
        let asked = without_probes(&scene);
        assert!(!asked.iter().any(|asked| asked.starts_with("list")), "{asked:?}");
    }
}

// holds: X7
#[tokio::test(start_paused = true)]
async fn silence_before_the_marker_is_counted_from_what_came_last() {
    let mut scene = Scene::new(ReflectorConfig::default().marker_silence_max(seconds(5)));
    scene.source.will_watch(WatchAnswer::open().wait(seconds(4)).added(&pod("a", 1)).hang());
    assert_eq!(scene.asked(2).await[1], "list @0 limit 500");
    assert_eq!(scene.gaps()[0], seconds(9));
}

// holds: X39
#[tokio::test(start_paused = true)]
async fn an_ordinary_bookmark_before_the_marker_gives_way_to_a_list_at_once() {
    let mut scene = streaming();
    scene.source.will_watch(WatchAnswer::open().added(&pod("a", 3)).bookmark(4).hang());
    scene.source.will_list(ListAnswer::page(5));
    assert_eq!(scene.asked(3).await, ["stream", "list @0 limit 500", "watch @5"]);
    assert!(scene.gaps()[0].is_zero());
    assert_eq!(scene.told.only("refused"), ["refused streaming for 3600 s"]);
    let told = scene.told.only("failed StreamingList");
    assert!(told[0].ends_with("the server ignores sendInitialEvents"), "{told:?}");
}

/// The event that is sent after so many seconds.
type Traffic = fn(u64) -> WatchEvent;

fn changed(change: ChangeType, name: &str, version: u64) -> WatchEvent {
    WatchEvent::Changed(change, pod(name, version))
}

// holds: X7, X39
#[tokio::test(start_paused = true)]
async fn a_stream_whose_marker_never_comes_gives_way_to_a_list_within_45_s_whatever_else_comes() {
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
            let mut scene = streaming();
            let began = Instant::now();
            // The server's version is 100 more than the seconds that have passed.
            scene.source.will_list_always(move |_| {
                let version = 100 + began.elapsed().as_secs();
                ListAnswer::page(version).after(seconds(list_takes))
            });
            let stream = (1..200).map(|nth| nth * every_seconds);
            let stream = stream.fold(WatchAnswer::open().added(&pod("a", 3)), |watch, second| {
                watch.wait(seconds(every_seconds)).event(traffic(second))
            });
            scene.source.will_watch(stream.hang());
            scene.asked(1).await;
            sleep(seconds(45)).await;
            let asked = without_probes(&scene);
            let listed = asked.get(1).map(String::as_str);
            assert_eq!(listed, Some("list @0 limit 500"), "traffic {number} every {every_seconds} s");
        }
    }
}

// holds: X39
#[tokio::test(start_paused = true)]
async fn a_stream_that_never_pauses_and_never_ends_gives_way_to_a_list_within_45_s_as_well() {
    let mut scene = streaming();
    scene.source.will_list_always(|_| ListAnswer::page(50));
    let feed = scene.source.will_watch_live();
    scene.asked(1).await;
    // A task that never waits is set aside after a thousand events or so: these are enough for minutes.
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
    let mut scene = Scene::new(chunked());
    scene.source.will_list(ListAnswer::page(5));
    let marker = WatchEvent::Bookmark { version: Version::from(6), is_initial_events_end: true };
    scene.source.will_watch(WatchAnswer::open().event(marker));
    assert_eq!(scene.asked(3).await[2], "watch @6");
    assert_eq!(scene.sunk.log(), ["Replaced [] @5", "Bookmark @6"]);
}
