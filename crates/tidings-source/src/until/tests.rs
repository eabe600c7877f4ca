//! When a condition counts as met, and what ends the wait otherwise.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use serde_json::json;
use tidings_object::{Kind as _, RawObject};

use super::*;
use crate::StreamScope;
use crate::scripted::{ListAnswer, ScriptedSource, WatchAnswer, object};

fn pod(name: &str, version: u64) -> Arc<RawObject> {
    object(&Pod::resource(), Some("a"), name, version, name, json!({}))
}

fn added(version: u64) -> Result<ObjectEvent, SourceError> {
    Ok(ObjectEvent { change: Change::Added, object: pod("x", version) })
}

fn at_least(version: u64) -> Condition<'static> {
    Box::new(move |event| Ok(event.object.version().number() >= Some(version)))
}

fn version(outcome: Result<Option<ObjectEvent>, UntilError>) -> Option<u64> {
    outcome.unwrap().and_then(|event| event.object.version().number())
}

// holds: T9
#[tokio::test]
async fn conditions_are_met_in_sequence_and_each_looks_at_the_last_event_first() {
    let events = || stream::iter([added(1), added(2), added(3)]);
    assert_eq!(version(until(events(), [at_least(2)]).await), Some(2));
    assert_eq!(version(until(events(), [at_least(2), at_least(2), at_least(3)]).await), Some(3));
    assert_eq!(version(until(events(), []).await), None);
}

// holds: T9
#[tokio::test]
async fn a_condition_that_gives_up_ends_the_waiting_at_its_event() {
    let gives_up: Condition<'_> = Box::new(|_| Err("never".into()));
    match until(stream::iter([added(1)]), [gives_up]).await {
        Err(error @ UntilError::Condition { .. }) => {
            assert_eq!(error.to_string(), "a condition gave up at pods a/x: never");
        }
        other => panic!("{other:?}"),
    }
}

// holds: T9
#[tokio::test]
async fn events_that_end_before_the_condition_is_met_are_an_error() {
    assert!(matches!(until(stream::iter([added(1)]), [at_least(2)]).await, Err(UntilError::Closed)));
    let trouble = Trouble::Malformed("x".to_owned());
    let error = Err(SourceError { asked: "watch pods".to_owned(), trouble });
    assert!(matches!(until(stream::iter([error]), [at_least(2)]).await, Err(UntilError::Source(_))));
}

// holds: T9, X6
#[tokio::test(start_paused = true)]
async fn waiting_can_be_given_a_deadline() {
    let waiting = until(stream::pending(), [at_least(2)]);
    assert!(tokio::time::timeout(Duration::from_secs(5), waiting).await.is_err());
}

// holds: T10
#[tokio::test(start_paused = true)]
async fn what_is_there_already_meets_a_condition_without_a_watch() {
    let source = ScriptedSource::new(Pod::resource(), StreamScope::All);
    source.will_list(ListAnswer::page(9).object(&pod("x", 3)));
    assert_eq!(version(until_with_list(&source, [at_least(3)]).await), Some(3));
    assert!(source.watches().is_empty());
}

// holds: T10
#[tokio::test(start_paused = true)]
async fn waiting_goes_on_over_a_version_that_expired() {
    let source = ScriptedSource::new(Pod::resource(), StreamScope::All);
    source.will_list(ListAnswer::page(9).object(&pod("x", 3)));
    source.will_watch(WatchAnswer::open().modified(&pod("x", 10)).error(410, "Expired"));
    source.will_list(ListAnswer::page(20).object(&pod("x", 12)));
    source.will_watch(WatchAnswer::open().deleted(&pod("x", 21)));
    let gone: Condition<'_> = Box::new(|event| Ok(event.change == Change::Deleted));
    assert_eq!(version(until_with_list(&source, [gone]).await), Some(21));
    let from: Vec<_> = source.watches().iter().map(|asked| asked.version.clone().unwrap().number()).collect();
    assert_eq!(from, [Some(9), Some(20)]);
}

#[tokio::test(start_paused = true)]
async fn a_list_without_a_version_can_not_be_watched() {
    let source = ScriptedSource::new(Pod::resource(), StreamScope::All);
    source.will_list(ListAnswer::page(""));
    assert!(matches!(until_with_list(&source, [at_least(1)]).await, Err(UntilError::Source(_))));
}
