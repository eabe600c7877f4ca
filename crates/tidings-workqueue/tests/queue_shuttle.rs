//! The queue under random schedules of shuttle: threads add, work, cancel waits, drain and shut down. The queue is compiled a
//! second time here, over the locks of shuttle.
//!
//! A lost wake-up is a deadlock, which shuttle reports. A lost key, or a key with two workers, is found by the scenario. The
//! scenarios also run with queues that have these bugs, and must find each.

#![allow(missing_docs, reason = "tests")]

#[path = "../src/sync/simulated.rs"]
mod sync;

/// The modules of `src/lib.rs`.
#[path = "../src"]
#[allow(dead_code, unused_imports, unreachable_pub, reason = "only a part of it is used here")]
mod parts {
    pub(crate) mod clock;
    pub(crate) mod delay;
    pub(crate) mod flows;
    pub(crate) mod guard;
    pub(crate) mod item;
    pub(crate) mod limiter;
    pub(crate) mod links;
    pub(crate) mod options;
    pub(crate) mod order;
    pub(crate) mod priority;
    pub(crate) mod queue;
    pub(crate) mod slots;
    pub(crate) mod state;
    pub(crate) mod stats;
    pub(crate) mod working;
}

use std::collections::{HashSet, VecDeque};
use std::future::poll_fn;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use parts::guard::ItemGuard;
use parts::queue::WorkQueue;
use parts::{
    clock, delay, flows, guard, item, limiter, links, options, order, priority, queue, slots, state, stats,
    working,
};
use shuttle::future::{JoinHandle, block_on, spawn};
use shuttle::scheduler::RandomScheduler;
use sync::Mutex;
use tokio::sync::Notify;

const SCHEDULES: usize = 600;
const SEED: u64 = 11;
const KEYS: usize = 2;

fn check(scenario: impl Fn() + Send + Sync + 'static) {
    check_under(SCHEDULES, scenario);
}

/// Runs this many schedules, always the same ones.
fn check_under(schedules: usize, scenario: impl Fn() + Send + Sync + 'static) {
    let scheduler = RandomScheduler::new_from_seed(SEED, schedules);
    shuttle::Runner::new(scheduler, shuttle::Config::default()).run(scenario);
}

/// A queue as the scenarios use it.
trait Keys: Clone + Send + Sync + 'static {
    /// A key that is worked on until this is dropped.
    type Guard: Deref<Target = usize> + Send;

    fn add(&self, key: usize);

    fn next(&self) -> impl Future<Output = Option<Self::Guard>> + Send;

    fn shut_down(&self);
}

impl Keys for WorkQueue<usize> {
    type Guard = ItemGuard<usize>;

    fn add(&self, key: usize) {
        WorkQueue::add(self, key);
    }

    async fn next(&self) -> Option<ItemGuard<usize>> {
        WorkQueue::next(self).await
    }

    fn shut_down(&self) {
        WorkQueue::shut_down(self);
    }
}

/// What was added and what workers saw. The version of a key grows with each add, and a worker sees the newest.
#[derive(Default)]
struct Witness {
    added: [u32; KEYS],
    seen: [u32; KEYS],
    in_work: HashSet<usize>,
}

async fn adds<Q: Keys>(queue: Q, witness: Arc<Mutex<Witness>>, keys: Vec<usize>) {
    for key in keys {
        witness.lock().added[key] += 1;
        queue.add(key);
    }
}

async fn works<Q: Keys>(queue: Q, witness: Arc<Mutex<Witness>>) {
    while let Some(key) = queue.next().await {
        {
            let mut witness = witness.lock();
            assert!(witness.in_work.insert(*key), "{} is with two workers", *key);
            witness.seen[*key] = witness.added[*key];
        }
        shuttle::future::yield_now().await;
        witness.lock().in_work.remove(&*key);
    }
}

fn no_key_is_lost_and_no_key_has_two_workers<Q: Keys>(queue: &Q) {
    let witness = Arc::new(Mutex::new(Witness::default()));
    block_on(async {
        let workers: Vec<JoinHandle<()>> =
            (0..2).map(|_| spawn(works(queue.clone(), Arc::clone(&witness)))).collect();
        let adders =
            [vec![0, 1, 0], vec![1, 0]].map(|keys| spawn(adds(queue.clone(), Arc::clone(&witness), keys)));
        for adder in adders {
            adder.await.expect("an adder ends");
        }
        queue.shut_down();
        for worker in workers {
            worker.await.expect("a worker ends");
        }
    });
    let witness = witness.lock();
    assert_eq!(witness.seen, witness.added, "the last add of a key was not worked on");
}

// holds: W2, W3, W6, W7
#[test]
fn the_queue_loses_no_key_and_gives_none_to_two_workers() {
    check(|| no_key_is_lost_and_no_key_has_two_workers(&WorkQueue::new()));
}

// holds: W6
#[test]
fn two_items_wake_two_workers() {
    // Both workers must be between their read and their wait while both items are added. Few schedules do that.
    check_under(10 * SCHEDULES, || {
        let queue = WorkQueue::new();
        let taken = Arc::new(Mutex::new(0));
        let worker = |queue: WorkQueue<usize>, taken: Arc<Mutex<u32>>| async move {
            let _item = queue.next().await;
            *taken.lock() += 1;
        };
        block_on(async {
            // Neither worker takes a second item.
            let workers: Vec<_> = (0..2).map(|_| spawn(worker(queue.clone(), Arc::clone(&taken)))).collect();
            for key in 0..2 {
                queue.add(key);
            }
            for worker in workers {
                worker.await.expect("a worker gets an item");
            }
        });
        assert_eq!(*taken.lock(), 2);
    });
}

