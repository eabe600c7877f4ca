//! Add, take, done.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use tidings_workqueue::{Added, WorkQueue};
use tokio::task::JoinSet;

use crate::{soon, take, take_all};

// holds: W1, W5
#[tokio::test(start_paused = true)]
async fn an_add_of_a_waiting_item_is_merged() {
    let queue = WorkQueue::new();
    assert_eq!(queue.add("a"), Added::Queued);
    assert_eq!(queue.add("a"), Added::Collapsed);
    assert_eq!(queue.len(), 1);
    let a = queue.next().await.expect("an item waits");
    assert_eq!((*a, queue.len()), ("a", 0));
}

// holds: W4
#[tokio::test(start_paused = true)]
async fn items_are_handed_out_first_in_first_out() {
    let queue = WorkQueue::new();
    for item in ["c", "a", "b", "c"] {
        queue.add(item);
    }
    assert_eq!(take_all(&queue), ["c", "a", "b"]);
}

// holds: W2, W5
#[tokio::test(start_paused = true)]
async fn a_key_added_while_worked_on_is_worked_on_again_afterwards() {
    let queue = WorkQueue::new();
    queue.add("a");
    let a = take(&queue).expect("it waits");
    assert_eq!([queue.add("a"), queue.add("a")], [Added::Queued, Added::Collapsed]);
    assert_eq!((queue.len(), queue.stats().dirty), (0, 1));
    drop(a);
    assert_eq!(take_all(&queue), ["a"]);
}

// holds: W2
#[tokio::test(start_paused = true)]
async fn a_key_that_was_not_added_while_worked_on_does_not_return() {
    let queue = WorkQueue::new();
    queue.add("a");
    drop(take(&queue));
    assert!(queue.is_empty() && take(&queue).is_none());
    assert_eq!(queue.add("a"), Added::Queued);
}

// holds: W3
#[tokio::test(start_paused = true)]
async fn a_key_is_never_with_two_workers() {
    let queue = WorkQueue::new();
    queue.add("a");
    let first = take(&queue);
    queue.add("a");
    assert!(take(&queue).is_none(), "it is with another worker");
    drop(first);
    assert!(take(&queue).is_some());
}

// holds: W2, W3, W6
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn with_many_workers_and_adders_a_key_is_never_with_two_workers() {
    const KEYS: usize = 7;
    let queue = WorkQueue::new();
    let in_work = Arc::new(Mutex::new(HashSet::new()));
    let mut workers = JoinSet::new();
    for _ in 0..4 {
        let (queue, in_work) = (queue.clone(), Arc::clone(&in_work));
        workers.spawn(async move {
            let mut worked_on = 0;
            while let Some(key) = queue.next().await {
                assert!(in_work.lock().expect("no poison").insert(*key), "{} is with two workers", *key);
                tokio::task::yield_now().await;
                assert!(in_work.lock().expect("no poison").remove(&*key));
                worked_on += 1;
            }
            worked_on
        });
    }
    let mut adders: JoinSet<()> = JoinSet::new();
    for _ in 0..3 {
        let queue = queue.clone();
        adders.spawn(async move {
            for n in 0..2_000 {
                queue.add(n % KEYS);
                if n % 13 == 0 {
                    tokio::task::yield_now().await;
                }
            }
        });
    }
    adders.join_all().await;
    queue.drain().await;
    let worked_on: u64 = workers.join_all().await.into_iter().sum();
    assert_eq!(worked_on, queue.stats().adds, "each add that was not collapsed is worked on once");
}

// holds: W6
#[tokio::test(start_paused = true)]
async fn an_add_wakes_a_waiting_worker() {
    let queue = WorkQueue::new();
    let mut workers = JoinSet::new();
    for _ in 0..3 {
        let queue = queue.clone();
        workers.spawn(async move { queue.next().await.map(|item| *item) });
    }
    tokio::task::yield_now().await;
    for item in ["a", "b", "c"] {
        queue.add(item);
    }
    let mut taken = soon(workers.join_all()).await;
    taken.sort_unstable();
    assert_eq!(taken, [Some("a"), Some("b"), Some("c")]);
}

// holds: W2
#[tokio::test(start_paused = true)]
async fn a_dirty_item_wakes_another_worker_when_it_is_done() {
    let queue = WorkQueue::new();
    queue.add("a");
    let a = take(&queue);
    queue.add("a");
    let mut other = JoinSet::new();
    let theirs = queue.clone();
    other.spawn(async move { theirs.next().await.map(|item| *item) });
    tokio::task::yield_now().await;
    drop(a);
    assert_eq!(soon(other.join_all()).await, [Some("a")]);
}

#[tokio::test]
async fn a_worker_that_never_waits_yields_to_other_tasks() {
    let queue = WorkQueue::new();
    let (busy, has_run) = (queue.clone(), Arc::new(AtomicBool::new(false)));
    let mut tasks = JoinSet::new();
    let seen = Arc::clone(&has_run);
    tasks.spawn(async move {
        let mut taken = 0_u32;
        while !seen.load(Ordering::Relaxed) {
            busy.add(taken);
            drop(busy.next().await);
            taken += 1;
            assert!(taken < 100_000, "the other task never ran");
        }
    });
    tasks.spawn(async move { has_run.store(true, Ordering::Relaxed) });
    tasks.join_all().await;
}
