//! The time that stand-ins write into objects and compare with: a wall-clock time read once, plus tokio's clock since.
//!
//! Never the machine's clock after the start: in tokio's paused time, a test that advances an hour moves schedules and
//! deadlines by an hour.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use tokio::time::Instant;

/// The clock of a cluster. Clones show the same time.
///
/// Give it the time that the API server starts with, if that is not the machine's:
///
/// ```
/// use tidings_cluster::Clock;
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let clock = Clock::starting_at("2026-01-01T00:00:00Z".parse()?);
/// tokio::time::advance(std::time::Duration::from_secs(90)).await;
/// assert_eq!(clock.now().to_string(), "2026-01-01T00:01:30Z");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Clock {
    base: Timestamp,
    started: Instant,
}

impl Clock {
    /// A clock that shows this time now.
    pub fn starting_at(time: Timestamp) -> Self {
        Clock { base: time, started: Instant::now() }
    }

    /// A clock that shows the machine's time now.
    pub fn system() -> Self {
        Clock::starting_at(Timestamp::now())
    }

    /// The time.
    pub fn now(&self) -> Timestamp {
        self.base.checked_add(self.started.elapsed()).unwrap_or(Timestamp::MAX)
    }

    /// The time as objects contain it: whole seconds, in UTC.
    pub(crate) fn text(&self) -> String {
        text(self.now())
    }

    /// The time that has passed since then; zero if it is later.
    pub(crate) fn since(&self, then: &Time) -> Duration {
        Duration::try_from(self.now().duration_since(then.0)).unwrap_or_default()
    }

    /// The time until `delay` after `then`; `None` if that is past.
    pub(crate) fn until(&self, then: &Time, delay: Duration) -> Option<Duration> {
        delay.checked_sub(self.since(then)).filter(|rest| !rest.is_zero())
    }
}

impl Default for Clock {
    fn default() -> Self {
        Clock::system()
    }
}

/// `2026-01-31T23:59:59Z`.
pub(crate) fn text(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
