//! A look at how far the server has come, after a watch that brought nothing.
//!
//! A server restored from a backup answers a watch from a version that it has not reached with silence, and goes on
//! doing so until it has given that version out again, for something else. One object of the most recent list, with
//! the version of that list, tells the two silences apart.
//!
//! Probes are rationed by time and not by watch, since a proxy may cut a watch every second: at most one in five
//! minutes, and while they find nothing the distance doubles to an hour. A server is down while it is restored, so a
//! watch that can't be opened brings the distance back to five minutes. What is left: a restore behind a load balancer
//! that hides the outage is noticed after an hour at most.

use std::time::Duration;

use futures_util::StreamExt as _;
use tidings_object::Version;
use tidings_source::{ErrorKind, ListOptions, ListPart, ListWatch, SourceError};
use tokio::time::{Instant, timeout};

use super::Reflector;
use super::config::ReflectorConfig;
use super::observer::{ReflectorActivity, TracedObserver};
use super::phase::{FailureStage, OperationEnd};
use super::run::FinishedOperation;
use super::sink::Sink;

/// When the next probe is due.
#[derive(Debug)]
pub(super) struct ProbeSchedule {
    last_at: Option<Instant>,
    distance: Duration,
}

/// The least time from one probe to the next.
const DISTANCE_MIN: Duration = Duration::from_secs(5 * 60);

/// What the distance doubles to.
const DISTANCE_MAX: Duration = Duration::from_secs(60 * 60);

/// How long a probe may take. Nothing is watched meanwhile, and a watch is to be reopened within 200 s of the last
/// sign of life: after up to 180 s of silence this much is left.
const PROBE_MAX: Duration = Duration::from_secs(15);

impl Default for ProbeSchedule {
    fn default() -> Self {
        ProbeSchedule { last_at: None, distance: DISTANCE_MIN }
    }
}

impl ProbeSchedule {
    pub(super) fn is_due(&self) -> bool {
        self.last_at.is_none_or(|at| at.elapsed() >= self.distance)
    }

    /// The server was not there: it may be another one that comes back.
    pub(super) fn was_away(&mut self) {
        self.distance = DISTANCE_MIN;
    }

    fn probing(&mut self) {
        if self.last_at.replace(Instant::now()).is_some() {
            self.distance = (self.distance * 2).min(DISTANCE_MAX);
        }
    }
}

impl<L: ListWatch + ?Sized, S: Sink> Reflector<L, S> {
    pub(super) async fn probe(&mut self) -> FinishedOperation {
        self.probe_schedule.probing();
        match most_recent_version(&*self.source, &self.config, &self.observer).await {
            Err(error) => FinishedOperation::failed(FailureStage::Opening, error, ReflectorActivity::Probe),
            Ok(version) => match &self.last {
                Some(last) if version.is_older_than(last) => {
                    FinishedOperation::quietly(OperationEnd::WentBack)
                }
                _ => FinishedOperation::quietly(OperationEnd::UpToDate),
            },
        }
    }
}

/// The server's current version, by a list of one object.
pub(super) async fn most_recent_version<L: ListWatch + ?Sized>(
    source: &L,
    config: &ReflectorConfig,
    observer: &TracedObserver,
) -> Result<Version, SourceError> {
    let takes_max = config.list_silence_max.min(PROBE_MAX);
    let version = timeout(takes_max, async {
        let asked = ListOptions { limit: Some(1), ..ListOptions::default() };
        let mut page = source.list(asked).await?;
        let mut objects = 0;
        while let Some(part) = page.next().await {
            match part? {
                ListPart::End(end) => return Ok(end.version),
                ListPart::Object(_) | ListPart::Skipped(_) => objects += 1,
            }
        }
        Err(observer.error("probe", None, ErrorKind::Truncated { objects }))
    });
    let late = |_| observer.network("probe", None, format!("not answered within {takes_max:?}"));
    version.await.map_err(late)?
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    // holds: X40
    #[tokio::test(start_paused = true)]
    async fn the_distance_of_probes_doubles_from_five_minutes_to_an_hour_and_starts_over_after_an_outage() {
        let mut pace = ProbeSchedule::default();
        assert!(pace.is_due(), "the first is due at once");
        pace.probing();
        for minutes in [5, 10, 20, 40, 60, 60] {
            advance(Duration::from_secs(60 * minutes - 1)).await;
            assert!(!pace.is_due(), "before {minutes} min");
            advance(Duration::from_secs(1)).await;
            assert!(pace.is_due(), "after {minutes} min");
            pace.probing();
        }
        pace.was_away();
        assert!(!pace.is_due(), "an outage allows no probe within five minutes of the last one");
        advance(DISTANCE_MIN).await;
        assert!(pace.is_due());
    }
}
