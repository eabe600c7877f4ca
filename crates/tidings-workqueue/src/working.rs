//! Which slots are being worked on, in the order in which they were handed out: the first is the longest running.

use std::time::Duration;

use crate::clock::Moment;
use crate::links::{Links, List, SlotId};

/// The slots that workers hold.
#[derive(Debug, Default)]
pub(crate) struct InWork {
    links: Links,
    line: List,
    /// When each was handed out; meaningless for a slot that nobody holds.
    since: Vec<Moment>,
    /// The sum over those that are held.
    since_nanos_sum: u128,
}

impl InWork {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.line.len()
    }

    #[inline]
    pub(crate) fn begin(&mut self, slot: SlotId, now: Moment) {
        let at = slot as usize;
        if self.since.len() <= at {
            self.since.resize(at + 1, Moment::default());
        }
        self.since[at] = now;
        self.since_nanos_sum += u128::from(now.0);
        self.links.push(&mut self.line, slot);
    }

    /// Says how long it was held.
    #[inline]
    pub(crate) fn end(&mut self, slot: SlotId, now: Moment) -> Duration {
        let since = self.since[slot as usize];
        self.since_nanos_sum -= u128::from(since.0);
        self.links.remove(&mut self.line, slot);
        now.since(since)
    }

    /// How long the one has been held that was handed out first.
    pub(crate) fn longest(&self, now: Moment) -> Duration {
        self.line.first().map_or(Duration::ZERO, |slot| now.since(self.since[slot as usize]))
    }

    /// How long all of them together have been worked on.
    pub(crate) fn unfinished(&self, now: Moment) -> Duration {
        let until_now = u128::from(now.0) * self.line.len() as u128;
        let nanos = until_now.saturating_sub(self.since_nanos_sum);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}
