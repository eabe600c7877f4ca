//! Lists, page by page.

use std::num::NonZeroU32;

use k8s_openapi::api::core::v1::Pod;
use tidings_informer::reflector::Paging;
use tidings_object::{Kind, Version};
use tidings_source::scripted::{ListAnswer, ScriptedSource, WatchAnswer};
use tidings_source::{ErrorKind, ListOptions, StatusCause, StatusDetail, StreamScope, WatchOptions};

use crate::reflector::scene::*;

/// A watch that ends with an error which leads to a relist.
fn broken_off() -> WatchAnswer {
    WatchAnswer::open().error(500, "StoreReadError")
}

// holds: R5, R16, R27, R31, P1
#[tokio::test(start_paused = true)]
async fn the_first_list_takes_any_version_in_pages_of_500_and_the_watch_goes_on_from_it() {
    let mut scene = Scene::new(chunked());
    scene.source.will_list(ListAnswer::page(5).objects(&[pod("a", 3), pod("b", 4)]));
    assert_eq!(scene.asked(2).await, ["list @0 limit 500", "watch @5"]);
    assert_eq!(scene.sunk.log(), ["Replaced [a@3 b@4] @5"]);
    let [list] = &scene.source.lists()[..] else { panic!("one list") };
    let any = Some(Version::from(0));
    assert_eq!(*list, ListOptions { version: any, limit: Some(500), ..ListOptions::default() });
    let [watch] = &scene.source.watches()[..] else { panic!("one watch") };
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
async fn a_source_that_offers_no_streaming_lists_is_not_asked_for_one() {
    let script = ScriptedSource::new(Pod::resource(), StreamScope::All).without_streaming_lists();
    let mut scene = Scene::of(script, Default::default());
    scene.source.will_list(ListAnswer::page(5));
    assert_eq!(scene.asked(2).await, ["list @0 limit 500", "watch @5"]);
}

// holds: R17, R18, R45
#[tokio::test(start_paused = true)]
async fn a_relist_asks_for_the_last_version_seen_and_for_no_pages() {
    let mut scene = Scene::new(chunked());
    scene.source.will_list(ListAnswer::page(5));
    scene.source.will_watch(broken_off());
    scene.source.will_list(ListAnswer::page(6));
    scene.source.will_watch(WatchAnswer::open().added(&pod("a", 7)).error(500, "StoreReadError"));
    scene.source.will_list(ListAnswer::page(8).object(&pod("a", 7)));
    scene.source.will_watch(WatchAnswer::open().bookmark(9).error(500, "StoreReadError"));
    let asked = scene.asked(7).await;
    let expected = ["list @0 limit 500", "watch @5", "list @5", "watch @6", "list @7", "watch @8", "list @9"];
    assert_eq!(asked, expected);
}

// holds: R19, P1
#[tokio::test(start_paused = true)]
async fn an_explicit_page_size_overrides_every_other_rule() {
    let mut scene = Scene::new(chunked().paging(Paging::Always(NonZeroU32::new(10).unwrap())));
    scene.source.will_list(ListAnswer::page(5));
    scene.source.will_watch(broken_off());
    scene.source.will_list(ListAnswer::status(410, "Expired"));
    scene.source.will_list(ListAnswer::page(6));
    let asked = scene.asked(5).await;
    assert_eq!(asked, ["list @0 limit 10", "watch @5", "list @5 limit 10", "list limit 10", "watch @6"]);
}

// holds: R20
#[tokio::test(start_paused = true)]
async fn a_server_that_answers_version_0_in_pages_is_asked_for_pages_ever_after() {
    let mut scene = Scene::new(chunked());
    scene.source.will_list(ListAnswer::page(5).object(&pod("a", 1)).next_page("t"));
    scene.source.will_list(ListAnswer::page(5).object(&pod("b", 2)));
    scene.source.will_watch(broken_off());
    let asked = scene.asked(4).await;
    assert_eq!(asked, ["list @0 limit 500", "list limit 500 after t", "watch @5", "list @5 limit 500"]);
}

// holds: R20
#[tokio::test(start_paused = true)]
async fn pages_of_a_list_of_the_most_recent_state_say_nothing_about_later_lists() {
    let mut scene = Scene::new(chunked());
    scene.source.will_list(ListAnswer::status(410, "Expired"));
    scene.source.will_list(ListAnswer::page(5).next_page("t"));
    scene.source.will_list(ListAnswer::page(5));
    scene.source.will_watch(broken_off());
    let asked = scene.asked(5).await;
    assert_eq!(
        asked,
        ["list @0 limit 500", "list limit 500", "list limit 500 after t", "watch @5", "list @5"]
    );
}

fn too_large(status: StatusDetail) -> ErrorKind {
    ErrorKind::Status(StatusDetail { code: 504, reason: "Timeout".to_owned(), ..status })
}

// holds: R21, R22, R23, R24, X26
#[tokio::test(start_paused = true)]
async fn a_version_that_a_list_can_not_have_is_given_up_at_once_for_the_most_recent_and_only_once() {
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
        let mut scene = Scene::new(chunked());
        scene.source.will_list(ListAnswer::page(5));
        scene.source.will_watch(broken_off());
        scene.source.will_list(ListAnswer::refused(kind.clone()));
        scene.source.will_list(ListAnswer::page(6));
        scene.source.will_watch(broken_off());
        let asked = scene.asked(6).await;
        let expected = ["list @0 limit 500", "watch @5", "list @5", "list limit 500", "watch @6", "list @6"];
        assert_eq!(asked, expected, "{kind}");
        assert!(scene.gaps()[2].is_zero(), "{kind}: no backoff");
    }
}