#[test]
fn a_cancelled_wait_leaves_no_item_behind() {
    check(|| {
        let queue = WorkQueue::new();
        block_on(async {
            let impatient = {
                let queue = queue.clone();
                spawn(async move {
                    let mut next = pin!(queue.next());
                    match poll_fn(|cx| Poll::Ready(next.as_mut().poll(cx))).await {
                        Poll::Ready(item) => {
                            drop(item);
                            queue.add(1);
                        }
                        Poll::Pending => shuttle::future::yield_now().await,
                    }
                })
            };
            let patient = {
                let queue = queue.clone();
                spawn(async move { queue.next().await.map(|key| *key) })
            };
            queue.add(1);
            assert_eq!(patient.await.expect("it is woken"), Some(1));
            impatient.await.expect("it ends");
        });
    });
}

// holds: W7, X19
#[test]
fn a_drain_ends_when_all_is_done_and_not_before() {
    check(|| {
        let queue = WorkQueue::new();
        let done = Arc::new(Mutex::new(0));
        for key in 0..2 {
            queue.add(key);
        }
        let worker = |queue: WorkQueue<usize>, done: Arc<Mutex<u32>>| async move {
            while let Some(key) = queue.next().await {
                shuttle::future::yield_now().await;
                *done.lock() += 1;
                drop(key);
            }
        };
        block_on(async {
            let workers: Vec<_> = (0..2).map(|_| spawn(worker(queue.clone(), Arc::clone(&done)))).collect();
            queue.drain().await;
            assert_eq!(*done.lock(), 2);
            for worker in workers {
                worker.await.expect("a worker ends");
            }
        });
    });
}

// holds: W8
#[test]
fn a_shut_down_ends_a_drain_at_any_time() {
    check(|| {
        let queue = WorkQueue::new();
        queue.add(1);
        block_on(async {
            let item = queue.next().await;
            let drain = {
                let queue = queue.clone();
                spawn(async move { queue.drain().await })
            };
            let shut_down = {
                let queue = queue.clone();
                spawn(async move {
                    while !queue.is_shutting_down() {
                        shuttle::future::yield_now().await;
                    }
                    queue.shut_down();
                })
            };
            shut_down.await.expect("it ends");
            drain.await.expect("it ends");
            drop(item);
        });
    });
}

/// A bug of a queue.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flaw {
    None,
    /// It reads the state before it registers for wake-ups.
    LooksBeforeListening,
    /// It does not check whether a worker has the key.
    IgnoresWorkers,
    /// It treats a key that is worked on as a waiting key.
    ForgetsDirty,
}

/// A simple and slow queue with a chosen bug.
#[derive(Clone)]
struct Naive {
    flaw: Flaw,
    state: Arc<Mutex<NaiveState>>,
    wakes: Arc<Notify>,
}

#[derive(Default)]
struct NaiveState {
    waiting: VecDeque<usize>,
    dirty: HashSet<usize>,
    working: HashSet<usize>,
    is_shut_down: bool,
}

impl Naive {
    fn with(flaw: Flaw) -> Self {
        Naive { flaw, state: Arc::default(), wakes: Arc::default() }
    }

    fn take(&self) -> Option<Option<usize>> {
        let mut state = self.state.lock();
        match state.waiting.pop_front() {
            Some(key) => {
                state.working.insert(key);
                Some(Some(key))
            }
            None => state.is_shut_down.then_some(None),
        }
    }
}

struct NaiveGuard {
    key: usize,
    queue: Naive,
}

impl Deref for NaiveGuard {
    type Target = usize;

    fn deref(&self) -> &usize {
        &self.key
    }
}

impl Drop for NaiveGuard {
    fn drop(&mut self) {
        let mut state = self.queue.state.lock();
        state.working.remove(&self.key);
        if state.dirty.remove(&self.key) {
            state.waiting.push_back(self.key);
        }
    }
}

impl Keys for Naive {
    type Guard = NaiveGuard;

    async fn next(&self) -> Option<NaiveGuard> {
        loop {
            let mut wakes = pin!(self.wakes.notified());
            if let Some(taken) = self.take() {
                return taken.map(|key| NaiveGuard { key, queue: self.clone() });
            }
            if self.flaw == Flaw::LooksBeforeListening {
                wakes.set(self.wakes.notified());
            }
            wakes.await;
        }
    }

    fn add(&self, key: usize) {
        {
            let mut state = self.state.lock();
            let is_worked_on = state.working.contains(&key) && self.flaw != Flaw::IgnoresWorkers;
            if is_worked_on && self.flaw != Flaw::ForgetsDirty {
                state.dirty.insert(key);
            } else if !is_worked_on && !state.waiting.contains(&key) {
                state.waiting.push_back(key);
            }
        }
        self.wakes.notify_waiters();
    }

    fn shut_down(&self) {
        self.state.lock().is_shut_down = true;
        self.wakes.notify_waiters();
    }
}

fn is_found_out(flaw: Flaw) -> bool {
    catch_unwind(AssertUnwindSafe(|| {
        check(move || no_key_is_lost_and_no_key_has_two_workers(&Naive::with(flaw)));
    }))
    .is_err()
}

#[test]
fn the_scenarios_pass_a_correct_queue_and_find_every_bug() {
    assert!(!is_found_out(Flaw::None));
    assert!(is_found_out(Flaw::LooksBeforeListening), "a lost wake-up is not noticed");
    assert!(is_found_out(Flaw::IgnoresWorkers), "a key with two workers is not noticed");
    assert!(is_found_out(Flaw::ForgetsDirty), "a lost key is not noticed");
}
