//! Delayed slots by the moment at which they are ready. The entry of a slot whose delay was cancelled stays in the heap,
//! known by its ticket, until it comes up or until such entries are the greater part.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::clock::Moment;
use crate::links::SlotId;

/// Tells one delay of a slot from every other: a slot's number, and even its moment, may come again.
type Ticket = u64;

/// What a slot carries that is not delayed.
const NO_TICKET: Ticket = 0;

/// Below this many entries, stale ones are not worth looking for.
const SWEEP_ENTRIES_MIN: usize = 64;

/// The delayed slots. An entry counts iff its slot still carries its ticket.
#[derive(Debug, Default)]
pub(crate) struct Delayed {
    heap: BinaryHeap<Reverse<Entry>>,
    carried: Vec<Carried>,
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

/// The present delay of a slot.
#[derive(Debug, Clone, Copy, Default)]
struct Carried {
    ticket: Ticket,
    ready_at: Moment,
}

impl Delayed {
    /// How many slots are delayed.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.live
    }

    /// Delays a slot that is not delayed.
    pub(crate) fn push(&mut self, slot: SlotId, ready_at: Moment) {
        let at = slot as usize;
        if self.carried.len() <= at {
            self.carried.resize(at + 1, Carried::default());
        }
        self.last_ticket += 1;
        let ticket = self.last_ticket;
        self.carried[at] = Carried { ticket, ready_at };
        self.heap.push(Reverse(Entry { ready_at, ticket, slot }));
        self.live += 1;
    }

    /// When a delayed slot is ready.
    pub(crate) fn ready_at(&self, slot: SlotId) -> Moment {
        self.carried[slot as usize].ready_at
    }

    /// Ends the delay of a slot before its time.
    pub(crate) fn cancel(&mut self, slot: SlotId) {
        self.carried[slot as usize].ticket = NO_TICKET;
        self.live -= 1;
        if self.heap.len() > SWEEP_ENTRIES_MIN && self.heap.len() > 2 * self.live {
            let carried = &self.carried;
            self.heap.retain(|Reverse(entry)| counts(carried, entry));
        }
    }

    /// Takes the next slot that is ready by now.
    pub(crate) fn pop(&mut self, now: Moment) -> Option<(SlotId, Moment)> {
        if self.next_at()? > now {
            return None;
        }
        let Reverse(Entry { ready_at, slot, .. }) = self.heap.pop()?;
        self.carried[slot as usize].ticket = NO_TICKET;
        self.live -= 1;
        Some((slot, ready_at))
    }

    /// When the next slot is ready.
    pub(crate) fn next_at(&mut self) -> Option<Moment> {
        while let Some(Reverse(entry)) = self.heap.peek() {
            if counts(&self.carried, entry) {
                return Some(entry.ready_at);
            }
            self.heap.pop();
        }
        None
    }

    /// Forgets all delays, and says whose they were.
    pub(crate) fn clear(&mut self) -> Vec<SlotId> {
        let all = std::mem::take(&mut self.heap);
        let mut delayed: Vec<Entry> = all.into_iter().map(|Reverse(entry)| entry).collect();
        delayed.retain(|entry| counts(&self.carried, entry));
        self.carried = Vec::new();
        self.live = 0;
        delayed.into_iter().map(|entry| entry.slot).collect()
    }

    /// With those that no longer count.
    #[cfg(test)]
    pub(crate) fn entries(&self) -> usize {
        self.heap.len()
    }
}

fn counts(carried: &[Carried], entry: &Entry) -> bool {
    carried[entry.slot as usize].ticket == entry.ticket
}
