//! Who of the waiting goes next: the priority whose longest waiting item has the earliest deadline, and within it
//! first in, first out, or share by share. It knows slots only, neither items nor clocks.

use crate::clock::Moment;
use crate::fair::{Share, Shares};
use crate::links::{Links, List, SlotId};
use crate::priority::{Allowances, Priority};

/// The waiting slots in the order of their turns.
#[derive(Debug)]
pub(crate) struct Order {
    allowances: Allowances,
    /// By rank, each once it was used: at most 256.
    classes: Vec<Class>,
    places: Vec<Place>,
    links: Links,
    /// As `links`, for the lines of the shares.
    share_links: Links,
    len: usize,
}

/// The waiting items of one priority.
#[derive(Debug)]
struct Class {
    priority: Priority,
    /// By deadline, since all of them have the same allowance and time does not go back.
    line: List,
    shares: Shares,
}

/// Where a slot waits; meaningless for one that does not.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    priority: Priority,
    deadline: Moment,
    share: Option<Share>,
}

impl Order {
    pub(crate) fn new(allowances: Allowances) -> Self {
        Order {
            allowances,
            classes: Vec::new(),
            places: Vec::new(),
            links: Links::default(),
            share_links: Links::default(),
            len: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Lets a slot that does not wait begin to do so. `now` never goes back.
    pub(crate) fn push(&mut self, slot: SlotId, priority: Priority, share: Option<Share>, now: Moment) {
        let at = slot as usize;
        if self.places.len() <= at {
            self.places.resize(at + 1, Place::default());
        }
        self.places[at] = Place { priority, deadline: self.allowances.deadline(priority, now), share };
        let class = class(&mut self.classes, priority);
        self.links.push(&mut class.line, slot);
        if let Some(share) = share {
            class.shares.push(&mut self.share_links, share, slot);
        }
        self.len += 1;
    }

    /// Moves a waiting slot forward if this priority would give it an earlier deadline, counted from now.
    pub(crate) fn hasten(&mut self, slot: SlotId, priority: Priority, now: Moment) {
        let Place { share, deadline, .. } = self.places[slot as usize];
        if self.allowances.deadline(priority, now) < deadline {
            self.remove(slot);
            self.push(slot, priority, share, now);
        }
    }

    /// The slot whose turn it is.
    pub(crate) fn first(&mut self) -> Option<SlotId> {
        let places = &self.places;
        let due = |class: &Class| class.line.first().map(|slot| places[slot as usize].deadline);
        let waiting = self.classes.iter_mut().filter(|class| !class.line.is_empty());
        let class = waiting.min_by_key(|class| due(class))?;
        class.shares.first().or(class.line.first())
    }

    /// Takes out the slot that `first` gave.
    pub(crate) fn pop(&mut self, first: SlotId) {
        let Place { priority, share, .. } = self.places[first as usize];
        self.remove(first);
        if share.is_some() {
            class(&mut self.classes, priority).shares.end_turn();
        }
    }

    fn remove(&mut self, slot: SlotId) {
        let Place { priority, share, .. } = self.places[slot as usize];
        let class = class(&mut self.classes, priority);
        self.links.remove(&mut class.line, slot);
        if let Some(share) = share {
            class.shares.remove(&mut self.share_links, share, slot);
        }
        self.len -= 1;
    }
}

fn class(classes: &mut Vec<Class>, priority: Priority) -> &mut Class {
    let at = match classes.binary_search_by_key(&priority, |class| class.priority) {
        Ok(at) => at,
        Err(at) => {
            classes.insert(at, Class { priority, line: List::default(), shares: Shares::default() });
            at
        }
    };
    &mut classes[at]
}
