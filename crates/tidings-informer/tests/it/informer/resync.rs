//! Being told everything again: each handler at its own pace, whatever the watch does, and no one else.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use tidings_informer::delta::QueueOrder;
use tidings_informer::informer::{Handler, Notification, RESYNC_MIN};
use tidings_source::scripted::{ListAnswer, WatchAnswer};

use crate::informer::stage::{BOTH_ORDERS, Stage, config, pod, seconds, settle};

fn every(period: Duration) -> impl FnOnce(Handler<Pod>) -> Handler<Pod> {
    move |handler| handler.resync(period)
}

// holds: I24, I25, C10, R65, R67
#[tokio::test(start_paused = true)]
async fn each_handler_is_told_everything_again_at_its_own_pace() {
    for order in BOTH_ORDERS {
        let (stage, _feed) = Stage::watching(config(order), 5, &[pod("a", 1), pod("b", 2)]).await;
        let (never, _) = stage.listen_with(every(Duration::ZERO));
        let (unasked, _) = stage.listen_as("unasked");
        let (two, _) = stage.listen_with(every(seconds(2)));
        let (three, _) = stage.listen_with(every(seconds(3)));
        settle().await;
        let all = [&never, &unasked, &two, &three];
        all.iter().for_each(|heard| _ = heard.take());
        let both = |times: usize| ["resync a@1", "resync b@2"].repeat(times);
        for (second, twos, threes) in [(1, 0, 0), (2, 1, 0), (3, 0, 1), (4, 1, 0), (5, 0, 0), (6, 1, 1)] {
            tokio::time::sleep(seconds(1)).await;
            let told = all.map(|heard| {
                let mut told = heard.take();
                told.sort();
                told
            });
            assert_eq!(
                told,
                [
                    vec![],
                    vec![],
                    both(twos).iter().map(ToString::to_string).collect(),
                    both(threes).iter().map(ToString::to_string).collect()
                ],
                "{order:?} after {second} s"
            );
        }
        assert_eq!(stage.source.requests().len(), 2, "the server is never asked");
        stage.end().await;
    }
}

// holds: Q7, X29
#[tokio::test(start_paused = true)]
async fn per_object_a_resync_goes_through_the_queue_and_to_those_who_are_due() {
    const OBJECTS: u64 = 1_500;
    let listed: Vec<_> = (0..OBJECTS).map(|number| pod(&format!("pod-{number}"), number + 1)).collect();
    for order in BOTH_ORDERS {
        let (stage, feed) = Stage::watching(config(order), OBJECTS, &listed).await;
        let unasked = stage.listen();
        let (queued, resyncs) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let informer = stage.informer.downgrade();
        let (most, count) = (Arc::clone(&queued), Arc::clone(&resyncs));
        // On the informer's own task, which sees the queue as it is.
        let looks = move |notification: &Notification<Pod>| {
            let Some(informer) = informer.upgrade::<Pod>() else { return };
            if notification.is_resync() {
                count.fetch_add(1, Ordering::Relaxed);
                most.fetch_max(informer.stats().queued_deltas, Ordering::Relaxed);
            }
        };
        let registration = stage.add(Handler::subscriber(looks).merge_above(0).resync(seconds(1)));
        settle().await;
        unasked.take();
        tokio::time::sleep(seconds(1)).await;
        assert_eq!(resyncs.load(Ordering::Relaxed) as u64, OBJECTS, "{order:?}");
        assert_eq!(queued.load(Ordering::Relaxed) > 0, order == QueueOrder::PerObject, "{order:?}");
        assert!(unasked.take().is_empty(), "{order:?}");
        feed.added(&pod("late", OBJECTS + 1));
        settle().await;
        assert_eq!(unasked.take(), ["add late@1501"]);
        registration.remove().await;
        stage.end().await;
    }
}

