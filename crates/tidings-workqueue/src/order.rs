//! Who of the waiting goes next: the priority whose longest waiting item has the earliest deadline, and within it
//! first in, first out, or share by share. It knows slots only, neither items nor clocks; what it notes of a slot is kept
//! with the slot.

use std::time::Duration;

use crate::clock::Moment;
use crate::fair::Shares;
use crate::links::{Link, List, SlotId};
use crate::priority::{Allowances, Priority};
use crate::slots::Slots;

/// The waiting slots in the order of their turns.
#[derive(Debug)]
pub(crate) struct Order {
    allowances: Allowances,
    turns: Turns,
    /// By rank, each once it was used: at most 256. The first is live, which most queues have alone.
    classes: Vec<Class>,
    /// For the lines of the shares: a slot is in one of these besides the line of its priority.
    share_links: Vec<Link>,
    len: usize,
}

/// Whose turn it is within a priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turns {
    FirstInFirstOut,
    ShareByShare,
}

/// The waiting items of one priority.
#[derive(Debug)]
struct Class {
    priority: Priority,
    allowance: Duration,
    /// By deadline, since all of them have the same allowance and time does not go back.
    line: List,
    shares: Shares,
}

impl Order {
    pub(crate) fn new(allowances: Allowances, turns: Turns) -> Self {
        Order {
            allowances,
            turns,
            classes: vec![Class::new(Priority::LIVE, allowances)],
            share_links: Vec::new(),
            len: 0,
        }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Lets a slot that does not wait begin to do so. `now` never goes back.
    #[inline]
    pub(crate) fn push<T>(&mut self, slots: &mut Slots<T>, slot: SlotId, priority: Priority, now: Moment) {
        let class = self.class(priority);
        let class = &mut self.classes[class];
        let waiting = slots.slot_mut(slot);
        waiting.stamp = now.after(class.allowance);
        waiting.waits_with = priority;
        if self.turns == Turns::ShareByShare {
            class.shares.push(&mut self.share_links, waiting.share, slot);
        }
        class.line.push(slots, slot);
        self.len += 1;
    }

    /// Moves a waiting slot forward if this priority would give it an earlier deadline, counted from now.
    pub(crate) fn hasten<T>(&mut self, slots: &mut Slots<T>, slot: SlotId, priority: Priority, now: Moment) {
        let waiting = slots.slot(slot);
        if now.after(self.allowances.of(priority)) < waiting.stamp {
            let class = self.class(waiting.waits_with);
            self.remove(slots, class, slot);
            self.push(slots, slot, priority, now);
        }
    }

    /// The slot whose turn it is.
    #[inline]
    pub(crate) fn first<T>(&mut self, slots: &Slots<T>) -> Option<SlotId> {
        let class = if self.classes.len() == 1 { 0 } else { self.due_class(slots)? };
        let class = &mut self.classes[class];
        match self.turns {
            Turns::FirstInFirstOut => class.line.first(),
            Turns::ShareByShare => class.shares.first(),
        }
    }

    /// The slot of each priority that has stood in its line for longest.
    pub(crate) fn fronts(&self) -> impl Iterator<Item = SlotId> {
        self.classes.iter().filter_map(|class| class.line.first())
    }

    /// Takes out the slot that `first` gave.
    #[inline]
    pub(crate) fn pop<T>(&mut self, slots: &mut Slots<T>, first: SlotId) {
        let class = self.class(slots.slot(first).waits_with);
        self.remove(slots, class, first);
        if self.turns == Turns::ShareByShare {
            self.classes[class].shares.end_turn();
        }
    }

    fn due_class<T>(&self, slots: &Slots<T>) -> Option<usize> {
        let first = |class: &Class| class.line.first().map(|slot| slots.slot(slot).stamp);
        let classes = self.classes.iter().enumerate().filter_map(|(at, class)| Some((first(class)?, at)));
        // Backwards: of two that are due at once, the more patient one began to wait first.
        classes.rev().min_by_key(|(deadline, _)| *deadline).map(|(_, at)| at)
    }

    #[inline]
    fn remove<T>(&mut self, slots: &mut Slots<T>, class: usize, slot: SlotId) {
        let class = &mut self.classes[class];
        class.line.remove(slots, slot);
        if self.turns == Turns::ShareByShare {
            class.shares.remove(&mut self.share_links, slots.slot(slot).share, slot);
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
            self.classes.insert(at, Class::new(priority, self.allowances));
            at
        })
    }
}

impl Class {
    fn new(priority: Priority, allowances: Allowances) -> Self {
        let allowance = allowances.of(priority);
        Class { priority, allowance, line: List::default(), shares: Shares::default() }
    }
}
