//! Every failure reaches the observer and `tracing`; the contents of objects reach neither.

use k8s_openapi::api::core::v1::Pod;
use serde_json::json;
use tidings_informer::reflector::ReflectorConfig;
use tidings_object::{Kind, ResourceKind, Scope};
use tidings_source::StreamScope;
use tidings_source::scripted::{ListResponse, ScriptedSource, WatchResponse, object};

use crate::reflector::harness::*;
use crate::traced::Traced;

// holds: R13, X2
#[tokio::test(start_paused = true)]
async fn every_failure_reaches_the_observer_and_the_log_at_its_level() {
    let traced = Traced::default();
    let _guard = traced.subscribe();
    let mut harness = ReflectorHarness::new(ReflectorConfig::default());
    harness.source.will_watch(WatchResponse::status(403, "Forbidden"));
    harness.source.will_list(ListResponse::status(500, "Other"));
    harness.source.will_watch(WatchResponse::open().initial_events_end(5).error(410, "Expired"));
    harness.source.will_watch(WatchResponse::open().initial_events_end(6).broken(malformed()));
    harness.source.will_watch(WatchResponse::refused(broken_connection()));
    harness.source.will_watch(WatchResponse::open());
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
        harness.source.will_watch_always(|_| WatchResponse::status(404, "NotFound"));
        harness.source.will_list_always(|_| ListResponse::status(404, "NotFound"));
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
        harness.source.will_list(ListResponse::page(5).after(seconds(took)));
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
    let watch = WatchResponse::open().added(&secret).initial_events_end(5).modified(&secret).bookmark(7);
    harness.source.will_watch(watch.deleted(&secret));
    harness.requests(2).await;
    assert!(!traced.only("").is_empty());
    assert_eq!(traced.only("hush"), [""; 0]);
    assert!(!traced.only("version=7").is_empty(), "{:#?}", traced.only(""));
}
