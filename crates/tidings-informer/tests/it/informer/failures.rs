//! An informer that ends without being stopped: its health and all waiters report the cause.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt as _;
use k8s_openapi::api::core::v1::Pod;
use tidings_informer::delta::QueueOrder;
use tidings_informer::reflector::StopPolicy;
use tidings_informer::{
    Handler, InformerError, Lifecycle, Notification, SharedInformer, Sources, StreamState, WaitError,
    informer,
};
use tidings_object::{Budget, Intake, Key, Kind, KnownObjects, Version};
use tidings_source::scripted::{ListResponse, ScriptedSource, WatchResponse};
use tidings_source::{ListWatch, StreamScope};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::informer::fixture::{InformerFixture, TIMEOUT, config, pod, pod_in, seconds, settle};

/// Opens sources that never answer, or panics once `panics` is set.
#[derive(Default)]
struct Fragile(AtomicBool);

impl Sources for Fragile {
    fn open(&self, scope: &StreamScope, _: Arc<dyn KnownObjects>) -> Arc<dyn ListWatch> {
        assert!(!self.0.load(Ordering::Relaxed), "scripted panic");
        let source = ScriptedSource::new(Pod::resource(), scope.clone());
        source.will_list(ListResponse::page(5).object(&pod_in("a", "x", 1)));
        source.will_watch_always(|_| WatchResponse::open().hang());
        Arc::new(source)
    }
}

fn scope(namespace: &str) -> StreamScope {
    StreamScope::Namespace(namespace.into())
}

/// What the error hook received.
type Faults = Arc<Mutex<Vec<String>>>;

/// An informer that panics when its namespaces are changed.
fn fragile() -> (SharedInformer<Pod>, Arc<Fragile>, Faults, impl Future<Output = ()> + Send) {
    let sources = Arc::new(Fragile::default());
    let faults = Arc::new(Mutex::new(Vec::new()));
    let mut config = config(QueueOrder::InOrder);
    let reported = Arc::clone(&faults);
    config.on_error = Some(Arc::new(move |fault| reported.lock().unwrap().push(fault.to_string())));
    let intake = Arc::new(Intake::new(Pod::resource(), Arc::new(Budget::default())));
    let scopes = vec![scope("a")];
    let (informer, task) = informer(intake, Arc::clone(&sources) as Arc<dyn Sources>, scopes, config);
    (informer, sources, faults, task.run())
}

async fn soon<T>(wait: impl Future<Output = T>) -> T {
    timeout(TIMEOUT, wait).await.expect("a dead informer wakes its waiters")
}

// holds: X31
#[tokio::test(start_paused = true)]
async fn a_panic_of_the_informers_task_is_reported_by_its_health_and_to_all_waiters() {
    let (informer, sources, faults, run) = fragile();
    let mut running = JoinSet::new();
    running.spawn(run);
    soon(informer.synced()).await.unwrap();
    let registration = informer.add_handler(Handler::new()).unwrap();
    soon(registration.synced()).await.unwrap();
    let mut stream = informer.notifications().unwrap();
    assert!(matches!(soon(stream.next()).await, Some(Notification::Added { .. })));
    let (key, far) = (Key::new(Some("a"), "y").unwrap(), Version::new("99"));
    let waits = async {
        let forever = Duration::MAX;
        tokio::join!(
            informer.wait_for(&far, forever),
            informer.wait_for_object(&key, &far, forever),
            informer.wait_until(&key, forever, |pod| pod.is_some()),
        )
    };
    let weak = informer.downgrade();
    let break_it = async {
        settle().await;
        sources.0.store(true, Ordering::Relaxed);
        informer.set_namespaces(["a", "b"]).unwrap();
        weak.failed().await
    };
    let ((one, two, three), failure) = soon(async { tokio::join!(waits, break_it) }).await;
    let panicked = InformerError::Panicked { informer: "pods".into(), message: "scripted panic".into() };
    assert_eq!(failure, panicked);
    for ended in [one, two, three] {
        assert!(
            matches!(&ended, Err(WaitError::Failed { failure, .. }) if **failure == panicked),
            "{ended:?}"
        );
    }
    soon(running.join_next()).await.unwrap().expect("the task catches its panic");
    let health = informer.health();
    assert_eq!(health.failures, std::slice::from_ref(&panicked));
    assert!(!health.is_healthy());
    assert!(health.streams.iter().all(|stream| stream.state == StreamState::Stopped), "{health:?}");
    assert_eq!(informer.lifecycle(), Lifecycle::Stopped);
    assert_eq!(*faults.lock().unwrap(), ["the informer's task panicked: scripted panic"]);
    assert_eq!(informer.stats().faults.panics, 1);
    assert!(soon(stream.next()).await.is_none());
    soon(stream.synced()).await;
    soon(registration.remove()).await;
    let refused = informer.add_handler(Handler::new()).unwrap_err();
    assert!(matches!(&refused, InformerError::Failed { .. }), "{refused}");
    assert!(refused.to_string().contains("scripted panic"), "{refused}");
    assert_eq!(weak.panic(), Some(panicked));
}

