//! Workers that panic, are cancelled, or hang.

use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tidings_workqueue::WorkQueue;
use tokio::task::JoinSet;

use crate::{secs, soon, take, take_all};

// holds: X19
#[tokio::test(start_paused = true)]
async fn a_worker_that_panics_does_not_keep_its_key() {
    let queue = WorkQueue::new();
    queue.add("a");
    let mut worker = JoinSet::new();
    let theirs = queue.clone();
    worker.spawn(async move {
        let key = theirs.next().await.expect("it waits");
        theirs.add(*key);
        panic!("a worker may");
    });
    assert!(worker.join_next().await.expect("there is one").is_err());
    assert_eq!(queue.stats().working, 0);
    assert_eq!(take_all(&queue), ["a"], "it was added while it was worked on");
}

// holds: X19
#[tokio::test(start_paused = true)]
async fn a_worker_that_is_cancelled_does_not_keep_its_key() {
    let queue = WorkQueue::new();
    queue.add("a");
    let work = async {
        let _key = queue.next().await;
        std::future::pending::<()>().await;
    };
    assert!(tokio::time::timeout(secs(1), work).await.is_err());
    queue.add("a");
    assert_eq!(take_all(&queue), ["a"]);
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_is_cancelled_after_its_wake_up_leaves_the_item_to_another() {
    let queue = WorkQueue::new();
    let mut workers = [JoinSet::new(), JoinSet::new()];
    for worker in &mut workers {
        let queue = queue.clone();
        worker.spawn(async move { queue.next().await.map(|item| *item) });
        tokio::task::yield_now().await;
    }
    let [mut first, second] = workers;
    queue.add("a");
    // It was woken for the item, and has not run yet.
    first.abort_all();
    assert_eq!(soon(second.join_all()).await, [Some("a")]);
    assert!(first.join_next().await.expect("there is one").is_err());
}

#[tokio::test(start_paused = true)]
async fn a_key_whose_worker_hangs_does_not_block_other_keys() {
    let queue = WorkQueue::new();
    queue.add("hangs");
    let _hangs = take(&queue);
    for item in ["hangs", "a", "b"] {
        queue.add(item);
    }
    assert_eq!(take_all(&queue), ["a", "b"]);
}

/// An item whose `clone` panics on request.
struct Fragile(u8, Arc<AtomicBool>);

impl PartialEq for Fragile {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for Fragile {}

impl Hash for Fragile {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl Clone for Fragile {
    fn clone(&self) -> Self {
        assert!(!self.1.load(Ordering::Relaxed), "requested");
        Fragile(self.0, Arc::clone(&self.1))
    }
}

#[tokio::test(start_paused = true)]
async fn an_item_that_panics_in_the_queue_is_not_lost() {
    let queue = WorkQueue::new();
    let panics = Arc::new(AtomicBool::new(true));
    queue.add(Fragile(1, Arc::clone(&panics)));
    assert!(catch_unwind(AssertUnwindSafe(|| take(&queue))).is_err());
    panics.store(false, Ordering::Relaxed);
    assert_eq!((queue.len(), queue.stats().working), (1, 0));
    assert_eq!(take_all(&queue).len(), 1);
}

/// An item that adds to the queue when it is dropped.
#[derive(Clone)]
struct Parting(u8, Option<WorkQueue<Parting>>);

impl PartialEq for Parting {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for Parting {}

impl Hash for Parting {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl Drop for Parting {
    fn drop(&mut self) {
        if let Some(queue) = self.1.take() {
            queue.add(Parting(self.0 + 1, None));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_item_can_call_the_queue_when_it_is_dropped() {
    let queue = WorkQueue::new();
    queue.add(Parting(1, Some(queue.clone())));
    queue.add(Parting(1, Some(queue.clone())));
    drop(take(&queue));
    queue.add_after(Parting(5, Some(queue.clone())), secs(1));
    queue.shut_down();
    assert_eq!(take_all(&queue).len(), 1);
}
