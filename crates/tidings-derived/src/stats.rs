//! What a collection reports to operators.

use std::fmt;

/// The state of a graph at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct GraphReport {
    /// Its name.
    pub name: String,
    /// Why it has ended although nobody stopped it.
    pub failure: Option<String>,
    /// The number of rounds.
    pub rounds: u64,
    /// The time of all rounds, in nanoseconds.
    pub round_nanos: u64,
    /// The statistics of every collection in use.
    pub collections: Vec<CollectionStats>,
}

/// A collection that has not synced, for readiness checks.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnsyncedCollection {
    /// The graph.
    pub graph: String,
    /// The collection.
    pub collection: String,
    /// What it waits for, or why it will never sync.
    pub reason: String,
}

impl GraphReport {
    /// The collections that have not synced, and why.
    pub fn unsynced(&self) -> Vec<UnsyncedCollection> {
        let unsynced = self.collections.iter().filter(|collection| !collection.is_synced);
        let reason = |collection: &CollectionStats| match (&collection.failure, &collection.waits_for) {
            (Some(failure), _) => failure.clone(),
            (None, Some(other)) => format!("it waits for {other}"),
            (None, None) => NOT_LISTED.to_owned(),
        };
        let unsynced = unsynced.map(|collection| UnsyncedCollection {
            graph: self.name.clone(),
            collection: collection.name.clone(),
            reason: reason(collection),
        });
        unsynced.collect()
    }
}

/// Why a collection has not synced that waits for no other collection.
pub(crate) const NOT_LISTED: &str = "its inputs have not listed, or the task of its graph does not run";

impl fmt::Display for UnsyncedCollection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnsyncedCollection { graph, collection, reason } = self;
        write!(f, "collection {collection:?} of graph {graph:?} has not synced: {reason}")
    }
}

/// The statistics of one collection.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct CollectionStats {
    /// Its name.
    pub name: String,
    /// How it was made: `informer`, `map`, `map_many` and so on.
    pub operator: &'static str,
    /// Whether all of its inputs have listed and all of its outputs are published.
    pub is_synced: bool,
    /// The collection that it waits for.
    pub waits_for: Option<String>,
    /// Why its informer never synced.
    pub failure: Option<String>,
    /// The number of its values.
    pub values: usize,
    /// The number of keys for which its function is evaluated.
    pub input_keys: usize,
    /// How often its function was evaluated.
    pub evaluations: u64,
    /// Evaluations that returned what was there before.
    pub unchanged: u64,
    /// Evaluations that failed: the function panicked, or returned an error.
    pub failures: u64,
    /// The keys whose last evaluation failed.
    pub failing_keys: usize,
    /// The output keys that several inputs produce.
    pub duplicate_keys: usize,
    /// Changes of its values.
    pub changes: u64,
    /// The time of its work, in nanoseconds.
    pub work_nanos: u64,
    /// What its function has read so far.
    pub reads: Vec<CollectionReads>,
}

/// What the function of a collection has read of another collection.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CollectionReads {
    /// The collection that was read.
    pub collection: String,
    /// The field paths and labels, sorted. `*` is the whole element. Empty if only the existence counts.
    pub parts: Vec<String>,
}
