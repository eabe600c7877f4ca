//! Taking handlers away: what is pending is delivered or dropped, and whoever waits for the end gets it.

use std::sync::{Arc, Mutex, OnceLock, mpsc};
use std::time::Duration;

use futures_util::FutureExt as _;
use k8s_openapi::api::core::v1::Pod;
use tidings_informer::delta::QueueOrder;
use tidings_informer::informer::{Handler, Lifecycle, Registration, SharedInformer};
use tokio::time::timeout;

use crate::informer::gate::{Gate, gated};
use crate::informer::heard::Heard;
use crate::informer::stage::{LONG, Stage, config, pod, settle};

/// A handler that stands before a gate in its first call while nine more notifications wait.
async fn stalled(stage: &Stage, feed: &tidings_source::scripted::WatchFeed) -> (Gate, Heard, Registration) {
    let (gate, heard, other) = (Gate::closed(), Heard::default(), stage.listen());
    let registration = stage.add(gated(gate.passage(), &heard));
    for version in 6..16 {
        feed.added(&pod(&format!("pod-{version}"), version));
    }
    gate.came(1).await;
    other.told(10).await;
    (gate, heard, registration)
}

// holds: X12, I11, I12
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_removed_handler_is_told_what_was_pending_and_nothing_more() {
    let (stage, feed) = Stage::watching(config(QueueOrder::InOrder), 5, &[]).await;
    let (gate, heard, registration) = stalled(&stage, &feed).await;
    let mut removed = Box::pin(registration.remove());
    assert!(removed.as_mut().now_or_never().is_none(), "a call is in progress");
    let late = stage.listen();
    feed.added(&pod("later", 20));
    late.told(11).await;
    assert!(heard.lines().is_empty());
    gate.open();
    timeout(LONG, removed).await.expect("it ends");
    let expected: Vec<_> = (6..16).map(|version| format!("add pod-{version}@{version}")).collect();
    assert_eq!(heard.lines(), expected);
    let stats = registration.stats();
    assert_eq!((stats.delivered, stats.dropped, stats.backlog), (10, 0, 0));
    assert!(!stage.informer.stats().handlers.iter().any(|handler| handler.name == registration.name()));
    stage.end().await;
}

// holds: X12, I11, I12
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_removed_now_loses_what_is_pending_and_it_is_counted() {
    let (stage, feed) = Stage::watching(config(QueueOrder::InOrder), 5, &[]).await;
    let (gate, heard, registration) = stalled(&stage, &feed).await;
    let removed = registration.remove_now();
    assert_eq!(registration.stats().dropped, 9);
    gate.open();
    timeout(LONG, removed).await.expect("it ends");
    assert_eq!(heard.lines(), ["add pod-6@6"], "the call that was in progress returns");
    assert_eq!(registration.stats().delivered, 1);
    stage.end().await;
}

// holds: I4, X12
#[tokio::test(start_paused = true)]
async fn removal_is_allowed_before_the_start_while_running_after_the_stop_and_again() {
    let mut stage = Stage::new(QueueOrder::InOrder);
    let feed = stage.script(5, &[pod("a", 1)]);
    let (before, registration) = stage.listen_as("before");
    timeout(LONG, registration.remove()).await.expect("nobody will ever call it");
    timeout(LONG, registration.remove()).await.expect("again");
    let (running, while_running) = stage.listen_as("running");
    let (stopped, after_stop) = stage.listen_as("stopped");
    stage.start();
    stage.synced().await;
    timeout(LONG, while_running.remove()).await.expect("it has heard everything");
    timeout(LONG, while_running.remove_now()).await.expect("again");
    feed.added(&pod("b", 6));
    settle().await;
    stage.informer.stop();
    stage.ended().await;
    timeout(LONG, after_stop.remove()).await.expect("it has ended");
    timeout(LONG, after_stop.remove_now()).await.expect("again");
    assert!(before.lines().is_empty());
    assert_eq!(running.lines(), ["initial a@1"]);
    assert_eq!(stopped.lines(), ["initial a@1", "add b@6"]);
    stage.end().await;
}

