//! Invalid responses of a server: the informer reports them, continues, and loses nothing.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use parking_lot::Mutex;
use serde_json::json;
use tidings::{
    InformerOptions, QueueOrder, ReflectorConfig, Running, SharedInformer, SharedInformerFactory, Wire,
};
use tidings_apiserver::Verb;
use tidings_apiserver::{ApiServer, Ending, Fault};
use tidings_apiserver::{EventFault, Injection};

use tidings_informer::testing::NotificationRecorder;

fn put(server: &ApiServer, name: &str, round: u32) {
    let pod = json!({
        "metadata": { "namespace": "default", "name": name, "labels": { "round": round.to_string() } },
        "spec": { "containers": [] },
    });
    server.put("pods", pod);
}

/// An informer that has listed the pods of its server.
struct Synced {
    server: ApiServer,
    pods: SharedInformer<Pod>,
    recorder: NotificationRecorder,
    running: Running,
}

async fn synced(order: QueueOrder, pods: u32) -> Synced {
    let server = ApiServer::start().await;
    for number in 0..pods {
        put(&server, &format!("pod-{number}"), 0);
    }
    let factory = SharedInformerFactory::new(server.client());
    let pods: SharedInformer<Pod> = factory.informer_with(InformerOptions::new().queue_order(order)).unwrap();
    let recorder = NotificationRecorder::default();
    pods.add_handler(recorder.handler()).unwrap();
    let running = factory.start();
    running.synced().await.unwrap();
    Synced { server, pods, recorder, running }
}

/// When the fault is injected.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    FirstList,
    LaterWatch,
}

/// Injects `fault` around a change, and checks that cache and handler reach the state of the server. Returns the faults
/// that the error hook received.
async fn check(order: QueueOrder, fault: Injection, when: When) -> Vec<String> {
    let server = ApiServer::start().await;
    for number in 0..3 {
        put(&server, &format!("pod-{number}"), 0);
    }
    let faults = Arc::new(Mutex::new(Vec::new()));
    let fault_log = Arc::clone(&faults);
    let factory = SharedInformerFactory::builder(server.client())
        .on_error(move |fault| fault_log.lock().push(fault.to_string()))
        .build();
    let pods: SharedInformer<Pod> = factory.informer_with(InformerOptions::new().queue_order(order)).unwrap();
    let recorder = NotificationRecorder::default();
    pods.add_handler(recorder.handler()).unwrap();
    if when == When::FirstList {
        server.faults().inject(fault.clone());
    }
    let running = factory.start();
    running.synced_within(Duration::from_secs(600)).await.unwrap();
    if when == When::LaterWatch {
        server.faults().inject(fault);
        server.faults().cut_watches(Ending::Clean);
    }
    for round in 1..5 {
        tokio::time::sleep(Duration::from_secs(2)).await;
        put(&server, "pod-0", round);
        put(&server, &format!("new-{round}"), round);
        server.remove("pods", &format!("default/new-{}", round - 1));
    }
    tokio::time::sleep(Duration::from_secs(1800)).await;
    let cached: BTreeMap<String, u64> = pods
        .lister()
        .list()
        .iter()
        .map(|pod| (pod.key().to_string(), pod.version().number().unwrap()))
        .collect();
    assert_eq!(cached, server.list_versions("pods"));
    assert_eq!(recorder.versions(), cached);
    assert_eq!(recorder.violations(), Vec::<String>::new());
    running.shutdown().await;
    faults.lock().clone()
}

/// Checks both queue orders, with the fault in the first list and in a later watch. One reported error must contain `says`.
async fn check_all(fault: impl Fn() -> Injection, says: &str) {
    for order in [QueueOrder::InOrder, QueueOrder::PerObject] {
        let first = check(order, fault(), When::FirstList).await;
        let later = check(order, fault(), When::LaterWatch).await;
        let faults = [first, later].concat();
        assert!(
            faults.iter().any(|fault_log| fault_log.contains(says)),
            "no reported fault contains {says:?}: {faults:?}"
        );
        assert!(
            faults.iter().all(|fault_log| fault_log.contains("pods") || fault_log.contains("skipped")),
            "{faults:?}"
        );
    }
}

