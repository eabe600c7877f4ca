//! A handler that falls behind: its backlog is bounded, its last state is right, and its figures say so.

use std::time::Duration;

use futures_util::StreamExt as _;
use k8s_openapi::api::core::v1::Pod;
use tidings_informer::delta::QueueOrder;
use tidings_informer::informer::Handler;

use crate::informer::gate::{Gate, gated};
use crate::informer::heard::Heard;
use crate::informer::stage::{BOTH_ORDERS, Stage, config, pod, seconds, settle};

fn merging_above(notifications: usize) -> Handler<Pod> {
    Handler::new().merge_above(notifications)
}

// holds: X11, I9, I10
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stalled_handler_holds_no_more_than_its_bound_and_ends_with_the_last_state() {
    let (stage, feed) = Stage::watching(config(QueueOrder::InOrder), 5, &[pod("a", 1)]).await;
    let (gate, slow) = (Gate::closed(), Heard::default());
    let registration = stage.add(gated(gate.passage(), &slow).merge_above(4));
    gate.came(1).await;
    let quick = stage.listen();
    for version in (6..2_000).step_by(3) {
        feed.modified(&pod("a", version));
        let short_lived = format!("pod-{}", version % 7);
        feed.added(&pod(&short_lived, version + 1));
        feed.deleted(&pod(&short_lived, version + 2));
    }
    feed.added(&pod("last", 2_001));
    // One that keeps up has its own bound far above; what it is told last is what was fed last.
    let last_of_all = async {
        while !quick.view().contains(&"last@2001".to_owned()) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(crate::informer::stage::LONG, last_of_all).await.unwrap();
    let stats = registration.stats();
    // Nine objects at most: a, seven short-lived ones, and the last.
    assert!(stats.backlog <= 4 + 2 * 9, "{stats:?}");
    assert!(stats.merged > 1_300, "{stats:?}");
    assert!(stats.backlog_bytes > 0 && stats.backlog_bytes < 64 * 1024, "{stats:?}");
    assert!(stats.lag > Duration::ZERO);
    assert_eq!((stats.delivered, stats.dropped), (0, 0));
    let of_informer = stage.informer.stats();
    assert!(of_informer.memory.backlog_bytes >= stats.backlog_bytes as u64);
    assert!(stage.informer.health().lag > Duration::ZERO);
    gate.open();
    registration.remove().await;
    slow.makes_sense();
    quick.makes_sense();
    assert_eq!(slow.view(), stage.cached());
    assert_eq!(registration.stats().backlog, 0);
    stage.end().await;
}

// holds: X11
#[tokio::test(start_paused = true)]
async fn up_to_its_bound_a_slow_reader_misses_nothing_and_past_it_the_newest_counts() {
    for order in BOTH_ORDERS {
        let (stage, feed) = Stage::watching(config(order), 5, &[pod("a", 1)]).await;
        let mut stream = stage.informer.notifications_with(merging_above(3)).unwrap();
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
        assert_eq!(stage.informer.health().lag, stats.lag);
        let heard = Heard::default();
        for _ in 0..3 {
            heard.handle(&stream.next().await.unwrap());
        }
        assert_eq!(heard.lines(), ["initial a@1", "update a@1->6", "update a@6->11"], "{order:?}");
        heard.makes_sense();
        assert_eq!(stream.stats().lag, Duration::ZERO);
        drop(stream);
        stage.end().await;
    }
}

// holds: X11, I15
#[tokio::test(start_paused = true)]
async fn an_initial_addition_that_vanished_counts_as_delivered() {
    for order in BOTH_ORDERS {
        let (stage, feed) = Stage::watching(config(order), 5, &[pod("a", 1)]).await;
        let stream = stage.informer.notifications_with(merging_above(0)).unwrap();
        settle().await;
        assert!(!stream.is_synced());
        feed.deleted(&pod("a", 6));
        settle().await;
        assert_eq!(stream.stats().backlog, 0, "nobody had heard of it");
        assert!(stream.is_synced(), "{order:?}");
        drop(stream);
        stage.end().await;
    }
}

// holds: X11
#[tokio::test(start_paused = true)]
async fn a_resync_adds_nothing_to_what_is_pending_past_the_bound() {
    let (stage, feed) = Stage::watching(config(QueueOrder::InOrder), 5, &[pod("a", 1), pod("b", 2)]).await;
    let mut stream = stage.informer.notifications_with(merging_above(0).resync(seconds(1))).unwrap();
    settle().await;
    let heard = Heard::default();
    for _ in 0..2 {
        heard.handle(&stream.next().await.unwrap());
    }
    feed.modified(&pod("a", 6));
    tokio::time::sleep(seconds(100)).await;
    assert_eq!(stream.stats().backlog, 2);
    heard.take();
    for _ in 0..2 {
        heard.handle(&stream.next().await.unwrap());
    }
    assert_eq!(
        heard.take(),
        ["update a@1->6", "resync b@2"],
        "a resync merged with a real change is the change"
    );
    drop(stream);
    stage.end().await;
}

// holds: X11
#[tokio::test(start_paused = true)]
async fn the_informers_bound_is_for_handlers_that_name_none() {
    let mut config = config(QueueOrder::InOrder);
    config.merge_above = 2;
    let (stage, feed) = Stage::watching(config, 5, &[pod("a", 1)]).await;
    let default = stage.informer.notifications().unwrap();
    let own = stage.informer.notifications_with(merging_above(5)).unwrap();
    settle().await;
    for version in 6..16 {
        feed.modified(&pod("a", version));
    }
    settle().await;
    assert_eq!((default.stats().backlog, own.stats().backlog), (2, 5));
    drop((default, own));
    stage.end().await;
}
