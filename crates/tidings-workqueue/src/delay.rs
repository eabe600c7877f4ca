//! The delayed slots: a binary heap by the moment at which they are ready, with lazy deletion. The entry of a cancelled
//! delay stays in the heap until it reaches the top, or until more than half of the entries are cancelled.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::clock::Moment;
use crate::links::SlotId;

/// Identifies one delay: a slot number, even with the same moment, can be used again.
type Ticket = u64;

/// The ticket of a slot that is not delayed.
const NO_TICKET: Ticket = 0;

/// With fewer entries, cancelled ones are not removed early.
const SWEEP_ENTRIES_MIN: usize = 64;

/// The delayed slots. An entry is active if its slot still has its ticket.
#[derive(Debug, Default)]
pub(crate) struct Delayed {
    heap: BinaryHeap<Reverse<DelayEntry>>,
    by_slot: Vec<SlotDelay>,
    last_ticket: Ticket,
    /// How many entries are active.
    active: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct DelayEntry {
    ready_at: Moment,
    /// Of two slots that are ready at the same moment, the one that was added first is first.
    ticket: Ticket,
    slot: SlotId,
}

/// The current delay of a slot.
#[derive(Debug, Clone, Copy, Default)]
struct SlotDelay {
    ticket: Ticket,
    ready_at: Moment,
}

impl Delayed {
    /// How many slots are delayed.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.active
    }

    /// Delays a slot that is not delayed.
    pub(crate) fn push(&mut self, slot: SlotId, ready_at: Moment) {
        let at = slot as usize;
        if self.by_slot.len() <= at {
            self.by_slot.resize(at + 1, SlotDelay::default());
        }
        self.last_ticket += 1;
        let ticket = self.last_ticket;
        self.by_slot[at] = SlotDelay { ticket, ready_at };
        self.heap.push(Reverse(DelayEntry { ready_at, ticket, slot }));
        self.active += 1;
    }

    /// When a delayed slot is ready.
    pub(crate) fn ready_at(&self, slot: SlotId) -> Moment {
        self.by_slot[slot as usize].ready_at
    }

    /// Cancels the delay of a slot.
    pub(crate) fn cancel(&mut self, slot: SlotId) {
        self.by_slot[slot as usize].ticket = NO_TICKET;
        self.active -= 1;
        if self.heap.len() > SWEEP_ENTRIES_MIN && self.heap.len() > 2 * self.active {
            let by_slot = &self.by_slot;
            self.heap.retain(|Reverse(entry)| is_active(by_slot, entry));
        }
    }

    /// Takes the next slot that is ready by now.
    pub(crate) fn pop(&mut self, now: Moment) -> Option<(SlotId, Moment)> {
        if self.next_at()? > now {
            return None;
        }
        let Reverse(DelayEntry { ready_at, slot, .. }) = self.heap.pop()?;
        self.by_slot[slot as usize].ticket = NO_TICKET;
        self.active -= 1;
        Some((slot, ready_at))
    }

    /// When the next slot is ready.
    pub(crate) fn next_at(&mut self) -> Option<Moment> {
        while let Some(Reverse(entry)) = self.heap.peek() {
            if is_active(&self.by_slot, entry) {
                return Some(entry.ready_at);
            }
            self.heap.pop();
        }
        None
    }

    /// Cancels all delays, and returns their slots.
    pub(crate) fn clear(&mut self) -> Vec<SlotId> {
        let all = std::mem::take(&mut self.heap);
        let mut delayed: Vec<DelayEntry> = all.into_iter().map(|Reverse(entry)| entry).collect();
        delayed.retain(|entry| is_active(&self.by_slot, entry));
        self.by_slot = Vec::new();
        self.active = 0;
        delayed.into_iter().map(|entry| entry.slot).collect()
    }

    /// All entries, cancelled ones included.
    #[cfg(test)]
    pub(crate) fn entries(&self) -> usize {
        self.heap.len()
    }
}

fn is_active(by_slot: &[SlotDelay], entry: &DelayEntry) -> bool {
    by_slot[entry.slot as usize].ticket == entry.ticket
}
