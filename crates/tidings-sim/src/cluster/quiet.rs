//! Waits until nothing is written any more. Never waits longer than a bound of simulated time.

use std::time::Duration;

use tokio::time::Instant;

use super::Cluster;
use crate::rule::{Rule, Violation};

/// How long a settled cluster may take to become quiet, in simulated time.
const SETTLE_MAX: Duration = Duration::from_secs(3600);

/// More reconciles than this in one period of quiet are a hot loop.
const RECONCILES_IN_QUIET_MAX: u64 = 2_000;

/// How long a wait may sleep at once: progress is reported to the watchdog after each sleep.
const SLEEP_MAX: Duration = Duration::from_secs(30);

impl Cluster {
    /// Waits until nothing was changed for `window`. With `is_end`, all faults and restarts are over too.
    pub(crate) async fn settle(&self, window: Duration, is_end: bool) {
        let started = Instant::now();
        let mut quiet_since = None;
        loop {
            self.progress.step();
            let (last, busy) = {
                let state = self.state.lock();
                (state.last_change, state.busy_until)
            };
            let since = if is_end { last.max(busy) } else { last };
            if quiet_since.as_ref().is_none_or(|(at, _)| *at != since) {
                quiet_since = Some((since, self.reconciles()));
            }
            let due = since + window;
            if Instant::now() >= due {
                if self.collect_garbage().await {
                    continue;
                }
                self.check_reconciles(quiet_since.map_or(0, |(_, reconciles)| reconciles), window);
                return;
            }
            if started.elapsed() > SETTLE_MAX {
                let message = format!(
                    "objects still change after {} simulated seconds: see the end of the timeline",
                    SETTLE_MAX.as_secs()
                );
                return self.violate(Violation::of(Rule::Quiet, message));
            }
            tokio::time::sleep_until(due.min(Instant::now() + SLEEP_MAX)).await;
        }
    }

    fn check_reconciles(&self, before: u64, window: Duration) {
        let reconciles = self.reconciles().saturating_sub(before);
        if reconciles > RECONCILES_IN_QUIET_MAX {
            let message =
                format!("{reconciles} reconciles in {} s although nothing changes", window.as_secs());
            self.violate(Violation::of(Rule::Quiet, message));
        }
    }
}
