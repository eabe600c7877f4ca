//! Removing handlers: pending notifications are delivered or dropped, and the removal can be awaited.

use std::sync::{Arc, Mutex, OnceLock, mpsc};
use std::time::Duration;

use futures_util::FutureExt as _;
use k8s_openapi::api::core::v1::Pod;
use tidings_informer::delta::QueueOrder;
use tidings_informer::{Handler, Lifecycle, Registration, SharedInformer};
use tokio::time::timeout;

use crate::informer::fixture::{InformerFixture, TIMEOUT, config, pod, settle};
use crate::informer::latch::{Latch, blocking_handler};
use crate::informer::notification_log::NotificationLog;

/// A handler that is blocked in its first call while nine more notifications are pending.
async fn stalled(
    fixture: &InformerFixture,
    feed: &tidings_source::scripted::WatchFeed,
) -> (Latch, NotificationLog, Registration) {
    let (latch, log, other) = (Latch::closed(), NotificationLog::default(), fixture.record());
    let registration = fixture.add(blocking_handler(latch.waiter(), &log));
    for version in 6..16 {
        feed.added(&pod(&format!("pod-{version}"), version));
    }
    latch.entered(1).await;
    other.received(10).await;
    (latch, log, registration)
}

// holds: X12, I11, I12
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_removed_handler_receives_its_pending_notifications_and_nothing_more() {
    let (fixture, feed) = InformerFixture::watching(config(QueueOrder::InOrder), 5, &[]).await;
    let (latch, log, registration) = stalled(&fixture, &feed).await;
    let mut removed = Box::pin(registration.remove());
    assert!(removed.as_mut().now_or_never().is_none(), "a call is in progress");
    let late = fixture.record();
    feed.added(&pod("later", 20));
    late.received(11).await;
    assert!(log.lines().is_empty());
    latch.open();
    timeout(TIMEOUT, removed).await.expect("it ends");
    let expected: Vec<_> = (6..16).map(|version| format!("add pod-{version}@{version}")).collect();
    assert_eq!(log.lines(), expected);
    let stats = registration.stats();
    assert_eq!((stats.delivered, stats.dropped, stats.backlog), (10, 0, 0));
    assert!(!fixture.informer.stats().handlers.iter().any(|handler| handler.name == registration.name()));
    fixture.end().await;
}

// holds: X12, I11, I12
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn remove_now_drops_pending_notifications_and_counts_them() {
    let (fixture, feed) = InformerFixture::watching(config(QueueOrder::InOrder), 5, &[]).await;
    let (latch, log, registration) = stalled(&fixture, &feed).await;
    let removed = registration.remove_now();
    assert_eq!(registration.stats().dropped, 9);
    latch.open();
    timeout(TIMEOUT, removed).await.expect("it ends");
    assert_eq!(log.lines(), ["add pod-6@6"], "the call that was in progress returns");
    assert_eq!(registration.stats().delivered, 1);
    fixture.end().await;
}

// holds: I4, X12
#[tokio::test(start_paused = true)]
async fn a_handler_may_be_removed_before_the_start_while_running_after_the_stop_and_twice() {
    let mut fixture = InformerFixture::new(QueueOrder::InOrder);
    let feed = fixture.script(5, &[pod("a", 1)]);
    let (before, registration) = fixture.record_as("before");
    timeout(TIMEOUT, registration.remove()).await.expect("no task will ever call it");
    timeout(TIMEOUT, registration.remove()).await.expect("again");
    let (running, while_running) = fixture.record_as("running");
    let (stopped, after_stop) = fixture.record_as("stopped");
    fixture.start();
    fixture.synced().await;
    timeout(TIMEOUT, while_running.remove()).await.expect("it has received everything");
    timeout(TIMEOUT, while_running.remove_now()).await.expect("again");
    feed.added(&pod("b", 6));
    settle().await;
    fixture.informer.stop();
    fixture.ended().await;
    timeout(TIMEOUT, after_stop.remove()).await.expect("it has ended");
    timeout(TIMEOUT, after_stop.remove_now()).await.expect("again");
    assert!(before.lines().is_empty());
    assert_eq!(running.lines(), ["initial a@1"]);
    assert_eq!(stopped.lines(), ["initial a@1", "add b@6"]);
    fixture.end().await;
}

// holds: I4
#[tokio::test(start_paused = true)]
async fn a_registration_removes_its_own_handler_only_and_outlives_its_informer() {
    let (fixture, feed) = InformerFixture::watching(config(QueueOrder::InOrder), 5, &[]).await;
    let foreign = InformerFixture::new(QueueOrder::InOrder);
    let log = fixture.record();
    let (_, registration) = foreign.record_as("log");
    drop(foreign);
    timeout(TIMEOUT, registration.remove()).await.expect("it ended with its informer");
    feed.added(&pod("a", 6));
    settle().await;
    assert_eq!(log.lines(), ["add a@6"], "another informer's handler of that name stays");
    fixture.end().await;
}

