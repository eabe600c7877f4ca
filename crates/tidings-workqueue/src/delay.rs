//! Delayed slots by the moment at which they are ready. An entry whose slot was taken over by an earlier add stays
//! in the heap, marked by its ticket, until it comes up or until such entries are the greater part.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::clock::Moment;
use crate::links::SlotId;

/// Tells one delay of a slot from every other: a slot's number, and even its moment, may come again.
pub(crate) type Ticket = u64;

/// Below this many entries, stale ones are not worth looking for.
const SWEEP_ENTRIES_MIN: usize = 64;

/// The delayed slots. An entry counts iff its slot still carries its ticket, which only the caller knows.
#[derive(Debug, Default)]
pub(crate) struct Delayed {
    heap: BinaryHeap<Reverse<Entry>>,
    last_ticket: Ticket,
    /// How many entries count.
    live: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    ready_at: Moment,
    /// Of two that are ready at once, the one that was added first goes first.
    ticket: Ticket,
    slot: SlotId,
}

impl Delayed {
    /// How many slots are delayed.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.live
    }

    /// Delays a slot, and gives it the ticket that it must carry.
    pub(crate) fn push(&mut self, slot: SlotId, ready_at: Moment) -> Ticket {
        self.last_ticket += 1;
        self.heap.push(Reverse(Entry { ready_at, ticket: self.last_ticket, slot }));
        self.live += 1;
        self.last_ticket
    }

    /// Says that a slot has put its ticket away. `carries` tells who still carries one.
    pub(crate) fn cancel(&mut self, carries: impl Fn(SlotId, Ticket) -> bool) {
        self.live -= 1;
        if self.heap.len() > SWEEP_ENTRIES_MIN && self.heap.len() > 2 * self.live {
            self.heap.retain(|Reverse(entry)| carries(entry.slot, entry.ticket));
        }
    }

    /// Takes the next slot that is ready by now.
    pub(crate) fn pop(
        &mut self,
        now: Moment,
        carries: impl Fn(SlotId, Ticket) -> bool,
    ) -> Option<(SlotId, Moment)> {
        if self.next_at(carries)? > now {
            return None;
        }
        let Reverse(entry) = self.heap.pop()?;
        self.live -= 1;
        Some((entry.slot, entry.ready_at))
    }

    /// When the next slot is ready.
    pub(crate) fn next_at(&mut self, carries: impl Fn(SlotId, Ticket) -> bool) -> Option<Moment> {
        while let Some(Reverse(entry)) = self.heap.peek() {
            if carries(entry.slot, entry.ticket) {
                return Some(entry.ready_at);
            }
            self.heap.pop();
        }
        None
    }

    /// Forgets all of them.
    pub(crate) fn clear(&mut self) {
        self.heap = BinaryHeap::new();
        self.live = 0;
    }

    /// With those that no longer count.
    #[cfg(test)]
    pub(crate) fn entries(&self) -> usize {
        self.heap.len()
    }
}
