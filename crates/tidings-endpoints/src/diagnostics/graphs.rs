//! The part of the model that describes graphs of derived collections.

use serde::{Deserialize, Serialize};

/// A graph of derived collections.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct GraphStatus {
    /// Its name.
    pub name: String,
    /// Why it has ended although nobody stopped it.
    pub failure: Option<String>,
    /// The number of rounds.
    pub rounds: u64,
    /// The time of all rounds.
    pub work_seconds: f64,
    /// Its collections, in the order in which they were made: a collection reads only those before it.
    pub collections: Vec<CollectionStatus>,
}

/// A derived collection.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct CollectionStatus {
    /// Its name.
    pub name: String,
    /// How it was made: `informer`, `map`, `group_by` and so on.
    pub operator: String,
    /// Whether all of its inputs have listed and all of its values are published.
    pub is_synced: bool,
    /// Why it has not synced; none if it has.
    pub unsynced_because: Option<String>,
    /// The number of its values.
    pub values: u64,
    /// How often its function was evaluated.
    pub evaluations: u64,
    /// Evaluations that returned what was there before.
    pub unchanged: u64,
    /// Evaluations that failed.
    pub failures: u64,
    /// Keys whose last evaluation failed.
    pub failing_keys: u64,
    /// Output keys that several inputs produce.
    pub duplicate_keys: u64,
    /// Changes of its values.
    pub changes: u64,
    /// The time of its work.
    pub work_seconds: f64,
    /// What its function has read so far.
    pub reads: Vec<CollectionRead>,
}

/// What the function of a collection has read of another collection.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct CollectionRead {
    /// The collection that was read.
    pub collection: String,
    /// Field paths and labels. `*` is the whole element. Empty if only the existence counts.
    pub parts: Vec<String>,
}

#[cfg(feature = "derived")]
mod reading {
    use tidings_derived::{CollectionReads, CollectionStats, GraphReport};

    use super::{CollectionRead, CollectionStatus, GraphStatus};

    impl GraphStatus {
        pub(in crate::diagnostics) fn read(report: GraphReport) -> Self {
            let mut unsynced = report.unsynced();
            let mut collections: Vec<_> =
                report.collections.into_iter().map(CollectionStatus::read).collect();
            for collection in &mut collections {
                let at = unsynced.iter().position(|unsynced| unsynced.collection == collection.name);
                collection.unsynced_because = at.map(|at| unsynced.swap_remove(at).reason);
            }
            GraphStatus {
                name: report.name,
                failure: report.failure,
                rounds: report.rounds,
                work_seconds: report.round_nanos as f64 / 1e9,
                collections,
            }
        }
    }

    impl CollectionStatus {
        fn read(stats: CollectionStats) -> Self {
            CollectionStatus {
                operator: stats.operator.to_owned(),
                is_synced: stats.is_synced,
                unsynced_because: None,
                values: stats.values as u64,
                evaluations: stats.evaluations,
                unchanged: stats.unchanged,
                failures: stats.failures,
                failing_keys: stats.failing_keys as u64,
                duplicate_keys: stats.duplicate_keys as u64,
                changes: stats.changes,
                work_seconds: stats.work_nanos as f64 / 1e9,
                reads: stats.reads.into_iter().map(CollectionRead::read).collect(),
                name: stats.name,
            }
        }
    }

    impl CollectionRead {
        fn read(reads: CollectionReads) -> Self {
            CollectionRead { collection: reads.collection, parts: reads.parts }
        }
    }
}
