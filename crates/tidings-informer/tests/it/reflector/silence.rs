//! Watches that fall silent.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tidings_informer::reflector::ReflectorConfig;
use tidings_source::scripted::{ListAnswer, WatchAnswer};
use tokio::time::{Instant, sleep};

use crate::reflector::scene::*;

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

/// When watches were asked for, each from the one before.
fn gaps_of_watches(scene: &Scene) -> Vec<Duration> {
    let (mut gaps, mut since_watch) = (Vec::new(), Duration::ZERO);
    for (gap, asked) in scene.gaps().into_iter().zip(&scene.source.requests()[1..]) {
        since_watch += gap;
        if asked.starts_with("watch") {
            gaps.push(since_watch);
            since_watch = Duration::ZERO;
        }
    }
    gaps
}

// holds: X22, X38
#[tokio::test(start_paused = true)]
async fn while_reopening_brings_nothing_the_patience_doubles_to_three_minutes_also_for_an_answer() {
    let mut scene = listed(chunked().watch_timeout_min(seconds(3600)));
    scene.source.will_watch(ten_seconds_rhythm());
    scene.source.will_watch_always(|_| WatchAnswer::hanging());
    scene.source.will_list_always(|_| ListAnswer::page(8));
    let asked = scene.asked(7).await;
    assert_eq!(asked[2..5], ["watch @8", "watch @8", "list limit 1"], "is the server still where we are?");
    let waits = &gaps_of_watches(&scene)[2..];
    let doubled = [60, 120, 180].map(seconds);
    assert_eq!(waits.len(), doubled.len());
    for (gap, full) in waits.iter().zip(doubled) {
        assert!(full.mul_f64(0.8) <= *gap && *gap <= full + seconds(1), "{gap:?} of {full:?}");
    }
}

// holds: X38
#[tokio::test(start_paused = true)]
async fn silence_before_the_first_bookmark_reopens_the_watch_within_200_s_whenever_it_begins() {
    let silences: [(fn() -> WatchAnswer, u64); 5] = [
        (WatchAnswer::hanging, 0),
        (|| WatchAnswer::open().hang(), 0),
        (|| WatchAnswer::open().wait(seconds(1)).added(&pod("a", 6)).hang(), 1),
        (|| WatchAnswer::open().wait(seconds(140)).added(&pod("a", 6)).hang(), 140),
        (|| WatchAnswer::open().wait(seconds(140)).bookmark(6).hang(), 140),
    ];
    for (answer, heard_last) in silences {
        let mut scene = listed(chunked());
        scene.source.will_watch(answer());
        scene.asked(3).await;
        let silence = scene.gaps()[1] - seconds(heard_last);
        assert!(seconds(144) <= silence && silence <= seconds(200), "{silence:?} from {heard_last} s on");
        assert_eq!(scene.told.only("failed"), [""; 0]);
    }
}

// holds: X38
#[tokio::test(start_paused = true)]
async fn no_watch_of_a_quiet_day_is_silent_for_longer_than_200_s_even_if_probes_hang() {
    let mut scene = listed(chunked());
    scene.source.will_watch_always(|_| WatchAnswer::open().hang());
    scene.source.will_list_always(|_| ListAnswer::hanging());
    scene.asked(2).await;
    sleep(seconds(24 * 3600)).await;
    let longest = gaps_of_watches(&scene).into_iter().max().unwrap();
    assert!(longest <= seconds(200), "{longest:?}");
    assert!(!scene.told.only("failed Probe").is_empty(), "probes were asked for");
}

// holds: X38
#[tokio::test(start_paused = true)]
async fn where_bookmarks_come_every_second_silence_reopens_the_watch_within_10_s() {
    let mut scene = listed(chunked());
    let every_second =
        (6..66_u64).fold(WatchAnswer::open(), |watch, v| watch.wait(seconds(1)).bookmark(v)).hang();
    scene.source.will_watch(every_second);
    scene.asked(3).await;
    let silence = scene.gaps()[1] - seconds(60);
    assert!(silence <= seconds(10), "{silence:?}");
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
    assert_eq!(scene.source.requests().len(), 2);
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
    assert!(!feed.is_closed() && scene.source.requests().len() == 2);
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
    assert_eq!(scene.source.requests().len(), 2);
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

/// How many lists of one object a quiet server is asked for in so many hours, if its watches end so.
async fn probes(watch: fn() -> WatchAnswer, hours: u64) -> usize {
    let mut scene = listed(chunked());
    scene.source.will_watch_always(move |_| watch());
    scene.source.will_list_always(|_| ListAnswer::page(5));
    scene.asked(2).await;
    sleep(seconds(hours * 3600)).await;
    scene.source.requests().iter().filter(|asked| *asked == "list limit 1").count()
}

// holds: X40
#[tokio::test(start_paused = true)]
async fn a_quiet_server_is_asked_for_its_version_once_an_hour_in_the_end_however_often_watches_are_cut() {
    let silent: fn() -> WatchAnswer = || WatchAnswer::open().hang();
    let timed_out: fn() -> WatchAnswer = || WatchAnswer::open().wait(seconds(300));
    let closed: fn() -> WatchAnswer = || WatchAnswer::open().wait(seconds(1));
    let broken: fn() -> WatchAnswer = || WatchAnswer::open().wait(seconds(1)).broken(broken_connection());
    for watch in [silent, timed_out, closed, broken] {
        let in_three_hours = probes(watch, 3).await;
        assert!((4..=6).contains(&in_three_hours), "{in_three_hours} in three hours");
    }
    for watch in [silent, timed_out] {
        let in_a_day = probes(watch, 24).await;
        assert!((20..=27).contains(&in_a_day), "{in_a_day} in a day");
    }
}

/// How long it takes until a server that is restored after a quiet day is listed again.
async fn until_noticed(outage: Option<WatchAnswer>) -> Duration {
    let mut scene = listed(chunked());
    let version = Arc::new(AtomicU64::new(5));
    let current = Arc::clone(&version);
    scene.source.will_watch_always(|_| WatchAnswer::open().wait(seconds(300)));
    scene.source.will_list_always(move |_| ListAnswer::page(current.load(Ordering::Relaxed)));
    scene.asked(2).await;
    sleep(seconds(24 * 3600)).await;
    version.store(3, Ordering::Relaxed);
    if let Some(outage) = outage {
        scene.source.will_watch(outage);
    }
    let restored_at = Instant::now();
    while scene.told.only("went back").is_empty() && restored_at.elapsed() < seconds(24 * 3600) {
        sleep(seconds(1)).await;
    }
    restored_at.elapsed()
}

// holds: X16, X40
#[tokio::test(start_paused = true)]
async fn a_server_restored_after_a_quiet_day_is_noticed_within_15_minutes_of_its_outage_or_within_64_minutes()
{
    let behind_a_balancer = until_noticed(None).await;
    assert!(behind_a_balancer <= seconds(64 * 60), "{behind_a_balancer:?}");
    for outage in [WatchAnswer::refused(refused()), WatchAnswer::status(503, "ServiceUnavailable")] {
        let after_an_outage = until_noticed(Some(outage)).await;
        assert!(after_an_outage <= seconds(15 * 60), "{after_an_outage:?}");
    }
}
