//! Every kind of fault reaches the hook and a counter, and affects nothing else.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, OnceLock};

use k8s_openapi::api::core::v1::Pod;
use serde_json::json;
use tidings_informer::delta::QueueOrder;
use tidings_informer::indexer::Index;
use tidings_informer::reflector::StopPolicy;
use tidings_informer::{FaultCounts, Handler, InformerFault, SharedInformer, StreamState};
use tidings_object::{Budget, Intake, IntakeError, Kind, NothingKnown, RawObject, Transform};
use tidings_source::scripted::{ListResponse, WatchResponse};
use tidings_source::{ErrorClass, ErrorKind, Skipped, StreamScope, WatchEvent};

use crate::informer::fixture::{
    BOTH_ORDERS, InformerFixture, config, pod, pod_in, pod_with, seconds, settle,
};

fn skipped() -> Skipped {
    Skipped::Object(IntakeError::NoIdentity { missing: "metadata.name" })
}

fn reset() -> ErrorKind {
    ErrorKind::Network { message: "connection reset".to_owned(), is_refused: false }
}

// holds: X2, R12, C4
#[tokio::test(start_paused = true)]
async fn every_failure_of_a_list_or_a_watch_reaches_the_hook_and_is_counted() {
    for order in BOTH_ORDERS {
        let mut fixture = InformerFixture::new(order);
        let source = &fixture.source;
        source.will_list(ListResponse::status(500, "InternalError"));
        source.will_list(
            ListResponse::page(5).object(&pod("a", 1)).broken(ErrorKind::Malformed("no JSON".to_owned())),
        );
        source.will_list(ListResponse::page(5).object(&pod("a", 1)).skipped(skipped()));
        source.will_watch(WatchResponse::status(503, "ServiceUnavailable"));
        source.will_watch(WatchResponse::open().added(&pod("b", 6)).error(500, "InternalError"));
        source.will_list(ListResponse::page(7).objects(&[pod("a", 1), pod("b", 6)]));
        let unknown = Skipped::UnknownEvent { event_type: "RENAMED".to_owned() };
        source.will_watch(
            WatchResponse::open().event(WatchEvent::Skipped(unknown)).added(&pod("c", 8)).broken(reset()),
        );
        source.will_watch_always(|_| WatchResponse::open().hang());
        source.will_list_always(|_| ListResponse::page(8));
        fixture.start();
        tokio::time::sleep(seconds(600)).await;
        let faults = fixture.faults.all();
        for says in ["500", "no JSON", "without metadata.name", "503", "RENAMED", "connection reset"] {
            assert!(faults.iter().any(|fault| fault.contains(says)), "{says} is not in {faults:#?}");
        }
        let counts = fixture.informer.stats().faults;
        assert_eq!((counts.source, counts.skipped), (5, 2), "{order:?} {faults:#?}");
        assert_eq!(fixture.cached(), ["a@1", "b@6", "c@8"], "nothing that was received is lost");
        assert!(fixture.informer.health().is_healthy());
        fixture.end().await;
    }
}

/// A pod that passed a transform which refuses some pods.
fn taken_in(name: &str, version: u64) -> Arc<RawObject> {
    let whole = json!({
        "metadata": {"namespace": "default", "name": name, "uid": name, "resourceVersion": version.to_string()},
    });
    let refuses = Transform::json(|pod| assert!(pod["metadata"]["name"] != "refused", "scripted refusal"));
    let intake = Intake::new(Pod::resource(), Arc::new(Budget::default())).with_transform(refuses);
    intake.json(whole.to_string().as_bytes(), &NothingKnown).unwrap()
}

// holds: X2, X5
#[tokio::test(start_paused = true)]
async fn an_object_that_its_transform_refused_is_reported_as_a_fault_and_delivered_like_any_other() {
    for order in BOTH_ORDERS {
        let mut fixture = InformerFixture::new(order);
        let log = fixture.record();
        let feed = fixture.script(5, &[taken_in("fine", 1), taken_in("refused", 2)]);
        fixture.start();
        fixture.synced().await;
        let mut expected = FaultCounts::default();
        expected.unreadable = 1;
        assert_eq!(fixture.informer.stats().faults, expected);
        assert!(fixture.faults.all()[0].contains("scripted refusal"), "{:?}", fixture.faults.all());
        assert!(fixture.informer.lister().get("default/refused").unwrap().decoded().is_err());
        assert!(fixture.informer.lister().get("default/fine").unwrap().decoded().is_ok());
        feed.modified(&taken_in("refused", 6));
        settle().await;
        feed.deleted(&taken_in("refused", 7));
        settle().await;
        assert_eq!(log.lines()[2..], ["update refused@2->6", "delete refused@7"], "{order:?}");
        assert_eq!(fixture.cached(), ["fine@1"]);
        fixture.end().await;
    }
}

