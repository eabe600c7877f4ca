//! Resyncs: each handler has its own period, independent of the watch and of other handlers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use tidings_informer::delta::QueueOrder;
use tidings_informer::{Handler, Notification, RESYNC_MIN};
use tidings_source::scripted::{ListResponse, WatchResponse};

use crate::informer::fixture::{BOTH_ORDERS, InformerFixture, config, pod, seconds, settle};

fn every(period: Duration) -> impl FnOnce(Handler<Pod>) -> Handler<Pod> {
    move |handler| handler.resync(period)
}

// holds: I24, I25, C10, R65, R67
#[tokio::test(start_paused = true)]
async fn each_handler_is_resynced_with_its_own_period() {
    for order in BOTH_ORDERS {
        let (fixture, _feed) = InformerFixture::watching(config(order), 5, &[pod("a", 1), pod("b", 2)]).await;
        let (never, _) = fixture.record_with(every(Duration::ZERO));
        let (without_resync, _) = fixture.record_as("without_resync");
        let (two, _) = fixture.record_with(every(seconds(2)));
        let (three, _) = fixture.record_with(every(seconds(3)));
        settle().await;
        let all = [&never, &without_resync, &two, &three];
        all.iter().for_each(|log| _ = log.take());
        let both = |times: usize| ["resync a@1", "resync b@2"].repeat(times);
        for (second, twos, threes) in [(1, 0, 0), (2, 1, 0), (3, 0, 1), (4, 1, 0), (5, 0, 0), (6, 1, 1)] {
            tokio::time::sleep(seconds(1)).await;
            let received = all.map(|log| {
                let mut received = log.take();
                received.sort();
                received
            });
            assert_eq!(
                received,
                [
                    vec![],
                    vec![],
                    both(twos).iter().map(ToString::to_string).collect(),
                    both(threes).iter().map(ToString::to_string).collect()
                ],
                "{order:?} after {second} s"
            );
        }
        assert_eq!(fixture.source.requests().len(), 2, "no request is made");
        fixture.end().await;
    }
}

// holds: Q7, X29
#[tokio::test(start_paused = true)]
async fn in_the_per_object_queue_a_resync_passes_through_the_queue_to_the_handlers_that_are_due() {
    const OBJECTS: u64 = 1_500;
    let listed: Vec<_> = (0..OBJECTS).map(|number| pod(&format!("pod-{number}"), number + 1)).collect();
    for order in BOTH_ORDERS {
        let (fixture, feed) = InformerFixture::watching(config(order), OBJECTS, &listed).await;
        let without_resync = fixture.record();
        let (queued, resyncs) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let informer = fixture.informer.downgrade();
        let (most, count) = (Arc::clone(&queued), Arc::clone(&resyncs));
        // Called by the informer's own task, so that it sees the queue unchanged.
        let looks = move |notification: &Notification<Pod>| {
            let Some(informer) = informer.upgrade::<Pod>() else { return };
            if notification.is_resync() {
                count.fetch_add(1, Ordering::Relaxed);
                most.fetch_max(informer.stats().queued_deltas, Ordering::Relaxed);
            }
        };
        let registration = fixture.add(Handler::subscriber(looks).merge_above(0).resync(seconds(1)));
        settle().await;
        without_resync.take();
        tokio::time::sleep(seconds(1)).await;
        assert_eq!(resyncs.load(Ordering::Relaxed) as u64, OBJECTS, "{order:?}");
        assert_eq!(queued.load(Ordering::Relaxed) > 0, order == QueueOrder::PerObject, "{order:?}");
        assert!(without_resync.take().is_empty(), "{order:?}");
        feed.added(&pod("late", OBJECTS + 1));
        settle().await;
        assert_eq!(without_resync.take(), ["add late@1501"]);
        registration.remove().await;
        fixture.end().await;
    }
}

