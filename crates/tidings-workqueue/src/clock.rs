//! Time as the queue sees it: nanoseconds since the queue was made. A number can be compared, added and written
//! into a slot at half the size of an `Instant`, and the queue's state is a pure function of the moments given.

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

    /// When a timer has to fire for this moment. One that no `Instant` can say is looked at again after a year.
    pub(crate) fn instant(&self, moment: Moment) -> Instant {
        let said = self.origin.checked_add(Duration::from_nanos(moment.0));
        said.unwrap_or_else(|| Instant::now() + YEAR)
    }
}

impl Moment {
    /// Saturates: an item delayed for longer than a clock can say waits for ever.
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
