//! Notifications as a stream, with the same guarantees as for handlers.

use futures_util::{FutureExt as _, StreamExt as _};
use k8s_openapi::api::core::v1::Pod;
use tidings_informer::delta::QueueOrder;
use tidings_informer::{Handler, Notifications};
use tokio::time::timeout;

use crate::informer::fixture::{BOTH_ORDERS, InformerFixture, TIMEOUT, config, pod, seconds, settle};
use crate::informer::notification_log::NotificationLog;

/// Takes the pending notifications.
fn take(stream: &mut Notifications<Pod>, log: &NotificationLog) -> Vec<String> {
    while let Some(Some(event)) = stream.next().now_or_never() {
        log.handle(&event);
    }
    log.take()
}

// holds: I6, I7, I28, C14
#[tokio::test(start_paused = true)]
async fn a_stream_receives_the_same_notifications_as_a_handler() {
    for order in BOTH_ORDERS {
        let mut fixture = InformerFixture::new(order);
        let mut early = fixture.informer.notifications().unwrap();
        let (handler, log) = (fixture.record(), NotificationLog::default());
        let feed = fixture.script(5, &[pod("a", 1), pod("b", 2)]);
        fixture.start();
        fixture.synced().await;
        feed.modified(&pod("a", 6));
        feed.deleted(&pod("b", 7));
        settle().await;
        let feed = fixture.relist(feed, 9, &[pod("c", 8)]).await;
        assert_eq!(take(&mut early, &log), handler.lines(), "{order:?}");
        log.assert_consistent();
        assert_eq!(log.view(), fixture.cached());
        let (mut late, latecomer) = (fixture.informer.notifications().unwrap(), NotificationLog::default());
        feed.added(&pod("d", 10));
        settle().await;
        let received = take(&mut late, &latecomer);
        assert_eq!(received[0], "initial c@8");
        assert_eq!(latecomer.view(), ["c@8", "d@10"]);
        drop((early, late));
        fixture.end().await;
    }
}

// holds: I15
#[tokio::test(start_paused = true)]
async fn a_stream_is_synced_when_it_is_polled_after_the_last_initial_addition() {
    let mut fixture = InformerFixture::new(QueueOrder::InOrder);
    let mut stream = fixture.informer.notifications().unwrap();
    assert!(!stream.is_synced());
    let feed = fixture.script(5, &[pod("a", 1), pod("b", 2)]);
    fixture.start();
    fixture.synced().await;
    let log = NotificationLog::default();
    for _ in 0..2 {
        assert!(!stream.is_synced());
        log.handle(&stream.next().await.unwrap());
    }
    assert!(!stream.is_synced(), "the last one is not confirmed yet");
    assert!(stream.next().now_or_never().is_none());
    assert!(stream.is_synced());
    assert_eq!(stream.stats().delivered, 2);
    feed.added(&pod("c", 6));
    log.handle(&timeout(TIMEOUT, stream.next()).await.expect("it is woken").unwrap());
    assert_eq!(log.lines()[2..], ["add c@6"]);
    drop(stream);
    fixture.end().await;
}

// holds: I13, X12
#[tokio::test(start_paused = true)]
async fn a_stream_yields_pending_notifications_and_ends_when_the_informer_stops() {
    let (mut fixture, feed) = InformerFixture::watching(config(QueueOrder::InOrder), 5, &[pod("a", 1)]).await;
    let mut stream = fixture.informer.notifications().unwrap();
    let log = NotificationLog::default();
    feed.added(&pod("b", 6));
    settle().await;
    fixture.informer.stop();
    fixture.ended().await;
    assert_eq!(take(&mut stream, &log), ["initial a@1", "add b@6"]);
    assert!(stream.next().await.is_none());
    assert!(stream.next().await.is_none(), "and stays ended");
    fixture.end().await;
}

// holds: X12, X18
#[tokio::test(start_paused = true)]
async fn a_dropped_stream_is_removed() {
    let (fixture, feed) = InformerFixture::watching(config(QueueOrder::InOrder), 5, &[pod("a", 1)]).await;
    let stream = fixture.informer.notifications_with(Handler::new().named("mine")).unwrap();
    settle().await;
    let names = || -> Vec<String> {
        fixture.informer.stats().handlers.into_iter().map(|handler| handler.name).collect()
    };
    assert_eq!(names(), ["mine"]);
    drop(stream);
    assert!(names().is_empty());
    feed.added(&pod("b", 6));
    settle().await;
    assert!(names().is_empty());
    fixture.end().await;
}

// holds: I24
#[tokio::test(start_paused = true)]
async fn a_stream_can_have_resyncs_too() {
    let (fixture, _feed) = InformerFixture::watching(config(QueueOrder::InOrder), 5, &[pod("a", 1)]).await;
    let options = Handler::new().resync(seconds(2));
    let (mut stream, log) =
        (fixture.informer.notifications_with(options).unwrap(), NotificationLog::default());
    tokio::time::sleep(seconds(5)).await;
    assert_eq!(take(&mut stream, &log), ["initial a@1", "resync a@1", "resync a@1"]);
    drop(stream);
    fixture.end().await;
}
