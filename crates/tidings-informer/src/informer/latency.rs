//! How long batches took from the queue to the handlers' mailboxes, as a histogram with upstream's bounds.
//!
//! It is measured once a batch, never once a delta: a clock read for each object would cost more than some of them.

use tokio::time::Duration;

/// How long batches took from the queue to the handlers' mailboxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProcessingLatency {
    /// How many batches there were.
    pub batches: u64,
    /// How long they took together.
    pub sum: Duration,
    /// How many took at most each of the [`BOUNDS`](Self::BOUNDS) and more than the one before it; what took
    /// longer than the last is in none.
    pub buckets: [u64; ProcessingLatency::BOUNDS.len()],
}

impl ProcessingLatency {
    /// The upper bounds of the buckets: client-go's, of `informer_processing_latency_seconds`.
    pub const BOUNDS: [Duration; 12] = [
        Duration::from_millis(1),
        Duration::from_millis(5),
        Duration::from_millis(10),
        Duration::from_millis(25),
        Duration::from_millis(50),
        Duration::from_millis(100),
        Duration::from_millis(250),
        Duration::from_millis(500),
        Duration::from_secs(1),
        Duration::from_millis(2500),
        Duration::from_secs(5),
        Duration::from_secs(10),
    ];

    pub(super) fn observe(&mut self, took: Duration) {
        self.batches += 1;
        self.sum += took;
        if let Some(bucket) = Self::BOUNDS.iter().position(|bound| took <= *bound) {
            self.buckets[bucket] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_counts_in_the_first_bucket_that_is_not_shorter() {
        let mut latency = ProcessingLatency::default();
        for micros in [0, 1_000, 1_001, 10_000_000, 10_000_001] {
            latency.observe(Duration::from_micros(micros));
        }
        assert_eq!(latency.buckets, [2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!((latency.batches, latency.sum), (5, Duration::from_micros(20_002_002)));
    }
}
