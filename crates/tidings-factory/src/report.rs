//! One informer as an operator sees it: figures and health, read at one moment. Nothing of an object's body is in it.

use tidings_informer::informer::{Health, InformerStats, Lifecycle, Unsynced};

use crate::roster::Roster;

/// One informer as an operator sees it.
#[derive(Debug, Clone)]
pub struct InformerReport {
    /// Where it stands.
    pub lifecycle: Lifecycle,
    /// Its figures.
    pub stats: InformerStats,
    /// How it is doing.
    pub health: Health,
    /// Why it has not synced, unless it has.
    pub unsynced: Option<Unsynced>,
}

impl InformerReport {
    /// All that are needed and have not been stopped, by name: also those that have ended by a panic.
    pub(crate) fn of(roster: &Roster) -> Vec<InformerReport> {
        let informers = roster.needed().into_iter();
        let reports = informers.map(|informer| InformerReport {
            lifecycle: informer.lifecycle(),
            stats: informer.stats(),
            health: informer.health(),
            unsynced: (!informer.is_synced()).then(|| informer.unsynced()),
        });
        reports
            .filter(|report| report.lifecycle != Lifecycle::Stopped || !report.health.failures.is_empty())
            .collect()
    }
}
