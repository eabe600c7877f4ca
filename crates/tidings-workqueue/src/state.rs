//! The state of a queue, and every step that changes it: add, take, finish, shut down. It is synchronous, has no clock, and
//! is behind the one lock of the queue. A step does not wake workers; it returns which ones to wake.
//!
//! Of the user's code it calls `Eq` and `Clone` only, before it changes anything: after a panic in them the state is as
//! before. Items are returned to the caller, which drops them outside the lock.

use std::time::Duration;

use crate::clock::Moment;
use crate::delay::Delayed;
use crate::flows::FlowId;
use crate::item::Item;
use crate::links::SlotId;
use crate::order::Order;
use crate::priority::Priority;
use crate::slots::{Pending, Slots};
use crate::stats::{Durations, QueueStats};
use crate::working::InWork;

/// The result of an add.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// The item waits for a worker, or will when its current work is done.
    Queued,
    /// The item will wait for a worker when its delay ends.
    Delayed,
    /// The item was already queued for that time or an earlier one. Its priority may have been improved.
    Collapsed,
    /// The queue is shutting down.
    Ignored,
}

/// Whether the queue takes items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    Open,
    /// Shutting down; `drain` waits until all items are done.
    Draining,
    /// Shutting down; `drain` does not wait.
    ShutDown,
}

/// An item to add.
#[derive(Debug)]
pub(crate) struct NewItem<T> {
    /// Moved into a slot if the item has none. Otherwise the caller drops it.
    pub(crate) item: Option<T>,
    pub(crate) hash: u64,
    pub(crate) flow: FlowId,
    pub(crate) priority: Priority,
    pub(crate) after: Duration,
    pub(crate) is_retry: bool,
}

/// The result of a take.
#[derive(Debug)]
pub(crate) enum TakeResult<T> {
    Item {
        item: T,
        slot: SlotId,
        priority: Priority,
        waited: Duration,
    },
    /// Nothing waits. Items may be added.
    Nothing,
    /// Nothing waits, and the queue is shutting down.
    Ended,
}

/// The state of a queue.
///
/// An item is *waiting* if it is ready and no worker has it; then it is in `order`. It is *dirty* if it is ready and a
/// worker has it. `in_work` counts the items that workers have.
#[derive(Debug)]
pub(crate) struct State<T> {
    phase: Phase,
    /// The latest moment so far. The clock is read outside the lock, so that moments may be passed in any order.
    now: Moment,
    slots: Slots<T>,
    order: Order,
    delayed: Delayed,
    in_work: InWork,
    dirty: usize,
    adds: u64,
    retries: u64,
    /// Boxed: most queues have none, and the rest of the state stays in few cache lines.
    durations: Option<Box<Durations>>,
    idle: IdleWorkers,
    /// How many items began to wait since the last `wakes`.
    newly_ready: usize,
    /// Whether an item was delayed since the last `wakes`.
    is_newly_delayed: bool,
    /// Whether the queue became drained since the last `wakes`.
    is_newly_drained: bool,
}

/// The workers that wait for an item.
#[derive(Debug, Default)]
struct IdleWorkers {
    workers: usize,
    /// How many of them were woken and have not run yet; never more than `workers`. To wake a worker again before it has run
    /// would store a wake-up, which ends some later wait without an item.
    woken: usize,
    /// When the timer of the timer worker fires; `None` if there is no timer worker.
    timer_at: Option<Moment>,
}

/// How the wait of a worker ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WaitEnd {
    /// It was woken.
    Woken,
    /// Its timer fired, an earlier delay was added, or it was cancelled.
    Otherwise,
}

