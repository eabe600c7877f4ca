//! The handle of a queue: it takes the lock for one step of the state at a time, and wakes the workers that the step names.
//!
//! A queue has no task and no timer of its own. One idle worker, the timer worker, sleeps until the next delay ends.

use std::fmt;
use std::hash::BuildHasher;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use foldhash::fast::RandomState;
use tokio::sync::Notify;

use crate::clock::{Clock, Moment};
use crate::guard::ItemGuard;
use crate::item::Item;
use crate::limiter::RateLimiter;
use crate::links::SlotId;
use crate::options::{AddOptions, FlowOf, WorkQueueBuilder};
use crate::order::{Order, Scheduling};
use crate::priority::Priority;
use crate::state::{Added, NewItem, Phase, State, TakeResult, WaitEnd, Wakes};
use crate::stats::QueueStats;
use crate::sync::{AtomicBool, AtomicU8, Mutex, Ordering};

/// A queue of items to work on. Its clones are handles to the same queue.
///
/// 1. An item waits at most once, however often it is added.
/// 2. An item is with one worker at a time. An item that is added while it is worked on waits again when that work is
///    done.
/// 3. The item with the earliest deadline is handed out first (see [`Priority`](crate::Priority)); within a priority, the
///    one that was added first. An item that begins to wait after the deadline of another is handed out after it, so that
///    no item starves. With [`WorkQueueBuilder::fair_by`] the flows of a priority are served round robin. While `n` flows
///    wait, an item is handed out after at most `n` times the items whose deadline was earlier.
/// 4. An item has one next time. Of several adds, the earliest time and the best priority apply. So `add` replaces a
///    pending delay.
/// 5. Delays and rate limits need no task: a worker that waits in `next` sleeps until the next delay ends. Timers of the
///    tokio runtime must be enabled if items are added with delays.
/// 6. After `shut_down` or `drain` the queue takes no more items and drops delayed ones. Waiting items are still handed
///    out, and so are items that were added before while they were worked on.
///
/// ```
/// use tidings_workqueue::WorkQueue;
///
/// # async fn work(key: &str) -> Result<(), ()> { Ok(()) }
/// # async fn example(queue: WorkQueue<String>) {
/// while let Some(key) = queue.next().await {
///     match work(&key).await {
///         Ok(()) => queue.forget(&key),
///         Err(()) => drop(queue.add_rate_limited(key.clone())), // with a growing delay
///     }
/// } // the work on the key ends here
/// # }
/// ```
pub struct WorkQueue<T: Item> {
    handle: Arc<Handle<T>>,
}

/// One handle. Items that were handed out through it have a reference to it. Each handle has cache lines of its own: with one
/// reference count for all items in work, workers on different cores would contend for it.
#[repr(align(128))]
pub(crate) struct Handle<T: Item> {
    shared: Arc<Shared<T>>,
    /// How many items were requested since a unit of the budget was spent. If tasks share a handle it is not exact, which
    /// does not matter.
    requested: AtomicU8,
}

/// How many items cost one unit of the cooperative budget of their task, so that a worker that never waits yields to other
/// tasks. With one unit per item it would yield every 128 items, and a yield costs as much as dozens of items.
const ITEMS_PER_BUDGET_UNIT: u8 = 8;

pub(crate) struct Shared<T> {
    pub(crate) name: Option<Arc<str>>,
    clock: Clock,
    /// Whether anything depends on the time: a name, because it has metrics, or a delay, or a priority other than live. It
    /// never becomes `false` again. If nothing does, the clock is not read, which would double the cost of a step. Then
    /// all stamps are old, which does not matter: live items are handed out in the order of their adds.
    is_timed: AtomicBool,
    hasher: RandomState,
    limiter: Arc<dyn RateLimiter<T>>,
    flow_of: Option<FlowOf<T>>,
    state: Mutex<State<T>>,
    /// Wakes idle workers.
    items: Notify,
    /// Wakes the timer worker: an earlier delay was added.
    earlier_delay: Notify,
    /// Wakes the callers of `drain`.
    drained: Notify,
}

impl<T: Item> WorkQueue<T> {
    /// A queue without a name, with the default rate limiter.
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// Builds a queue with options.
    pub fn builder() -> WorkQueueBuilder<T> {
        WorkQueueBuilder::new()
    }

