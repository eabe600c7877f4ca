//! Lists, page by page.

use std::num::NonZeroU32;

use k8s_openapi::api::core::v1::Pod;
use tidings_informer::reflector::Paging;
use tidings_object::{Kind, Version};
use tidings_source::scripted::{ListResponse, ScriptedSource, WatchResponse};
use tidings_source::{ErrorKind, ListOptions, StatusCause, StatusDetail, StreamScope, WatchOptions};

use crate::reflector::harness::*;

/// A watch that ends with an error that leads to a relist.
fn failing_watch() -> WatchResponse {
    WatchResponse::open().error(500, "StoreReadError")
}

// holds: R5, R16, R27, R31, P1
#[tokio::test(start_paused = true)]
async fn the_first_list_requests_any_version_in_pages_of_500_and_the_watch_continues_from_it() {
    let mut harness = ReflectorHarness::new(chunked());
    harness.source.will_list(ListResponse::page(5).objects(&[pod("a", 3), pod("b", 4)]));
    assert_eq!(harness.requests(2).await, ["list @0 limit 500", "watch @5"]);
    assert_eq!(harness.sink.log(), ["Replaced [a@3 b@4] @5"]);
    let [list] = &harness.source.lists()[..] else { panic!("one list") };
    let any = Some(Version::from(0));
    assert_eq!(*list, ListOptions { version: any, limit: Some(500), ..ListOptions::default() });
    let [watch] = &harness.source.watches()[..] else { panic!("one watch") };
    assert!((300..=600).contains(&watch.timeout_seconds.unwrap()), "{watch:?}");
    let expected = WatchOptions {
        version: Some(Version::from(5)),
        allow_bookmarks: true,
        send_initial_events: false,
        timeout_seconds: watch.timeout_seconds,
    };
    assert_eq!(*watch, expected);
}

// holds: R49
#[tokio::test(start_paused = true)]
async fn no_streaming_list_is_requested_from_a_source_without_support() {
    let script = ScriptedSource::new(Pod::resource(), StreamScope::All).without_streaming_lists();
    let mut harness = ReflectorHarness::of(script, Default::default());
    harness.source.will_list(ListResponse::page(5));
    assert_eq!(harness.requests(2).await, ["list @0 limit 500", "watch @5"]);
}

// holds: R17, R18, R45
#[tokio::test(start_paused = true)]
async fn a_relist_requests_the_last_version_without_pages() {
    let mut harness = ReflectorHarness::new(chunked());
    harness.source.will_list(ListResponse::page(5));
    harness.source.will_watch(failing_watch());
    harness.source.will_list(ListResponse::page(6));
    harness.source.will_watch(WatchResponse::open().added(&pod("a", 7)).error(500, "StoreReadError"));
    harness.source.will_list(ListResponse::page(8).object(&pod("a", 7)));
    harness.source.will_watch(WatchResponse::open().bookmark(9).error(500, "StoreReadError"));
    let requests = harness.requests(7).await;
    let expected = ["list @0 limit 500", "watch @5", "list @5", "watch @6", "list @7", "watch @8", "list @9"];
    assert_eq!(requests, expected);
}

// holds: R19, P1
#[tokio::test(start_paused = true)]
async fn an_explicit_page_size_overrides_every_other_rule() {
    let mut harness = ReflectorHarness::new(chunked().paging(Paging::Always(NonZeroU32::new(10).unwrap())));
    harness.source.will_list(ListResponse::page(5));
    harness.source.will_watch(failing_watch());
    harness.source.will_list(ListResponse::status(410, "Expired"));
    harness.source.will_list(ListResponse::page(6));
    let requests = harness.requests(5).await;
    assert_eq!(requests, ["list @0 limit 10", "watch @5", "list @5 limit 10", "list limit 10", "watch @6"]);
}

// holds: R20
#[tokio::test(start_paused = true)]
async fn after_a_paged_answer_to_version_0_every_later_list_is_paged() {
    let mut harness = ReflectorHarness::new(chunked());
    harness.source.will_list(ListResponse::page(5).object(&pod("a", 1)).next_page("t"));
    harness.source.will_list(ListResponse::page(5).object(&pod("b", 2)));
    harness.source.will_watch(failing_watch());
    let requests = harness.requests(4).await;
    assert_eq!(requests, ["list @0 limit 500", "list limit 500 after t", "watch @5", "list @5 limit 500"]);
}

// holds: R20
#[tokio::test(start_paused = true)]
async fn a_paged_list_of_the_most_recent_state_does_not_make_later_lists_paged() {
    let mut harness = ReflectorHarness::new(chunked());
    harness.source.will_list(ListResponse::status(410, "Expired"));
    harness.source.will_list(ListResponse::page(5).next_page("t"));
    harness.source.will_list(ListResponse::page(5));
    harness.source.will_watch(failing_watch());
    let requests = harness.requests(5).await;
    assert_eq!(
        requests,
        ["list @0 limit 500", "list limit 500", "list limit 500 after t", "watch @5", "list @5"]
    );
}

