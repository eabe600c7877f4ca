//! What a queue knows, and every step that changes it: add, take, finish, shut down. Synchronous and without a
//! clock; it stands behind the queue's one lock, and says whom to wake instead of waking.
//!
//! Of the user's code it calls `Eq` and `Clone` only, and those before it changes anything: a panic in them leaves
//! the state as it was. Items are handed back to be dropped outside the lock.

use std::time::Duration;

use crate::clock::Moment;
use crate::delay::Delayed;
use crate::fair::Share;
use crate::item::Item;
use crate::links::SlotId;
use crate::order::Order;
use crate::priority::Priority;
use crate::slots::{Pending, Slots};
use crate::stats::{Durations, QueueStats};
use crate::working::InWork;

/// What became of an item that was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// It waits for a worker now, or will as soon as the one who works on it is done.
    Queued,
    /// It will wait for a worker when its time has come.
    Delayed,
    /// It was to come at that time or earlier anyway. Its priority may have become better.
    Collapsed,
    /// The queue is shutting down.
    Ignored,
}

/// How a queue comes to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    Open,
    /// Shutting down, and somebody waits until all that was queued is done.
    Draining,
    /// Shutting down, and nobody is to wait for that.
    ShutDown,
}

/// An item on its way in.
#[derive(Debug)]
pub(crate) struct Arrival<T> {
    /// Taken if it gets a slot of its own, left for the caller to drop otherwise.
    pub(crate) item: Option<T>,
    pub(crate) hash: u64,
    pub(crate) share: Share,
    pub(crate) priority: Priority,
    pub(crate) after: Duration,
    pub(crate) is_retry: bool,
}

/// What a worker gets.
#[derive(Debug)]
pub(crate) enum Taken<T> {
    Item {
        item: T,
        slot: SlotId,
        priority: Priority,
        waited: Duration,
    },
    /// Nothing waits; something may come.
    Nothing,
    /// Nothing waits, and nothing is to come.
    Ended,
}

/// All that a queue knows.
///
/// An item is *waiting* iff it is ready and nobody works on it, and then it is in `order`. It is *dirty* iff it is
/// ready and somebody works on it. `in_work` counts those that are *working*.
#[derive(Debug)]
pub(crate) struct State<T> {
    phase: Phase,
    /// The latest moment that was given: clocks read outside the lock may come in any order.
    now: Moment,
    slots: Slots<T>,
    order: Order,
    delayed: Delayed,
    in_work: InWork,
    dirty: usize,
    adds: u64,
    retries: u64,
    /// In a box of their own: most queues have none, and the rest of the state stays close together.
    durations: Option<Box<Durations>>,
    idle: Idle,
    /// Items that began to wait since the last look at this figure.
    fresh: usize,
    /// Whether an item was delayed since then.
    is_freshly_delayed: bool,
    /// Whether the last work of a queue that takes in nothing was finished since then.
    is_freshly_drained: bool,
}

/// Workers who wait for an item.
#[derive(Debug, Default)]
struct Idle {
    workers: usize,
    /// How many of them were woken and have not yet looked: never more than there are. Waking anybody again before it
    /// has run would be a wake for nobody, which ends somebody's next wait for nothing.
    woken: usize,
    /// One of them keeps the time of this delay.
    kept: Option<Moment>,
}

/// How the wait of a worker ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WaitEnd {
    /// It was woken.
    Woken,
    /// Its timer fired, it heard of an earlier delay, or it was cancelled.
    Otherwise,
}

/// Whom to wake after a step.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wakes {
    /// How many of the idle workers.
    pub(crate) workers: usize,
    /// Whether the one among them who keeps the time.
    pub(crate) keeper: bool,
    /// Whether those who wait for the queue to be drained.
    pub(crate) drainers: bool,
}

impl<T: Item> State<T> {
    pub(crate) fn new(order: Order, durations: Option<Box<Durations>>) -> Self {
        State {
            phase: Phase::Open,
            now: Moment::default(),
            slots: Slots::new(),
            order,
            delayed: Delayed::default(),
            in_work: InWork::default(),
            dirty: 0,
            adds: 0,
            retries: 0,
            durations,
            idle: Idle::default(),
            fresh: 0,
            is_freshly_delayed: false,
            is_freshly_drained: false,
        }
    }

