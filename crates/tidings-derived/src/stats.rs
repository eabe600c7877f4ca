//! What a collection reports to operators.

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
