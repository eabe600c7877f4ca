//! Adds durations to instants without overflow, for every crate that computes a deadline.
//!
//! `Instant + Duration` panics when the sum is out of range, and `Duration::MAX` is the usual way to say "never". A
//! duration that comes from a user or a server is therefore never added with `+`.

use std::time::Duration;

use tokio::time::Instant;

/// The longest delay. Tokio's own timers saturate at the same 30 years.
pub const DELAY_MAX: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// The instant `delay` after `start`. A delay above [`DELAY_MAX`] counts as [`DELAY_MAX`]: a timer for it never fires
/// in practice.
pub fn after(start: Instant, delay: Duration) -> Instant {
    start + delay.min(DELAY_MAX)
}

/// The instant `delay` from now; see [`after`].
pub fn from_now(delay: Duration) -> Instant {
    after(Instant::now(), delay)
}

#[cfg(test)]
mod tests {
    use super::*;

    // holds: X30
    #[tokio::test(start_paused = true)]
    async fn a_duration_of_any_length_gives_an_instant() {
        let now = Instant::now();
        assert_eq!(after(now, Duration::from_secs(7)), now + Duration::from_secs(7));
        assert_eq!(after(now, Duration::MAX), after(now, DELAY_MAX));
        assert!(after(after(now, Duration::MAX), Duration::MAX) > after(now, Duration::MAX));
        assert_eq!(from_now(Duration::ZERO), now);
    }
}