// holds: R22
#[tokio::test(start_paused = true)]
async fn the_words_of_a_too_large_version_count_in_a_timeout_only() {
    let mut scene = Scene::new(chunked());
    scene.source.will_list(ListAnswer::refused(status(500, "Other", "Too large resource version")));
    assert_eq!(scene.asked(2).await, ["list @0 limit 500", "list @0 limit 500"]);
}

// holds: R20, R25, P3, P4, X20, X26
#[tokio::test(start_paused = true)]
async fn pages_that_expire_are_made_good_by_one_whole_list_at_the_version_first_asked() {
    let mut scene = Scene::new(chunked());
    scene.source.will_list(ListAnswer::page(5).object(&pod("gone", 1)).next_page("t"));
    scene.source.will_list(ListAnswer::status(410, "Expired"));
    scene.source.will_list(ListAnswer::page(7).object(&pod("kept", 2)));
    scene.source.will_watch(broken_off());
    let asked = scene.asked(5).await;
    assert_eq!(asked[..4], ["list @0 limit 500", "list limit 500 after t", "list @0", "watch @7"]);
    assert_eq!(asked[4], "list @7 limit 500", "the server does answer in pages");
    assert_eq!(scene.sunk.log(), ["Replaced [kept@2] @7"], "nothing of two lists is mixed");
    assert_eq!(scene.told.only("failed List").len(), 1);
}

// holds: P4, X26
#[tokio::test(start_paused = true)]
async fn a_whole_list_that_expires_too_is_followed_by_one_of_the_most_recent_state() {
    let mut scene = Scene::new(chunked());
    scene.source.will_list(ListAnswer::page(5).next_page("t"));
    scene.source.will_list(ListAnswer::status(410, "Expired"));
    scene.source.will_list(ListAnswer::status(410, "Expired"));
    scene.source.will_list(ListAnswer::status(410, "Expired"));
    let asked = scene.asked(5).await;
    assert_eq!(asked[2..], ["list @0", "list limit 500", "list limit 500"]);
    assert!(scene.gaps()[2].is_zero() && scene.gaps()[3] >= seconds(0), "{:?}", scene.gaps());
    assert!(!scene.gaps()[3].is_zero(), "what repeats backs off");
}

// holds: P2, P3
#[tokio::test(start_paused = true)]
async fn the_version_of_a_list_is_that_of_its_first_page() {
    let mut scene = Scene::new(chunked());
    scene.source.will_list(ListAnswer::page(5).object(&pod("a", 1)).next_page("t"));
    scene.source.will_list(ListAnswer::page(9).object(&pod("b", 2)).next_page("u"));
    scene.source.will_list(ListAnswer::page(9).object(&pod("c", 3)));
    assert_eq!(scene.asked(4).await.last().unwrap(), "watch @5");
    assert_eq!(scene.sunk.log(), ["Replaced [a@1 b@2 c@3] @5"]);
    assert_eq!(scene.told.only("listed"), ["listed Chunked @5: 3 in 3, 0 s"]);
    assert!(scene.source.lists()[1..].iter().all(|l| l.version.is_none() && l.version_match.is_none()));
}

