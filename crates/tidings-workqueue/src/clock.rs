//! The time of a queue: nanoseconds since the queue was made. Such a number takes half the size of an `Instant` in a slot,
//! and makes the state of the queue a pure function of the moments that are passed in.

use std::time::Duration;

use tokio::time::Instant;

/// Nanoseconds since the queue was made; 584 years of them fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Moment(pub(crate) u64);

/// Turns tokio's time, which tests can pause, into moments.
#[derive(Debug)]
pub(crate) struct Clock {
    origin: Instant,
}

const YEAR: Duration = Duration::from_secs(365 * 24 * 3600);

impl Clock {
    pub(crate) fn new() -> Self {
        Clock { origin: Instant::now() }
    }

    pub(crate) fn now(&self) -> Moment {
        Moment(nanos(self.origin.elapsed()))
    }

    /// When a timer must fire for this moment. A moment that an `Instant` can't represent is checked again after a year.
    pub(crate) fn instant(&self, moment: Moment) -> Instant {
        let instant = self.origin.checked_add(Duration::from_nanos(moment.0));
        instant.unwrap_or_else(|| Instant::now() + YEAR)
    }
}

impl Moment {
    /// Saturates: an item whose delay exceeds the range waits for ever.
    #[inline]
    pub(crate) fn after(self, delay: Duration) -> Moment {
        Moment(self.0.saturating_add(nanos(delay)))
    }

    #[inline]
    pub(crate) fn since(self, earlier: Moment) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
