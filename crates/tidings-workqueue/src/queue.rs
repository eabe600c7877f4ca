//! The handle: takes the lock for one step of the state at a time, and wakes whom the step says. There is no task
//! behind a queue: whoever waits for an item keeps the time of those that are delayed.

use std::fmt;
use std::hash::BuildHasher;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use foldhash::fast::RandomState;
use tokio::sync::Notify;

use crate::clock::{Clock, Moment};
use crate::guard::Working;
use crate::item::Item;
use crate::limiter::RateLimiter;
use crate::links::SlotId;
use crate::options::{AddOptions, Builder, ShareOf};
use crate::order::{Order, Turns};
use crate::priority::Priority;
use crate::state::{Added, Arrival, Phase, State, Taken, WaitEnd, Wakes};
use crate::stats::QueueStats;
use crate::sync::{AtomicBool, AtomicU8, Mutex, Ordering};

/// A queue of items to work on; its clones are handles to the same one.
///
/// 1. An item that waits is there once, however often it is added.
/// 2. An item is with one worker at a time. One that is added while it is worked on waits again when that is done.
/// 3. The item with the earliest deadline goes first ([`Priority`](crate::Priority)); within a priority, the one
///    that was added first. So nothing that begins to wait after an item's deadline goes before it, and what began
///    before is finite: no item starves. With [`Builder::fair_by`] each priority is served share by share, and while
///    `n` shares wait, an item goes after at most `n` times the items that were due before it.
/// 4. An item has one next time. Of several adds the earliest time and the best priority hold, so that `add` takes
///    the place of a delay that is pending.
/// 5. Delays and limits cost no task: whoever waits in `next` keeps the time, so that timers of a tokio runtime must
///    be enabled where items are added with delays.
/// 6. After `shut_down` or `drain` items are no longer taken in, and delayed ones are forgotten. What waits is still
///    handed out, and what was added while it was worked on before the end still comes again.
///
/// ```
/// use tidings_workqueue::WorkQueue;
///
/// # async fn work(key: &str) -> Result<(), ()> { Ok(()) }
/// # async fn example(queue: WorkQueue<String>) {
/// while let Some(key) = queue.next().await {
///     match work(&key).await {
///         Ok(()) => queue.forget(&key),
///         Err(()) => drop(queue.add_rate_limited(key.clone())), // later, and later each time
///     }
/// } // the key is done with: whoever adds it again has it worked on again
/// # }
/// ```
pub struct WorkQueue<T: Item> {
    handle: Arc<Handle<T>>,
}

/// One handle, with the items that were handed out through it. Each has a count of its own, in lines of memory of its own:
/// if all items in work counted on the same place, workers on different processors would take turns at that too.
#[repr(align(128))]
pub(crate) struct Handle<T: Item> {
    shared: Arc<Shared<T>>,
    /// How many items were asked for since budget was last spent. Not exact where tasks share a handle, and need not be.
    asked: AtomicU8,
}

/// So many items cost one unit of their task's budget: a worker that never waits gives way to other tasks now and then.
/// A unit for each would do so every 128 items, and giving way costs as much as dozens of them.
const ITEMS_PER_BUDGET_UNIT: u8 = 8;

pub(crate) struct Shared<T> {
    pub(crate) name: Option<Arc<str>>,
    clock: Clock,
    /// Whether anything depends on the time: a name, which has metrics, a delay, or a priority other than live. Once
    /// it does it goes on doing so. Without, every stamp may be older than it should be, since the order of live
    /// items is that of their adds; and reading the clock would cost as much as all else.
    is_timed: AtomicBool,
    hasher: RandomState,
    limiter: Arc<dyn RateLimiter<T>>,
    share_of: Option<ShareOf<T>>,
    state: Mutex<State<T>>,
    /// Wakes idle workers.
    items: Notify,
    /// Wakes the one who keeps the time: an earlier delay was added.
    sooner: Notify,
    /// Wakes those who wait for the queue to be drained.
    quiet: Notify,
}

impl<T: Item> WorkQueue<T> {
    /// A queue without a name, with the default limiter.
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// A queue to be set up.
    pub fn builder() -> Builder<T> {
        Builder::new()
    }

