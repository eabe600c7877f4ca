//! Which slots are being worked on, in the order in which they were handed out: the first is the longest running.

use std::time::Duration;

use crate::clock::Moment;
use crate::links::{Links, List, SlotId};

/// The slots that workers hold.
#[derive(Debug, Default)]
pub(crate) struct InWork {
    links: Links,
    line: List,
    /// The sum of the moments at which they were handed out.
    since_nanos_sum: u128,
}

impl InWork {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.line.len()
    }

    pub(crate) fn first(&self) -> Option<SlotId> {
        self.line.first()
    }

    #[inline]
    pub(crate) fn begin(&mut self, slot: SlotId, now: Moment) {
        self.links.push(&mut self.line, slot);
        self.since_nanos_sum += u128::from(now.0);
    }

    #[inline]
    pub(crate) fn end(&mut self, slot: SlotId, since: Moment) {
        self.links.remove(&mut self.line, slot);
        self.since_nanos_sum -= u128::from(since.0);
    }

    /// How long all of them together have been worked on.
    pub(crate) fn unfinished(&self, now: Moment) -> Duration {
        let until_now = u128::from(now.0) * self.line.len() as u128;
        let nanos = until_now.saturating_sub(self.since_nanos_sum);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}
