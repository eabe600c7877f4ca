//! The queue with other threads that act at one chosen moment: right after an unlock. The queue is compiled a second time
//! here, over a lock that calls the test at each unlock. Everything runs on one thread, step by step.
//!
//! Random schedules rarely reach the moment that matters: two workers have read the state and do not wait yet.

#![allow(missing_docs, reason = "tests")]

/// The locks of the queue in this test.
mod sync {
    use std::cell::RefCell;
    use std::ops::{Deref, DerefMut};

    pub(crate) use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

    /// The number of unlocks until the action, and the action.
    type Hook = (u32, Box<dyn FnOnce()>);

    thread_local! {
        static HOOK: RefCell<Option<Hook>> = const { RefCell::new(None) };
    }

    /// Runs an action at the `nth` unlock from now.
    pub(crate) fn after_unlock(nth: u32, happens: impl FnOnce() + 'static) {
        HOOK.set(Some((nth, Box::new(happens))));
    }

    /// Removes an action that has not run.
    pub(crate) fn forget() {
        HOOK.set(None);
    }

    #[derive(Debug, Default)]
    pub(crate) struct Mutex<T>(parking_lot::Mutex<T>);

    pub(crate) struct Guard<'a, T>(Option<parking_lot::MutexGuard<'a, T>>);

    impl<T> Mutex<T> {
        pub(crate) fn new(value: T) -> Self {
            Mutex(parking_lot::Mutex::new(value))
        }

        pub(crate) fn lock(&self) -> Guard<'_, T> {
            Guard(Some(self.0.lock()))
        }
    }

    impl<T> Deref for Guard<'_, T> {
        type Target = T;

        fn deref(&self) -> &T {
            self.0.as_ref().expect("it is there until it is dropped")
        }
    }

    impl<T> DerefMut for Guard<'_, T> {
        fn deref_mut(&mut self) -> &mut T {
            self.0.as_mut().expect("it is there until it is dropped")
        }
    }

    impl<T> Drop for Guard<'_, T> {
        fn drop(&mut self) {
            self.0 = None;
            let due = HOOK.with_borrow_mut(|hook| {
                let (left, _) = hook.as_mut()?;
                *left -= 1;
                if *left == 0 { hook.take() } else { None }
            });
            if let Some((_, happens)) = due {
                happens();
            }
        }
    }
}

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

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake};
use std::time::Duration;

use parts::guard::ItemGuard;
use parts::queue::WorkQueue;
use parts::{
    clock, delay, flows, guard, item, limiter, links, options, order, priority, queue, slots, state, stats,
    working,
};

/// No call of the queue unlocks more often before it waits.
const UNLOCKS_MAX: u32 = 6;

/// More unlocks than a worker does in one poll. A worker that reaches this number never yields.
const UNLOCKS_ENDLESS: u32 = 100_000;

/// Whether a worker was woken since it last ran.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// A worker that takes one item and keeps it.
struct Worker {
    next: Pin<Box<dyn Future<Output = Option<ItemGuard<usize>>>>>,
    woken: Arc<Woken>,
    holds: Option<ItemGuard<usize>>,
}

impl Worker {
    fn of(queue: &WorkQueue<usize>) -> Rc<RefCell<Worker>> {
        let queue = queue.clone();
        let next = Box::pin(async move { queue.next().await });
        Rc::new(RefCell::new(Worker { next, woken: Arc::default(), holds: None }))
    }

    fn look(&mut self) {
        let waker = Arc::clone(&self.woken).into();
        if self.holds.is_none()
            && let Poll::Ready(item) = self.next.as_mut().poll(&mut Context::from_waker(&waker))
        {
            self.holds = item;
        }
    }

    /// Polls again if it was woken, as its task would.
    fn run(&mut self) {
        if self.woken.0.swap(false, Ordering::SeqCst) {
            self.look();
        }
    }
}

// holds: W6
#[test]
fn two_items_added_while_two_workers_begin_to_wait_wake_both() {
    for (first_at, second_at) in (1..=UNLOCKS_MAX).flat_map(|a| (1..=UNLOCKS_MAX).map(move |b| (a, b))) {
        let queue = WorkQueue::new();
        let (first, second) = (Worker::of(&queue), Worker::of(&queue));
        let is_added = Rc::new(RefCell::new(false));
        let add = {
            let (queue, is_added) = (queue.clone(), Rc::clone(&is_added));
            move || {
                is_added.replace(true);
                queue.add(0);
                queue.add(1);
            }
        };
        let begin_second = {
            let (second, add) = (Rc::clone(&second), add.clone());
            move || {
                sync::after_unlock(second_at, add);
                second.borrow_mut().look();
            }
        };
        sync::after_unlock(first_at, begin_second);
        first.borrow_mut().look();
        sync::forget();
        // An action that has not run until now runs here.
        if second.borrow().holds.is_none() && !second.borrow().woken.0.load(Ordering::SeqCst) {
            second.borrow_mut().look();
        }
        if !*is_added.borrow() {
            add();
        }
        for _ in 0..4 {
            first.borrow_mut().run();
            second.borrow_mut().run();
        }
        let holds = [&first, &second].map(|worker| worker.borrow().holds.is_some());
        assert_eq!(holds, [true, true], "the second begins after {first_at}, items come after {second_at}");
    }
}

// holds: W6
#[tokio::test(start_paused = true)]
async fn an_idle_worker_yields_to_another_one_that_was_woken_and_has_not_run() {
    let queue = WorkQueue::new();
    let first = Worker::of(&queue);
    first.borrow_mut().look();
    queue.add_after(7, Duration::from_secs(1));
    first.borrow_mut().run();
    let second = Worker::of(&queue);
    second.borrow_mut().look();
    // Now the first is the timer worker. Both are woken, and another worker takes both items before they run.
    queue.add(0);
    queue.add(1);
    for _ in 0..2 {
        drop(queue.next().await.expect("an item waits"));
    }
    // The first is cancelled. Its wake-up is stored, because the second has one already.
    drop(first);
    // The third takes that wake-up, finds nothing, and wakes the second to be the timer worker. That wake-up is stored
    // too, and the third finds it again. This ends only if the third yields, so that the second runs.
    let third = Worker::of(&queue);
    sync::after_unlock(UNLOCKS_ENDLESS, || panic!("the worker never yields"));
    third.borrow_mut().look();
    sync::forget();
    tokio::time::advance(Duration::from_secs(1)).await;
    for _ in 0..4 {
        tokio::task::yield_now().await;
        second.borrow_mut().run();
        third.borrow_mut().run();
    }
    let held = [&second, &third].map(|worker| worker.borrow().holds.as_ref().map(|item| **item));
    assert!(matches!(held, [Some(7), None] | [None, Some(7)]), "{held:?}");
}
