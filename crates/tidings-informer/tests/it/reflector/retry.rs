//! The requests after a failure, and their delays.

use std::num::NonZeroU32;
use std::time::Duration;

use tidings_informer::reflector::{BackoffConfig, ReflectorConfig, StopPolicy, StopReason};
use tidings_source::scripted::{ListResponse, WatchResponse};
use tidings_source::{ErrorKind, WatchEvent};

use crate::reflector::harness::*;

// holds: R6, R9, R11, R14, X3
#[tokio::test(start_paused = true)]
async fn a_refused_list_is_retried_for_ever_with_growing_delays() {
    for (code, reason) in [(401, "Unauthorized"), (403, "Forbidden"), (404, "NotFound"), (500, "Other")] {
        let mut harness = ReflectorHarness::new(chunked());
        harness.source.will_list_always(move |_| ListResponse::status(code, reason));
        harness.requests(40).await;
        let mut step_ms = 800;
        for gap in harness.gaps() {
            let (low, high) = (Duration::from_millis(step_ms), Duration::from_millis(2 * step_ms + 2));
            assert!(low <= gap && gap <= high, "{gap:?} is not within {low:?}..{high:?}");
            step_ms = (2 * step_ms).min(30_000);
        }
        assert_eq!(harness.observed.only("failed List").len(), 40);
    }
}

// holds: R8
#[tokio::test(start_paused = true)]
async fn a_users_backoff_settings_are_used() {
    let backoff = BackoffConfig { jitter: 0.0, factor: 1.0, initial: seconds(3), ..BackoffConfig::default() };
    let mut harness = ReflectorHarness::new(chunked().backoff(backoff));
    harness.source.will_list_always(|_| ListResponse::refused(broken_connection()));
    harness.requests(5).await;
    assert!(harness.gaps().iter().all(|gap| gap.as_secs() == 3), "{:?}", harness.gaps());
}

// holds: R9
#[tokio::test(start_paused = true)]
async fn lists_watches_and_streaming_lists_share_one_backoff() {
    let backoff = BackoffConfig { jitter: 0.0, initial: seconds(1), ..BackoffConfig::default() };
    let mut harness = ReflectorHarness::new(ReflectorConfig::default().backoff(backoff));
    harness.source.will_watch(WatchResponse::status(429, "TooManyRequests"));
    harness.source.will_watch(WatchResponse::status(500, "Other"));
    harness.source.will_list(ListResponse::status(500, "Other"));
    harness.source.will_watch(WatchResponse::open().initial_events_end(5).error(429, "TooManyRequests"));
    harness.source.will_watch(WatchResponse::refused(refused()));
    let requests = harness.requests(6).await;
    assert_eq!(requests, ["stream", "stream", "list @0 limit 500", "stream", "watch @5", "watch @5"]);
    assert_eq!(
        harness.observed.only("waiting"),
        [1000, 2000, 4000, 8000].map(|ms| format!("waiting {ms} ms"))
    );
}

// holds: R32
#[tokio::test(start_paused = true)]
async fn a_throttled_or_refused_watch_is_reopened_at_the_same_version() {
    for kind in [refused(), status(429, "TooManyRequests", "")] {
        let mut harness = ReflectorHarness::new(chunked());
        harness.source.will_list(ListResponse::page(5));
        for _ in 0..10 {
            harness.source.will_watch(WatchResponse::refused(kind.clone()));
        }
        let requests = harness.requests(12).await;
        assert_eq!(requests[1..], ["watch @5"; 11], "no relist");
        assert!(harness.gaps()[1..].iter().all(|gap| *gap >= Duration::from_millis(800)));
    }
}

// holds: X26
#[tokio::test(start_paused = true)]
async fn three_watches_in_a_row_that_can_not_be_opened_lead_to_a_relist_and_two_do_not() {
    for kind in [status(500, "Other", ""), status(403, "Forbidden", ""), broken_connection()] {
        let mut harness = ReflectorHarness::new(chunked());
        harness.source.will_list(ListResponse::page(5));
        for _ in 0..2 {
            harness.source.will_watch(WatchResponse::refused(kind.clone()));
        }
        harness.source.will_watch(WatchResponse::open().added(&pod("a", 6)));
        for _ in 0..3 {
            harness.source.will_watch(WatchResponse::refused(kind.clone()));
        }
        let requests = harness.requests(8).await;
        let expected = ["watch @5", "watch @5", "watch @5", "watch @6", "watch @6", "watch @6", "list @6"];
        assert_eq!(requests[1..], expected, "{kind}");
        assert_eq!(harness.observed.only("relisting"), ["relisting WatchRefused"]);
        assert_eq!(harness.observed.only("failed WatchOpen").len(), 5);
    }
}

