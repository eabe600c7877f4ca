//! The queue in figures, for those who look. Nothing here is counted: it is read off the queue's state.

use std::time::Duration;

use tidings_util::Histogram;

/// A queue at one moment. The durations are those of a queue with a name: one without keeps no times.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct QueueStats {
    /// Items that a worker could take now: what `len` says.
    pub waiting: usize,
    /// Items that were added while they were worked on, and will wait when that work is done.
    pub dirty: usize,
    /// Items that workers hold.
    pub working: usize,
    /// Items whose time has not come.
    pub delayed: usize,
    /// How long the one has waited that stands first among those of its priority: the longest of these. An item that was
    /// given a better priority while it waited stands behind those that were there, and may have waited longer.
    pub oldest_waiting: Duration,
    /// How often an item began to wait or became dirty: adds that were not collapsed.
    pub adds: u64,
    /// How often an item was added with a delay or a rate limit.
    pub retries: u64,
    /// How long the items that workers hold have been worked on, all together.
    pub unfinished: Duration,
    /// How long the one has been worked on that was handed out first.
    pub longest_running: Duration,
    /// From the add of an item, or the end of its delay, until it was handed out.
    pub queue_duration: Histogram,
    /// From the moment an item was handed out until it was done.
    pub work_duration: Histogram,
}

/// The durations that a queue with a name measures.
#[derive(Debug)]
pub(crate) struct Durations {
    pub(crate) queue: Histogram,
    pub(crate) work: Histogram,
}

/// Upper bounds of the histograms, those of client-go's work queue metrics: 10 ns, 100 ns and so on up to 10 s.
pub(crate) const BOUNDS_NANOS: [u64; 10] = {
    let mut bounds = [10; 10];
    let mut at = 1;
    while at < bounds.len() {
        bounds[at] = bounds[at - 1] * 10;
        at += 1;
    }
    bounds
};

impl Default for Durations {
    fn default() -> Self {
        Durations { queue: Histogram::new(&BOUNDS_NANOS), work: Histogram::new(&BOUNDS_NANOS) }
    }
}
