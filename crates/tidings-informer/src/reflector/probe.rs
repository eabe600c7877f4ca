//! A probe: requests the server's current version after watches that received nothing.
//!
//! A server that was restored from a backup answers a watch from a version that it has not reached with silence, until
//! it has assigned that version again, to another change. A list of one object of the most recent state distinguishes
//! it from a quiet server: the version of that list is lower than the last version of the reflector.
//!
//! Probes are limited by time and not by watch, since a proxy may cut a watch every second: at most one in five
//! minutes. While they find nothing, the interval doubles up to an hour. A server is down while it is restored, so a
//! watch that can't be opened resets the interval to five minutes. Limit: a restore behind a load balancer that hides
//! the outage is detected after an hour at most.

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
    interval: Duration,
}

/// The shortest time between two probes.
const INTERVAL_MIN: Duration = Duration::from_secs(5 * 60);

/// The longest time between two probes.
const INTERVAL_MAX: Duration = Duration::from_secs(60 * 60);

/// The timeout of a probe. Nothing is watched meanwhile, and a watch must be reopened within 200 s after the last data:
/// up to 180 s of silence have passed before.
const PROBE_MAX: Duration = Duration::from_secs(15);

impl Default for ProbeSchedule {
    fn default() -> Self {
        ProbeSchedule { last_at: None, interval: INTERVAL_MIN }
    }
}

impl ProbeSchedule {
    pub(super) fn is_due(&self) -> bool {
        self.last_at.is_none_or(|at| at.elapsed() >= self.interval)
    }

    /// The server was not reachable. It may have been restored meanwhile.
    pub(super) fn server_was_down(&mut self) {
        self.interval = INTERVAL_MIN;
    }

    fn record_probe(&mut self) {
        if self.last_at.replace(Instant::now()).is_some() {
            self.interval = (self.interval * 2).min(INTERVAL_MAX);
        }
    }
}

impl<L: ListWatch + ?Sized, S: Sink> Reflector<L, S> {
    pub(super) async fn probe(&mut self) -> FinishedOperation {
        self.probe_schedule.record_probe();
        match most_recent_version(&*self.source, &self.config, &self.observer).await {
            Err(error) => FinishedOperation::failed(FailureStage::Opening, error, ReflectorActivity::Probe),
            Ok(version) => match &self.last_version {
                Some(last) if version.is_older_than(last) => {
                    FinishedOperation::without_error(OperationEnd::WentBack)
                }
                _ => FinishedOperation::without_error(OperationEnd::UpToDate),
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
    let probe_timeout = config.list_silence_max.min(PROBE_MAX);
    let version = timeout(probe_timeout, async {
        let options = ListOptions { limit: Some(1), ..ListOptions::default() };
        let mut page = source.list(options).await?;
        let mut objects = 0;
        while let Some(part) = page.next().await {
            match part? {
                ListPart::End(end) => return Ok(end.version),
                ListPart::Object(_) | ListPart::Skipped(_) => objects += 1,
            }
        }
        Err(observer.error("probe", None, ErrorKind::Truncated { objects }))
    });
    let timed_out = |_| observer.network("probe", None, format!("no response within {probe_timeout:?}"));
    version.await.map_err(timed_out)?
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    // holds: X40
    #[tokio::test(start_paused = true)]
    async fn the_probe_interval_doubles_up_to_an_hour_and_is_reset_by_an_outage() {
        let mut schedule = ProbeSchedule::default();
        assert!(schedule.is_due(), "the first is due at once");
        schedule.record_probe();
        for minutes in [5, 10, 20, 40, 60, 60] {
            advance(Duration::from_secs(60 * minutes - 1)).await;
            assert!(!schedule.is_due(), "before {minutes} min");
            advance(Duration::from_secs(1)).await;
            assert!(schedule.is_due(), "after {minutes} min");
            schedule.record_probe();
        }
        schedule.server_was_down();
        assert!(!schedule.is_due(), "also after an outage, at most one probe in five minutes");
        advance(INTERVAL_MIN).await;
        assert!(schedule.is_due());
    }
}
