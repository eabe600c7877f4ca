//! What follows a failure, and after how long.

use std::num::NonZeroU32;
use std::time::Duration;

use tidings_informer::reflector::{BackoffConfig, ReflectorConfig, StopPolicy, StopReason};
use tidings_source::scripted::{ListAnswer, WatchAnswer};
use tidings_source::{ErrorKind, WatchEvent};

use crate::reflector::scene::*;

// holds: R6, R9, R11, R14, X3
#[tokio::test(start_paused = true)]
async fn a_refused_list_is_asked_for_again_for_ever_at_the_pace_of_the_ladder() {
    for (code, reason) in [(401, "Unauthorized"), (403, "Forbidden"), (404, "NotFound"), (500, "Other")] {
        let mut scene = Scene::new(chunked());
        scene.source.will_list_always(move |_| ListAnswer::status(code, reason));
        scene.asked(40).await;
        let mut step_ms = 800;
        for gap in scene.gaps() {
            let (low, high) = (Duration::from_millis(step_ms), Duration::from_millis(2 * step_ms + 2));
            assert!(low <= gap && gap <= high, "{gap:?} is not within {low:?}..{high:?}");
            step_ms = (2 * step_ms).min(30_000);
        }
        assert_eq!(scene.told.only("failed List").len(), 40);
    }
}

// holds: R8
#[tokio::test(start_paused = true)]
async fn a_ladder_of_ones_own_is_taken() {
    let backoff = BackoffConfig { jitter: 0.0, factor: 1.0, initial: seconds(3), ..BackoffConfig::default() };
    let mut scene = Scene::new(chunked().backoff(backoff));
    scene.source.will_list_always(|_| ListAnswer::refused(broken_connection()));
    scene.asked(5).await;
    assert!(scene.gaps().iter().all(|gap| gap.as_secs() == 3), "{:?}", scene.gaps());
}

// holds: R9
#[tokio::test(start_paused = true)]
async fn lists_watches_and_streams_climb_one_ladder() {
    let backoff = BackoffConfig { jitter: 0.0, initial: seconds(1), ..BackoffConfig::default() };
    let mut scene = Scene::new(ReflectorConfig::default().backoff(backoff));
    scene.source.will_watch(WatchAnswer::status(429, "TooManyRequests"));
    scene.source.will_watch(WatchAnswer::status(500, "Other"));
    scene.source.will_list(ListAnswer::status(500, "Other"));
    scene.source.will_watch(WatchAnswer::open().initial_events_end(5).error(429, "TooManyRequests"));
    scene.source.will_watch(WatchAnswer::refused(refused()));
    let asked = scene.asked(6).await;
    assert_eq!(asked, ["stream", "stream", "list @0 limit 500", "stream", "watch @5", "watch @5"]);
    assert_eq!(scene.told.only("waiting"), [1000, 2000, 4000, 8000].map(|ms| format!("waiting {ms} ms")));
}

// holds: R32
#[tokio::test(start_paused = true)]
async fn a_watch_that_is_throttled_or_finds_nobody_is_opened_again_at_the_same_version() {
    for kind in [refused(), status(429, "TooManyRequests", "")] {
        let mut scene = Scene::new(chunked());
        scene.source.will_list(ListAnswer::page(5));
        for _ in 0..10 {
            scene.source.will_watch(WatchAnswer::refused(kind.clone()));
        }
        let asked = scene.asked(12).await;
        assert_eq!(asked[1..], ["watch @5"; 11], "no relist");
        assert!(scene.gaps()[1..].iter().all(|gap| *gap >= Duration::from_millis(800)));
    }
}

// holds: X26
#[tokio::test(start_paused = true)]
async fn three_watches_in_a_row_that_do_not_open_lead_to_a_relist_and_fewer_do_not() {
    for kind in [status(500, "Other", ""), status(403, "Forbidden", ""), broken_connection()] {
        let mut scene = Scene::new(chunked());
        scene.source.will_list(ListAnswer::page(5));
        for _ in 0..2 {
            scene.source.will_watch(WatchAnswer::refused(kind.clone()));
        }
        scene.source.will_watch(WatchAnswer::open().added(&pod("a", 6)));
        for _ in 0..3 {
            scene.source.will_watch(WatchAnswer::refused(kind.clone()));
        }
        let asked = scene.asked(8).await;
        let expected = ["watch @5", "watch @5", "watch @5", "watch @6", "watch @6", "watch @6", "list @6"];
        assert_eq!(asked[1..], expected, "{kind}");
        assert_eq!(scene.told.only("relisting"), ["relisting WatchRefused"]);
        assert_eq!(scene.told.only("failed WatchOpen").len(), 5);
    }
}