// holds: X31
#[tokio::test(start_paused = true)]
async fn a_handler_that_is_added_when_the_informer_panics_reports_why_it_never_syncs() {
    let (informer, sources, _, run) = fragile();
    sources.0.store(true, Ordering::Relaxed);
    let (early, mut stream) =
        (informer.add_handler(Handler::new()).unwrap(), informer.notifications().unwrap());
    let mut running = JoinSet::new();
    running.spawn(run);
    let unsynced = soon(early.synced()).await.unwrap_err();
    assert!(unsynced.to_string().contains("scripted panic"), "{unsynced}");
    let unsynced = soon(informer.synced()).await.unwrap_err();
    assert!(unsynced.to_string().contains("scripted panic"), "{unsynced}");
    assert!(soon(stream.next()).await.is_none());
    soon(running.join_next()).await.unwrap().unwrap();
}

// holds: X31
#[tokio::test(start_paused = true)]
async fn a_stream_that_gave_up_or_panicked_fails_the_waits_for_its_namespace() {
    let mut config = config(QueueOrder::InOrder);
    config.reflector =
        config.reflector.stop_policy(StopPolicy::default().forbidden_max(std::num::NonZeroU32::new(2)));
    let mut fixture = InformerFixture::over(config, &[scope("a"), scope("b"), scope("c")], &[]);
    for (namespace, is_panicking) in [("a", false), ("b", true), ("c", false)] {
        let source = fixture.source_of(&scope(namespace));
        match (namespace, is_panicking) {
            ("c", _) => {
                source.will_list(ListResponse::page(5).object(&pod_in("c", "x", 1)));
                source.will_watch_always(|_| WatchResponse::open().hang());
            }
            (_, true) => source.will_list_always(|_| panic!("scripted panic")),
            (_, false) => source.will_list_always(|_| ListResponse::status(403, "Forbidden")),
        }
    }
    let (_, registration) = fixture.record_as("log");
    fixture.start();
    assert!(soon(registration.synced()).await.is_err());
    assert!(soon(fixture.informer.synced()).await.is_err());
    tokio::time::sleep(seconds(600)).await;
    let health = fixture.informer.health();
    let texts: Vec<_> = health.failures.iter().map(ToString::to_string).collect();
    assert!(texts.iter().any(|text| text.contains("403")), "{texts:?}");
    assert!(texts.iter().any(|text| text.contains("scripted panic")), "{texts:?}");
    assert_eq!(texts.len(), 2, "{texts:?}");
    let in_a = Key::new(Some("a"), "x").unwrap();
    let ended = soon(fixture.informer.wait_for_object(&in_a, &Version::new("9"), Duration::MAX)).await;
    assert!(matches!(&ended, Err(WaitError::Failed { .. })), "{ended:?}");
    let in_c = Key::new(Some("c"), "x").unwrap();
    let there = soon(fixture.informer.wait_for_object(&in_c, &Version::new("1"), Duration::MAX)).await;
    assert!(there.is_ok(), "the other namespaces are still followed: {there:?}");
    fixture.informer.set_namespaces(["c"]).unwrap();
    settle().await;
    assert!(
        fixture.informer.health().is_healthy(),
        "it follows all wanted namespaces: {:?}",
        fixture.informer.health()
    );
    fixture.end().await;
}

// holds: X30
#[tokio::test(start_paused = true)]
async fn the_longest_duration_is_accepted_everywhere_without_a_panic() {
    let mut config = config(QueueOrder::InOrder);
    config.stop_deadline = Duration::MAX;
    config.resync = Duration::MAX;
    let (fixture, feed) = InformerFixture::watching(config, 5, &[pod("a", 1)]).await;
    let (log, registration) = fixture.record_with(|handler| handler.resync(Duration::MAX));
    soon(registration.synced()).await.unwrap();
    let (key, version) = (Key::new(Some("default"), "a").unwrap(), Version::new("7"));
    let wait = fixture.informer.wait_for_object(&key, &version, Duration::MAX);
    let change = async {
        settle().await;
        feed.modified(&pod("a", 7));
    };
    let (waited, ()) = soon(async { tokio::join!(wait, change) }).await;
    waited.unwrap();
    soon(fixture.informer.wait_for(&version, Duration::MAX)).await.unwrap();
    soon(fixture.informer.wait_until(&key, Duration::MAX, |pod| pod.is_some())).await.unwrap();
    settle().await;
    assert_eq!(log.lines(), ["initial a@1", "update a@1->7"]);
    assert!(fixture.informer.health().is_healthy());
    fixture.end().await;
}

/// A value that a handler owns.
struct Brittle;

impl Drop for Brittle {
    fn drop(&mut self) {
        panic!("scripted panic");
    }
}

// holds: X31
#[tokio::test(start_paused = true)]
async fn a_handler_that_panics_when_it_is_dropped_is_reported_and_affects_no_other() {
    let (fixture, feed) = InformerFixture::watching(config(QueueOrder::InOrder), 5, &[pod("a", 1)]).await;
    let brittle = Brittle;
    let handler = Handler::new().on_add(move |_, _| _ = &brittle);
    let registration = fixture.informer.add_handler(handler).unwrap();
    soon(registration.synced()).await.unwrap();
    soon(registration.remove()).await;
    settle().await;
    assert!(fixture.faults.all()[0].contains("scripted panic"), "{:?}", fixture.faults.all());
    feed.modified(&pod("a", 7));
    settle().await;
    assert_eq!(fixture.cached(), ["a@7"]);
    assert!(fixture.informer.health().is_healthy());
    fixture.end().await;
}