    pub(crate) fn of(builder: Builder<T>) -> Self {
        let is_named = builder.name.is_some();
        let turns = builder.share_of.as_ref().map_or(Turns::FirstInFirstOut, |_| Turns::ShareByShare);
        let order = Order::new(builder.allowances, turns);
        let state = State::new(order, is_named.then(Box::default));
        let shared = Shared {
            name: builder.name,
            clock: Clock::new(),
            is_timed: AtomicBool::new(is_named),
            hasher: RandomState::default(),
            limiter: builder.limiter,
            share_of: builder.share_of,
            state: Mutex::new(state),
            items: Notify::new(),
            sooner: Notify::new(),
            quiet: Notify::new(),
        };
        WorkQueue::onto(Arc::new(shared))
    }

    fn onto(shared: Arc<Shared<T>>) -> Self {
        WorkQueue { handle: Arc::new(Handle { shared, asked: AtomicU8::new(0) }) }
    }

    /// Adds an item, to be worked on as soon as its turn comes.
    pub fn add(&self, item: T) -> Added {
        self.handle.shared.add(item, AddOptions::new())
    }

    /// Adds an item with a priority, after a delay, or as the rate limiter allows.
    pub fn add_with(&self, item: T, options: AddOptions) -> Added {
        self.handle.shared.add(item, options)
    }

    /// Adds an item that is to wait its turn from this delay on.
    pub fn add_after(&self, item: T, delay: Duration) -> Added {
        self.handle.shared.add(item, AddOptions::new().after(delay))
    }

    /// Adds an item that is to wait its turn from when the rate limiter allows.
    pub fn add_rate_limited(&self, item: T) -> Added {
        self.handle.shared.add(item, AddOptions::new().rate_limited())
    }

    /// Tells the rate limiter that an item succeeded or was given up. What is queued stays queued.
    pub fn forget(&self, item: &T) {
        self.handle.shared.limiter.forget(item);
    }

    /// How often an item was rate limited since it was last forgotten.
    pub fn requeues(&self, item: &T) -> u32 {
        self.handle.shared.limiter.requeues(item)
    }

    /// Waits for the next item; none comes once the queue is shutting down and nothing waits.
    ///
    /// Can be cancelled at any time without losing an item.
    pub async fn next(&self) -> Option<Working<T>> {
        self.handle.give_way().await;
        loop {
            match self.handle.shared.take() {
                Taken::Item { item, slot, priority, waited } => {
                    let handle = Arc::clone(&self.handle);
                    return Some(Working { handle, slot, item, priority, waited });
                }
                Taken::Ended => return None,
                Taken::Nothing => {
                    // Steps: two workers are idle and an item is delayed. (1) The one that keeps the time is woken, finds
                    // nothing, and passes the time on to the other. (2) The other was notified already and did not run
                    // yet, so the wake-up is stored. (3) The first begins to wait, takes its own wake-up, and is at (1)
                    // again. Without giving way here it would never let the other one run. Nothing is held meanwhile: an
                    // item that comes now is found by the look that begins the wait.
                    tokio::task::coop::consume_budget().await;
                    self.handle.shared.idle().await;
                }
            }
        }
    }

    /// How many items a worker could take now: neither those being worked on nor those that are delayed.
    pub fn len(&self) -> usize {
        self.handle.shared.step(|state| state.len())
    }

    /// Whether no worker could take an item now.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes no more items. Whoever waits in `next` or `drain` goes on at once; what is queued is still handed out.
    pub fn shut_down(&self) {
        self.handle.shared.close(Phase::ShutDown);
    }

    /// Takes no more items, and waits until nothing is queued and nothing is being worked on, or until `shut_down`
    /// is called. Somebody must go on calling `next`.
    pub async fn drain(&self) {
        self.handle.shared.close(Phase::Draining);
        loop {
            let mut quiet = pin!(self.handle.shared.quiet.notified());
            quiet.as_mut().enable();
            if self.handle.shared.step(|state| state.phase() == Phase::ShutDown || state.is_drained()) {
                return;
            }
            quiet.await;
        }
    }

