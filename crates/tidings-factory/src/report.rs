//! A report of one informer for operators: its statistics and health at one moment. It has no data of objects.

use tidings_informer::{Health, InformerStats, Lifecycle, Unsynced};

use crate::registry::Registry;

/// A report of one informer for operators.
#[derive(Debug, Clone)]
pub struct InformerReport {
    /// Whether it is started or stopped.
    pub lifecycle: Lifecycle,
    /// Its statistics.
    pub stats: InformerStats,
    /// Its health.
    pub health: Health,
    /// Why it has not synced; `None` if it has.
    pub unsynced: Option<Unsynced>,
}

impl InformerReport {
    /// The informers that are in use and not stopped, by name. Informers that ended with a failure are included.
    pub(crate) fn of(registry: &Registry) -> Vec<InformerReport> {
        let informers = registry.in_use().into_iter();
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
