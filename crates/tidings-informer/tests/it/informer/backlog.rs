//! A handler that falls behind: its backlog is bounded, its last state is right, and its statistics show it.

use std::time::Duration;

use futures_util::StreamExt as _;
use k8s_openapi::api::core::v1::Pod;
use tidings_informer::Handler;
use tidings_informer::delta::QueueOrder;

use crate::informer::fixture::{BOTH_ORDERS, InformerFixture, config, pod, seconds, settle};
use crate::informer::latch::{Latch, blocking_handler};
use crate::informer::notification_log::NotificationLog;

fn merging_above(notifications: usize) -> Handler<Pod> {
    Handler::new().merge_above(notifications)
}

// holds: X11, I9, I10
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stalled_handler_holds_no_more_than_its_bound_and_ends_with_the_last_state() {
    let (fixture, feed) = InformerFixture::watching(config(QueueOrder::InOrder), 5, &[pod("a", 1)]).await;
    let (latch, slow) = (Latch::closed(), NotificationLog::default());
    let registration = fixture.add(blocking_handler(latch.waiter(), &slow).merge_above(4));
    latch.entered(1).await;
    let quick = fixture.record();
    for version in (6..2_000).step_by(3) {
        feed.modified(&pod("a", version));
        let short_lived = format!("pod-{}", version % 7);
        feed.added(&pod(&short_lived, version + 1));
        feed.deleted(&pod(&short_lived, version + 2));
    }
    feed.added(&pod("last", 2_001));
    // A handler that keeps up has its own, much higher bound. It receives the last object that was fed.
    let last_of_all = async {
        while !quick.view().contains(&"last@2001".to_owned()) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(crate::informer::fixture::TIMEOUT, last_of_all).await.unwrap();
    let stats = registration.stats();
    // At most nine objects: a, seven short-lived ones, and the last one.
    assert!(stats.backlog <= 4 + 2 * 9, "{stats:?}");
    assert!(stats.merged > 1_300, "{stats:?}");
    assert!(stats.backlog_bytes > 0 && stats.backlog_bytes < 64 * 1024, "{stats:?}");
    assert!(stats.lag > Duration::ZERO);
    assert_eq!((stats.delivered, stats.dropped), (0, 0));
    let of_informer = fixture.informer.stats();
    assert!(of_informer.memory.backlog_bytes >= stats.backlog_bytes as u64);
    assert!(fixture.informer.health().lag > Duration::ZERO);
    latch.open();
    registration.remove().await;
    slow.assert_consistent();
    quick.assert_consistent();
    assert_eq!(slow.view(), fixture.cached());
    assert_eq!(registration.stats().backlog, 0);
    fixture.end().await;
}

// holds: X11
#[tokio::test(start_paused = true)]
async fn up_to_its_bound_a_slow_stream_misses_nothing_and_above_it_changes_merge() {
    for order in BOTH_ORDERS {
        let (fixture, feed) = InformerFixture::watching(config(order), 5, &[pod("a", 1)]).await;
        let mut stream = fixture.informer.notifications_with(merging_above(3)).unwrap();
        settle().await;
        for version in 6..12 {
            feed.modified(&pod("a", version));
            settle().await;
        }
        tokio::time::sleep(seconds(10)).await;
        let stats = stream.stats();
        assert_eq!((stats.backlog, stats.merged), (3, 4), "{order:?}");
        assert!(
            stats.lag >= seconds(10) && stats.lag < seconds(11),
            "the oldest waits longest: {:?}",
            stats.lag
        );
        assert_eq!(fixture.informer.health().lag, stats.lag);
        let log = NotificationLog::default();
        for _ in 0..3 {
            log.handle(&stream.next().await.unwrap());
        }
        assert_eq!(log.lines(), ["initial a@1", "update a@1->6", "update a@6->11"], "{order:?}");
        log.assert_consistent();
        assert_eq!(stream.stats().lag, Duration::ZERO);
        drop(stream);
        fixture.end().await;
    }
}

// holds: X11, I15
#[tokio::test(start_paused = true)]
async fn an_initial_addition_that_was_cancelled_by_a_deletion_counts_as_delivered() {
    for order in BOTH_ORDERS {
        let (fixture, feed) = InformerFixture::watching(config(order), 5, &[pod("a", 1)]).await;
        let stream = fixture.informer.notifications_with(merging_above(0)).unwrap();
        settle().await;
        assert!(!stream.is_synced());
        feed.deleted(&pod("a", 6));
        settle().await;
        assert_eq!(stream.stats().backlog, 0, "both were dropped");
        assert!(stream.is_synced(), "{order:?}");
        drop(stream);
        fixture.end().await;
    }
}

// holds: X11
#[tokio::test(start_paused = true)]
async fn above_the_bound_a_resync_adds_no_pending_notifications() {
    let (fixture, feed) =
        InformerFixture::watching(config(QueueOrder::InOrder), 5, &[pod("a", 1), pod("b", 2)]).await;
    let mut stream = fixture.informer.notifications_with(merging_above(0).resync(seconds(1))).unwrap();
    settle().await;
    let log = NotificationLog::default();
    for _ in 0..2 {
        log.handle(&stream.next().await.unwrap());
    }
    feed.modified(&pod("a", 6));
    tokio::time::sleep(seconds(100)).await;
    assert_eq!(stream.stats().backlog, 2);
    log.take();
    for _ in 0..2 {
        log.handle(&stream.next().await.unwrap());
    }
    assert_eq!(
        log.take(),
        ["update a@1->6", "resync b@2"],
        "a resync merged with a real change is the change"
    );
    drop(stream);
    fixture.end().await;
}

// holds: X11
#[tokio::test(start_paused = true)]
async fn the_bound_of_the_informer_applies_to_handlers_without_their_own() {
    let mut config = config(QueueOrder::InOrder);
    config.merge_above = 2;
    let (fixture, feed) = InformerFixture::watching(config, 5, &[pod("a", 1)]).await;
    let default = fixture.informer.notifications().unwrap();
    let own = fixture.informer.notifications_with(merging_above(5)).unwrap();
    settle().await;
    for version in 6..16 {
        feed.modified(&pod("a", version));
    }
    settle().await;
    assert_eq!((default.stats().backlog, own.stats().backlog), (2, 5));
    drop((default, own));
    fixture.end().await;
}
