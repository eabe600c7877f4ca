//! The order of the waiting slots: earliest deadline first between priorities, and within a priority first in, first out, or
//! round robin between flows. It knows slots only, neither items nor clocks. What it records of a slot is stored in the
//! slot.

use std::time::Duration;

use crate::clock::Moment;
use crate::flows::Flows;
use crate::links::{Link, List, SlotId};
use crate::priority::{Allowances, Priority};
use crate::slots::Slots;

/// The waiting slots, in order.
#[derive(Debug)]
pub(crate) struct Order {
    allowances: Allowances,
    scheduling: Scheduling,
    /// By rank, each from its first use on: at most 256. The first is live; most queues have no other.
    classes: Vec<PriorityClass>,
    /// The links of the queues of flows: a slot is in one of these, and in the queue of its priority.
    flow_links: Vec<Link>,
    len: usize,
}

/// The order within a priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheduling {
    FirstInFirstOut,
    RoundRobin,
}

/// The waiting items of one priority.
#[derive(Debug)]
struct PriorityClass {
    priority: Priority,
    allowance: Duration,
    /// In order of the deadlines, because all have the same allowance and time does not go back.
    queue: List,
    flows: Flows,
}

impl Order {
    pub(crate) fn new(allowances: Allowances, scheduling: Scheduling) -> Self {
        Order {
            allowances,
            scheduling,
            classes: vec![PriorityClass::new(Priority::LIVE, allowances)],
            flow_links: Vec::new(),
            len: 0,
        }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Adds a slot that does not wait. `now` never goes back.
    #[inline]
    pub(crate) fn push<T>(&mut self, slots: &mut Slots<T>, slot: SlotId, priority: Priority, now: Moment) {
        let class = self.class(priority);
        let class = &mut self.classes[class];
        let waiting = slots.slot_mut(slot);
        waiting.stamp = now.after(class.allowance);
        waiting.queued_priority = priority;
        if self.scheduling == Scheduling::RoundRobin {
            class.flows.push(&mut self.flow_links, waiting.flow, slot);
        }
        class.queue.push(slots, slot);
        self.len += 1;
    }

    /// Moves a waiting slot to another priority if that gives it an earlier deadline, counted from now.
    pub(crate) fn promote<T>(&mut self, slots: &mut Slots<T>, slot: SlotId, priority: Priority, now: Moment) {
        let waiting = slots.slot(slot);
        if now.after(self.allowances.of(priority)) < waiting.stamp {
            let class = self.class(waiting.queued_priority);
            self.remove(slots, class, slot);
            self.push(slots, slot, priority, now);
        }
    }

    /// The next slot.
    #[inline]
    pub(crate) fn first<T>(&mut self, slots: &Slots<T>) -> Option<SlotId> {
        let class = if self.classes.len() == 1 { 0 } else { self.due_class(slots)? };
        let class = &mut self.classes[class];
        match self.scheduling {
            Scheduling::FirstInFirstOut => class.queue.first(),
            Scheduling::RoundRobin => class.flows.first(),
        }
    }

    /// The first slot of each priority.
    pub(crate) fn heads(&self) -> impl Iterator<Item = SlotId> {
        self.classes.iter().filter_map(|class| class.queue.first())
    }

    /// Removes the slot that `first` returned.
    #[inline]
    pub(crate) fn pop<T>(&mut self, slots: &mut Slots<T>, first: SlotId) {
        let class = self.class(slots.slot(first).queued_priority);
        self.remove(slots, class, first);
        if self.scheduling == Scheduling::RoundRobin {
            self.classes[class].flows.end_turn();
        }
    }

    fn due_class<T>(&self, slots: &Slots<T>) -> Option<usize> {
        let first = |class: &PriorityClass| class.queue.first().map(|slot| slots.slot(slot).stamp);
        let classes = self.classes.iter().enumerate().filter_map(|(at, class)| Some((first(class)?, at)));
        // In reverse: of two slots with the same deadline, the one with the larger allowance began to wait first.
        classes.rev().min_by_key(|(deadline, _)| *deadline).map(|(_, at)| at)
    }

    #[inline]
    fn remove<T>(&mut self, slots: &mut Slots<T>, class: usize, slot: SlotId) {
        let class = &mut self.classes[class];
        class.queue.remove(slots, slot);
        if self.scheduling == Scheduling::RoundRobin {
            class.flows.remove(&mut self.flow_links, slots.slot(slot).flow, slot);
        }
        self.len -= 1;
    }

    #[inline]
    fn class(&mut self, priority: Priority) -> usize {
        if priority == Priority::LIVE {
            return 0;
        }
        let found = self.classes.binary_search_by_key(&priority, |class| class.priority);
        found.unwrap_or_else(|at| {
            self.classes.insert(at, PriorityClass::new(priority, self.allowances));
            at
        })
    }
}

impl PriorityClass {
    fn new(priority: Priority, allowances: Allowances) -> Self {
        let allowance = allowances.of(priority);
        PriorityClass { priority, allowance, queue: List::default(), flows: Flows::default() }
    }
}
