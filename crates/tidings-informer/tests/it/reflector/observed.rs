//! Every failure reaches the observer and `tracing`; the contents of objects reach neither.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use k8s_openapi::api::core::v1::Pod;
use serde_json::json;
use tidings_informer::reflector::ReflectorConfig;
use tidings_object::{Kind, ResourceKind, Scope};
use tidings_source::StreamScope;
use tidings_source::scripted::{ListAnswer, ScriptedSource, WatchAnswer, object};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::reflector::harness::*;

/// Records every event as `LEVEL field=value …`.
#[derive(Clone, Default)]
struct Traced(Arc<Mutex<Vec<String>>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }
}

impl Subscriber for Traced {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("tidings_informer")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

impl Traced {
    /// Subscribes on this thread. With one dispatcher, `tracing` caches the interest of the thread on which an event
    /// first happens, and the other tests of this process have no subscriber. With two, it asks both.
    fn subscribe(&self) -> (tracing::Dispatch, tracing::subscriber::DefaultGuard) {
        (tracing::Dispatch::new(self.clone()), tracing::subscriber::set_default(self.clone()))
    }

    fn only(&self, part: &str) -> Vec<String> {
        let lines = self.0.lock().unwrap();
        lines.iter().filter(|line| line.contains(part)).cloned().collect()
    }
}

// holds: R13, X2
#[tokio::test(start_paused = true)]
async fn every_failure_reaches_the_observer_and_the_log_at_its_level() {
    let traced = Traced::default();
    let _guard = traced.subscribe();
    let mut harness = ReflectorHarness::new(ReflectorConfig::default());
    harness.source.will_watch(WatchAnswer::status(403, "Forbidden"));
    harness.source.will_list(ListAnswer::status(500, "Other"));
    harness.source.will_watch(WatchAnswer::open().initial_events_end(5).error(410, "Expired"));
    harness.source.will_watch(WatchAnswer::open().initial_events_end(6).broken(malformed()));
    harness.source.will_watch(WatchAnswer::refused(broken_connection()));
    harness.source.will_watch(WatchAnswer::open());
    harness.requests(7).await;
    let during: Vec<_> = harness.observed.only("failed").iter().map(|line| line.replace(": ", " ")).collect();
    let expected = [
        ("failed StreamingList watch pods", "WARN"),
        ("failed List list pods", "WARN"),
        ("failed Watch watch pods", "DEBUG"),
        ("failed Watch watch pods", "WARN"),
        ("failed WatchOpen watch pods", "INFO"),
        ("failed Watch watch pods", "INFO"),
    ];
    let errors = traced.only("error=");
    assert_eq!((during.len(), errors.len()), (6, 6), "{during:#?} {errors:#?}");
    for ((line, error), (prefix, level)) in during.iter().zip(&errors).zip(expected) {
        assert!(line.starts_with(prefix), "{line} is not {prefix}");
        assert!(error.starts_with(level), "{error} is not {level}");
        assert!(error.contains("resource=pods") && error.contains("scope=all namespaces"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_first_404_already_asks_whether_the_crd_is_installed() {
    let greetings = ResourceKind {
        group: "example.com".into(),
        version: "v1".into(),
        kind: "Greeting".into(),
        plural: "greetings".into(),
        scope: Scope::Namespaced,
    };
    let hint = "the server does not know greetings.example.com in version v1: is the CRD installed?";
    let (crd, built_in) = (greetings, Pod::resource());
    for (resource, hint) in [(crd, hint), (built_in, "the server does not know pods in version v1")] {
        let traced = Traced::default();
        let _guard = traced.subscribe();
        let mut harness =
            ReflectorHarness::of(ScriptedSource::new(resource, StreamScope::All), ReflectorConfig::default());
        harness.source.will_watch_always(|_| WatchAnswer::status(404, "NotFound"));
        harness.source.will_list_always(|_| ListAnswer::status(404, "NotFound"));
        harness.requests(2).await;
        assert!(harness.observed.only("failed")[0].ends_with(hint), "{:#?}", harness.observed.only("failed"));
        let traces = traced.only("error=");
        assert!(traces[0].starts_with("WARN") && traces[0].contains(hint), "{traces:#?}");
    }
}

// holds: R29
#[tokio::test(start_paused = true)]
async fn a_list_that_takes_more_than_ten_seconds_is_a_warning() {
    for (took, warnings) in [(10, 0), (11, 1)] {
        let traced = Traced::default();
        let _guard = traced.subscribe();
        let mut harness = ReflectorHarness::new(chunked());
        harness.source.will_list(ListAnswer::page(5).after(seconds(took)));
        harness.requests(2).await;
        assert_eq!(harness.observed.only("listed"), [format!("listed Chunked @5: 0 in 1, {took} s")]);
        assert_eq!(traced.only("WARN").len(), warnings);
    }
}

#[tokio::test(start_paused = true)]
async fn the_contents_of_objects_are_never_logged() {
    let traced = Traced::default();
    let _guard = traced.subscribe();
    let mut harness = ReflectorHarness::new(ReflectorConfig::default());
    let secret = object(&Pod::resource(), Some("default"), "a", 6, "u", json!({ "spec": { "x": "hush" } }));
    let watch = WatchAnswer::open().added(&secret).initial_events_end(5).modified(&secret).bookmark(7);
    harness.source.will_watch(watch.deleted(&secret));
    harness.requests(2).await;
    assert!(!traced.only("").is_empty());
    assert_eq!(traced.only("hush"), [""; 0]);
    assert!(!traced.only("version=7").is_empty(), "{:#?}", traced.only(""));
}
