//! When a watch is opened again, and when it ends.

use k8s_openapi::api::core::v1::Pod;
use parking_lot::Mutex;
use serde_json::json;
use tidings_object::{IntakeError, Kind as _};

use super::*;
use crate::StreamScope;
use crate::scripted::{ScriptedSource, WatchResponse, object};

fn pods() -> ScriptedSource {
    ScriptedSource::new(Pod::resource(), StreamScope::All)
}

/// Makes the answer to a watch.
type Answer = fn() -> WatchResponse;

fn pod(version: u64) -> Arc<RawObject> {
    object(&Pod::resource(), Some("a"), "x", version, "x", json!({}))
}

fn network() -> ErrorKind {
    ErrorKind::Network { message: "reset".to_owned(), is_refused: false }
}

fn requested_versions(source: &ScriptedSource) -> Vec<String> {
    source.watches().iter().map(|options| options.version.as_ref().unwrap().to_string()).collect()
}

/// Takes the next `count` events' versions.
async fn versions(events: &mut BoxStream<'_, Result<ObjectEvent, SourceError>>, count: usize) -> Vec<u64> {
    let mut versions = Vec::new();
    for _ in 0..count {
        let event = events.next().await.expect("an event").expect("no error");
        versions.push(event.object.version().number().unwrap());
    }
    versions
}

// holds: T1
#[tokio::test(start_paused = true)]
async fn a_watch_without_a_version_or_from_0_is_an_error() {
    let source = pods();
    for version in ["", "0"] {
        assert!(retry_watch(&source, Version::new(version)).is_err());
    }
    assert!(retry_watch(&source, Version::new("odd")).is_ok());
    assert!(source.requests().is_empty());
}

// holds: T2
#[tokio::test(start_paused = true)]
async fn a_watch_that_ends_is_opened_again_at_the_last_version_at_most_once_a_second() {
    let source = pods();
    source.will_watch(WatchResponse::open().added(&pod(6)));
    source.will_watch(WatchResponse::open().modified(&pod(7)).broken(network()));
    source.will_watch(WatchResponse::refused(network()));
    source.will_watch(WatchResponse::status(500, "InternalError"));
    source.will_watch(WatchResponse::open().wait(Duration::from_secs(100)).modified(&pod(8)));
    source.will_watch(WatchResponse::open().deleted(&pod(9)));
    let start = Instant::now();
    let mut events = retry_watch(&source, Version::from(5)).unwrap();
    assert_eq!(versions(&mut events, 1).await, [6]);
    assert_eq!(start.elapsed(), Duration::ZERO);
    assert_eq!(versions(&mut events, 2).await, [7, 8]);
    assert_eq!(start.elapsed(), Duration::from_secs(104));
    assert_eq!(versions(&mut events, 1).await, [9]);
    assert_eq!(start.elapsed(), Duration::from_secs(104), "after a long watch there is no pause");
    assert_eq!(requested_versions(&source), ["5", "6", "7", "7", "7", "8"]);
}

// holds: X38
#[tokio::test(start_paused = true)]
async fn a_silent_watch_is_opened_again_at_the_last_version_within_200_s() {
    let silences: [(Answer, &str); 3] = [
        (WatchResponse::hanging, "5"),
        (|| WatchResponse::open().hang(), "5"),
        (|| WatchResponse::open().bookmark(6).hang(), "6"),
    ];
    for (silence, last) in silences {
        let source = pods();
        source.will_watch(silence());
        source.will_watch(WatchResponse::open().added(&pod(7)));
        let start = Instant::now();
        let mut events = retry_watch(&source, Version::from(5)).unwrap();
        assert_eq!(versions(&mut events, 1).await, [7]);
        assert!(start.elapsed() <= Duration::from_secs(200), "{:?}", start.elapsed());
        assert_eq!(requested_versions(&source), ["5", last]);
    }
}

// holds: T3
#[tokio::test(start_paused = true)]
async fn bookmarks_are_requested_advance_the_version_and_are_not_yielded() {
    let source = pods();
    source.will_watch(WatchResponse::open().bookmark(20));
    source.will_watch(WatchResponse::open().added(&pod(21)));
    let mut events = retry_watch(&source, Version::from(5)).unwrap();
    assert_eq!(versions(&mut events, 1).await, [21]);
    assert_eq!(requested_versions(&source), ["5", "20"]);
    assert!(source.watches().iter().all(|options| options.allow_bookmarks));
}

// holds: T4, X26
#[tokio::test(start_paused = true)]
async fn an_expired_version_ends_the_watch_as_a_response_or_as_an_event() {
    for answer in [
        WatchResponse::open().error(410, "Expired"),
        WatchResponse::open().error(410, "Gone"),
        WatchResponse::status(410, "Expired"),
    ] {
        let source = pods();
        source.will_watch(answer);
        let mut events = retry_watch(&source, Version::from(5)).unwrap();
        let error = events.next().await.unwrap().unwrap_err();
        assert_eq!(error.class(), ErrorClass::Expired);
        assert!(error.to_string().starts_with("watch pods in all namespaces from version 5: "));
        assert!(events.next().await.is_none());
        assert_eq!(source.open_streams(), 0);
    }
}

// holds: T5
#[tokio::test(start_paused = true)]
async fn a_forbidden_or_unauthorized_watch_ends() {
    for (code, reason, class) in
        [(401, "Unauthorized", ErrorClass::Unauthorized), (403, "Forbidden", ErrorClass::Forbidden)]
    {
        let source = pods();
        source.will_watch(WatchResponse::open().added(&pod(6)));
        source.will_watch(WatchResponse::status(code, reason));
        let mut events = retry_watch(&source, Version::from(5)).unwrap();
        versions(&mut events, 1).await;
        assert_eq!(events.next().await.unwrap().unwrap_err().class(), class);
        assert!(events.next().await.is_none());
    }
}