    /// Whether `shut_down` or `drain` was called.
    pub fn is_shutting_down(&self) -> bool {
        self.handle.shared.step(|state| state.phase() != Phase::Open)
    }

    /// The queue in figures.
    pub fn stats(&self) -> QueueStats {
        self.handle.shared.step(|state| state.stats())
    }

    /// The name that it was built with.
    pub fn name(&self) -> Option<&str> {
        self.handle.shared.name.as_deref()
    }

    pub(crate) fn shared(&self) -> &Arc<Shared<T>> {
        &self.handle.shared
    }
}

impl<T: Item> Handle<T> {
    /// Before an item is taken: whoever is cancelled here holds none.
    async fn give_way(&self) {
        let asked = self.asked.load(Ordering::Relaxed) + 1;
        self.asked.store(asked % ITEMS_PER_BUDGET_UNIT, Ordering::Relaxed);
        if asked == ITEMS_PER_BUDGET_UNIT {
            tokio::task::consume_budget().await;
        }
    }

    #[inline]
    pub(crate) fn finish(&self, slot: SlotId) {
        self.shared.finish(slot);
    }
}

impl<T: Item> Shared<T> {
    /// One step of the state at the present moment, and the wakes that follow from it.
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
        if wakes.keeper {
            self.sooner.notify_one();
        }
        if wakes.drainers {
            self.quiet.notify_waiters();
        }
    }

    #[inline]
    fn add(&self, item: T, options: AddOptions) -> Added {
        let limited = options.is_rate_limited.then(|| self.limiter.when(&item));
        let mut arrival = Arrival {
            hash: self.hasher.hash_one(&item),
            share: self.share_of.as_ref().map_or(0, |share_of| share_of(&item)),
            item: Some(item),
            priority: options.priority,
            after: options.after.max(limited).unwrap_or_default(),
            is_retry: options.after.is_some() || options.is_rate_limited,
        };
        if arrival.is_retry || arrival.priority != Priority::LIVE {
            self.is_timed.store(true, Ordering::Relaxed);
        }
        let added = self.step(|state| state.add(&mut arrival));
        let is_queued = matches!(added, Added::Queued | Added::Delayed);
        // What was not queued was not moved into a slot.
        if let Some(item) = arrival.item.filter(|_| limited.is_some() && !is_queued) {
            self.limiter.refund(&item);
        }
        added
    }

    #[inline]
    fn take(&self) -> Taken<T> {
        self.step(State::take)
    }

    #[inline]
    pub(crate) fn finish(&self, slot: SlotId) {
        // What is handed back is dropped here, outside the lock.
        let _item = self.step(|state| state.finish(slot));
    }

    fn close(&self, phase: Phase) {
        let forgotten = self.step(|state| state.close(phase));
        drop(forgotten);
        self.items.notify_waiters();
        self.quiet.notify_waiters();
    }

    /// Waits until there may be something to take.
    async fn idle(&self) {
        let mut items = pin!(self.items.notified());
        // Registers before the look at the state. A `Notify` keeps one wake-up for those who are not registered, and two
        // workers may both have looked and not wait yet when two items come: one of them would sleep beside an item.
        items.as_mut().enable();
        let Some(keeps) = self.step(State::begin_wait) else { return };
        let mut wait = Wait { shared: self, keeps, end: WaitEnd::Otherwise };
        wait.end = match keeps {
            None => {
                items.await;
                WaitEnd::Woken
            }
            Some(until) => tokio::select! {
                () = items => WaitEnd::Woken,
                () = self.sooner.notified() => WaitEnd::Otherwise,
                () = tokio::time::sleep_until(self.clock.instant(until)) => WaitEnd::Otherwise,
            },
        };
    }
}

/// A worker without work, until this is dropped.
struct Wait<'a, T: Item> {
    shared: &'a Shared<T>,
    /// The delay whose time this worker keeps, if it is the one who does.
    keeps: Option<Moment>,
    end: WaitEnd,
}

impl<T: Item> Drop for Wait<'_, T> {
    fn drop(&mut self) {
        self.shared.step(|state| state.end_wait(self.keeps, self.end));
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