// holds: X2, X5
#[tokio::test(start_paused = true)]
async fn malformed_and_truncated_responses_are_reported_and_retried() {
    check_all(|| Fault::GarbageBody.once(), "malformed").await;
    check_all(|| Fault::CutMidFrame { after_events: 1 }.times(2), "").await;
    check_all(|| Fault::CutBody { after_bytes: 120, ending: Ending::Clean }.times(2), "").await;
    check_all(|| Fault::HtmlPage { code: 502 }.times(3), "502").await;
    check_all(|| Fault::HtmlPage { code: 200 }.times(3), "").await;
    check_all(|| Fault::Event { after_events: 1, fault: EventFault::Garbage }.times(2), "").await;
}

// holds: X36
#[tokio::test(start_paused = true)]
async fn a_response_that_is_not_a_list_does_not_empty_the_cache() {
    for body in ["{}", r#"{"items":null}"#, r#"{"items":[]}"#, r#"{"metadata":{},"items":[]}"#] {
        for order in [QueueOrder::InOrder, QueueOrder::PerObject] {
            let server = ApiServer::start().await;
            put(&server, "a", 0);
            put(&server, "b", 0);
            let faults = Arc::new(Mutex::new(Vec::new()));
            let fault_log = Arc::clone(&faults);
            let factory = SharedInformerFactory::builder(server.client())
                .on_error(move |fault| fault_log.lock().push(fault.to_string()))
                .build();
            let pods: SharedInformer<Pod> =
                factory.informer_with(InformerOptions::new().queue_order(order)).unwrap();
            let recorder = NotificationRecorder::default();
            pods.add_handler(recorder.handler()).unwrap();
            let running = factory.start();
            running.synced().await.unwrap();
            server.faults().inject(Fault::RefuseStreamingList.always());
            server.faults().inject(Fault::JsonBody(body).times(3).on(Verb::List));
            server.faults().inject(Fault::ExpireOnOpen.once());
            server.faults().cut_watches(Ending::Broken);
            tokio::time::sleep(Duration::from_secs(300)).await;
            assert_eq!(server.faults().count("json-body"), 3);
            assert_eq!(recorder.lines().len(), 2, "{body}: no deletion is reported: {:?}", recorder.lines());
            assert_eq!(pods.lister().list().len(), 2, "{body}");
            assert!(faults.lock().iter().any(|fault| fault.contains("the list has ")), "{:?}", faults.lock());
            running.shutdown().await;
        }
    }
}

// holds: R42, R47, X5
#[tokio::test(start_paused = true)]
async fn events_without_a_usable_object_are_skipped_and_later_events_are_applied() {
    let event = |fault: EventFault| move || Fault::Event { after_events: 0, fault: fault.clone() }.times(3);
    check_all(event(EventFault::UnknownType), "unknown type").await;
}

// holds: R32, R34, R33, X3, X4
#[tokio::test(start_paused = true)]
async fn error_responses_are_retried_whatever_their_code() {
    for code in [401u16, 403, 404, 429, 500, 502, 503, 504] {
        check_all(|| Fault::Status { code, retry_after_seconds: None }.times(4), &code.to_string()).await;
        check_all(|| Fault::Status { code, retry_after_seconds: Some(2) }.times(2), &code.to_string()).await;
    }
    check_all(|| Fault::Refused.times(3), "").await;
}

// holds: X6, X7, X22
#[tokio::test(start_paused = true)]
async fn a_request_to_a_server_that_hangs_times_out() {
    check_all(|| Fault::HideMarker.once(), "").await;
    check_all(|| Fault::RefuseStreamingList.once(), "sendInitialEvents").await;
    check_all(|| Fault::FailStreamingList.once(), "500").await;
}

