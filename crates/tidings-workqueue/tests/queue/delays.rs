//! Delayed items. The workers are the only timers.

use tidings_workqueue::{AddOptions, Added, Priority, WorkQueue};
use tokio::task::JoinSet;
use tokio::time::{Instant, advance};

use crate::{millis, secs, soon, take, take_all};

// holds: W11, W13
#[tokio::test(start_paused = true)]
async fn a_delayed_item_is_handed_out_when_its_delay_ends() {
    let queue = WorkQueue::new();
    let start = Instant::now();
    assert_eq!(queue.add_after("a", secs(5)), Added::Delayed);
    assert_eq!((queue.len(), queue.stats().delayed), (0, 1));
    let a = queue.next().await.expect("it comes");
    assert_eq!((*a, start.elapsed()), ("a", secs(5)));
}

// holds: W11
#[tokio::test(start_paused = true)]
async fn a_delay_of_zero_is_an_add() {
    let queue = WorkQueue::new();
    assert_eq!(queue.add_after("a", secs(0)), Added::Queued);
    assert_eq!(queue.len(), 1);
}

// holds: W11
#[tokio::test(start_paused = true)]
async fn the_earlier_of_two_delays_applies() {
    let queue = WorkQueue::new();
    queue.add_after("a", secs(5));
    assert_eq!(queue.add_after("a", secs(9)), Added::Collapsed);
    assert_eq!(queue.add_after("a", secs(2)), Added::Delayed);
    advance(secs(2)).await;
    assert_eq!(take_all(&queue), ["a"]);
    advance(secs(60)).await;
    assert_eq!((queue.len(), queue.stats().adds), (0, 1), "it comes once");
}

// holds: W11
#[tokio::test(start_paused = true)]
async fn delayed_items_are_handed_out_in_the_order_of_their_delays() {
    let queue = WorkQueue::new();
    for (item, delay) in [("c", 3), ("a", 1), ("d", 4), ("b", 2)] {
        queue.add_after(item, secs(delay));
    }
    advance(secs(3)).await;
    assert_eq!(take_all(&queue), ["a", "b", "c"]);
    advance(secs(1)).await;
    assert_eq!(take_all(&queue), ["d"]);
}

// holds: X19
#[tokio::test(start_paused = true)]
async fn an_add_replaces_a_pending_delay() {
    let queue = WorkQueue::new();
    queue.add_after("a", secs(5));
    assert_eq!(queue.add("a"), Added::Queued);
    assert_eq!(take_all(&queue), ["a"]);
    advance(secs(60)).await;
    assert_eq!((queue.len(), queue.stats().delayed), (0, 0));
}