fn too_large(status: StatusDetail) -> ErrorKind {
    ErrorKind::Status(StatusDetail { code: 504, reason: "Timeout".to_owned(), ..status })
}

// holds: R21, R22, R23, R24, X26
#[tokio::test(start_paused = true)]
async fn a_list_whose_version_is_unavailable_is_retried_at_once_at_the_most_recent_state_and_only_once() {
    let cause = |reason: &str, message: &str| StatusDetail {
        causes: vec![StatusCause {
            reason: reason.to_owned(),
            message: message.to_owned(),
            ..StatusCause::default()
        }],
        ..StatusDetail::default()
    };
    let text = StatusDetail { message: "Too large resource version: 9".into(), ..StatusDetail::default() };
    let kinds = [
        status(410, "Expired", ""),
        status(410, "Gone", ""),
        status(200, "Expired", ""),
        too_large(cause("ResourceVersionTooLarge", "")),
        too_large(cause("", "Too large resource version")),
        too_large(text),
    ];
    for kind in kinds {
        let mut harness = ReflectorHarness::new(chunked());
        harness.source.will_list(ListResponse::page(5));
        harness.source.will_watch(failing_watch());
        harness.source.will_list(ListResponse::refused(kind.clone()));
        harness.source.will_list(ListResponse::page(6));
        harness.source.will_watch(failing_watch());
        let requests = harness.requests(6).await;
        let expected = ["list @0 limit 500", "watch @5", "list @5", "list limit 500", "watch @6", "list @6"];
        assert_eq!(requests, expected, "{kind}");
        assert!(harness.gaps()[2].is_zero(), "{kind}: no backoff");
    }
}

// holds: R22
#[tokio::test(start_paused = true)]
async fn the_message_of_a_too_large_version_counts_only_in_a_timeout() {
    let mut harness = ReflectorHarness::new(chunked());
    harness.source.will_list(ListResponse::refused(status(500, "Other", "Too large resource version")));
    assert_eq!(harness.requests(2).await, ["list @0 limit 500", "list @0 limit 500"]);
}

// holds: R20, R25, P3, P4, X20, X26
#[tokio::test(start_paused = true)]
async fn after_an_expired_page_one_list_without_pages_is_requested_at_the_first_version() {
    let mut harness = ReflectorHarness::new(chunked());
    harness.source.will_list(ListResponse::page(5).object(&pod("gone", 1)).next_page("t"));
    harness.source.will_list(ListResponse::status(410, "Expired"));
    harness.source.will_list(ListResponse::page(7).object(&pod("kept", 2)));
    harness.source.will_watch(failing_watch());
    let requests = harness.requests(5).await;
    assert_eq!(requests[..4], ["list @0 limit 500", "list limit 500 after t", "list @0", "watch @7"]);
    assert_eq!(requests[4], "list @7 limit 500", "the server answers in pages");
    assert_eq!(harness.sink.log(), ["Replaced [kept@2] @7"], "objects of two lists are not mixed");
    assert_eq!(harness.observed.only("failed List").len(), 1);
}

// holds: P4, X26
#[tokio::test(start_paused = true)]
async fn if_the_list_without_pages_expires_too_the_most_recent_state_is_listed() {
    let mut harness = ReflectorHarness::new(chunked());
    harness.source.will_list(ListResponse::page(5).next_page("t"));
    harness.source.will_list(ListResponse::status(410, "Expired"));
    harness.source.will_list(ListResponse::status(410, "Expired"));
    harness.source.will_list(ListResponse::status(410, "Expired"));
    let requests = harness.requests(5).await;
    assert_eq!(requests[2..], ["list @0", "list limit 500", "list limit 500"]);
    assert!(harness.gaps()[2].is_zero() && harness.gaps()[3] >= seconds(0), "{:?}", harness.gaps());
    assert!(!harness.gaps()[3].is_zero(), "a repeated failure is delayed");
}

// holds: P2, P3
#[tokio::test(start_paused = true)]
async fn the_version_of_a_list_is_that_of_its_first_page() {
    let mut harness = ReflectorHarness::new(chunked());
    harness.source.will_list(ListResponse::page(5).object(&pod("a", 1)).next_page("t"));
    harness.source.will_list(ListResponse::page(9).object(&pod("b", 2)).next_page("u"));
    harness.source.will_list(ListResponse::page(9).object(&pod("c", 3)));
    assert_eq!(harness.requests(4).await.last().unwrap(), "watch @5");
    assert_eq!(harness.sink.log(), ["Replaced [a@1 b@2 c@3] @5"]);
    assert_eq!(harness.observed.only("listed"), ["listed Chunked @5: 3 in 3, 0 s"]);
    assert!(harness.source.lists()[1..].iter().all(|l| l.version.is_none() && l.version_match.is_none()));
}