// holds: X14, X25
#[tokio::test(start_paused = true)]
async fn duplicates_and_replays_reach_no_handler() {
    for fault in [EventFault::Duplicate, EventFault::Stale] {
        for order in [QueueOrder::InOrder, QueueOrder::PerObject] {
            let Synced { server, pods, recorder, running } = synced(order, 1).await;
            server.faults().inject(Fault::Event { after_events: 1, fault: fault.clone() }.once());
            server.faults().cut_watches(Ending::Clean);
            tokio::time::sleep(Duration::from_secs(10)).await;
            for round in 1..4 {
                put(&server, "pod-0", round);
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
            let name = Fault::Event { after_events: 1, fault: fault.clone() }.name();
            assert_eq!(server.faults().count(name), 1);
            assert_eq!(recorder.notifications().len(), 4, "{fault:?} {order:?}: {:?}", recorder.lines());
            assert_eq!(pods.stats().applied.stale, 1, "{fault:?} {order:?}");
            running.shutdown().await;
        }
    }
}

// holds: X14, X23, I25, I26
#[tokio::test(start_paused = true)]
async fn a_relist_of_unchanged_objects_notifies_no_handler() {
    for order in [QueueOrder::InOrder, QueueOrder::PerObject] {
        let Synced { server, pods, recorder, running } = synced(order, 20).await;
        let before = pods.lister().get("default/pod-3").unwrap();
        server.faults().inject(Fault::ExpireOnOpen.once());
        server.faults().cut_watches(Ending::Broken);
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert!(pods.stats().requests.relists >= 1, "{:?}", pods.stats().requests);
        assert_eq!(recorder.notifications().len(), 20, "{order:?}");
        assert!(
            Arc::ptr_eq(before.raw(), pods.lister().get("default/pod-3").unwrap().raw()),
            "{order:?}: kept as it is"
        );
        running.shutdown().await;
    }
}

// holds: X37
#[tokio::test(start_paused = true)]
async fn a_change_of_the_wire_reports_no_object_as_changed() {
    for order in [QueueOrder::InOrder, QueueOrder::PerObject] {
        let Synced { server, pods, recorder, running } = synced(order, 20).await;
        assert_eq!(pods.health().streams[0].wire, Some(Wire::Protobuf));
        let before = pods.lister().get("default/pod-3").unwrap();
        server.faults().inject(Fault::ExpireOnOpen.once());
        let refused = Fault::Status { code: 406, retry_after_seconds: None };
        server.faults().inject(refused.once().on(Verb::Watch).after(1));
        server.faults().cut_watches(Ending::Broken);
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert_eq!(pods.health().streams[0].wire, Some(Wire::Json));
        assert!(pods.stats().requests.relists >= 1, "{:?}", pods.stats().requests);
        assert_eq!(recorder.notifications().len(), 20, "{order:?}: {:?}", recorder.lines());
        assert!(Arc::ptr_eq(before.raw(), pods.lister().get("default/pod-3").unwrap().raw()));
        put(&server, "pod-3", 1);
        server.remove("pods", "default/pod-4");
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(recorder.notifications().len(), 22, "{order:?}");
        assert_eq!(recorder.versions(), server.list_versions("pods"));
        running.shutdown().await;
    }
}

// holds: X3
#[tokio::test(start_paused = true)]
async fn a_stop_policy_stops_an_informer_that_is_not_allowed_to_list() {
    let server = ApiServer::start().await;
    server.faults().inject(Fault::Status { code: 403, retry_after_seconds: None }.always().on(Verb::List));
    server.faults().inject(Fault::Status { code: 403, retry_after_seconds: None }.always().on(Verb::Watch));
    let factory = SharedInformerFactory::new(server.client());
    let policy = tidings::StopPolicy::default().forbidden_max(std::num::NonZeroU32::new(3));
    let options = InformerOptions::new().reflector(ReflectorConfig::default().stop_policy(policy));
    let pods: SharedInformer<Pod> = factory.informer_with(options).unwrap();
    let running = factory.start();
    let error = running.synced_within(Duration::from_secs(3600)).await.unwrap_err();
    assert!(error.to_string().contains("403"), "{error}");
    assert_eq!(pods.health().streams[0].state, tidings::StreamState::Stopped);
    let request_count = server.requests().len();
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert_eq!(server.requests().len(), request_count, "no further request is sent");
    running.shutdown().await;
}

// holds: X6
#[tokio::test(start_paused = true)]
async fn a_stop_does_not_wait_for_the_server() {
    for fault in [Fault::Hang, Fault::Refused, Fault::Status { code: 429, retry_after_seconds: Some(300) }] {
        let server = ApiServer::start().await;
        server.faults().inject(fault.always());
        let factory = SharedInformerFactory::new(server.client());
        let _pods = factory.informer::<Pod>();
        let running = factory.start();
        tokio::time::sleep(Duration::from_secs(40)).await;
        let before = tokio::time::Instant::now();
        running.shutdown().await;
        assert!(before.elapsed() < Duration::from_millis(500), "{:?}", before.elapsed());
    }
}