    pub(crate) fn of(builder: WorkQueueBuilder<T>) -> Self {
        let is_named = builder.name.is_some();
        let scheduling =
            builder.flow_of.as_ref().map_or(Scheduling::FirstInFirstOut, |_| Scheduling::RoundRobin);
        let order = Order::new(builder.allowances, scheduling);
        let state = State::new(order, is_named.then(Box::default));
        let shared = Shared {
            name: builder.name,
            clock: Clock::new(),
            is_timed: AtomicBool::new(is_named),
            hasher: RandomState::default(),
            limiter: builder.limiter,
            flow_of: builder.flow_of,
            state: Mutex::new(state),
            items: Notify::new(),
            earlier_delay: Notify::new(),
            drained: Notify::new(),
        };
        WorkQueue::onto(Arc::new(shared))
    }

    fn onto(shared: Arc<Shared<T>>) -> Self {
        WorkQueue { handle: Arc::new(Handle { shared, requested: AtomicU8::new(0) }) }
    }

    /// Adds an item without a delay.
    pub fn add(&self, item: T) -> Added {
        self.handle.shared.add(item, AddOptions::new())
    }

    /// Adds an item with a priority, a delay or a rate limit.
    pub fn add_with(&self, item: T, options: AddOptions) -> Added {
        self.handle.shared.add(item, options)
    }

    /// Adds an item that begins to wait after this delay.
    pub fn add_after(&self, item: T, delay: Duration) -> Added {
        self.handle.shared.add(item, AddOptions::new().after(delay))
    }

    /// Adds an item that begins to wait after the delay of the rate limiter.
    pub fn add_rate_limited(&self, item: T) -> Added {
        self.handle.shared.add(item, AddOptions::new().rate_limited())
    }

    /// Resets the rate limiter for an item that succeeded or was given up. The item stays queued if it is.
    pub fn forget(&self, item: &T) {
        self.handle.shared.limiter.forget(item);
    }

    /// How often an item was rate limited since the last `forget`.
    pub fn requeues(&self, item: &T) -> u32 {
        self.handle.shared.limiter.requeues(item)
    }

    /// Waits for the next item. Returns `None` if the queue is shutting down and nothing waits.
    ///
    /// It is cancel safe: no item is lost.
    pub async fn next(&self) -> Option<ItemGuard<T>> {
        self.handle.yield_if_due().await;
        loop {
            match self.handle.shared.take() {
                TakeResult::Item { item, slot, priority, waited } => {
                    let handle = Arc::clone(&self.handle);
                    return Some(ItemGuard { handle, slot, item, priority, waited });
                }
                TakeResult::Ended => return None,
                TakeResult::Nothing => {
                    // Without this yield two idle workers and a delayed item could loop for ever:
                    // 1. The timer worker is woken, finds nothing, and wakes the other worker to be the timer worker.
                    // 2. The other worker was notified before and has not run yet, so the wake-up is stored.
                    // 3. The first worker begins to wait, takes that wake-up, and is at 1 again. The other never runs.
                    // No item is held here. An item that is added now is found when the wait begins.
                    tokio::task::coop::consume_budget().await;
                    self.handle.shared.idle().await;
                }
            }
        }
    }

    /// How many items a worker could take now, without delayed items and items in work.
    pub fn len(&self) -> usize {
        self.handle.shared.step(|state| state.len())
    }

    /// Whether no worker could take an item now.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes no more items. All waits in `next` and `drain` end at once. Waiting items are still handed out.
    pub fn shut_down(&self) {
        self.handle.shared.close(Phase::ShutDown);
    }

    /// Takes no more items, and waits until nothing is queued and nothing is being worked on, or until `shut_down` is
    /// called. Workers must continue to call `next`.
    pub async fn drain(&self) {
        self.handle.shared.close(Phase::Draining);
        loop {
            let mut drained = pin!(self.handle.shared.drained.notified());
            drained.as_mut().enable();
            if self.handle.shared.step(|state| state.phase() == Phase::ShutDown || state.is_drained()) {
                return;
            }
            drained.await;
        }
    }

    /// Whether `shut_down` or `drain` was called.
    pub fn is_shutting_down(&self) -> bool {
        self.handle.shared.step(|state| state.phase() != Phase::Open)
    }

    /// The statistics of the queue.
    pub fn stats(&self) -> QueueStats {
        self.handle.shared.step(|state| state.stats())
    }

    /// The name.
    pub fn name(&self) -> Option<&str> {
        self.handle.shared.name.as_deref()
    }

    pub(crate) fn shared(&self) -> &Arc<Shared<T>> {
        &self.handle.shared
    }
}