// holds: R34, X4
#[tokio::test(start_paused = true)]
async fn a_retry_after_is_obeyed_wherever_it_comes_from() {
    let after = |time| ErrorKind::Status(busy(time));
    let mut scene = Scene::new(ReflectorConfig::default());
    scene.source.will_watch(WatchAnswer::refused(after(seconds(20))));
    let throttled = WatchAnswer::open().initial_events_end(5).event(WatchEvent::Error(busy(seconds(40))));
    scene.source.will_watch(throttled);
    scene.source.will_watch(WatchAnswer::refused(after(seconds(60))));
    scene.source.will_watch(WatchAnswer::open().error(500, "Other"));
    scene.source.will_watch(WatchAnswer::refused(broken_connection()));
    scene.source.will_list(ListAnswer::refused(after(seconds(90))));
    let asked = scene.asked(7).await;
    assert_eq!(asked[..4], ["stream", "stream", "watch @5", "watch @5"], "no relist");
    assert_eq!(asked[4..], ["stream @5", "list @5", "stream @5"]);
    let gaps: Vec<_> = [0, 1, 2, 5].map(|at| scene.gaps()[at].as_secs()).into();
    assert_eq!(gaps, [20, 40, 60, 90]);
}

// holds: X4
#[tokio::test(start_paused = true)]
async fn a_retry_after_is_obeyed_up_to_its_limit() {
    for (config, limit) in [(chunked(), 300), (chunked().retry_after_max(seconds(1000)), 1000)] {
        let mut scene = Scene::new(config);
        scene.source.will_list(ListAnswer::refused(ErrorKind::Status(busy(seconds(100_000)))));
        scene.asked(2).await;
        assert_eq!(scene.gaps()[0].as_secs(), limit);
    }
}

// holds: R35
#[tokio::test(start_paused = true)]
async fn internal_errors_are_watched_through_within_their_window_only() {
    let mut scene = Scene::new(chunked().internal_error_window(seconds(30)));
    let internal = |after| WatchAnswer::open().wait(after).error(500, "InternalError");
    scene.source.will_list(ListAnswer::page(5));
    scene.source.will_watch(internal(seconds(2)));
    scene.source.will_watch(internal(seconds(20)));
    scene.source.will_watch(internal(seconds(20)));
    scene.source.will_list(ListAnswer::page(6));
    scene.source.will_watch(internal(seconds(61)));
    let asked = scene.asked(7).await;
    let expected = ["watch @5", "watch @5", "watch @5", "list @5", "watch @6", "watch @6"];
    assert_eq!(asked[1..], expected, "a minute without opens the window again");
    let gaps: Vec<_> = [1, 2, 5].map(|at| scene.gaps()[at].as_secs()).into();
    assert_eq!(gaps, [2, 20, 61], "without delay");
    assert_eq!(scene.told.only("failed Watch").len(), 4, "and every one is told");
}

// holds: R35, R37
#[tokio::test(start_paused = true)]
async fn an_internal_error_leads_to_a_relist_by_default() {
    let mut scene = Scene::new(chunked());
    scene.source.will_list(ListAnswer::page(5));
    scene.source.will_watch(WatchAnswer::open().wait(seconds(2)).error(500, "InternalError"));
    assert_eq!(scene.asked(3).await[2], "list @5");
    assert!(scene.gaps()[1] > seconds(2), "after backing off");
}

// holds: X3
#[tokio::test(start_paused = true)]
async fn a_stop_policy_ends_it_after_so_many_refusals_of_one_kind_in_a_row() {
    let three = NonZeroU32::new(3);
    let policy = StopPolicy { not_found_max: three, ..StopPolicy::default() };
    let mut scene = Scene::new(chunked().stop_policy(policy));
    scene.source.will_list(ListAnswer::status(404, "NotFound"));
    scene.source.will_list(ListAnswer::status(404, "NotFound"));
    scene.source.will_list(ListAnswer::status(403, "Forbidden"));
    scene.source.will_list_always(|_| ListAnswer::status(404, "NotFound"));
    scene.start();
    let StopReason::GaveUp(error) = scene.ended().await else { panic!("it gives up") };
    assert!(error.to_string().starts_with("list pods in all namespaces"), "{error}");
    assert_eq!(scene.source.requests().len(), 6);
    assert_eq!(scene.told.only("stopped").len(), 1);
    assert_eq!(scene.source.open_streams(), 0);
}

// holds: X3
#[tokio::test(start_paused = true)]
async fn each_kind_of_refusal_has_a_limit_of_its_own() {
    let two = NonZeroU32::new(2);
    let policies = [
        (401, StopPolicy { unauthorized_max: two, ..StopPolicy::default() }),
        (403, StopPolicy { forbidden_max: two, ..StopPolicy::default() }),
        (404, StopPolicy { not_found_max: two, ..StopPolicy::default() }),
    ];
    for (code, policy) in policies {
        let mut scene = Scene::new(ReflectorConfig::default().stop_policy(policy));
        scene.source.will_watch_always(move |_| WatchAnswer::status(code, ""));
        scene.source.will_list_always(move |_| ListAnswer::status(code, ""));
        scene.start();
        assert!(matches!(scene.ended().await, StopReason::GaveUp(_)));
        assert_eq!(scene.source.requests(), ["stream", "list @0 limit 500"]);
    }
}
