//! A histogram of durations, as Prometheus counts them.

use std::time::Duration;

/// How many durations fell into each bucket, and their sum.
///
/// A duration that equals a bound belongs to the bucket of that bound. The last bucket has no upper bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histogram {
    bounds_nanos: &'static [u64],
    /// One count for each bound, and one for durations above all bounds.
    counts: Box<[u64]>,
    sum: Duration,
}

impl Histogram {
    /// An empty histogram. `bounds_nanos` are the upper bounds of the buckets in nanoseconds, in ascending order.
    #[doc(hidden)]
    pub fn new(bounds_nanos: &'static [u64]) -> Self {
        debug_assert!(bounds_nanos.is_sorted(), "the bounds of a histogram ascend");
        let counts = vec![0; bounds_nanos.len() + 1].into_boxed_slice();
        Histogram { bounds_nanos, counts, sum: Duration::ZERO }
    }

    /// Bounds for [`new`](Self::new), from milliseconds.
    #[doc(hidden)]
    pub const fn bounds_from_millis<const N: usize>(millis: [u64; N]) -> [u64; N] {
        let mut bounds = millis;
        let mut at = 0;
        while at < N {
            bounds[at] *= 1_000_000;
            at += 1;
        }
        bounds
    }

    /// Counts a duration.
    #[doc(hidden)]
    #[inline]
    pub fn observe(&mut self, duration: Duration) {
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        self.counts[self.bounds_nanos.partition_point(|bound| *bound < nanos)] += 1;
        self.sum = self.sum.saturating_add(duration);
    }

    /// The number of durations.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The sum of all durations.
    pub fn sum(&self) -> Duration {
        self.sum
    }

    /// For each bucket its upper bound in seconds (infinite for the last), and the number of durations in that bucket
    /// alone.
    pub fn buckets(&self) -> impl Iterator<Item = (f64, u64)> {
        let bounds = self.bounds_nanos.iter().map(|nanos| *nanos as f64 / 1e9).chain([f64::INFINITY]);
        bounds.zip(self.counts.iter().copied())
    }
}

/// A histogram with one bucket.
impl Default for Histogram {
    fn default() -> Self {
        Histogram::new(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_counts_in_the_first_bucket_whose_bound_is_not_shorter() {
        let mut histogram = Histogram::new(&[10, 100]);
        for nanos in [0, 10, 11, 100, 101] {
            histogram.observe(Duration::from_nanos(nanos));
        }
        let buckets: Vec<_> = histogram.buckets().collect();
        assert_eq!(buckets, [(1e-8, 2), (1e-7, 2), (f64::INFINITY, 1)]);
        assert_eq!((histogram.count(), histogram.sum()), (5, Duration::from_nanos(222)));
    }

    #[test]
    fn durations_of_any_length_are_counted() {
        let mut histogram = Histogram::default();
        histogram.observe(Duration::MAX);
        histogram.observe(Duration::MAX);
        assert_eq!((histogram.count(), histogram.sum()), (2, Duration::MAX));
    }
}