/// A handler that removes itself in its first call, in the given way.
fn removes_itself(
    log: &NotificationLog,
    how: fn(&Registration),
) -> (Handler<Pod>, Arc<OnceLock<Registration>>) {
    let itself = Arc::new(OnceLock::<Registration>::new());
    let (own, log) = (Arc::clone(&itself), log.clone());
    let handler = Handler::new().on_add(move |pod, is_initial| {
        log.added(pod, is_initial);
        how(own.get().expect("it is registered"));
    });
    (handler, itself)
}

// holds: X12, I12
#[tokio::test(start_paused = true)]
async fn a_handler_that_removes_itself_in_its_own_call_does_not_deadlock_even_if_it_waits() {
    type Way = fn(&Registration);
    let ways: [(Way, &[&str]); 3] = [
        (|own| drop(own.remove()), &["add a@6", "add b@7"]),
        (
            |own| {
                futures_util::FutureExt::now_or_never(own.remove()).expect("waiting for itself ends at once")
            },
            &["add a@6", "add b@7"],
        ),
        (|own| drop(own.remove_now()), &["add a@6"]),
    ];
    for (how, expected) in ways {
        let (fixture, feed) = InformerFixture::watching(config(QueueOrder::InOrder), 5, &[]).await;
        let log = NotificationLog::default();
        let (handler, itself) = removes_itself(&log, how);
        itself.set(fixture.informer.add_handler(handler).unwrap()).unwrap();
        settle().await;
        feed.added(&pod("a", 6));
        feed.added(&pod("b", 7));
        settle().await;
        feed.added(&pod("c", 8));
        settle().await;
        assert_eq!(log.lines(), expected);
        timeout(TIMEOUT, itself.get().unwrap().remove()).await.expect("it has ended");
        assert!(fixture.faults.all().is_empty(), "{:?}", fixture.faults.all());
        fixture.end().await;
    }
}

/// Uses the informer when it is dropped.
struct AsksWhenDropped(SharedInformer<Pod>, mpsc::Sender<Lifecycle>);

impl Drop for AsksWhenDropped {
    fn drop(&mut self) {
        let _ = self.0.stats();
        let _ = self.1.send(self.0.lifecycle());
    }
}

// holds: X12
#[tokio::test]
async fn values_of_a_removed_handler_may_use_the_informer_while_they_are_dropped() {
    let fixture = InformerFixture::new(QueueOrder::InOrder);
    let (dropped, lifecycle) = mpsc::channel();
    let owned = AsksWhenDropped(fixture.informer.clone(), dropped);
    let registration = fixture
        .informer
        .add_handler(Handler::new().on_add(move |_, _| {
            let _ = &owned;
        }))
        .unwrap();
    // On its own thread, so that a deadlock fails the test instead of blocking it.
    let removing = std::thread::spawn(move || drop(registration.remove()));
    assert_eq!(lifecycle.recv_timeout(TIMEOUT), Ok(Lifecycle::New));
    removing.join().unwrap();
    fixture.end().await;
}

/// Records that it was dropped.
struct Dropped(Arc<Mutex<bool>>);

impl Drop for Dropped {
    fn drop(&mut self) {
        *self.0.lock().unwrap() = true;
    }
}

// holds: I12, X12
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_an_awaited_removal_the_handler_is_dropped() {
    let (fixture, feed) = InformerFixture::watching(config(QueueOrder::InOrder), 5, &[]).await;
    for version in 6..200 {
        let is_dropped = Arc::new(Mutex::new(false));
        let owned = Dropped(Arc::clone(&is_dropped));
        let handler = Handler::new().on_add(move |_, _| {
            let _ = &owned;
        });
        let registration = fixture.informer.add_handler(handler).unwrap();
        feed.added(&pod("a", version));
        timeout(TIMEOUT, registration.remove()).await.expect("it ends");
        assert!(*is_dropped.lock().unwrap());
    }
    fixture.end().await;
}

// holds: X12, X18
#[tokio::test(start_paused = true)]
async fn dropping_a_registration_does_not_remove_the_handler() {
    let (fixture, feed) = InformerFixture::watching(config(QueueOrder::InOrder), 5, &[]).await;
    let (log, registration) = fixture.record_as("kept");
    drop(registration);
    tokio::time::sleep(Duration::from_secs(60)).await;
    feed.added(&pod("a", 6));
    settle().await;
    assert_eq!(log.lines(), ["add a@6"]);
    fixture.end().await;
}
