//! The statistics of a queue, read from its state.

use std::time::Duration;

use tidings_util::Histogram;

/// The statistics of a queue at one moment. Only a queue with a name measures durations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct QueueStats {
    /// Items that a worker could take now: the same as `len`.
    pub waiting: usize,
    /// Items that were added while they were worked on. They wait when that work is done.
    pub dirty: usize,
    /// Items that are being worked on.
    pub working: usize,
    /// Items whose delay has not ended.
    pub delayed: usize,
    /// How long the first item of any priority has waited; the longest of these. An item whose priority was improved while
    /// it waited is not the first of its new priority, and may have waited longer.
    pub oldest_waiting: Duration,
    /// How often an item began to wait or became dirty: adds that were not merged.
    pub adds: u64,
    /// How often an item was added with a delay or a rate limit.
    pub retries: u64,
    /// Sum of the time that the items being worked on have been worked on.
    pub unfinished: Duration,
    /// How long the item that was handed out first has been worked on.
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