// holds: X20
#[tokio::test(start_paused = true)]
async fn a_failed_page_is_requested_again_before_the_list_restarts() {
    let mut harness = ReflectorHarness::new(chunked());
    harness.source.will_list(ListResponse::page(5).object(&pod("a", 1)).next_page("t"));
    harness.source.will_list(ListResponse::page(5).object(&pod("b", 2)).broken(broken_connection()));
    harness.source.will_list(ListResponse::page(5).objects(&[pod("b", 2), pod("c", 3)]));
    let requests = harness.requests(4).await;
    assert_eq!(requests[1..], ["list limit 500 after t", "list limit 500 after t", "watch @5"]);
    assert_eq!(harness.sink.log(), ["Replaced [a@1 b@2 c@3] @5"]);
    assert!(harness.gaps()[1] >= std::time::Duration::from_millis(800), "after a backoff delay");
    assert_eq!(harness.observed.only("failed").len(), 1, "and it is reported");
}

// holds: X20
#[tokio::test(start_paused = true)]
async fn a_page_that_fails_twice_fails_the_list() {
    let mut harness = ReflectorHarness::new(chunked());
    harness.source.will_list(ListResponse::page(5).next_page("t"));
    harness.source.will_list(ListResponse::status(503, "ServiceUnavailable"));
    harness.source.will_list(ListResponse::status(503, "ServiceUnavailable"));
    let requests = harness.requests(4).await;
    assert_eq!(requests[2..], ["list limit 500 after t", "list @0 limit 500"]);
    assert_eq!(harness.sink.log(), [""; 0]);
    assert_eq!(harness.observed.only("failed").len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_page_with_its_own_token_as_the_next_does_not_loop() {
    let mut harness = ReflectorHarness::new(chunked());
    harness.source.will_list(ListResponse::page(5).next_page("t"));
    harness.source.will_list(ListResponse::page(5).next_page("t"));
    assert_eq!(harness.requests(3).await[2], "list @0 limit 500");
}

// holds: R30, R36, X26
#[tokio::test(start_paused = true)]
async fn an_expired_watch_is_followed_by_a_list_at_the_last_version() {
    let expired =
        [WatchResponse::status(410, "Expired"), WatchResponse::open().wait(seconds(5)).error(410, "Expired")];
    for answer in expired {
        let mut harness = ReflectorHarness::new(chunked());
        harness.source.will_list(ListResponse::page(5));
        harness.source.will_watch(answer);
        harness.source.will_list(ListResponse::page(6));
        harness.source.will_watch(WatchResponse::status(410, "Gone"));
        assert_eq!(harness.requests(5).await[2..], ["list @5", "watch @6", "list @6"]);
        assert!(harness.gaps()[1] <= seconds(5), "at once");
        assert!(!harness.gaps()[3].is_zero(), "a repeated failure is delayed");
        assert_eq!(harness.observed.only("relisting"), ["relisting Expired", "relisting Expired"]);
    }
}

// holds: X16
#[tokio::test(start_paused = true)]
async fn a_list_of_the_most_recent_state_with_a_lower_version_begins_a_new_epoch() {
    let mut harness = ReflectorHarness::new(chunked());
    harness.source.will_list(ListResponse::page(50).object(&pod("a", 40)));
    harness.source.will_watch(failing_watch());
    harness.source.will_list(ListResponse::refused(status(504, "Timeout", "Too large resource version: 50")));
    harness.source.will_list(ListResponse::page(7).object(&pod("a", 6)));
    assert_eq!(harness.requests(5).await[2..], ["list @50", "list limit 500", "watch @7"]);
    assert_eq!(harness.sink.log(), ["Replaced [a@40] @50", "Replaced [a@6] @7 in a new epoch"]);
    assert_eq!(harness.observed.only("went back"), ["went back 50 -> 7"]);
}

// holds: X16
#[tokio::test(start_paused = true)]
async fn versions_without_an_order_are_sent_unchanged_and_never_count_as_going_back() {
    let mut harness = ReflectorHarness::new(chunked());
    harness.source.will_list(ListResponse::page("zz"));
    harness.source.will_watch(failing_watch());
    harness.source.will_list(ListResponse::page("aa"));
    assert_eq!(harness.requests(4).await, ["list @0 limit 500", "watch @zz", "list @zz", "watch @aa"]);
    assert_eq!(harness.sink.log(), ["Replaced [] @zz", "Replaced [] @aa"]);
}

#[tokio::test(start_paused = true)]
async fn a_silent_list_is_requested_again() {
    let mut harness = ReflectorHarness::new(chunked());
    harness.source.will_list(ListResponse::hanging());
    harness.source.will_list(ListResponse::page(5).object(&pod("a", 1)).hang());
    harness.source.will_list(ListResponse::page(5));
    assert_eq!(harness.requests(4).await[3], "watch @5");
    assert!(harness.gaps()[..2].iter().all(|gap| *gap > seconds(90)), "{:?}", harness.gaps());
    assert_eq!(harness.sink.log(), ["Replaced [] @5"]);
}
