//! Shut down and drain.

use tidings_workqueue::{Added, WorkQueue};
use tokio::task::JoinSet;
use tokio::time::{Instant, advance, timeout};

use crate::{millis, secs, soon, take, take_all};

// holds: W6
#[tokio::test(start_paused = true)]
async fn waiting_items_are_handed_out_after_a_shut_down() {
    let queue = WorkQueue::new();
    queue.add("a");
    queue.shut_down();
    assert!(queue.is_shutting_down());
    assert_eq!(queue.next().await.map(|item| *item), Some("a"));
    assert!(queue.next().await.is_none());
}

// holds: W7, W12
#[tokio::test(start_paused = true)]
async fn no_item_is_taken_after_a_shut_down() {
    let queue = WorkQueue::new();
    queue.shut_down();
    let added = [queue.add("a"), queue.add_after("a", secs(1)), queue.add_rate_limited("a")];
    assert_eq!(added, [Added::Ignored; 3]);
    advance(secs(60)).await;
    let stats = queue.stats();
    assert_eq!((stats.waiting, stats.delayed, stats.adds, stats.retries), (0, 0, 0, 0));
}

// holds: W7, X19
#[tokio::test(start_paused = true)]
async fn a_dirty_item_is_handed_out_after_a_drain_began_and_the_drain_waits_for_it() {
    let queue = WorkQueue::new();
    queue.add("a");
    let first = take(&queue).expect("it waits");
    queue.add("a");
    let mut drain = JoinSet::new();
    let theirs = queue.clone();
    drain.spawn(async move { theirs.drain().await });
    tokio::task::yield_now().await;
    assert!(queue.is_shutting_down());
    drop(first);
    tokio::task::yield_now().await;
    assert!(drain.try_join_next().is_none(), "an item waits");
    let second = queue.next().await.expect("it comes again");
    tokio::task::yield_now().await;
    assert!(drain.try_join_next().is_none(), "an item is worked on");
    drop(second);
    soon(drain.join_all()).await;
    assert!(queue.next().await.is_none());
}

// holds: X19
#[tokio::test(start_paused = true)]
async fn a_drain_waits_for_queued_items() {
    let queue = WorkQueue::new();
    queue.add("a");
    assert!(timeout(secs(60), queue.drain()).await.is_err(), "an item waits");
    drop(take(&queue));
    queue.drain().await;
}

#[tokio::test(start_paused = true)]
async fn a_drain_of_an_empty_queue_ends_at_once() {
    let queue = WorkQueue::<u8>::new();
    queue.drain().await;
    queue.drain().await;
}

// holds: W8
#[tokio::test(start_paused = true)]
async fn a_shut_down_ends_a_drain() {
    let queue = WorkQueue::new();
    queue.add("a");
    let _held = take(&queue);
    let mut drain = JoinSet::new();
    let theirs = queue.clone();
    drain.spawn(async move { theirs.drain().await });
    tokio::task::yield_now().await;
    queue.shut_down();
    soon(drain.join_all()).await;
}

// holds: W15, X19
#[tokio::test(start_paused = true)]
async fn a_shut_down_ends_every_wait_at_once_and_drops_delays() {
    let queue = WorkQueue::new();
    let start = Instant::now();
    queue.add_after("a", secs(3600));
    let mut workers = JoinSet::new();
    for _ in 0..3 {
        let queue = queue.clone();
        workers.spawn(async move { queue.next().await.is_none() });
    }
    tokio::task::yield_now().await;
    queue.shut_down();
    assert_eq!(soon(workers.join_all()).await, [true; 3]);
    assert!(start.elapsed() <= millis(1));
    assert_eq!(queue.stats().delayed, 0);
    advance(secs(7200)).await;
    assert_eq!(take_all(&queue), [""; 0]);
}

// holds: W15
#[tokio::test(start_paused = true)]
async fn the_delay_of_an_item_that_is_worked_on_is_dropped_too() {
    let queue = WorkQueue::new();
    queue.add("a");
    let a = take(&queue);
    queue.add_after("a", secs(1));
    queue.shut_down();
    advance(secs(5)).await;
    drop(a);
    assert!(queue.next().await.is_none());
}
