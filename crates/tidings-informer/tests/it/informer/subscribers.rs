//! Subscribers receive every notification, none merged, with any bound. A slow one slows its informer.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use proptest::prelude::*;
use tidings_informer::delta::QueueOrder;
use tidings_informer::{Handler, Lifecycle, Notification, Registration};
use tokio::time::{sleep, timeout};

use crate::informer::fixture::{BOTH_ORDERS, InformerFixture, TIMEOUT, config, pod, seconds, settle, short};
use crate::informer::latch::Latch;

/// The notifications of a subscriber, in the order of its calls.
#[derive(Clone, Default)]
struct Received(Arc<Mutex<Vec<String>>>);

impl Received {
    fn call(&self, notification: &Notification<Pod>) {
        self.0.lock().unwrap().push(shown(notification));
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    fn sorted(&self) -> Vec<String> {
        let mut received = self.take();
        received.sort();
        received
    }
}

fn shown(notification: &Notification<Pod>) -> String {
    let name = short(&notification.key()).to_owned();
    match notification {
        Notification::Added { object, is_initial: true } => format!("initial {name}@{}", object.version()),
        Notification::Added { object, .. } => format!("add {name}@{}", object.version()),
        Notification::Updated { new, is_resync: true, .. } => format!("resync {name}@{}", new.version()),
        Notification::Updated { old, new, .. } => {
            format!("update {name}@{}->{}", old.version(), new.version())
        }
        Notification::Deleted { old, object, .. } => {
            format!("delete {name}@{}->{}", old.version(), object.version())
        }
    }
}

fn subscribe(fixture: &InformerFixture, bound: usize) -> (Received, Registration) {
    let received = Received::default();
    let calls = received.clone();
    let subscriber = Handler::subscriber(move |notification| calls.call(notification));
    (received, fixture.add(subscriber.merge_above(bound)))
}

// holds: X28
#[tokio::test(start_paused = true)]
async fn a_subscriber_receives_every_state_with_any_bound() {
    for order in BOTH_ORDERS {
        for notifications in [0, 1, 1_000] {
            let (fixture, feed) = InformerFixture::watching(config(order), 5, &[pod("a", 1)]).await;
            let (received, registration) = subscribe(&fixture, notifications);
            settle().await;
            feed.modified(&pod("a", 6));
            feed.modified(&pod("a", 7));
            feed.added(&pod("b", 8));
            feed.deleted(&pod("b", 9));
            feed.deleted(&pod("a", 10));
            settle().await;
            let expected = [
                "add b@8",
                "delete a@7->10",
                "delete b@8->9",
                "initial a@1",
                "update a@1->6",
                "update a@6->7",
            ];
            assert_eq!(received.sorted(), expected, "{order:?}, {notifications}");
            let stats = registration.stats();
            assert_eq!((stats.delivered, stats.merged, stats.backlog), (6, 0, 0));
            assert_eq!(stats.inline_calls > 0, notifications < 5, "{stats:?}");
            fixture.end().await;
        }
    }
}

// holds: X28, I15
#[tokio::test(start_paused = true)]
async fn the_first_list_and_resyncs_never_exceed_the_bound_and_all_of_them_are_delivered() {
    const OBJECTS: u64 = 2_000;
    let listed: Vec<_> = (0..OBJECTS).map(|number| pod(&format!("pod-{number}"), number + 1)).collect();
    for order in BOTH_ORDERS {
        let (fixture, _feed) = InformerFixture::watching(config(order), OBJECTS, &listed).await;
        let (received, most) = (Received::default(), Arc::new(Mutex::new(0)));
        let registration: Arc<Mutex<Option<Registration>>> = Arc::default();
        let (calls, pending, own) = (received.clone(), Arc::clone(&most), Arc::clone(&registration));
        let subscriber = move |notification: &Notification<Pod>| {
            calls.call(notification);
            let backlog = own.lock().unwrap().as_ref().map_or(0, |own| own.stats().backlog);
            let mut most = pending.lock().unwrap();
            *most = (*most).max(backlog);
        };
        *registration.lock().unwrap() =
            Some(fixture.add(Handler::subscriber(subscriber).merge_above(16).resync(seconds(1))));
        let own = registration.lock().unwrap().clone().unwrap();
        timeout(TIMEOUT, own.synced()).await.unwrap().unwrap();
        assert_eq!(received.take().len() as u64, OBJECTS);
        sleep(seconds(1)).await;
        settle().await;
        let resynced = received.take();
        assert_eq!(resynced.len() as u64, OBJECTS, "{order:?}");
        assert!(resynced.iter().all(|line| line.starts_with("resync ")));
        assert!((1..=16).contains(&*most.lock().unwrap()), "{most:?}");
        assert!(own.stats().inline_calls > 3_000, "{:?}", own.stats());
        own.remove().await;
        *registration.lock().unwrap() = None;
        fixture.end().await;
    }
}

// holds: X28, X13
#[tokio::test(start_paused = true)]
async fn a_subscriber_that_panics_on_the_informers_task_costs_that_call_only() {
    let (fixture, feed) = InformerFixture::watching(config(QueueOrder::InOrder), 5, &[pod("a", 1)]).await;
    let received = Received::default();
    let calls = received.clone();
    let subscriber = Handler::subscriber(move |notification| {
        calls.call(notification);
        assert_ne!(short(&notification.key()), "a", "scripted");
    });
    let registration = fixture.add(subscriber.merge_above(0));
    settle().await;
    assert!(registration.is_synced());
    for version in 6..9 {
        feed.modified(&pod("a", version));
    }
    feed.added(&pod("b", 9));
    settle().await;
    assert_eq!(received.take().len(), 5);
    let stats = registration.stats();
    assert_eq!((stats.panics, stats.delivered, stats.inline_calls), (4, 5, 5), "{stats:?}");
    assert_eq!(fixture.faults.all().len(), 4);
    assert_eq!(fixture.cached(), ["a@8", "b@9"]);
    fixture.end().await;
}

// holds: X28, X12
#[tokio::test(start_paused = true)]
async fn a_subscriber_can_remove_itself_in_a_call_by_the_informers_task() {
    for order in BOTH_ORDERS {
        let (fixture, feed) = InformerFixture::watching(config(order), 5, &[pod("a", 1)]).await;
        let own: Arc<Mutex<Option<Registration>>> = Arc::default();
        let (received, registration) = (Received::default(), Arc::clone(&own));
        let calls = received.clone();
        let subscriber = move |notification: &Notification<Pod>| {
            calls.call(notification);
            if let Some(own) = registration.lock().unwrap().as_ref() {
                // Waiting inside its own call returns at once.
                let removed = futures_util::FutureExt::now_or_never(own.remove());
                assert!(removed.is_some());
            }
        };
        let registration = fixture.add(Handler::subscriber(subscriber).merge_above(0));
        settle().await;
        *own.lock().unwrap() = Some(registration.clone());
        feed.modified(&pod("a", 6));
        feed.modified(&pod("a", 7));
        settle().await;
        registration.remove().await;
        feed.modified(&pod("a", 8));
        settle().await;
        assert_eq!(received.take(), ["initial a@1", "update a@1->6"], "{order:?}");
        assert!(fixture.faults.all().is_empty(), "{:?}", fixture.faults.all());
        *own.lock().unwrap() = None;
        fixture.end().await;
    }
}

// holds: X28
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_call_that_hangs_delays_neither_the_cache_nor_the_subscriber() {
    let (fixture, feed) = InformerFixture::watching(config(QueueOrder::InOrder), 5, &[]).await;
    let (latch, received) = (Latch::closed(), Received::default());
    let (waiter, calls) = (latch.waiter(), received.clone());
    // The subscriber's own task makes the first call, because nothing else is pending.
    let is_first = AtomicBool::new(true);
    let subscriber = Handler::subscriber(move |notification| {
        if is_first.swap(false, Ordering::SeqCst) {
            waiter.wait();
        }
        calls.call(notification);
    });
    let registration = fixture.add(subscriber.merge_above(1));
    feed.added(&pod("first", 6));
    latch.entered(1).await;
    for version in 7..27 {
        feed.added(&pod(&format!("pod-{version}"), version));
    }
    let all_cached = async {
        while fixture.cached().len() < 21 {
            tokio::task::yield_now().await;
        }
    };
    timeout(TIMEOUT, all_cached).await.expect("the cache is not delayed");
    let called = async {
        while registration.stats().inline_calls < 19 {
            tokio::task::yield_now().await;
        }
    };
    timeout(TIMEOUT, called).await.expect("the subscriber is not delayed");
    assert_eq!(registration.stats().backlog, 1);
    latch.open();
    registration.remove().await;
    assert_eq!(received.take().len(), 21);
    fixture.end().await;
}

// holds: X28
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn handlers_receive_a_batch_before_a_subscriber_that_blocks_the_informers_task() {
    let (fixture, feed) = InformerFixture::watching(config(QueueOrder::InOrder), 5, &[]).await;
    let latch = Latch::closed();
    let waiter = latch.waiter();
    let blocking = fixture.add(Handler::subscriber(move |_| waiter.wait()).merge_above(0));
    let log = fixture.record();
    timeout(TIMEOUT, blocking.synced()).await.unwrap().unwrap();
    feed.added(&pod("a", 6));
    latch.entered(1).await;
    assert_eq!(log.received(1).await, ["add a@6"]);
    latch.open();
    blocking.remove().await;
    fixture.end().await;
}

// holds: X28, X12
#[tokio::test(start_paused = true)]
async fn an_informer_that_is_dropped_during_a_call_of_a_subscriber_wakes_all_waiters() {
    const OBJECTS: usize = 2_000;
    let listed: Vec<_> =
        (0..OBJECTS).map(|number| pod(&format!("pod-{number}"), number as u64 + 1)).collect();
    let mut fixture = InformerFixture::new(QueueOrder::InOrder);
    let _feed = fixture.script(OBJECTS as u64, &listed);
    let (received, first) = subscribe(&fixture, 0);
    let (_, second) = subscribe(&fixture, 0);
    let mut running = Box::pin(fixture.take_task().run());
    // It yields in the middle of the list.
    while received.0.lock().unwrap().is_empty() {
        assert!(futures_util::poll!(running.as_mut()).is_pending());
        tokio::task::yield_now().await;
    }
    drop(running);
    assert!((1..OBJECTS).contains(&received.take().len()));
    for registration in [first, second] {
        assert!(timeout(TIMEOUT, registration.synced()).await.expect("the waiter returns").is_err());
        timeout(TIMEOUT, registration.remove()).await.expect("the waiter returns");
    }
    fixture.end().await;
}

// holds: X28, X12
#[tokio::test(start_paused = true)]
async fn a_stop_delivers_the_rest_through_the_subscribers_own_task_within_its_deadline() {
    let listed: Vec<_> = (0..100).map(|number| pod(&format!("pod-{number}"), number + 1)).collect();
    let (fixture, feed) = InformerFixture::watching(config(QueueOrder::InOrder), 100, &listed).await;
    let received = Received::default();
    let (calls, informer) = (received.clone(), fixture.informer.downgrade());
    let subscriber = Handler::subscriber(move |notification| {
        calls.call(notification);
        if let Some(informer) = informer.upgrade::<Pod>() {
            informer.stop();
        }
    });
    let registration = fixture.add(subscriber.merge_above(2));
    feed.added(&pod("late", 101));
    timeout(TIMEOUT, fixture.informer.stopped()).await.unwrap();
    assert_eq!(fixture.informer.lifecycle(), Lifecycle::Stopped);
    let stats = registration.stats();
    assert!(stats.inline_calls <= 2, "the informer's task makes no calls while it stops: {stats:?}");
    assert!(received.take().len() >= 100, "{stats:?}");
    assert_eq!((stats.backlog, stats.dropped), (0, 0));
    assert!(fixture.end().await < Duration::from_secs(1));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    // holds: X28
    #[test]
    fn a_subscriber_receives_each_change_exactly_once(
        is_in_order in any::<bool>(),
        notifications in 0..6_usize,
        steps in prop::collection::vec((0..3_usize, 0..4_u8), 1..80),
    ) {
        let order = if is_in_order { QueueOrder::InOrder } else { QueueOrder::PerObject };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let (fixture, feed) = InformerFixture::watching(config(order), 5, &[]).await;
            let (received, registration) = subscribe(&fixture, notifications);
            let (mut live, mut expected) = ([None; 3], Vec::new());
            for (version, (name, action)) in (6..).zip(steps) {
                let pod = pod(&format!("pod-{name}"), version);
                match (live[name], action) {
                    (_, 0) => settle().await,
                    (None, _) => {
                        feed.added(&pod);
                        expected.push(format!("add pod-{name}@{version}"));
                        live[name] = Some(version);
                    }
                    (Some(old), 1) => {
                        feed.deleted(&pod);
                        expected.push(format!("delete pod-{name}@{old}->{version}"));
                        live[name] = None;
                    }
                    (Some(old), _) => {
                        feed.modified(&pod);
                        expected.push(format!("update pod-{name}@{old}->{version}"));
                        live[name] = Some(version);
                    }
                }
            }
            settle().await;
            expected.sort();
            assert_eq!(received.sorted(), expected);
            let stats = registration.stats();
            assert!(stats.is_synced && stats.merged == 0 && stats.backlog == 0, "{stats:?}");
            fixture.end().await;
        });
    }
}
