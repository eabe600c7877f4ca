//! The figures of a controller: how its reconciles ended, how long they took, and why there were requests at all.
//!
//! Counting takes no lock. What is read is a copy.

use std::time::Duration;

use tidings_workqueue::QueueStats;

use crate::sync::{AtomicU64, Ordering};

/// The figures of a controller.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ControllerStats {
    /// Its name.
    pub name: String,
    /// Reconciles that ended in [`AwaitChange`](crate::Action::AwaitChange).
    pub successes: u64,
    /// Reconciles that ended in [`Requeue`](crate::Action::Requeue).
    pub requeues: u64,
    /// Reconciles that ended in [`RequeueAfter`](crate::Action::RequeueAfter).
    pub delayed_requeues: u64,
    /// Reconciles that ended in an error of any kind: terminal ones, panics and timeouts too.
    pub errors: u64,
    /// Of these, the terminal errors.
    pub terminal_errors: u64,
    /// Of these, the panics.
    pub panics: u64,
    /// Of these, the reconciles that took too long.
    pub timeouts: u64,
    /// Reconciles that were dropped because the controller was abandoned.
    pub abandoned: u64,
    /// Requests that were dropped because they belong to another replica.
    pub not_ours: u64,
    /// Reconciles that first had to wait until the cache showed what the one before had written.
    pub write_waits: u64,
    /// Of these, those that went on without it when the bound had passed.
    pub write_waits_given_up: u64,
    /// Reconciles that run now.
    pub active_workers: usize,
    /// Reconciles that may run at the same time.
    pub workers: usize,
    /// How long reconciles took.
    pub reconcile_time: Durations,
    /// Why there were requests.
    pub requests: Vec<RequestCount>,
    /// The queue's.
    pub queue: QueueStats,
}

/// How many requests there were from one source for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestCount {
    /// The resource that changed, or `controller` for those that the controller made itself.
    pub source: String,
    /// Why.
    pub reason: Reason,
    /// How many; one that was waiting already counts too.
    pub count: u64,
}

/// Why there was a request, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The object was there before the controller.
    Initial,
    /// An object came.
    Added,
    /// An object changed.
    Updated,
    /// An object went.
    Deleted,
    /// A resync period has passed.
    Resync,
    /// A predicate let a change not pass: there was no request.
    Filtered,
    /// The reconciler asked for it.
    Requeue,
    /// The reconciler asked for it, after a time.
    RequeueAfter,
    /// It ended in an error.
    Error,
    /// It took too long.
    Timeout,
    /// The reconciler panicked.
    Panic,
    /// It was dropped when the controller was abandoned.
    Abandoned,
    /// The keys that are ours changed.
    Shares,
    /// Someone asked through the controller's handle.
    Asked,
}

/// How often something took how long.
#[derive(Debug, Clone, PartialEq)]
pub struct Durations {
    /// For each bound of [`bounds_seconds`](Self::bounds_seconds), how many took no longer and longer than the bound before; the
    /// last count is of those above every bound.
    pub counts: Vec<u64>,
    /// All of them together.
    pub sum: Duration,
}

/// Upper bounds of controller-runtime's histogram of reconcile times, in seconds.
const BOUNDS_SECONDS: [f64; 40] = [
    0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.25,
    1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 15.0, 20.0, 25.0, 30.0, 40.0,
    50.0, 60.0,
];

impl Durations {
    /// The upper bounds, in seconds.
    pub fn bounds_seconds() -> &'static [f64] {
        &BOUNDS_SECONDS
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }
}

impl Reason {
    /// All of them.
    pub const ALL: [Reason; 14] = [
        Reason::Initial,
        Reason::Added,
        Reason::Updated,
        Reason::Deleted,
        Reason::Resync,
        Reason::Filtered,
        Reason::Requeue,
        Reason::RequeueAfter,
        Reason::Error,
        Reason::Timeout,
        Reason::Panic,
        Reason::Abandoned,
        Reason::Shares,
        Reason::Asked,
    ];