// holds: I20, R63
#[tokio::test(start_paused = true)]
async fn the_informers_period_is_for_handlers_that_wish_none_and_zero_is_never() {
    let mut config = config(QueueOrder::InOrder);
    config.resync = seconds(10);
    let (stage, _feed) = Stage::watching(config, 5, &[pod("a", 1)]).await;
    let (default, _) = stage.listen_as("default");
    let (never, _) = stage.listen_with(every(Duration::ZERO));
    tokio::time::sleep(seconds(35)).await;
    assert_eq!(default.lines(), ["initial a@1", "resync a@1", "resync a@1", "resync a@1"]);
    assert_eq!(never.lines(), ["initial a@1"]);
    stage.end().await;
}

// holds: I21
#[tokio::test(start_paused = true)]
async fn a_period_of_less_than_a_second_is_a_second() {
    assert_eq!(RESYNC_MIN, seconds(1));
    let (stage, _feed) = Stage::watching(config(QueueOrder::InOrder), 5, &[pod("a", 1)]).await;
    let (heard, _) = stage.listen_with(every(Duration::from_millis(1)));
    settle().await;
    heard.take();
    tokio::time::sleep(Duration::from_millis(5_500)).await;
    assert_eq!(heard.lines(), ["resync a@1"; 5]);
    stage.end().await;
}

// holds: X9
#[tokio::test(start_paused = true)]
async fn a_watch_that_keeps_breaking_does_not_starve_a_resync() {
    for order in BOTH_ORDERS {
        let mut stage = Stage::new(order);
        let (heard, _) = stage.listen_with(every(seconds(20)));
        stage.source.will_list_always(|_| ListAnswer::page(5).object(&pod("a", 1)));
        stage.source.will_watch_always(|_| WatchAnswer::open().wait(seconds(3)).error(410, "Expired"));
        stage.start();
        stage.synced().await;
        let asked = stage.source.lists().len();
        tokio::time::sleep(seconds(119)).await;
        assert!(stage.source.lists().len() > asked + 3, "it relists more than once a period");
        assert_eq!(heard.lines()[1..], ["resync a@1"; 5], "{order:?}");
        stage.end().await;
    }
}

// holds: I24, X9
#[tokio::test(start_paused = true)]
async fn a_stream_of_changes_does_not_starve_a_resync() {
    let (stage, feed) = Stage::watching(config(QueueOrder::InOrder), 5, &[pod("a", 1)]).await;
    let (heard, _) = stage.listen_with(every(seconds(5)));
    for version in 6..66 {
        feed.modified(&pod("a", version));
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let resyncs = heard.lines().iter().filter(|line| line.starts_with("resync")).count();
    assert!((5..=6).contains(&resyncs), "{resyncs}");
    heard.makes_sense();
    stage.end().await;
}

// holds: I25, X14
#[tokio::test(start_paused = true)]
async fn an_update_without_a_change_is_only_ever_a_resync_that_the_handler_asked_for() {
    for order in BOTH_ORDERS {
        let (stage, feed) = Stage::watching(config(order), 5, &[pod("a", 1), pod("b", 2)]).await;
        let (asked, _) = stage.listen_with(every(seconds(60)));
        let plain = stage.listen();
        settle().await;
        let feed = stage.relist(feed, 7, &[pod("a", 1), pod("b", 2)]).await;
        feed.modified(&pod("a", 1));
        settle().await;
        for heard in [&asked, &plain] {
            assert_eq!(heard.take().len(), 2, "the initial additions only: {order:?}");
        }
        tokio::time::sleep(seconds(61)).await;
        let mut told = asked.take();
        told.sort();
        assert_eq!(told, ["resync a@1", "resync b@2"]);
        assert!(plain.take().is_empty());
        stage.end().await;
    }
}

// holds: I24, X12
#[tokio::test(start_paused = true)]
async fn a_removed_handler_is_not_resynced() {
    let (stage, _feed) = Stage::watching(config(QueueOrder::InOrder), 5, &[pod("a", 1)]).await;
    let (heard, registration) = stage.listen_with(every(seconds(2)));
    tokio::time::sleep(seconds(3)).await;
    registration.remove().await;
    let told = heard.lines().len();
    tokio::time::sleep(seconds(10)).await;
    assert_eq!(heard.lines().len(), told);
    stage.end().await;
}
