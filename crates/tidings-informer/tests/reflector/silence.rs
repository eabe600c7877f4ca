//! Watches that fall silent.

use tidings_informer::reflector::ReflectorConfig;
use tidings_source::scripted::{ListAnswer, WatchAnswer};
use tokio::time::sleep;

use crate::scene::*;

fn listed(config: ReflectorConfig) -> Scene {
    let scene = Scene::new(config);
    scene.source.will_list(ListAnswer::page(5));
    scene
}

/// Three bookmarks, ten seconds apart, and then nothing.
fn ten_seconds_rhythm() -> WatchAnswer {
    [6_u64, 7, 8].into_iter().fold(WatchAnswer::open(), |watch, v| watch.wait(seconds(10)).bookmark(v)).hang()
}

// holds: X22
#[tokio::test(start_paused = true)]
async fn a_watch_that_falls_silent_is_opened_again_at_the_last_version_without_failure_or_relist() {
    let mut scene = listed(chunked());
    scene.source.will_watch(ten_seconds_rhythm());
    assert_eq!(scene.asked(3).await[1..], ["watch @5", "watch @8"]);
    let silence = scene.gaps()[1] - seconds(30);
    assert!(seconds(24) <= silence && silence <= seconds(30), "three intervals: {silence:?}");
    assert_eq!(scene.told.only("silent").len(), 1);
    for nothing in ["failed", "relisting", "waiting"] {
        assert_eq!(scene.told.only(nothing), [""; 0]);
    }
}

// holds: X22
#[tokio::test(start_paused = true)]
async fn while_reopening_brings_nothing_the_patience_doubles_to_fifteen_minutes_also_for_an_answer() {
    let mut scene = listed(chunked().watch_timeout_min(seconds(3600)));
    scene.source.will_watch(ten_seconds_rhythm());
    scene.source.will_watch_always(|_| WatchAnswer::hanging());
    scene.source.will_list_always(|_| ListAnswer::page(8));
    let asked = scene.asked(10).await;
    assert_eq!(asked[2..4], ["watch @8"; 2]);
    assert_eq!(asked[4..], ["list limit 1", "watch @8"].repeat(3), "is the server still where we are?");
    let doubled = [60, 120, 240, 480].map(seconds);
    let waits: Vec<_> = scene.gaps()[2..].iter().copied().filter(|gap| !gap.is_zero()).collect();
    assert_eq!(waits.len(), doubled.len());
    for (gap, full) in waits.iter().zip(doubled) {
        assert!(full.mul_f64(0.8) <= *gap && *gap <= full + seconds(1), "{gap:?} of {full:?}");
    }
}

// holds: X22
#[tokio::test(start_paused = true)]
async fn before_a_bookmark_was_seen_silence_is_borne_until_the_watch_is_overdue() {
    let mut scene = listed(chunked());
    scene.source.will_watch(WatchAnswer::open().added(&pod("a", 6)).hang());
    scene.asked(3).await;
    let asked_to_last = scene.source.watches()[0].timeout_seconds.unwrap();
    assert_eq!(scene.gaps()[1].as_secs(), u64::from(asked_to_last) + 30);
    assert_eq!(scene.told.only("failed"), [""; 0]);
}

// holds: X22
#[tokio::test(start_paused = true)]
async fn events_are_a_sign_of_life_too() {
    let mut scene = listed(chunked());
    let feed = scene.source.will_watch_live();
    scene.asked(2).await;
    for version in 6..9 {
        sleep(seconds(10)).await;
        feed.bookmark(version);
    }
    for version in 9..20 {
        sleep(seconds(20)).await;
        feed.modified(&pod("a", version));
    }
    scene.settle().await;
    assert_eq!(scene.source.asked().len(), 2);
}

// holds: X22
#[tokio::test(start_paused = true)]
async fn no_clock_runs_while_the_sink_makes_us_wait() {
    let mut scene = listed(chunked());
    let feed = scene.source.will_watch_live();
    scene.asked(2).await;
    for version in 6..9 {
        sleep(seconds(10)).await;
        feed.bookmark(version);
    }
    scene.settle().await;
    scene.sunk.block();
    feed.modified(&pod("a", 9));
    sleep(seconds(3600)).await;
    assert!(!feed.is_closed() && scene.source.asked().len() == 2);
    feed.modified(&pod("a", 10));
    scene.sunk.admit(2);
    scene.settle().await;
    assert_eq!(scene.sunk.objects(), ["a@10"], "what came meanwhile is read first");
}

// holds: X22
#[tokio::test(start_paused = true)]
async fn silence_is_borne_for_ever_if_nobody_is_to_notice() {
    let mut scene = listed(chunked().liveness(None));
    scene.source.will_watch(ten_seconds_rhythm());
    scene.asked(2).await;
    sleep(seconds(24 * 3600)).await;
    assert_eq!(scene.source.asked().len(), 2);
}

// holds: X16
#[tokio::test(start_paused = true)]
async fn a_server_that_is_silent_because_it_was_restored_is_listed_again() {
    let mut scene = listed(chunked());
    scene.source.will_watch_always(|_| WatchAnswer::open().wait(seconds(300)));
    scene.source.will_list(ListAnswer::page(3).object(&pod("old", 2)));
    scene.source.will_list(ListAnswer::page(3).object(&pod("old", 2)));
    let asked = scene.asked(6).await;
    assert_eq!(asked[1..], ["watch @5", "watch @5", "list limit 1", "list limit 500", "watch @3"]);
    assert_eq!(scene.told.only("went back"), ["went back 5 -> 3"]);
}