    /// Lets time pass: delays that are over end.
    pub(crate) fn advance(&mut self, now: Moment) {
        self.now = self.now.max(now);
        if self.delayed.len() == 0 {
            return;
        }
        while let Some((id, ready_at)) = self.delayed.pop(self.now) {
            self.become_ready(id, ready_at);
        }
    }

    /// Merges an item into what is pending for it: the earlier time and the better priority hold.
    #[inline]
    pub(crate) fn add(&mut self, arrival: &mut Arrival<T>) -> Added {
        if self.phase != Phase::Open {
            return Added::Ignored;
        }
        let Some(item) = &arrival.item else { return Added::Ignored };
        let id = self.slots.find(arrival.hash, item);
        if arrival.is_retry {
            self.retries += 1;
        }
        let id = id.unwrap_or_else(|| self.insert(arrival));
        self.merge(id, arrival.priority, arrival.after)
    }

    #[inline]
    fn insert(&mut self, arrival: &mut Arrival<T>) -> SlotId {
        let item = arrival.item.take().expect("an item arrives");
        let id = self.slots.insert(arrival.hash, item);
        self.slots.slot_mut(id).share = arrival.share;
        id
    }

    #[inline]
    fn merge(&mut self, id: SlotId, priority: Priority, after: Duration) -> Added {
        let slot = self.slots.slot_mut(id);
        if slot.pending == Pending::Nothing || priority < slot.priority {
            slot.priority = priority;
        }
        match slot.pending {
            Pending::Nothing => {}
            Pending::Ready => {
                if !slot.is_worked_on && after.is_zero() {
                    self.order.hasten(&mut self.slots, id, priority, self.now);
                }
                return Added::Collapsed;
            }
            Pending::Delayed if self.delayed.ready_at(id) <= self.now.after(after) => {
                return Added::Collapsed;
            }
            Pending::Delayed => self.delayed.cancel(id),
        }
        if after.is_zero() {
            self.become_ready(id, self.now);
            return Added::Queued;
        }
        slot.pending = Pending::Delayed;
        self.delayed.push(id, self.now.after(after));
        self.is_freshly_delayed = true;
        Added::Delayed
    }

    #[inline]
    fn become_ready(&mut self, id: SlotId, since: Moment) {
        self.adds += 1;
        let slot = self.slots.slot_mut(id);
        slot.pending = Pending::Ready;
        slot.ready_since = since;
        if slot.is_worked_on {
            self.dirty += 1;
        } else {
            let priority = slot.priority;
            self.order.push(&mut self.slots, id, priority, since);
            self.fresh += 1;
        }
    }

    /// Hands out the item whose turn it is.
    #[inline]
    pub(crate) fn take(&mut self) -> Taken<T> {
        let Some(id) = self.order.first(&self.slots) else {
            return if self.phase == Phase::Open { Taken::Nothing } else { Taken::Ended };
        };
        let now = self.now;
        let slot = self.slots.slot_mut(id);
        let item = slot.item().clone();
        let since = slot.ready_since;
        slot.pending = Pending::Nothing;
        let priority = slot.priority;
        self.order.pop(&mut self.slots, id);
        self.in_work.begin(&mut self.slots, id, now);
        let waited = match &mut self.durations {
            Some(durations) => {
                let waited = now.since(since);
                durations.queue.observe(waited);
                waited
            }
            None => Duration::ZERO,
        };
        Taken::Item { item, slot: id, priority, waited }
    }

    /// Ends the work on an item. One that is dirty begins to wait; one that nobody asked for since is handed back.
    #[inline]
    pub(crate) fn finish(&mut self, id: SlotId) -> Option<T> {
        let now = self.now;
        let worked = self.in_work.end(&mut self.slots, id, now);
        if let Some(durations) = &mut self.durations {
            durations.work.observe(worked);
        }
        let slot = self.slots.slot_mut(id);
        let item = match slot.pending {
            Pending::Nothing => Some(self.slots.remove(id)),
            Pending::Delayed => None,
            Pending::Ready => {
                let priority = slot.priority;
                self.dirty -= 1;
                self.order.push(&mut self.slots, id, priority, now);
                self.fresh += 1;
                None
            }
        };
        self.is_freshly_drained = self.is_drained();
        item
    }