// holds: X19
#[tokio::test(start_paused = true)]
async fn an_add_while_worked_on_replaces_a_pending_delay_too() {
    let queue = WorkQueue::new();
    queue.add("a");
    let a = take(&queue);
    queue.add_after("a", secs(5));
    assert_eq!(queue.add("a"), Added::Queued);
    assert_eq!(queue.add_after("a", secs(5)), Added::Collapsed);
    drop(a);
    assert_eq!(take_all(&queue), ["a"]);
    advance(secs(60)).await;
    assert!(queue.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_delay_that_ends_while_its_item_is_worked_on_makes_it_dirty() {
    let queue = WorkQueue::new();
    queue.add("a");
    let a = take(&queue);
    queue.add_after("a", secs(5));
    advance(secs(5)).await;
    assert_eq!((queue.len(), queue.stats().dirty), (0, 1));
    drop(a);
    assert_eq!(take_all(&queue), ["a"]);
}

// holds: W13
#[tokio::test(start_paused = true)]
async fn a_waiting_worker_is_woken_for_an_earlier_delay() {
    let queue = WorkQueue::new();
    let start = Instant::now();
    queue.add_after("late", secs(3600));
    let mut worker = JoinSet::new();
    let theirs = queue.clone();
    worker.spawn(async move { theirs.next().await.map(|item| (*item, start.elapsed())) });
    tokio::task::yield_now().await;
    queue.add_after("early", secs(1));
    assert_eq!(soon(worker.join_all()).await, [Some(("early", secs(1)))]);
}

// holds: W13
#[tokio::test(start_paused = true)]
async fn a_worker_that_waits_before_any_delay_is_woken_for_the_first() {
    let queue = WorkQueue::new();
    let start = Instant::now();
    let mut workers = JoinSet::new();
    for _ in 0..2 {
        let queue = queue.clone();
        workers.spawn(async move { queue.next().await.map(|item| (*item, start.elapsed())) });
    }
    tokio::task::yield_now().await;
    queue.add_after("a", secs(1));
    queue.add_after("b", secs(2));
    let mut taken = soon(workers.join_all()).await;
    taken.sort_unstable();
    assert_eq!(taken, [Some(("a", secs(1))), Some(("b", secs(2)))]);
}

#[tokio::test(start_paused = true)]
async fn another_worker_becomes_the_timer_when_the_timer_worker_is_cancelled() {
    let queue = WorkQueue::new();
    let start = Instant::now();
    queue.add_after("a", secs(5));
    let mut timer = JoinSet::new();
    let theirs = queue.clone();
    timer.spawn(async move { theirs.next().await.map(|item| *item) });
    tokio::task::yield_now().await;
    let mut other = JoinSet::new();
    let theirs = queue.clone();
    other.spawn(async move { theirs.next().await.map(|item| (*item, start.elapsed())) });
    tokio::task::yield_now().await;
    timer.shutdown().await;
    assert_eq!(soon(other.join_all()).await, [Some(("a", secs(5)))]);
}

/// Two items wake both workers. The first worker takes both items without a yield, and waits again before the other has run.
/// If the other were woken once more, that wake-up would end the wait of the first, and so on for ever.
#[tokio::test(start_paused = true)]
async fn the_timer_worker_lets_the_others_run() {
    let queue = WorkQueue::new();
    queue.add_after("late", secs(60));
    let mut workers = JoinSet::new();
    for _ in 0..2 {
        let queue = queue.clone();
        workers.spawn(async move {
            let mut taken = Vec::new();
            while let Some(item) = queue.next().await {
                taken.push(*item);
                if *item == "late" {
                    queue.shut_down();
                }
            }
            taken
        });
    }
    tokio::task::yield_now().await;
    queue.add("a");
    queue.add("b");
    let mut taken = soon(workers.join_all()).await.concat();
    taken.sort_unstable();
    assert_eq!(taken, ["a", "b", "late"]);
}

/// The worker that is woken to be the timer finds an item instead.
#[tokio::test(start_paused = true)]
async fn there_is_a_timer_worker_when_all_woken_workers_got_items() {
    let queue = WorkQueue::new();
    let start = Instant::now();
    queue.add_after("late", secs(60));
    let mut workers = JoinSet::new();
    for _ in 0..3 {
        let queue = queue.clone();
        workers.spawn(async move {
            let item = queue.next().await.map(|item| *item);
            (item, start.elapsed())
        });
    }
    tokio::task::yield_now().await;
    queue.add("a");
    queue.add("b");
    let mut taken = soon(workers.join_all()).await;
    taken.sort_unstable();
    assert_eq!(taken, [(Some("a"), secs(0)), (Some("b"), secs(0)), (Some("late"), secs(60))]);
}

#[tokio::test(start_paused = true)]
async fn delays_that_end_at_the_same_time_wake_as_many_workers() {
    let queue = WorkQueue::<u8>::builder().named("q").build();
    let start = Instant::now();
    let mut workers = JoinSet::new();
    for _ in 0..4 {
        let queue = queue.clone();
        workers.spawn(async move {
            let item = queue.next().await;
            // No worker is done before all have an item.
            tokio::time::sleep(secs(100)).await;
            item.map(|item| (*item, item.waited()))
        });
    }
    (0..4).for_each(|n| {
        queue.add_after(n, secs(5));
    });
    let taken = soon(workers.join_all()).await;
    assert_eq!(start.elapsed(), secs(105));
    assert!(taken.iter().all(|taken| taken.is_some_and(|(_, waited)| waited == secs(0))), "{taken:?}");
}

#[tokio::test(start_paused = true)]
async fn the_wait_of_an_item_is_measured_from_the_end_of_its_delay() {
    let queue = WorkQueue::builder().named("q").build();
    queue.add_after("a", secs(5));
    advance(secs(7)).await;
    let a = take(&queue).expect("it waits");
    assert_eq!(a.waited(), secs(2));
}

#[tokio::test(start_paused = true)]
async fn a_delay_out_of_range_never_ends() {
    let queue = WorkQueue::new();
    assert_eq!(queue.add_after("a", std::time::Duration::MAX), Added::Delayed);
    let waits = tokio::time::timeout(secs(1_000_000), queue.next()).await;
    assert!(waits.is_err(), "it came");
    let mut worker = JoinSet::new();
    let theirs = queue.clone();
    worker.spawn(async move { theirs.next().await.map(|item| *item) });
    tokio::task::yield_now().await;
    queue.add_after("b", secs(1));
    assert_eq!(soon(worker.join_all()).await, [Some("b")]);
}

#[tokio::test(start_paused = true)]
async fn a_hundred_thousand_delays_each_end_on_time() {
    const COUNT: u64 = 100_000;
    let queue = WorkQueue::new();
    let start = Instant::now();
    for n in 0..COUNT {
        queue.add_after(n, millis(1 + n * 7919 % 1_000));
    }
    let background = AddOptions::new().priority(Priority::BACKGROUND).after(secs(3600));
    assert_eq!(queue.add_with(0, background), Added::Collapsed);
    for _ in 0..COUNT {
        let n = queue.next().await.expect("it comes");
        assert_eq!(start.elapsed(), millis(1 + *n * 7919 % 1_000));
    }
    assert_eq!((queue.len(), queue.stats().delayed), (0, 0));
}