/// Which tasks to wake after a step.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wakes {
    /// How many idle workers.
    pub(crate) workers: usize,
    /// Whether the timer worker.
    pub(crate) timer: bool,
    /// Whether the callers of `drain`.
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
            idle: IdleWorkers::default(),
            newly_ready: 0,
            is_newly_delayed: false,
            is_newly_drained: false,
        }
    }

    /// Advances the time: items whose delay has ended become ready.
    pub(crate) fn advance(&mut self, now: Moment) {
        self.now = self.now.max(now);
        if self.delayed.len() == 0 {
            return;
        }
        while let Some((id, ready_at)) = self.delayed.pop(self.now) {
            self.become_ready(id, ready_at);
        }
    }

    /// Adds an item. If something is pending for it, the earlier time and the better priority apply.
    #[inline]
    pub(crate) fn add(&mut self, new_item: &mut NewItem<T>) -> Added {
        if self.phase != Phase::Open {
            return Added::Ignored;
        }
        let Some(item) = &new_item.item else { return Added::Ignored };
        let id = self.slots.find(new_item.hash, item);
        if new_item.is_retry {
            self.retries += 1;
        }
        let id = id.unwrap_or_else(|| self.insert(new_item));
        self.merge(id, new_item.priority, new_item.after)
    }

    #[inline]
    fn insert(&mut self, new_item: &mut NewItem<T>) -> SlotId {
        let item = new_item.item.take().expect("the item was not moved yet");
        let id = self.slots.insert(new_item.hash, item);
        self.slots.slot_mut(id).flow = new_item.flow;
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
                    self.order.promote(&mut self.slots, id, priority, self.now);
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
        self.is_newly_delayed = true;
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
            self.newly_ready += 1;
        }
    }

    /// Hands out the next item.
    #[inline]
    pub(crate) fn take(&mut self) -> TakeResult<T> {
        let Some(id) = self.order.first(&self.slots) else {
            return if self.phase == Phase::Open { TakeResult::Nothing } else { TakeResult::Ended };
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
        TakeResult::Item { item, slot: id, priority, waited }
    }

    /// Ends the work on an item. A dirty item begins to wait. An item for which nothing is pending is returned.
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
                self.newly_ready += 1;
                None
            }
        };
        self.is_newly_drained = self.is_drained();
        item
    }

    /// Takes no more items. Delayed items are removed and returned.
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

    /// Whether the queue is shutting down, nothing waits, and nothing is worked on.
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

    /// A worker begins to wait. The inner option is the end of the next delay, if it becomes the timer worker. `None` if
    /// there is an item, or the queue is shutting down.
    pub(crate) fn begin_wait(&mut self) -> Option<Option<Moment>> {
        if self.order.len() > 0 || self.phase != Phase::Open {
            return None;
        }
        self.idle.workers += 1;
        let timer_at = if self.idle.timer_at.is_none() { self.next_delay() } else { None };
        self.idle.timer_at = self.idle.timer_at.or(timer_at);
        Some(timer_at)
    }

    /// Ends the wait of a worker. If it was the timer worker, another one must be woken to take its place.
    pub(crate) fn end_wait(&mut self, timer_at: Option<Moment>, end: WaitEnd) {
        let idle = &mut self.idle;
        idle.workers -= 1;
        idle.woken = idle.woken.saturating_sub(usize::from(end == WaitEnd::Woken)).min(idle.workers);
        if timer_at.is_some() {
            idle.timer_at = None;
            self.is_newly_delayed = self.delayed.len() > 0;
        }
    }

    /// Which tasks to wake for the changes since the last call.
    #[inline]
    pub(crate) fn wakes(&mut self) -> Wakes {
        let newly_ready = std::mem::take(&mut self.newly_ready).min(self.order.len());
        let is_newly_delayed = std::mem::take(&mut self.is_newly_delayed);
        let drainers = std::mem::take(&mut self.is_newly_drained);
        if self.idle.workers == 0 {
            return Wakes { workers: 0, timer: false, drainers };
        }
        let earliest = if is_newly_delayed { self.next_delay() } else { None };
        // Without a timer worker, one worker more than there are items is woken: the one that finds no item becomes it.
        let timer_successors = usize::from(earliest.is_some() && self.idle.timer_at.is_none());
        let workers = (newly_ready + timer_successors).min(self.idle.workers - self.idle.woken);
        self.idle.woken += workers;
        let timer = self.idle.timer_at.zip(earliest).is_some_and(|(timer_at, earliest)| earliest < timer_at);
        Wakes { workers, timer, drainers }
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
        let since = self.order.heads().map(|id| self.slots.slot(id).ready_since);
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