impl<T: Item> Handle<T> {
    /// It runs before an item is taken, so that a cancelled caller has no item.
    async fn yield_if_due(&self) {
        let requested = self.requested.load(Ordering::Relaxed) + 1;
        self.requested.store(requested % ITEMS_PER_BUDGET_UNIT, Ordering::Relaxed);
        if requested == ITEMS_PER_BUDGET_UNIT {
            tokio::task::consume_budget().await;
        }
    }

    #[inline]
    pub(crate) fn finish(&self, slot: SlotId) {
        self.shared.finish(slot);
    }
}

impl<T: Item> Shared<T> {
    /// Does one step of the state at the current time, then wakes workers.
    #[inline]
    pub(crate) fn step<R>(&self, step: impl FnOnce(&mut State<T>) -> R) -> R {
        let now = self.is_timed.load(Ordering::Relaxed).then(|| self.clock.now());
        let mut state = self.state.lock();
        if let Some(now) = now {
            state.advance(now);
        }
        let result = step(&mut state);
        let wakes = state.wakes();
        drop(state);
        self.wake(&wakes);
        result
    }

    #[inline]
    fn wake(&self, wakes: &Wakes) {
        for _ in 0..wakes.workers {
            self.items.notify_one();
        }
        if wakes.timer {
            self.earlier_delay.notify_one();
        }
        if wakes.drainers {
            self.drained.notify_waiters();
        }
    }

    #[inline]
    fn add(&self, item: T, options: AddOptions) -> Added {
        let limited = options.is_rate_limited.then(|| self.limiter.when(&item));
        let mut new_item = NewItem {
            hash: self.hasher.hash_one(&item),
            flow: self.flow_of.as_ref().map_or(0, |flow_of| flow_of(&item)),
            item: Some(item),
            priority: options.priority,
            after: options.after.max(limited).unwrap_or_default(),
            is_retry: options.after.is_some() || options.is_rate_limited,
        };
        if new_item.is_retry || new_item.priority != Priority::LIVE {
            self.is_timed.store(true, Ordering::Relaxed);
        }
        let added = self.step(|state| state.add(&mut new_item));
        let is_queued = matches!(added, Added::Queued | Added::Delayed);
        // If the item was not queued, it was not moved into a slot.
        if let Some(item) = new_item.item.filter(|_| limited.is_some() && !is_queued) {
            self.limiter.refund(&item);
        }
        added
    }

    #[inline]
    fn take(&self) -> TakeResult<T> {
        self.step(State::take)
    }

    #[inline]
    pub(crate) fn finish(&self, slot: SlotId) {
        // The item is dropped here, outside the lock.
        let _item = self.step(|state| state.finish(slot));
    }

    fn close(&self, phase: Phase) {
        let dropped = self.step(|state| state.close(phase));
        drop(dropped);
        self.items.notify_waiters();
        self.drained.notify_waiters();
    }

    /// Waits until there may be an item.
    async fn idle(&self) {
        let mut items = pin!(self.items.notified());
        // Register before the state is read. A `Notify` stores one wake-up only for tasks that are not registered. If two
        // workers read the state and then two items are added, one worker would otherwise sleep although an item waits.
        items.as_mut().enable();
        let Some(timer_at) = self.step(State::begin_wait) else { return };
        let mut wait = IdleWait { shared: self, timer_at, end: WaitEnd::Otherwise };
        wait.end = match timer_at {
            None => {
                items.await;
                WaitEnd::Woken
            }
            Some(until) => tokio::select! {
                // Not at random: a simulation repeats a run by its seed. All three are waits for one event, so none
                // can starve another.
                biased;
                () = items => WaitEnd::Woken,
                () = self.earlier_delay.notified() => WaitEnd::Otherwise,
                () = tokio::time::sleep_until(self.clock.instant(until)) => WaitEnd::Otherwise,
            },
        };
    }
}

/// An idle worker, until this is dropped.
struct IdleWait<'a, T: Item> {
    shared: &'a Shared<T>,
    /// The end of the next delay, if this is the timer worker.
    timer_at: Option<Moment>,
    end: WaitEnd,
}

impl<T: Item> Drop for IdleWait<'_, T> {
    fn drop(&mut self) {
        self.shared.step(|state| state.end_wait(self.timer_at, self.end));
    }
}

impl<T: Item> Clone for WorkQueue<T> {
    fn clone(&self) -> Self {
        WorkQueue::onto(Arc::clone(self.shared()))
    }
}

impl<T: Item> Default for WorkQueue<T> {
    fn default() -> Self {
        WorkQueue::new()
    }
}

impl<T: Item> fmt::Debug for WorkQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkQueue").field("name", &self.name()).field("stats", &self.stats()).finish()
    }
}
