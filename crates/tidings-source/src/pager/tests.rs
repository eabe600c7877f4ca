//! What is asked for page by page, and what happens when a page fails.

use k8s_openapi::api::core::v1::Pod;
use serde_json::json;
use tidings_object::Kind as _;
use tokio::time::Instant;

use super::*;
use crate::scripted::{ListAnswer, ScriptedSource, object};
use crate::{StatusDetail, StreamScope, VersionMatch};

fn pods() -> ScriptedSource {
    ScriptedSource::new(Pod::resource(), StreamScope::Namespace("a".into()))
}

fn pod(name: &str) -> Arc<RawObject> {
    object(&Pod::resource(), Some("a"), name, 1, name, json!({}))
}

fn network() -> Trouble {
    Trouble::Network { message: "reset".to_owned(), is_refused: false }
}

/// The names that came, `|` where the list started over, then the end or the error.
async fn read(source: &ScriptedSource, options: ListOptions) -> (String, Result<ListedEnd, String>) {
    let mut parts = list_all(source, options, Some(PAGE_SIZE_DEFAULT));
    let mut names = String::new();
    while let Some(part) = parts.next().await {
        match part {
            Ok(ListedPart::Object(object)) => names += object.name(),
            Ok(ListedPart::Restarted) => names += "|",
            Ok(ListedPart::Skipped(_)) => names += "?",
            Ok(ListedPart::End(end)) => {
                assert!(parts.next().await.is_none());
                return (names, Ok(end));
            }
            Err(error) => {
                assert!(parts.next().await.is_none());
                return (names, Err(error.to_string()));
            }
        }
    }
    unreachable!("a list ends with an end or an error")
}

fn at(version: u64) -> ListOptions {
    ListOptions {
        version: Some(Version::from(version)),
        version_match: Some(VersionMatch::NotOlderThan),
        ..ListOptions::default()
    }
}

fn end(version: u64, is_paginated: bool) -> Result<ListedEnd, String> {
    Ok(ListedEnd { version: Version::from(version), is_paginated })
}

// holds: P1, P2
#[tokio::test(start_paused = true)]
async fn a_list_of_one_page_asks_for_500_objects_and_is_not_paginated() {
    let source = pods();
    source.will_list(ListAnswer::page(9).object(&pod("x")));
    assert_eq!(read(&source, at(5)).await, ("x".to_owned(), end(9, false)));
    assert_eq!(source.lists(), [ListOptions { limit: Some(500), ..at(5) }]);

    source.will_list(ListAnswer::page(9));
    read(&source, ListOptions { limit: Some(2), ..at(5) }).await.1.unwrap();
    assert_eq!(source.lists()[1].limit, Some(2), "an explicit limit wins");
}

// holds: P2, P3, P6, X20
#[tokio::test(start_paused = true)]
async fn a_continue_request_carries_no_version_and_the_list_has_its_first_pages_version() {
    let source = pods();
    source.will_list(ListAnswer::page(9).object(&pod("x")).next_page("t1"));
    source.will_list(ListAnswer::page(10).object(&pod("y")).next_page("t2"));
    source.will_list(ListAnswer::page(11).object(&pod("z")));
    assert_eq!(read(&source, at(5)).await, ("xyz".to_owned(), end(9, true)));
    let after = |token: &str| ListOptions {
        limit: Some(500),
        continue_token: Some(token.to_owned()),
        ..ListOptions::default()
    };
    assert_eq!(source.lists(), [ListOptions { limit: Some(500), ..at(5) }, after("t1"), after("t2")]);
}

// holds: P4, R25
#[tokio::test(start_paused = true)]
async fn an_expired_later_page_is_followed_by_one_whole_list_at_the_version_asked_first() {
    let source = pods();
    source.will_list(ListAnswer::page(9).object(&pod("x")).next_page("t1"));
    source.will_list(ListAnswer::status(410, "Expired"));
    source.will_list(ListAnswer::page(12).object(&pod("x")).object(&pod("y")));
    assert_eq!(read(&source, at(5)).await, ("x|xy".to_owned(), end(12, true)));
    assert_eq!(source.lists()[2], at(5));
}

// holds: P4
#[tokio::test(start_paused = true)]
async fn an_expired_first_page_is_the_lists_own_failure() {
    let source = pods();
    source.will_list(ListAnswer::status(410, "Expired"));
    let (names, outcome) = read(&source, at(5)).await;
    assert_eq!(names, "");
    assert_eq!(
        outcome.unwrap_err(),
        "list pods in namespace a not older than version 5: the server answered 410 Expired: scripted"
    );
}

// holds: X20
#[tokio::test(start_paused = true)]
async fn a_failed_page_is_asked_for_once_more_and_then_the_list_fails() {
    let source = pods();
    source.will_list(ListAnswer::page(9).object(&pod("x")).next_page("t1"));
    source.will_list(ListAnswer::page(9).object(&pod("y")).broken(network()));
    source.will_list(ListAnswer::page(9).object(&pod("y")).next_page("t2"));
    source.will_list(ListAnswer::status(503, "ServiceUnavailable"));
    source.will_list(ListAnswer::status(503, "ServiceUnavailable"));
    let (names, outcome) = read(&source, at(5)).await;
    assert_eq!(names, "xyy");
    assert!(outcome.unwrap_err().starts_with("list pods in namespace a not older than version 5 (page 3): "));
    let tokens: Vec<_> = source.lists().into_iter().map(|asked| asked.continue_token).collect();
    let token = |text: &str| Some(text.to_owned());
    assert_eq!(tokens, [None, token("t1"), token("t1"), token("t2"), token("t2")]);
}

// holds: X4, X6
#[tokio::test(start_paused = true)]
async fn a_failed_page_waits_as_long_as_the_server_asks() {
    let source = pods();
    source.will_list(ListAnswer::page(9).next_page("t1"));
    source.will_list(ListAnswer::refused(Trouble::Status(StatusDetail {
        code: 429,
        retry_after: Some(Duration::from_secs(7)),
        ..StatusDetail::default()
    })));
    source.will_list(ListAnswer::page(9));
    let start = Instant::now();
    read(&source, at(5)).await.1.unwrap();
    assert_eq!(start.elapsed(), Duration::from_secs(7));
}

#[tokio::test(start_paused = true)]
async fn a_page_that_ends_without_its_end_is_cut_off() {
    let source = pods();
    source.will_list(ListAnswer::page(9).object(&pod("x")).cut_off());
    let (_, outcome) = read(&source, ListOptions::default()).await;
    assert_eq!(outcome.unwrap_err(), "list pods in namespace a: the list was cut off after 1 objects");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_hands_out_the_same_token_for_ever_is_malformed() {
    let source = pods();
    source.will_list_always(|_| ListAnswer::page(9).next_page("t1"));
    let (_, outcome) = read(&source, ListOptions::default()).await;
    assert!(outcome.unwrap_err().contains("(page 2): the answer is malformed"));
}
