//! Stopping: pending notifications are delivered within a deadline, and all waiters return.

use std::time::Duration;

use futures_util::{FutureExt as _, StreamExt as _};
use k8s_openapi::api::core::v1::Pod;
use tidings_informer::delta::QueueOrder;
use tidings_informer::{Handler, InformerConfig, Lifecycle, StreamState};
use tidings_source::scripted::{ListResponse, WatchResponse};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::informer::fixture::{InformerFixture, TIMEOUT, config, pod, seconds, settle};
use crate::informer::latch::{Latch, blocking_handler};
use crate::informer::notification_log::NotificationLog;

// holds: I1, C1
#[tokio::test(start_paused = true)]
async fn the_lifecycle_of_an_informer_is_new_started_stopped_and_never_back() {
    let mut fixture = InformerFixture::new(QueueOrder::InOrder);
    assert_eq!(fixture.informer.lifecycle(), Lifecycle::New);
    settle().await;
    assert!(fixture.source.requests().is_empty(), "nothing happens before the task runs");
    let _feed = fixture.script(5, &[pod("a", 1)]);
    fixture.start();
    fixture.synced().await;
    assert_eq!(fixture.informer.lifecycle(), Lifecycle::Started);
    assert_eq!(fixture.informer.health().streams[0].state, StreamState::Watching);
    fixture.informer.stop();
    timeout(TIMEOUT, fixture.informer.stopped()).await.unwrap();
    assert_eq!(fixture.informer.lifecycle(), Lifecycle::Stopped);
    fixture.ended().await;
    fixture.assert_nothing_is_left().await;
    assert!(fixture.informer.is_synced(), "the cache stays readable");
    assert_eq!(fixture.cached(), ["a@1"]);
    assert_eq!(fixture.informer.health().streams[0].state, StreamState::Stopped);
    fixture.informer.stop();
    fixture.end().await;
}

/// In real time a loaded machine may need longer than the default deadline.
fn patient() -> InformerConfig {
    let mut config = config(QueueOrder::InOrder);
    config.stop_deadline = TIMEOUT;
    config
}

// holds: I13, X12
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_delivers_pending_notifications() {
    let (mut fixture, feed) = InformerFixture::watching(patient(), 5, &[]).await;
    let (latch, slow, quick) = (Latch::closed(), NotificationLog::default(), fixture.record());
    let registration = fixture.add(blocking_handler(latch.waiter(), &slow));
    for version in 6..16 {
        feed.added(&pod(&format!("pod-{version}"), version));
    }
    quick.received(10).await;
    latch.entered(1).await;
    fixture.informer.stop();
    fixture.source.wait_until_closed().await;
    assert!(fixture.informer.stopped().now_or_never().is_none(), "a call is in progress");
    latch.open();
    fixture.ended().await;
    assert_eq!(slow.lines().len(), 10);
    let stats = registration.stats();
    assert_eq!((stats.delivered, stats.dropped), (10, 0));
    fixture.end().await;
}

// holds: I13, X12
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_the_deadline_of_a_stop_pending_notifications_are_dropped_and_counted() {
    assert_eq!(InformerConfig::default().stop_deadline, seconds(5));
    let mut config = config(QueueOrder::InOrder);
    config.stop_deadline = Duration::from_millis(20);
    let (mut fixture, feed) = InformerFixture::watching(config, 5, &[]).await;
    let (latch, slow, quick) = (Latch::closed(), NotificationLog::default(), fixture.record());
    let registration = fixture.add(blocking_handler(latch.waiter(), &slow));
    for version in 6..16 {
        feed.added(&pod(&format!("pod-{version}"), version));
    }
    quick.received(10).await;
    latch.entered(1).await;
    fixture.informer.stop();
    timeout(TIMEOUT, fixture.informer.stopped()).await.expect("a blocked handler does not delay it");
    fixture.ended().await;
    assert_eq!(registration.stats().dropped, 9);
    latch.open();
    timeout(TIMEOUT, registration.remove()).await.expect("its call has returned");
    assert_eq!(slow.lines(), ["add pod-6@6"]);
    fixture.end().await;
}

// holds: X12
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_inside_a_call_of_a_handler_delivers_pending_notifications_and_ends() {
    let (mut fixture, feed) = InformerFixture::watching(patient(), 5, &[]).await;
    let log = NotificationLog::default();
    let (informer, recording, latch) = (fixture.informer.clone(), log.clone(), Latch::closed());
    let waiter = latch.waiter();
    let handler = Handler::new().on_add(move |pod, is_initial| {
        waiter.wait();
        recording.added(pod, is_initial);
        informer.stop();
    });
    fixture.informer.add_handler(handler).unwrap();
    let quick = fixture.record();
    feed.added(&pod("a", 6));
    feed.added(&pod("b", 7));
    quick.received(2).await;
    latch.open();
    fixture.ended().await;
    assert_eq!(log.lines(), ["add a@6", "add b@7"]);
    fixture.end().await;
}

