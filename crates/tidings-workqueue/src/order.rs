//! Who of the waiting goes next: the priority whose longest waiting item has the earliest deadline, and within it
//! first in, first out, or share by share. It knows slots only, neither items nor clocks.

use std::time::Duration;

use crate::clock::Moment;
use crate::fair::{Share, Shares};
use crate::links::{Links, List, SlotId};
use crate::priority::{Allowances, Priority};

/// The waiting slots in the order of their turns.
#[derive(Debug)]
pub(crate) struct Order {
    allowances: Allowances,
    turns: Turns,
    /// By rank, each once it was used: at most 256. The first is live, which most queues have alone.
    classes: Vec<Class>,
    places: Vec<Place>,
    links: Links,
    /// As `links`, for the lines of the shares.
    share_links: Links,
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

/// Where a slot waits.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    share: Share,
    /// This and the next are meaningless for a slot that does not wait.
    deadline: Moment,
    priority: Priority,
}

impl Order {
    pub(crate) fn new(allowances: Allowances, turns: Turns) -> Self {
        Order {
            allowances,
            turns,
            classes: vec![Class::new(Priority::LIVE, allowances)],
            places: Vec::new(),
            links: Links::default(),
            share_links: Links::default(),
            len: 0,
        }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Says whose share a slot belongs to, before it waits for the first time.
    #[inline]
    pub(crate) fn assign(&mut self, slot: SlotId, share: Share) {
        let at = slot as usize;
        if self.places.len() <= at {
            self.places.resize(at + 1, Place::default());
        }
        self.places[at].share = share;
    }

    /// Lets a slot that does not wait begin to do so. `now` never goes back.
    #[inline]
    pub(crate) fn push(&mut self, slot: SlotId, priority: Priority, now: Moment) {
        let class = self.class(priority);
        let class = &mut self.classes[class];
        let place = &mut self.places[slot as usize];
        place.deadline = now.after(class.allowance);
        place.priority = priority;
        self.links.push(&mut class.line, slot);
        if self.turns == Turns::ShareByShare {
            class.shares.push(&mut self.share_links, place.share, slot);
        }
        self.len += 1;
    }

    /// Moves a waiting slot forward if this priority would give it an earlier deadline, counted from now.
    pub(crate) fn hasten(&mut self, slot: SlotId, priority: Priority, now: Moment) {
        let place = self.places[slot as usize];
        if now.after(self.allowances.of(priority)) < place.deadline {
            let class = self.class(place.priority);
            self.remove(class, slot);
            self.push(slot, priority, now);
        }
    }

    /// The slot whose turn it is.
    #[inline]
    pub(crate) fn first(&mut self) -> Option<SlotId> {
        let class = if self.classes.len() == 1 { 0 } else { self.due_class()? };
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
    pub(crate) fn pop(&mut self, first: SlotId) {
        let class = self.class(self.places[first as usize].priority);
        self.remove(class, first);
        if self.turns == Turns::ShareByShare {
            self.classes[class].shares.end_turn();
        }
    }

    fn due_class(&self) -> Option<usize> {
        let first = |class: &Class| class.line.first().map(|slot| self.places[slot as usize].deadline);
        let classes = self.classes.iter().enumerate().filter_map(|(at, class)| Some((first(class)?, at)));
        // Backwards: of two that are due at once, the more patient one began to wait first.
        classes.rev().min_by_key(|(deadline, _)| *deadline).map(|(_, at)| at)
    }

    #[inline]
    fn remove(&mut self, class: usize, slot: SlotId) {
        let class = &mut self.classes[class];
        self.links.remove(&mut class.line, slot);
        if self.turns == Turns::ShareByShare {
            class.shares.remove(&mut self.share_links, self.places[slot as usize].share, slot);
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