// holds: I4
#[tokio::test(start_paused = true)]
async fn a_registration_removes_its_own_handler_only_and_outlives_its_informer() {
    let (stage, feed) = Stage::watching(config(QueueOrder::InOrder), 5, &[]).await;
    let foreign = Stage::new(QueueOrder::InOrder);
    let heard = stage.listen();
    let (_, registration) = foreign.listen_as("heard");
    drop(foreign);
    timeout(LONG, registration.remove()).await.expect("its informer is gone, and so is it");
    feed.added(&pod("a", 6));
    settle().await;
    assert_eq!(heard.lines(), ["add a@6"], "another informer's handler of that name stays");
    stage.end().await;
}

/// Removes itself in its first call, and waits for that there if told to.
fn removes_itself(heard: &Heard, how: fn(&Registration)) -> (Handler<Pod>, Arc<OnceLock<Registration>>) {
    let itself = Arc::new(OnceLock::<Registration>::new());
    let (own, heard) = (Arc::clone(&itself), heard.clone());
    let handler = Handler::new().on_add(move |pod, is_initial| {
        heard.added(pod.raw(), is_initial);
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
        let (stage, feed) = Stage::watching(config(QueueOrder::InOrder), 5, &[]).await;
        let heard = Heard::default();
        let (handler, itself) = removes_itself(&heard, how);
        itself.set(stage.informer.add_handler(handler).unwrap()).unwrap();
        settle().await;
        feed.added(&pod("a", 6));
        feed.added(&pod("b", 7));
        settle().await;
        feed.added(&pod("c", 8));
        settle().await;
        assert_eq!(heard.lines(), expected);
        timeout(LONG, itself.get().unwrap().remove()).await.expect("it has ended");
        assert!(stage.faults.all().is_empty(), "{:?}", stage.faults.all());
        stage.end().await;
    }
}

/// Asks the informer when it is dropped.
struct AsksWhenDropped(SharedInformer<Pod>, mpsc::Sender<Lifecycle>);

impl Drop for AsksWhenDropped {
    fn drop(&mut self) {
        let _ = self.0.stats();
        let _ = self.1.send(self.0.lifecycle());
    }
}

// holds: X12
#[tokio::test]
async fn what_a_removed_handler_owned_may_ask_the_informer_while_it_is_dropped() {
    let stage = Stage::new(QueueOrder::InOrder);
    let (dropped, lifecycle) = mpsc::channel();
    let owned = AsksWhenDropped(stage.informer.clone(), dropped);
    let registration = stage
        .informer
        .add_handler(Handler::new().on_add(move |_, _| {
            let _ = &owned;
        }))
        .unwrap();
    // On a thread of its own: a deadlock fails the test instead of hanging it.
    let removing = std::thread::spawn(move || drop(registration.remove()));
    assert_eq!(lifecycle.recv_timeout(LONG), Ok(Lifecycle::New));
    removing.join().unwrap();
    stage.end().await;
}

/// Says that it is dropped.
struct Dropped(Arc<Mutex<bool>>);

impl Drop for Dropped {
    fn drop(&mut self) {
        *self.0.lock().unwrap() = true;
    }
}

// holds: I12, X12
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn once_a_removal_has_ended_nothing_of_the_handler_is_left() {
    let (stage, feed) = Stage::watching(config(QueueOrder::InOrder), 5, &[]).await;
    for version in 6..200 {
        let is_dropped = Arc::new(Mutex::new(false));
        let owned = Dropped(Arc::clone(&is_dropped));
        let handler = Handler::new().on_add(move |_, _| {
            let _ = &owned;
        });
        let registration = stage.informer.add_handler(handler).unwrap();
        feed.added(&pod("a", version));
        timeout(LONG, registration.remove()).await.expect("it ends");
        assert!(*is_dropped.lock().unwrap());
    }
    stage.end().await;
}

// holds: X12, X18
#[tokio::test(start_paused = true)]
async fn dropping_a_registration_removes_nothing() {
    let (stage, feed) = Stage::watching(config(QueueOrder::InOrder), 5, &[]).await;
    let (heard, registration) = stage.listen_as("kept");
    drop(registration);
    tokio::time::sleep(Duration::from_secs(60)).await;
    feed.added(&pod("a", 6));
    settle().await;
    assert_eq!(heard.lines(), ["add a@6"]);
    stage.end().await;
}