    /// How it is called in metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::Initial => "initial",
            Reason::Added => "added",
            Reason::Updated => "updated",
            Reason::Deleted => "deleted",
            Reason::Resync => "resync",
            Reason::Filtered => "filtered",
            Reason::Requeue => "requeue",
            Reason::RequeueAfter => "requeue_after",
            Reason::Error => "error",
            Reason::Timeout => "timeout",
            Reason::Panic => "panic",
            Reason::Abandoned => "abandoned",
            Reason::Shares => "shares",
            Reason::Asked => "asked",
        }
    }
}

/// A figure that only grows.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add_one(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn value(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What is counted while reconciles run.
#[derive(Debug, Default)]
pub(crate) struct ReconcileCounters {
    pub(crate) successes: Counter,
    pub(crate) requeues: Counter,
    pub(crate) delayed_requeues: Counter,
    pub(crate) errors: Counter,
    pub(crate) terminal_errors: Counter,
    pub(crate) panics: Counter,
    pub(crate) timeouts: Counter,
    pub(crate) abandoned: Counter,
    pub(crate) not_ours: Counter,
    pub(crate) write_waits: Counter,
    pub(crate) write_waits_given_up: Counter,
    pub(crate) reconcile_time: Histogram,
    active: AtomicU64,
}

/// A reconcile that runs: it counts as active until this is dropped, in a panic too.
pub(crate) struct ActiveReconcile<'a>(&'a AtomicU64);

impl ReconcileCounters {
    pub(crate) fn begin(&self) -> ActiveReconcile<'_> {
        self.active.fetch_add(1, Ordering::Relaxed);
        ActiveReconcile(&self.active)
    }

    pub(crate) fn active(&self) -> usize {
        self.active.load(Ordering::Relaxed) as usize
    }
}

impl Drop for ActiveReconcile<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Counts durations by [`BOUNDS_SECONDS`].
#[derive(Debug)]
pub(crate) struct Histogram {
    counts: [AtomicU64; BOUNDS_SECONDS.len() + 1],
    /// It overflows after 584 years of work.
    sum_nanos: AtomicU64,
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram { counts: std::array::from_fn(|_| AtomicU64::new(0)), sum_nanos: AtomicU64::new(0) }
    }
}

impl Histogram {
    pub(crate) fn observe(&self, taken: Duration) {
        let seconds = taken.as_secs_f64();
        let bucket = BOUNDS_SECONDS.partition_point(|bound| *bound < seconds);
        self.counts[bucket].fetch_add(1, Ordering::Relaxed);
        let nanos = u64::try_from(taken.as_nanos()).unwrap_or(u64::MAX);
        self.sum_nanos.fetch_add(nanos, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> Durations {
        Durations {
            counts: self.counts.iter().map(|count| count.load(Ordering::Relaxed)).collect(),
            sum: Duration::from_nanos(self.sum_nanos.load(Ordering::Relaxed)),
        }
    }
}

/// The requests of one source, by reason.
#[derive(Debug)]
pub(crate) struct RequestCounters {
    source: String,
    by_reason: [Counter; Reason::ALL.len()],
}

impl RequestCounters {
    pub(crate) fn new(source: String) -> Self {
        RequestCounters { source, by_reason: std::array::from_fn(|_| Counter::default()) }
    }

    pub(crate) fn count(&self, reason: Reason) {
        self.by_reason[reason as usize].add_one();
    }

    /// Those that there were.
    pub(crate) fn read(&self) -> impl Iterator<Item = RequestCount> {
        let counts = Reason::ALL.into_iter().zip(&self.by_reason);
        let counts = counts.map(|(reason, count)| (reason, count.value())).filter(|(_, count)| *count > 0);
        counts.map(|(reason, count)| RequestCount { source: self.source.clone(), reason, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_stands_where_its_number_says() {
        for (at, reason) in Reason::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, at);
        }
    }

    #[test]
    fn a_duration_counts_under_the_first_bound_that_it_does_not_exceed() {
        let histogram = Histogram::default();
        for millis in [5, 6, 61_000] {
            histogram.observe(Duration::from_millis(millis));
        }
        let read = histogram.read();
        assert_eq!((read.counts[0], read.counts[1], read.counts[BOUNDS_SECONDS.len()]), (1, 1, 1));
        assert_eq!((read.count(), read.sum), (3, Duration::from_millis(61_011)));
    }
}
