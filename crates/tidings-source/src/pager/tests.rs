//! Which pages are requested, and what happens if a page fails.

use k8s_openapi::api::core::v1::Pod;
use serde_json::json;
use tidings_object::Kind as _;
use tokio::time::Instant;

use super::*;
use crate::scripted::{ListResponse, ScriptedSource, object};
use crate::{StatusDetail, StreamScope, VersionMatch};

fn pods() -> ScriptedSource {
    ScriptedSource::new(Pod::resource(), StreamScope::Namespace("a".into()))
}

fn pod(name: &str) -> Arc<RawObject> {
    object(&Pod::resource(), Some("a"), name, 1, name, json!({}))
}

fn network() -> ErrorKind {
    ErrorKind::Network { message: "reset".to_owned(), is_refused: false }
}

/// The names of the objects, `|` where the list restarted, then the end or the error.
async fn read(source: &ScriptedSource, options: ListOptions) -> (String, Result<PagedEnd, String>) {
    let mut parts = list_all(source, options, Some(PAGE_SIZE_DEFAULT));
    let mut names = String::new();
    while let Some(part) = parts.next().await {
        match part {
            Ok(PagedPart::Object(object)) => names += object.name(),
            Ok(PagedPart::Restarted) => names += "|",
            Ok(PagedPart::Skipped(_)) => names += "?",
            Ok(PagedPart::End(end)) => {
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

fn end(version: u64, is_paginated: bool) -> Result<PagedEnd, String> {
    Ok(PagedEnd { version: Version::from(version), is_paginated })
}

// holds: P1, P2
#[tokio::test(start_paused = true)]
async fn a_list_of_one_page_requests_500_objects_and_is_not_paginated() {
    let source = pods();
    source.will_list(ListResponse::page(9).object(&pod("x")));
    assert_eq!(read(&source, at(5)).await, ("x".to_owned(), end(9, false)));
    assert_eq!(source.lists(), [ListOptions { limit: Some(500), ..at(5) }]);

    source.will_list(ListResponse::page(9));
    read(&source, ListOptions { limit: Some(2), ..at(5) }).await.1.unwrap();
    assert_eq!(source.lists()[1].limit, Some(2), "an explicit limit overrides the page size");
}

// holds: P2, P3, P6, X20
#[tokio::test(start_paused = true)]
async fn a_continue_request_has_no_version_and_the_list_has_the_version_of_its_first_page() {
    let source = pods();
    source.will_list(ListResponse::page(9).object(&pod("x")).next_page("t1"));
    source.will_list(ListResponse::page(10).object(&pod("y")).next_page("t2"));
    source.will_list(ListResponse::page(11).object(&pod("z")));
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
async fn an_expired_later_page_is_followed_by_one_list_without_pages_at_the_original_version() {
    let source = pods();
    source.will_list(ListResponse::page(9).object(&pod("x")).next_page("t1"));
    source.will_list(ListResponse::status(410, "Expired"));
    source.will_list(ListResponse::page(12).object(&pod("x")).object(&pod("y")));
    assert_eq!(read(&source, at(5)).await, ("x|xy".to_owned(), end(12, true)));
    assert_eq!(source.lists()[2], at(5));
}

// holds: P4
#[tokio::test(start_paused = true)]
async fn an_expired_first_page_fails_the_list() {
    let source = pods();
    source.will_list(ListResponse::status(410, "Expired"));
    let (names, outcome) = read(&source, at(5)).await;
    assert_eq!(names, "");
    assert_eq!(
        outcome.unwrap_err(),
        "list pods in namespace a not older than version 5: the server answered 410 Expired: scripted"
    );
}

// holds: X20
#[tokio::test(start_paused = true)]
async fn a_failed_page_is_requested_once_more_and_then_the_list_fails() {
    let source = pods();
    source.will_list(ListResponse::page(9).object(&pod("x")).next_page("t1"));
    source.will_list(ListResponse::page(9).object(&pod("y")).broken(network()));
    source.will_list(ListResponse::page(9).object(&pod("y")).next_page("t2"));
    source.will_list(ListResponse::status(503, "ServiceUnavailable"));
    source.will_list(ListResponse::status(503, "ServiceUnavailable"));
    let (names, outcome) = read(&source, at(5)).await;
    assert_eq!(names, "xyy");
    assert!(outcome.unwrap_err().starts_with("list pods in namespace a not older than version 5 (page 3): "));
    let tokens: Vec<_> = source.lists().into_iter().map(|options| options.continue_token).collect();
    let token = |text: &str| Some(text.to_owned());
    assert_eq!(tokens, [None, token("t1"), token("t1"), token("t2"), token("t2")]);
}

// holds: X4, X6
#[tokio::test(start_paused = true)]
async fn a_failed_page_is_retried_after_the_delay_that_the_server_requests() {
    let source = pods();
    source.will_list(ListResponse::page(9).next_page("t1"));
    source.will_list(ListResponse::refused(ErrorKind::Status(StatusDetail {
        code: 429,
        retry_after: Some(Duration::from_secs(7)),
        ..StatusDetail::default()
    })));
    source.will_list(ListResponse::page(9));
    let start = Instant::now();
    read(&source, at(5)).await.1.unwrap();
    assert_eq!(start.elapsed(), Duration::from_secs(7));
}

#[tokio::test(start_paused = true)]
async fn a_page_without_its_end_is_truncated() {
    let source = pods();
    source.will_list(ListResponse::page(9).object(&pod("x")).cut_off());
    let (_, outcome) = read(&source, ListOptions::default()).await;
    assert_eq!(outcome.unwrap_err(), "list pods in namespace a: the list was truncated after 1 objects");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_repeats_a_token_is_malformed() {
    let source = pods();
    source.will_list_always(|_| ListResponse::page(9).next_page("t1"));
    let (_, outcome) = read(&source, ListOptions::default()).await;
    assert!(outcome.unwrap_err().contains("(page 2): the response is malformed"));
}
