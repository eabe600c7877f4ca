//! Durations counted by powers of ten, in client-go's buckets.

use std::time::Duration;

/// How many durations fell into each bucket, and their sum. The upper bounds are those of client-go's work queue
/// metrics: 10 ns, 100 ns, and so on up to 10 s.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Histogram {
    /// The last one counts what is above all bounds.
    counts: [u64; BUCKETS + 1],
    sum: Duration,
}

const BUCKETS: usize = 10;

/// Each bound counts among its bucket.
const BOUNDS_NANOS: [u64; BUCKETS] = {
    let mut bounds = [10; BUCKETS];
    let mut at = 1;
    while at < BUCKETS {
        bounds[at] = bounds[at - 1] * 10;
        at += 1;
    }
    bounds
};

impl Histogram {
    /// Counts a duration, and gives it back.
    pub(crate) fn observe(&mut self, duration: Duration) -> Duration {
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        self.counts[BOUNDS_NANOS.partition_point(|bound| *bound < nanos)] += 1;
        self.sum = self.sum.saturating_add(duration);
        duration
    }

    /// How many durations were counted.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// All durations together.
    pub fn sum(&self) -> Duration {
        self.sum
    }

    /// The upper bound of each bucket in seconds (infinite for the last), and how many fell into that bucket alone.
    pub fn buckets(&self) -> impl Iterator<Item = (f64, u64)> {
        let bounds = BOUNDS_NANOS.iter().map(|nanos| *nanos as f64 / 1e9).chain([f64::INFINITY]);
        bounds.zip(self.counts)
    }
}