// holds: X20
#[tokio::test(start_paused = true)]
async fn a_failed_page_is_asked_for_again_before_the_list_starts_over() {
    let mut scene = Scene::new(chunked());
    scene.source.will_list(ListAnswer::page(5).object(&pod("a", 1)).next_page("t"));
    scene.source.will_list(ListAnswer::page(5).object(&pod("b", 2)).broken(broken_connection()));
    scene.source.will_list(ListAnswer::page(5).objects(&[pod("b", 2), pod("c", 3)]));
    let asked = scene.asked(4).await;
    assert_eq!(asked[1..], ["list limit 500 after t", "list limit 500 after t", "watch @5"]);
    assert_eq!(scene.sunk.log(), ["Replaced [a@1 b@2 c@3] @5"]);
    assert!(scene.gaps()[1] >= std::time::Duration::from_millis(800), "after a step of the ladder");
    assert_eq!(scene.told.only("failed").len(), 1, "and it is told");
}

// holds: X20
#[tokio::test(start_paused = true)]
async fn a_page_that_fails_twice_fails_the_list() {
    let mut scene = Scene::new(chunked());
    scene.source.will_list(ListAnswer::page(5).next_page("t"));
    scene.source.will_list(ListAnswer::status(503, "ServiceUnavailable"));
    scene.source.will_list(ListAnswer::status(503, "ServiceUnavailable"));
    let asked = scene.asked(4).await;
    assert_eq!(asked[2..], ["list limit 500 after t", "list @0 limit 500"]);
    assert_eq!(scene.sunk.log(), [""; 0]);
    assert_eq!(scene.told.only("failed").len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_page_that_names_itself_as_the_next_does_not_go_on_for_ever() {
    let mut scene = Scene::new(chunked());
    scene.source.will_list(ListAnswer::page(5).next_page("t"));
    scene.source.will_list(ListAnswer::page(5).next_page("t"));
    assert_eq!(scene.asked(3).await[2], "list @0 limit 500");
}

// holds: R30, R36, X26
#[tokio::test(start_paused = true)]
async fn an_expired_watch_is_followed_by_a_list_at_the_last_version() {
    let expired =
        [WatchAnswer::status(410, "Expired"), WatchAnswer::open().wait(seconds(5)).error(410, "Expired")];
    for answer in expired {
        let mut scene = Scene::new(chunked());
        scene.source.will_list(ListAnswer::page(5));
        scene.source.will_watch(answer);
        scene.source.will_list(ListAnswer::page(6));
        scene.source.will_watch(WatchAnswer::status(410, "Gone"));
        assert_eq!(scene.asked(5).await[2..], ["list @5", "watch @6", "list @6"]);
        assert!(scene.gaps()[1] <= seconds(5), "at once");
        assert!(!scene.gaps()[3].is_zero(), "what repeats backs off");
        assert_eq!(scene.told.only("relisting"), ["relisting Expired", "relisting Expired"]);
    }
}

// holds: X16
#[tokio::test(start_paused = true)]
async fn a_list_of_the_most_recent_state_with_a_lower_version_begins_a_new_epoch() {
    let mut scene = Scene::new(chunked());
    scene.source.will_list(ListAnswer::page(50).object(&pod("a", 40)));
    scene.source.will_watch(broken_off());
    scene.source.will_list(ListAnswer::refused(status(504, "Timeout", "Too large resource version: 50")));
    scene.source.will_list(ListAnswer::page(7).object(&pod("a", 6)));
    assert_eq!(scene.asked(5).await[2..], ["list @50", "list limit 500", "watch @7"]);
    assert_eq!(scene.sunk.log(), ["Replaced [a@40] @50", "Replaced [a@6] @7 in a new epoch"]);
    assert_eq!(scene.told.only("went back"), ["went back 50 -> 7"]);
}

// holds: X16
#[tokio::test(start_paused = true)]
async fn versions_without_an_order_are_sent_back_as_they_are_and_never_go_back() {
    let mut scene = Scene::new(chunked());
    scene.source.will_list(ListAnswer::page("zz"));
    scene.source.will_watch(broken_off());
    scene.source.will_list(ListAnswer::page("aa"));
    assert_eq!(scene.asked(4).await, ["list @0 limit 500", "watch @zz", "list @zz", "watch @aa"]);
    assert_eq!(scene.sunk.log(), ["Replaced [] @zz", "Replaced [] @aa"]);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_falls_silent_is_asked_for_again() {
    let mut scene = Scene::new(chunked());
    scene.source.will_list(ListAnswer::hanging());
    scene.source.will_list(ListAnswer::page(5).object(&pod("a", 1)).hang());
    scene.source.will_list(ListAnswer::page(5));
    assert_eq!(scene.asked(4).await[3], "watch @5");
    assert!(scene.gaps()[..2].iter().all(|gap| *gap > seconds(90)), "{:?}", scene.gaps());
    assert_eq!(scene.sunk.log(), ["Replaced [] @5"]);
}
