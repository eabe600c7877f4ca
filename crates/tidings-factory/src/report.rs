//! One informer as an operator sees it: figures and health, read at one moment. Nothing of an object's body is in it.

use tidings_informer::informer::{Health, InformerStats, Lifecycle};

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
}

impl InformerReport {
    /// All that are needed and have not stopped, by name.
    pub(crate) fn of(roster: &Roster) -> Vec<InformerReport> {
        let informers = roster.needed().into_iter();
        let reports = informers.map(|informer| InformerReport {
            lifecycle: informer.lifecycle(),
            stats: informer.stats(),
            health: informer.health(),
        });
        reports.filter(|report| report.lifecycle != Lifecycle::Stopped).collect()
    }
}
