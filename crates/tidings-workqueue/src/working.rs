//! How many slots are being worked on, and for how long. Which they are stands in the slots: in a list of them, workers who
//! end their work in any order would have to change each other's entries.

use std::time::Duration;

use crate::clock::Moment;
use crate::links::SlotId;
use crate::slots::Slots;

/// The slots that workers hold, in figures.
#[derive(Debug, Default)]
pub(crate) struct InWork {
    len: usize,
}

impl InWork {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Lets the work on a slot begin that no longer waits.
    #[inline]
    pub(crate) fn begin<T>(&mut self, slots: &mut Slots<T>, slot: SlotId, now: Moment) {
        let slot = slots.slot_mut(slot);
        slot.is_worked_on = true;
        slot.stamp = now;
        self.len += 1;
    }

    /// Says how long it was held.
    #[inline]
    pub(crate) fn end<T>(&mut self, slots: &mut Slots<T>, slot: SlotId, now: Moment) -> Duration {
        let slot = slots.slot_mut(slot);
        slot.is_worked_on = false;
        self.len -= 1;
        now.since(slot.stamp)
    }

    /// How long the one has been held that was handed out first.
    pub(crate) fn longest<T>(&self, slots: &Slots<T>, now: Moment) -> Duration {
        self.held(slots, now).max().unwrap_or_default()
    }

    /// How long all of them together have been held.
    pub(crate) fn unfinished<T>(&self, slots: &Slots<T>, now: Moment) -> Duration {
        self.held(slots, now).sum()
    }

    /// How long each of them has been held. Looks for them among all slots: those who ask are few.
    fn held<T>(&self, slots: &Slots<T>, now: Moment) -> impl Iterator<Item = Duration> {
        let held = slots.iter().filter(|slot| slot.is_worked_on).take(self.len);
        held.map(move |slot| now.since(slot.stamp))
    }
}
