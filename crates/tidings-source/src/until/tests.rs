//! When a condition is met, and what else ends the wait.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use serde_json::json;
use tidings_object::{Kind as _, RawObject};

use super::*;
use crate::StreamScope;
use crate::scripted::{ListResponse, ScriptedSource, WatchResponse, object};

fn pod(name: &str, version: u64) -> Arc<RawObject> {
    object(&Pod::resource(), Some("a"), name, version, name, json!({}))
}

fn added(version: u64) -> Result<ObjectEvent, SourceError> {
    Ok(ObjectEvent { change: ChangeType::Added, object: pod("x", version) })
}

fn at_least(version: u64) -> EventCondition<'static> {
    Box::new(move |event| Ok(event.object.version().number() >= Some(version)))
}

fn version(result: Result<Option<ObjectEvent>, SourceError>) -> Option<u64> {
    result.unwrap().and_then(|event| event.object.version().number())
}

// holds: T9
#[tokio::test]
async fn conditions_are_met_in_sequence_and_each_is_first_checked_with_the_last_event() {
    let events = || stream::iter([added(1), added(2), added(3)]);
    assert_eq!(version(until(events(), [at_least(2)]).await), Some(2));
    assert_eq!(version(until(events(), [at_least(2), at_least(2), at_least(3)]).await), Some(3));
    assert_eq!(version(until(events(), []).await), None);
}

// holds: T9
#[tokio::test]
async fn a_condition_that_fails_ends_the_wait() {
    let fails: EventCondition<'_> = Box::new(|_| Err("never".into()));
    let error = until(stream::iter([added(1)]), [fails]).await.unwrap_err();
    assert!(matches!(error.kind, ErrorKind::Condition { .. }));
    assert_eq!(error.to_string(), "wait for a condition: the condition failed at a/x: never");
}

// holds: T9
#[tokio::test]
async fn events_that_end_before_the_condition_is_met_are_an_error() {
    let error = until(stream::iter([added(1)]), [at_least(2)]).await.unwrap_err();
    assert!(matches!(error.kind, ErrorKind::Ended));
    let kind = ErrorKind::Malformed("x".to_owned());
    let error = Err(SourceError { request: "watch pods".to_owned(), kind });
    let error = until(stream::iter([error]), [at_least(2)]).await.unwrap_err();
    assert!(matches!(error.kind, ErrorKind::Malformed(_)));
}

// holds: T9, X6
#[tokio::test(start_paused = true)]
async fn a_wait_can_have_a_deadline() {
    let waiting = until(stream::pending(), [at_least(2)]);
    assert!(tokio::time::timeout(Duration::from_secs(5), waiting).await.is_err());
}

// holds: T10
#[tokio::test(start_paused = true)]
async fn an_existing_object_meets_a_condition_without_a_watch() {
    let source = ScriptedSource::new(Pod::resource(), StreamScope::All);
    source.will_list(ListResponse::page(9).object(&pod("x", 3)));
    assert_eq!(version(until_with_list(&source, [at_least(3)]).await), Some(3));
    assert!(source.watches().is_empty());
}

// holds: T10
#[tokio::test(start_paused = true)]
async fn the_wait_continues_after_an_expired_version() {
    let source = ScriptedSource::new(Pod::resource(), StreamScope::All);
    source.will_list(ListResponse::page(9).object(&pod("x", 3)));
    source.will_watch(WatchResponse::open().modified(&pod("x", 10)).error(410, "Expired"));
    source.will_list(ListResponse::page(20).object(&pod("x", 12)));
    source.will_watch(WatchResponse::open().deleted(&pod("x", 21)));
    let gone: EventCondition<'_> = Box::new(|event| Ok(event.change == ChangeType::Deleted));
    assert_eq!(version(until_with_list(&source, [gone]).await), Some(21));
    let from: Vec<_> =
        source.watches().iter().map(|options| options.version.clone().unwrap().number()).collect();
    assert_eq!(from, [Some(9), Some(20)]);
}

#[tokio::test(start_paused = true)]
async fn a_list_without_a_version_can_not_be_watched() {
    let source = ScriptedSource::new(Pod::resource(), StreamScope::All);
    source.will_list(ListResponse::page(""));
    let error = until_with_list(&source, [at_least(1)]).await.unwrap_err();
    assert!(matches!(error.kind, ErrorKind::StartVersion { .. }));
}