fn busy(seconds: u64) -> StatusDetail {
    StatusDetail { code: 429, retry_after: Some(Duration::from_secs(seconds)), ..StatusDetail::default() }
}

// holds: T6, X4
#[tokio::test(start_paused = true)]
async fn a_failure_is_retried_after_the_delay_that_the_server_requests() {
    let source = pods();
    source.will_watch(WatchResponse::open().event(WatchEvent::Error(busy(7))));
    source.will_watch(WatchResponse::refused(ErrorKind::Status(busy(20))));
    source.will_watch(WatchResponse::open().error(504, "Timeout"));
    source.will_watch(WatchResponse::open().event(WatchEvent::Error(busy(1 << 40))));
    source.will_watch(WatchResponse::open().added(&pod(6)));
    let start = Instant::now();
    let mut events = retry_watch(&source, Version::from(5)).unwrap();
    assert_eq!(versions(&mut events, 1).await, [6]);
    assert_eq!(start.elapsed(), Duration::from_secs(7 + 20 + 1 + 300));
}

// holds: T7
#[tokio::test(start_paused = true)]
async fn an_event_without_an_object_ends_the_watch() {
    for skipped in [
        Skipped::UnknownEvent { event_type: "PATCHED".to_owned() },
        Skipped::Object(IntakeError::NoIdentity { missing: "metadata.resourceVersion" }),
    ] {
        let source = pods();
        source.will_watch(WatchResponse::open().event(WatchEvent::Skipped(skipped)).added(&pod(9)));
        let mut events = retry_watch(&source, Version::from(5)).unwrap();
        assert_eq!(events.next().await.unwrap().unwrap_err().class(), ErrorClass::Malformed);
        assert!(events.next().await.is_none());
    }
}

fn malformed() -> ErrorKind {
    ErrorKind::Malformed("no JSON".to_owned())
}

// holds: T7
#[tokio::test(start_paused = true)]
async fn malformed_responses_end_the_watch_after_five_attempts_with_growing_pauses() {
    let answers: [Answer; 3] = [
        || WatchResponse::open().broken(malformed()),
        || WatchResponse::refused(malformed()),
        // An event of the same version is not progress.
        || WatchResponse::open().added(&pod(5)).broken(malformed()),
    ];
    for answer in answers {
        let source = pods();
        source.will_watch_always(move |_| answer());
        let start = Instant::now();
        let events: Vec<_> = retry_watch(&source, Version::from(5)).unwrap().collect().await;
        assert_eq!(start.elapsed(), Duration::from_secs(1 + 2 + 4 + 8));
        assert_eq!(requested_versions(&source), ["5"; 5]);
        let error = events.last().unwrap().as_ref().unwrap_err();
        assert_eq!(error.class(), ErrorClass::Malformed);
        assert!(error.to_string().contains("no JSON"), "{error}");
        assert_eq!(events.iter().filter(|event| event.is_err()).count(), 1);
    }
}

// holds: T7
#[tokio::test(start_paused = true)]
async fn a_new_version_resets_the_count_of_malformed_responses() {
    let source = pods();
    for version in [6, 7] {
        for _ in 0..4 {
            source.will_watch(WatchResponse::open().broken(malformed()));
        }
        source.will_watch(WatchResponse::open().added(&pod(version)));
    }
    let mut events = retry_watch(&source, Version::from(5)).unwrap();
    assert_eq!(versions(&mut events, 2).await, [6, 7]);
}

/// Collects the `error` fields of `tracing` events.
#[derive(Clone, Default)]
struct TracedErrors(Arc<Mutex<Vec<String>>>);

impl tracing::field::Visit for TracedErrors {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        if field.name() == "error" {
            self.0.lock().push(format!("{value:?}"));
        }
    }
}

impl tracing::Subscriber for TracedErrors {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target().starts_with("tidings_source")
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

// holds: X2
#[tokio::test(start_paused = true)]
async fn every_failure_that_is_retried_is_traced() {
    let traced = TracedErrors::default();
    let _guard = tracing::subscriber::set_default(traced.clone());
    let source = pods();
    source.will_watch(WatchResponse::open().broken(malformed()));
    source.will_watch(WatchResponse::open().broken(network()));
    source.will_watch(WatchResponse::status(503, "ServiceUnavailable"));
    source.will_watch(WatchResponse::open().error(500, "InternalError"));
    source.will_watch(WatchResponse::open().added(&pod(6)));
    let mut events = retry_watch(&source, Version::from(5)).unwrap();
    versions(&mut events, 1).await;
    let traced = traced.0.lock().clone();
    for (error, text) in traced.iter().zip(["no JSON", "reset", "503", "500"]) {
        assert!(error.contains(text), "{error} does not contain {text}");
    }
    assert_eq!(traced.len(), 4, "{traced:?}");
}

// holds: T8, X6
#[tokio::test(start_paused = true)]
async fn dropping_the_stream_ends_the_watch_with_events_unread() {
    let source = pods();
    source.will_watch(WatchResponse::open().added(&pod(6)).added(&pod(7)).hang());
    let mut events = retry_watch(&source, Version::from(5)).unwrap();
    versions(&mut events, 1).await;
    assert_eq!(source.open_streams(), 1);
    drop(events);
    assert_eq!(source.open_streams(), 0);
}