// holds: R34, X4
#[tokio::test(start_paused = true)]
async fn a_retry_after_is_obeyed_on_every_request() {
    let after = |time| ErrorKind::Status(busy(time));
    let mut harness = ReflectorHarness::new(ReflectorConfig::default());
    harness.source.will_watch(WatchResponse::refused(after(seconds(20))));
    let throttled = WatchResponse::open().initial_events_end(5).event(WatchEvent::Error(busy(seconds(40))));
    harness.source.will_watch(throttled);
    harness.source.will_watch(WatchResponse::refused(after(seconds(60))));
    harness.source.will_watch(WatchResponse::open().error(500, "Other"));
    harness.source.will_watch(WatchResponse::refused(broken_connection()));
    harness.source.will_list(ListResponse::refused(after(seconds(90))));
    let requests = harness.requests(7).await;
    assert_eq!(requests[..4], ["stream", "stream", "watch @5", "watch @5"], "no relist");
    assert_eq!(requests[4..], ["stream @5", "list @5", "stream @5"]);
    let gaps: Vec<_> = [0, 1, 2, 5].map(|at| harness.gaps()[at].as_secs()).into();
    assert_eq!(gaps, [20, 40, 60, 90]);
}

// holds: X4
#[tokio::test(start_paused = true)]
async fn a_retry_after_is_obeyed_up_to_its_limit() {
    for (config, limit) in [(chunked(), 300), (chunked().retry_after_max(seconds(1000)), 1000)] {
        let mut harness = ReflectorHarness::new(config);
        harness.source.will_list(ListResponse::refused(ErrorKind::Status(busy(seconds(100_000)))));
        harness.requests(2).await;
        assert_eq!(harness.gaps()[0].as_secs(), limit);
    }
}

// holds: R35
#[tokio::test(start_paused = true)]
async fn internal_errors_are_tolerated_only_within_their_window() {
    let mut harness = ReflectorHarness::new(chunked().internal_error_window(seconds(30)));
    let internal = |after| WatchResponse::open().wait(after).error(500, "InternalError");
    harness.source.will_list(ListResponse::page(5));
    harness.source.will_watch(internal(seconds(2)));
    harness.source.will_watch(internal(seconds(20)));
    harness.source.will_watch(internal(seconds(20)));
    harness.source.will_list(ListResponse::page(6));
    harness.source.will_watch(internal(seconds(61)));
    let requests = harness.requests(7).await;
    let expected = ["watch @5", "watch @5", "watch @5", "list @5", "watch @6", "watch @6"];
    assert_eq!(requests[1..], expected, "after a minute without such errors the window opens again");
    let gaps: Vec<_> = [1, 2, 5].map(|at| harness.gaps()[at].as_secs()).into();
    assert_eq!(gaps, [2, 20, 61], "without delay");
    assert_eq!(harness.observed.only("failed Watch").len(), 4, "each is reported");
}

// holds: R35, R37
#[tokio::test(start_paused = true)]
async fn an_internal_error_leads_to_a_relist_by_default() {
    let mut harness = ReflectorHarness::new(chunked());
    harness.source.will_list(ListResponse::page(5));
    harness.source.will_watch(WatchResponse::open().wait(seconds(2)).error(500, "InternalError"));
    assert_eq!(harness.requests(3).await[2], "list @5");
    assert!(harness.gaps()[1] > seconds(2), "after a backoff delay");
}

// holds: X3
#[tokio::test(start_paused = true)]
async fn a_stop_policy_gives_up_after_equal_refusals_in_a_row() {
    let three = NonZeroU32::new(3);
    let policy = StopPolicy::default().not_found_max(three);
    let mut harness = ReflectorHarness::new(chunked().stop_policy(policy));
    harness.source.will_list(ListResponse::status(404, "NotFound"));
    harness.source.will_list(ListResponse::status(404, "NotFound"));
    harness.source.will_list(ListResponse::status(403, "Forbidden"));
    harness.source.will_list_always(|_| ListResponse::status(404, "NotFound"));
    harness.start();
    let StopReason::GaveUp(error) = harness.ended().await else { panic!("it must give up") };
    assert!(error.to_string().starts_with("list pods in all namespaces"), "{error}");
    assert_eq!(harness.source.requests().len(), 6);
    assert_eq!(harness.observed.only("stopped").len(), 1);
    assert_eq!(harness.source.open_streams(), 0);
}

// holds: X3
#[tokio::test(start_paused = true)]
async fn each_kind_of_refusal_has_its_own_limit() {
    let two = NonZeroU32::new(2);
    let policies = [
        (401, StopPolicy::default().unauthorized_max(two)),
        (403, StopPolicy::default().forbidden_max(two)),
        (404, StopPolicy::default().not_found_max(two)),
    ];
    for (code, policy) in policies {
        let mut harness = ReflectorHarness::new(ReflectorConfig::default().stop_policy(policy));
        harness.source.will_watch_always(move |_| WatchResponse::status(code, ""));
        harness.source.will_list_always(move |_| ListResponse::status(code, ""));
        harness.start();
        assert!(matches!(harness.ended().await, StopReason::GaveUp(_)));
        assert_eq!(harness.source.requests(), ["stream", "list @0 limit 500"]);
    }
}