// holds: X2, X5
#[tokio::test(start_paused = true)]
async fn an_object_that_does_not_decode_is_delivered_like_any_other() {
    for order in BOTH_ORDERS {
        let bad = |version| pod_with("bad", version, json!({"spec": {"containers": "not a list"}}));
        let (fixture, feed) = InformerFixture::watching(config(order), 5, &[bad(1), pod("good", 2)]).await;
        let log = fixture.record();
        settle().await;
        let lister = fixture.informer.lister();
        assert!(lister.get("default/bad").unwrap().decoded().is_err());
        assert_eq!(lister.get("default/bad").unwrap().version().number(), Some(1));
        assert!(lister.get("default/good").unwrap().decoded().is_ok());
        feed.deleted(&bad(6));
        settle().await;
        assert_eq!(log.lines()[2..], ["delete bad@6"], "{order:?}");
        assert_eq!(fixture.cached(), ["good@2"]);
        fixture.end().await;
    }
}

// holds: X2, S12
#[tokio::test(start_paused = true)]
async fn an_index_function_that_fails_or_panics_is_reported_and_costs_that_index_entry_only() {
    for order in BOTH_ORDERS {
        let bad = |version| pod_with("bad", version, json!({"spec": {"containers": "not a list"}}));
        let mut fixture = InformerFixture::new(order);
        let log = fixture.record();
        let names = Index::raw("names", |pod| {
            assert!(pod.name() != "bad", "scripted panic");
            vec![pod.name().to_owned()]
        });
        let nodes = Index::typed("nodes", |pod: &Pod| {
            pod.spec.iter().filter_map(|spec| spec.node_name.clone()).collect::<Vec<_>>()
        });
        fixture.informer.add_index(names).unwrap();
        fixture.informer.add_index(nodes).unwrap();
        let feed = fixture.script(5, &[bad(1), pod("good", 2)]);
        fixture.start();
        fixture.synced().await;
        let first = fixture.informer.stats().faults.index;
        assert_eq!(first, 2, "{order:?}: {:#?}", fixture.faults.all());
        assert!(
            fixture
                .faults
                .all()
                .iter()
                .any(|fault| fault.contains(r#"index "names" does not contain default/bad"#))
        );
        assert_eq!(fixture.informer.lister().index_values("names").unwrap(), ["good"]);
        // An index that is added to a filled cache fails for the same object.
        let late = Index::raw("late", |pod| {
            assert!(pod.name() != "bad", "scripted panic");
            vec!["all".to_owned()]
        });
        fixture.informer.add_index(late).unwrap();
        fixture.informer.index_built("late").await.unwrap();
        settle().await;
        assert_eq!(fixture.informer.stats().faults.index, 3, "{:#?}", fixture.faults.all());
        feed.deleted(&bad(6));
        settle().await;
        assert_eq!(log.lines().last().unwrap(), "delete bad@6");
        assert_eq!(fixture.cached(), ["good@2"]);
        fixture.end().await;
    }
}

// holds: X3
#[tokio::test(start_paused = true)]
async fn health_shows_a_refused_request_since_when_and_its_recovery() {
    let mut fixture = InformerFixture::new(QueueOrder::InOrder);
    for _ in 0..4 {
        fixture.source.will_list(ListResponse::status(403, "Forbidden"));
    }
    let feed = fixture.script(5, &[pod("a", 1)]);
    fixture.start();
    tokio::time::sleep(seconds(4)).await;
    let health = fixture.informer.health();
    assert!(!health.is_synced && !health.is_healthy());
    assert_eq!(health.streams[0].state, StreamState::Waiting);
    let failing = health.streams[0].failing.clone().expect("it fails");
    assert_eq!(failing.class, ErrorClass::Forbidden);
    assert!(failing.attempts >= 2 && failing.for_duration > seconds(2), "{failing:?}");
    fixture.synced().await;
    let health = fixture.informer.health();
    assert!(health.is_healthy() && health.streams[0].failing.is_none(), "{health:?}");
    assert!(health.streams[0].last_error.is_some(), "the last error is still reported");
    assert_eq!(health.streams[0].state, StreamState::Watching);
    feed.bookmark(6);
    tokio::time::sleep(seconds(3)).await;
    let age = fixture.informer.health().streams[0].last_event_age.unwrap();
    assert!(age >= seconds(3) && age < seconds(4), "{age:?}");
    fixture.end().await;
}

// holds: X3
#[tokio::test(start_paused = true)]
async fn an_informer_that_gave_up_keeps_its_cache_and_reports_it() {
    let mut config = config(QueueOrder::InOrder);
    let never_more_than = |times| NonZeroU32::new(times);
    config.reflector = config.reflector.stop_policy(StopPolicy::default().not_found_max(never_more_than(3)));
    let (fixture, feed) = InformerFixture::watching(config, 5, &[pod("a", 1)]).await;
    let log = fixture.record();
    fixture.source.will_list_always(|_| ListResponse::status(404, "NotFound"));
    fixture.source.will_watch_always(|_| WatchResponse::status(404, "NotFound"));
    drop(feed);
    tokio::time::sleep(seconds(3600)).await;
    let health = fixture.informer.health();
    assert_eq!(health.streams[0].state, StreamState::Stopped);
    let failing = health.streams[0].failing.as_ref().unwrap();
    assert_eq!(failing.class, ErrorClass::NotFound);
    let hint = "the server does not know pods in version v1";
    assert!(failing.error.to_string().ends_with(hint), "{}", failing.error);
    assert!(!health.is_healthy());
    assert_eq!(fixture.cached(), ["a@1"]);
    assert_eq!(log.lines(), ["initial a@1"]);
    fixture.end().await;
}

// holds: X2
#[tokio::test(start_paused = true)]
async fn the_error_hook_may_use_the_informer_and_its_panic_is_caught() {
    let informer = Arc::new(OnceLock::<SharedInformer<Pod>>::new());
    let calls = Arc::new(Mutex::new(0));
    let (about, counting) = (Arc::clone(&informer), Arc::clone(&calls));
    let mut config = config(QueueOrder::InOrder);
    config.on_error = Some(Arc::new(move |fault| {
        let informer = about.get().unwrap();
        let _ = (informer.health(), informer.stats(), informer.lister().len());
        *counting.lock().unwrap() += 1;
        assert!(!matches!(fault, InformerFault::HandlerPanicked { .. }), "scripted panic of the hook");
    }));
    let mut fixture = InformerFixture::with(config);
    informer.set(fixture.informer.clone()).unwrap();
    fixture.informer.add_handler(Handler::new().on_add(|_, _| panic!("scripted panic"))).unwrap();
    let log = fixture.record();
    fixture.source.will_list(ListResponse::status(500, "InternalError"));
    let _feed = fixture.script(5, &[pod("a", 1), pod("b", 2)]);
    fixture.start();
    fixture.synced().await;
    assert_eq!(*calls.lock().unwrap(), 3);
    assert_eq!(log.lines().len(), 2);
    let faults = fixture.informer.stats().faults;
    assert_eq!((faults.source, faults.handler_panics), (1, 2));
    fixture.end().await;
}

// holds: X2, X16
#[tokio::test(start_paused = true)]
async fn a_server_whose_versions_went_back_is_reported_and_handlers_receive_its_state() {
    for order in BOTH_ORDERS {
        let (fixture, feed) =
            InformerFixture::watching(config(order), 50, &[pod("a", 10), pod("b", 20)]).await;
        let log = fixture.record();
        settle().await;
        log.take();
        fixture.source.will_list(ListResponse::status(410, "Expired"));
        // The newest list of the server is older than the cache. Only a restore from a backup explains that.
        fixture.source.will_list(ListResponse::page(15).object(&pod("a", 9)));
        let next = fixture.source.will_watch_live();
        feed.error(410, "Expired");
        drop(feed);
        tokio::time::sleep(seconds(120)).await;
        let faults = fixture.informer.stats().faults;
        assert_eq!(faults.went_back, 1, "{:#?}", fixture.faults.all());
        assert_eq!(fixture.informer.health().epoch, 1);
        let mut received = log.take();
        received.sort();
        assert_eq!(received, ["lose b@20", "update a@10->9"], "{order:?}");
        // The lower versions of the new epoch are applied.
        next.modified(&pod("a", 16));
        settle().await;
        assert_eq!(log.take(), ["update a@9->16"], "{order:?}");
        fixture.end().await;
    }
}

// holds: X2
#[tokio::test(start_paused = true)]
async fn a_panic_in_a_source_is_reported_and_ends_only_that_stream() {
    let (a, b) = (StreamScope::Namespace("a".into()), StreamScope::Namespace("b".into()));
    let mut fixture = InformerFixture::over(config(QueueOrder::InOrder), &[a.clone(), b.clone()], &[]);
    let log = fixture.record();
    fixture.source_of(&a).will_list_always(|_| panic!("scripted panic"));
    fixture.source_of(&b).will_list(ListResponse::page(5).object(&pod_in("b", "x", 1)));
    fixture.source_of(&b).will_watch_always(|_| WatchResponse::open().hang());
    fixture.start();
    tokio::time::sleep(seconds(60)).await;
    assert_eq!(log.lines(), ["initial b/x@1"]);
    assert!(fixture.faults.all()[0].contains("scripted panic"), "{:?}", fixture.faults.all());
    let states: Vec<_> = fixture.informer.health().streams.iter().map(|stream| stream.state).collect();
    assert_eq!(states, [StreamState::Stopped, StreamState::Watching]);
    assert!(fixture.informer.unsynced().reason.contains("scripted panic"));
    fixture.end().await;
}