// holds: I13, C1
#[tokio::test(start_paused = true)]
async fn deltas_that_are_queued_at_a_stop_are_applied_and_delivered() {
    for order in crate::informer::fixture::BOTH_ORDERS {
        let mut config = config(order);
        config.queued_deltas_max = 4;
        let (mut fixture, feed) = InformerFixture::watching(config, 5, &[]).await;
        let log = fixture.record();
        settle().await;
        for version in 6..100 {
            feed.added(&pod(&format!("pod-{version}"), version));
        }
        // After some of the changes.
        for _ in 0..10_000 {
            if !fixture.informer.lister().is_empty() {
                break;
            }
            tokio::task::yield_now().await;
        }
        assert!(!fixture.cached().is_empty());
        fixture.informer.stop();
        fixture.ended().await;
        log.assert_consistent();
        assert_eq!(log.view(), fixture.cached(), "{order:?}");
        fixture.end().await;
    }
}

// holds: X12
#[tokio::test(start_paused = true)]
async fn dropping_the_task_wakes_all_waiters() {
    for is_started in [false, true] {
        let mut fixture = InformerFixture::new(QueueOrder::InOrder);
        let (_, registration) = fixture.record_as("log");
        let mut stream = fixture.informer.notifications().unwrap();
        fixture.source.will_list(ListResponse::hanging());
        let task = fixture.take_task();
        let mut running = JoinSet::new();
        match is_started {
            true => _ = running.spawn(task.run()),
            false => drop(task),
        }
        settle().await;
        running.shutdown().await;
        timeout(TIMEOUT, fixture.informer.stopped()).await.expect("it has stopped");
        assert_eq!(fixture.informer.lifecycle(), Lifecycle::Stopped);
        assert!(timeout(TIMEOUT, fixture.informer.synced()).await.expect("it will not sync").is_err());
        assert!(timeout(TIMEOUT, registration.synced()).await.expect("nor will its handler").is_err());
        assert!(timeout(TIMEOUT, stream.next()).await.expect("the stream ends").is_none());
        timeout(TIMEOUT, registration.remove()).await.expect("it has ended");
        assert!(fixture.informer.add_handler(Handler::<Pod>::new()).is_err());
        fixture.end().await;
    }
}

// holds: I1
#[tokio::test(start_paused = true)]
async fn an_informer_that_is_stopped_before_its_start_makes_no_request() {
    let mut fixture = InformerFixture::new(QueueOrder::InOrder);
    let (log, registration) = fixture.record_as("log");
    fixture.source.will_list_always(|_| ListResponse::page(5).object(&pod("a", 1)));
    fixture.informer.stop();
    fixture.start();
    fixture.ended().await;
    timeout(TIMEOUT, registration.remove()).await.expect("it has ended");
    assert!(fixture.source.requests().is_empty());
    assert!(log.lines().is_empty());
    assert_eq!(fixture.informer.lifecycle(), Lifecycle::Stopped);
    fixture.end().await;
}

// holds: X6, X12
#[tokio::test(start_paused = true)]
async fn a_stop_takes_no_time_if_no_handler_is_in_a_call() {
    for order in crate::informer::fixture::BOTH_ORDERS {
        let mut fixture = InformerFixture::new(order);
        let log = fixture.record();
        fixture.source.will_list(ListResponse::page(5).object(&pod("a", 1)));
        fixture.source.will_watch_always(|_| WatchResponse::hanging());
        fixture.start();
        fixture.synced().await;
        assert_eq!(fixture.end().await, Duration::ZERO);
        assert_eq!(log.lines(), ["initial a@1"]);
    }
}

// holds: X18
#[tokio::test(start_paused = true)]
async fn handles_listers_streams_and_handlers_keep_an_informer_running_and_the_last_drop_stops_it() {
    type Hold = fn(&InformerFixture) -> Box<dyn std::any::Any>;
    let holders: [Hold; 4] = [
        |fixture| Box::new(fixture.informer.clone()),
        |fixture| Box::new(fixture.informer.lister()),
        |fixture| Box::new(fixture.informer.cast::<serde_json::Value>().notifications().unwrap()),
        |fixture| {
            let registration = fixture.record_as("keeps").1;
            Box::new(RemovesWhenDropped(registration))
        },
    ];
    for hold in holders {
        let (mut fixture, _feed) =
            InformerFixture::watching(config(QueueOrder::InOrder), 5, &[pod("a", 1)]).await;
        let holder = hold(&fixture);
        let weak = fixture.informer.downgrade();
        // Only the weak reference and the tested holder are left.
        fixture.informer = InformerFixture::new(QueueOrder::InOrder).informer;
        tokio::time::sleep(seconds(10)).await;
        assert!(weak.is_needed());
        assert_eq!(fixture.source.open_streams(), 1, "it still watches");
        drop(holder);
        fixture.ended().await;
        assert!(!weak.is_needed());
        assert!(weak.upgrade::<Pod>().is_none() && weak.stats().is_none());
        fixture.assert_nothing_is_left().await;
    }
}

struct RemovesWhenDropped(tidings_informer::Registration);

impl Drop for RemovesWhenDropped {
    fn drop(&mut self) {
        drop(self.0.remove());
    }
}
