//! The slots that are being worked on. Each slot has its own mark; there is no list of them, because workers that finish in
//! any order would have to write to each other's entries (cache lines).

use std::time::Duration;

use crate::clock::Moment;
use crate::links::SlotId;
use crate::slots::Slots;

/// Counts the slots that are being worked on.
#[derive(Debug, Default)]
pub(crate) struct InWork {
    len: usize,
}

impl InWork {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Marks a slot that no longer waits.
    #[inline]
    pub(crate) fn begin<T>(&mut self, slots: &mut Slots<T>, slot: SlotId, now: Moment) {
        let slot = slots.slot_mut(slot);
        slot.is_worked_on = true;
        slot.stamp = now;
        self.len += 1;
    }

    /// Removes the mark, and returns how long the slot was worked on.
    #[inline]
    pub(crate) fn end<T>(&mut self, slots: &mut Slots<T>, slot: SlotId, now: Moment) -> Duration {
        let slot = slots.slot_mut(slot);
        slot.is_worked_on = false;
        self.len -= 1;
        now.since(slot.stamp)
    }

    /// How long the slot that was handed out first has been worked on.
    pub(crate) fn longest<T>(&self, slots: &Slots<T>, now: Moment) -> Duration {
        self.durations(slots, now).max().unwrap_or_default()
    }

    /// The sum over all slots in work.
    pub(crate) fn unfinished<T>(&self, slots: &Slots<T>, now: Moment) -> Duration {
        self.durations(slots, now).sum()
    }

    /// How long each has been worked on. It scans all slots: only scrapes call it.
    fn durations<T>(&self, slots: &Slots<T>, now: Moment) -> impl Iterator<Item = Duration> {
        let in_work = slots.iter().filter(|slot| slot.is_worked_on).take(self.len);
        in_work.map(move |slot| now.since(slot.stamp))
    }
}