    /// Takes no more items, and forgets those that are delayed: they are handed back.
    pub(crate) fn close(&mut self, phase: Phase) -> Vec<T> {
        self.phase = phase;
        let mut dropped = Vec::new();
        for id in self.delayed.clear() {
            let slot = self.slots.slot_mut(id);
            slot.pending = Pending::Nothing;
            if !slot.is_worked_on {
                dropped.push(self.slots.remove(id));
            }
        }
        dropped
    }

    pub(crate) fn phase(&self) -> Phase {
        self.phase
    }

    /// Nothing is taken in, nothing waits and nothing is worked on.
    pub(crate) fn is_drained(&self) -> bool {
        self.phase != Phase::Open && self.order.len() == 0 && self.in_work.len() == 0
    }

    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }

    /// When the next delay ends.
    pub(crate) fn next_delay(&mut self) -> Option<Moment> {
        self.delayed.next_at()
    }

    /// Lets a worker begin to wait, and says the delay whose time it is to keep, if it is to keep any. None if there is
    /// something to do instead.
    pub(crate) fn begin_wait(&mut self) -> Option<Option<Moment>> {
        if self.order.len() > 0 || self.phase != Phase::Open {
            return None;
        }
        self.idle.workers += 1;
        let keeps = if self.idle.kept.is_none() { self.next_delay() } else { None };
        self.idle.kept = self.idle.kept.or(keeps);
        Some(keeps)
    }

    /// Ends the wait of a worker. If it kept the time, another one is to be woken to do so.
    pub(crate) fn end_wait(&mut self, keeps: Option<Moment>, end: WaitEnd) {
        let idle = &mut self.idle;
        idle.workers -= 1;
        idle.woken = idle.woken.saturating_sub(usize::from(end == WaitEnd::Woken)).min(idle.workers);
        if keeps.is_some() {
            idle.kept = None;
            self.is_freshly_delayed = self.delayed.len() > 0;
        }
    }

    /// Whom to wake for what happened since this was last asked.
    #[inline]
    pub(crate) fn wakes(&mut self) -> Wakes {
        let fresh = std::mem::take(&mut self.fresh).min(self.order.len());
        let is_freshly_delayed = std::mem::take(&mut self.is_freshly_delayed);
        let drainers = std::mem::take(&mut self.is_freshly_drained);
        if self.idle.workers == 0 {
            return Wakes { workers: 0, keeper: false, drainers };
        }
        let earliest = if is_freshly_delayed { self.next_delay() } else { None };
        // One more than there are items, if nobody keeps the time: whoever finds none will.
        let heirs = usize::from(earliest.is_some() && self.idle.kept.is_none());
        let workers = (fresh + heirs).min(self.idle.workers - self.idle.woken);
        self.idle.woken += workers;
        let keeper = self.idle.kept.zip(earliest).is_some_and(|(kept, earliest)| earliest < kept);
        Wakes { workers, keeper, drainers }
    }

    pub(crate) fn stats(&self) -> QueueStats {
        let stats = QueueStats {
            waiting: self.order.len(),
            dirty: self.dirty,
            working: self.in_work.len(),
            delayed: self.delayed.len(),
            adds: self.adds,
            retries: self.retries,
            ..QueueStats::default()
        };
        let Some(durations) = &self.durations else { return stats };
        QueueStats {
            oldest_waiting: self.oldest_waiting(),
            unfinished: self.in_work.unfinished(&self.slots, self.now),
            longest_running: self.in_work.longest(&self.slots, self.now),
            queue_duration: durations.queue.clone(),
            work_duration: durations.work.clone(),
            ..stats
        }
    }

    fn oldest_waiting(&self) -> Duration {
        let since = self.order.fronts().map(|id| self.slots.slot(id).ready_since);
        since.min().map_or(Duration::ZERO, |since| self.now.since(since))
    }
}

#[cfg(test)]
impl<T: Item> State<T> {
    pub(crate) fn holds_nothing(&self) -> bool {
        self.slots.is_empty()
    }

    pub(crate) fn delay_entries(&self) -> usize {
        self.delayed.entries()
    }
}
