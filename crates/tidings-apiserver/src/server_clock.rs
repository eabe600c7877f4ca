//! The server's clock: a wall-clock time that is read once at start, plus the time of tokio's clock since then.
//!
//! Tests can pause and advance tokio's clock, and the server's clock follows.

use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;

#[derive(Clone, Debug)]
pub(crate) struct ServerClock {
    base: Timestamp,
    started: Instant,
}

impl ServerClock {
    pub(crate) fn starting_at(base: Timestamp) -> Self {
        Self { base, started: Instant::now() }
    }

    /// A clock that starts at the machine's time.
    pub(crate) fn system() -> Self {
        Self::starting_at(Timestamp::now())
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.after(Duration::ZERO)
    }

    /// The time `later` from now.
    pub(crate) fn after(&self, later: Duration) -> Timestamp {
        let past = self.started.elapsed().saturating_add(later);
        self.base.checked_add(past).unwrap_or(Timestamp::MAX)
    }

    /// The time as objects carry it: whole seconds, in UTC.
    pub(crate) fn seconds(&self) -> String {
        rfc3339_seconds(self.now())
    }
}

/// `2024-01-31T23:59:59Z`.
pub(crate) fn rfc3339_seconds(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn time_moves_as_tokios_clock_does() {
        let clock = ServerClock::starting_at("2026-01-01T00:00:00Z".parse().unwrap());
        assert_eq!(clock.seconds(), "2026-01-01T00:00:00Z");
        tokio::time::advance(Duration::from_secs(90)).await;
        assert_eq!(clock.seconds(), "2026-01-01T00:01:30Z");
    }
}