// holds: I20, R63
#[tokio::test(start_paused = true)]
async fn the_period_of_the_informer_applies_to_handlers_without_their_own_and_zero_means_never() {
    let mut config = config(QueueOrder::InOrder);
    config.resync = seconds(10);
    let (fixture, _feed) = InformerFixture::watching(config, 5, &[pod("a", 1)]).await;
    let (default, _) = fixture.record_as("default");
    let (never, _) = fixture.record_with(every(Duration::ZERO));
    tokio::time::sleep(seconds(35)).await;
    assert_eq!(default.lines(), ["initial a@1", "resync a@1", "resync a@1", "resync a@1"]);
    assert_eq!(never.lines(), ["initial a@1"]);
    fixture.end().await;
}

// holds: I21
#[tokio::test(start_paused = true)]
async fn a_resync_period_of_less_than_a_second_is_raised_to_a_second() {
    assert_eq!(RESYNC_MIN, seconds(1));
    let (fixture, _feed) = InformerFixture::watching(config(QueueOrder::InOrder), 5, &[pod("a", 1)]).await;
    let (log, _) = fixture.record_with(every(Duration::from_millis(1)));
    settle().await;
    log.take();
    tokio::time::sleep(Duration::from_millis(5_500)).await;
    assert_eq!(log.lines(), ["resync a@1"; 5]);
    fixture.end().await;
}

// holds: X9
#[tokio::test(start_paused = true)]
async fn a_watch_that_keeps_breaking_does_not_delay_resyncs() {
    for order in BOTH_ORDERS {
        let mut fixture = InformerFixture::new(order);
        let (log, _) = fixture.record_with(every(seconds(20)));
        fixture.source.will_list_always(|_| ListResponse::page(5).object(&pod("a", 1)));
        fixture.source.will_watch_always(|_| WatchResponse::open().wait(seconds(3)).error(410, "Expired"));
        fixture.start();
        fixture.synced().await;
        let lists_before = fixture.source.lists().len();
        tokio::time::sleep(seconds(119)).await;
        assert!(fixture.source.lists().len() > lists_before + 3, "it relists more than once a period");
        assert_eq!(log.lines()[1..], ["resync a@1"; 5], "{order:?}");
        fixture.end().await;
    }
}

// holds: I24, X9
#[tokio::test(start_paused = true)]
async fn continuous_changes_do_not_delay_resyncs() {
    let (fixture, feed) = InformerFixture::watching(config(QueueOrder::InOrder), 5, &[pod("a", 1)]).await;
    let (log, _) = fixture.record_with(every(seconds(5)));
    for version in 6..66 {
        feed.modified(&pod("a", version));
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let resyncs = log.lines().iter().filter(|line| line.starts_with("resync")).count();
    assert!((5..=6).contains(&resyncs), "{resyncs}");
    log.assert_consistent();
    fixture.end().await;
}

// holds: I25, X14
#[tokio::test(start_paused = true)]
async fn an_update_without_a_change_is_always_a_resync_that_the_handler_requested() {
    for order in BOTH_ORDERS {
        let (fixture, feed) = InformerFixture::watching(config(order), 5, &[pod("a", 1), pod("b", 2)]).await;
        let (resynced, _) = fixture.record_with(every(seconds(60)));
        let plain = fixture.record();
        settle().await;
        let feed = fixture.relist(feed, 7, &[pod("a", 1), pod("b", 2)]).await;
        feed.modified(&pod("a", 1));
        settle().await;
        for log in [&resynced, &plain] {
            assert_eq!(log.take().len(), 2, "the initial additions only: {order:?}");
        }
        tokio::time::sleep(seconds(61)).await;
        let mut received = resynced.take();
        received.sort();
        assert_eq!(received, ["resync a@1", "resync b@2"]);
        assert!(plain.take().is_empty());
        fixture.end().await;
    }
}

// holds: I24, X12
#[tokio::test(start_paused = true)]
async fn a_removed_handler_is_not_resynced() {
    let (fixture, _feed) = InformerFixture::watching(config(QueueOrder::InOrder), 5, &[pod("a", 1)]).await;
    let (log, registration) = fixture.record_with(every(seconds(2)));
    tokio::time::sleep(seconds(3)).await;
    registration.remove().await;
    let received = log.lines().len();
    tokio::time::sleep(seconds(10)).await;
    assert_eq!(log.lines().len(), received);
    fixture.end().await;
}
