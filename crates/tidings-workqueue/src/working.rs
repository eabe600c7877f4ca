//! Which slots are being worked on, in the order in which they were handed out: the first is the longest running.

use std::time::Duration;

use crate::clock::Moment;
use crate::links::{List, SlotId};
use crate::slots::Slots;

/// The slots that workers hold.
#[derive(Debug, Default)]
pub(crate) struct InWork {
    line: List,
    /// The sum over those that are held.
    since_nanos_sum: u128,
}

impl InWork {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.line.len()
    }

    /// Lets the work on a slot begin that no longer waits.
    #[inline]
    pub(crate) fn begin<T>(&mut self, slots: &mut Slots<T>, slot: SlotId, now: Moment) {
        slots.slot_mut(slot).worked_on_since = now;
        self.since_nanos_sum += u128::from(now.0);
        self.line.push(slots, slot);
    }

    /// Says how long it was held.
    #[inline]
    pub(crate) fn end<T>(&mut self, slots: &mut Slots<T>, slot: SlotId, now: Moment) -> Duration {
        let since = slots.slot(slot).worked_on_since;
        self.since_nanos_sum -= u128::from(since.0);
        self.line.remove(slots, slot);
        now.since(since)
    }

    /// How long the one has been held that was handed out first.
    pub(crate) fn longest<T>(&self, slots: &Slots<T>, now: Moment) -> Duration {
        self.line.first().map_or(Duration::ZERO, |slot| now.since(slots.slot(slot).worked_on_since))
    }

    /// How long all of them together have been worked on.
    pub(crate) fn unfinished(&self, now: Moment) -> Duration {
        let until_now = u128::from(now.0) * self.line.len() as u128;
        let nanos = until_now.saturating_sub(self.since_nanos_sum);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}
