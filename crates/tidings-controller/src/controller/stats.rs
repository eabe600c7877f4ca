//! The statistics of a controller: results and durations of reconciles, and reasons of requests.
//!
//! Counting takes no lock, except for the histogram of durations. Readers get a copy.

use std::time::Duration;

use tidings_util::Histogram;
use tidings_workqueue::QueueStats;

use crate::sync::{AtomicU64, Mutex, Ordering};

/// The statistics of a controller.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ControllerStats {
    /// The name of the controller.
    pub name: String,
    /// Reconciles that ended in [`AwaitChange`](crate::Action::AwaitChange).
    pub successes: u64,
    /// Reconciles that ended in [`Requeue`](crate::Action::Requeue).
    pub requeues: u64,
    /// Reconciles that ended in [`RequeueAfter`](crate::Action::RequeueAfter).
    pub delayed_requeues: u64,
    /// Reconciles that failed in any way, including terminal errors, panics and timeouts.
    pub errors: u64,
    /// Terminal errors, which `errors` includes.
    pub terminal_errors: u64,
    /// Panics, which `errors` includes.
    pub panics: u64,
    /// Reconciles that took too long, which `errors` includes.
    pub timeouts: u64,
    /// Reconciles that were dropped because the controller was abandoned.
    pub abandoned: u64,
    /// Requests that were dropped because they belong to another replica.
    pub not_ours: u64,
    /// Requests that waited until the caches showed the writes of their last reconcile.
    pub write_waits: u64,
    /// Of these, requests that were reconciled without it after `write_wait_max`.
    pub write_waits_given_up: u64,
    /// How often a request was put off because a cache was stale.
    pub stale_waits: u64,
    /// Reports of requests for which the controller wakes itself without end.
    pub loops: u64,
    /// Reads that waited until a cache showed writes of this process.
    pub read_waits: u64,
    /// Of these, reads that waited for the whole bound: an error, or a read from the server.
    pub read_waits_given_up: u64,
    /// Reads that were sent to the server because a cache was late.
    pub live_reads: u64,
    /// Writes that were not sent because they would have changed nothing.
    pub writes_saved: u64,
    /// Reconciles that run at the moment.
    pub active_workers: usize,
    /// Reconciles that may run at the same time.
    pub workers: usize,
    /// How long reconciles took.
    pub reconcile_time: Histogram,
    /// Requests by source and reason.
    pub requests: Vec<RequestCount>,
    /// The statistics of the queue.
    pub queue: QueueStats,
}

/// The number of requests from one source for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestCount {
    /// The resource that changed, or `controller` for requests that the controller added itself.
    pub source: String,
    /// The reason.
    pub reason: RequestReason,
    /// The number, including requests whose key was on the queue already.
    pub count: u64,
}

/// The reason of a request, or of its absence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RequestReason {
    /// The object was in the initial list.
    Initial,
    /// An object was added.
    Added,
    /// An object changed.
    Updated,
    /// An object was deleted.
    Deleted,
    /// A resync was due.
    Resync,
    /// A predicate rejected the notification: there was no request.
    Filtered,
    /// The reconciler returned [`Action::Requeue`](crate::Action::Requeue).
    Requeue,
    /// The reconciler returned [`Action::RequeueAfter`](crate::Action::RequeueAfter).
    RequeueAfter,
    /// The object that the reconciler [awaited](crate::Action::await_object) meets its condition.
    AwaitedObject,
    /// The awaited object did not meet its condition in time.
    AwaitTimeout,
    /// A cache was stale, and the request was put off.
    StaleCache,
    /// The reconcile returned an error.
    Error,
    /// The reconcile took too long.
    Timeout,
    /// The reconciler panicked.
    Panic,
    /// The reconcile was dropped because the controller was abandoned.
    Abandoned,
    /// The shard of this replica changed.
    ShardChanged,
    /// It was requested through [`ControllerHandle::request`](crate::ControllerHandle::request).
    Manual,
}

/// Upper bounds of controller-runtime's histogram of reconcile times.
const RECONCILE_TIME_BOUNDS_NANOS: [u64; 40] = Histogram::bounds_from_millis([
    5, 10, 25, 50, 100, 150, 200, 250, 300, 350, 400, 450, 500, 600, 700, 800, 900, 1_000, 1_250, 1_500,
    1_750, 2_000, 2_500, 3_000, 3_500, 4_000, 4_500, 5_000, 6_000, 7_000, 8_000, 9_000, 10_000, 15_000,
    20_000, 25_000, 30_000, 40_000, 50_000, 60_000,
]);

impl RequestReason {
    /// All reasons, in the order of their discriminants.
    pub(crate) const ALL: [RequestReason; 17] = [
        RequestReason::Initial,
        RequestReason::Added,
        RequestReason::Updated,
        RequestReason::Deleted,
        RequestReason::Resync,
        RequestReason::Filtered,
        RequestReason::Requeue,
        RequestReason::RequeueAfter,
        RequestReason::AwaitedObject,
        RequestReason::AwaitTimeout,
        RequestReason::StaleCache,
        RequestReason::Error,
        RequestReason::Timeout,
        RequestReason::Panic,
        RequestReason::Abandoned,
        RequestReason::ShardChanged,
        RequestReason::Manual,
    ];

    /// The value of the label `reason` in metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            RequestReason::Initial => "initial",
            RequestReason::Added => "added",
            RequestReason::Updated => "updated",
            RequestReason::Deleted => "deleted",
            RequestReason::Resync => "resync",
            RequestReason::Filtered => "filtered",
            RequestReason::Requeue => "requeue",
            RequestReason::RequeueAfter => "requeue_after",
            RequestReason::AwaitedObject => "awaited_object",
            RequestReason::AwaitTimeout => "await_timeout",
            RequestReason::StaleCache => "stale_cache",
            RequestReason::Error => "error",
            RequestReason::Timeout => "timeout",
            RequestReason::Panic => "panic",
            RequestReason::Abandoned => "abandoned",
            RequestReason::ShardChanged => "shard_changed",
            RequestReason::Manual => "manual",
        }
    }
}

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
    pub(crate) stale_waits: Counter,
    pub(crate) loops: Counter,
    pub(crate) reconcile_time: ReconcileTime,
    active: AtomicU64,
}

/// What reconciles do through their contexts.
#[derive(Debug, Default)]
pub(crate) struct ContextCounters {
    pub(crate) read_waits: Counter,
    pub(crate) read_waits_given_up: Counter,
    pub(crate) live_reads: Counter,
    pub(crate) writes_saved: Counter,
}

/// Counts a reconcile as active until it is dropped, also by a panic.
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

/// The durations of reconciles.
#[derive(Debug)]
pub(crate) struct ReconcileTime(Mutex<Histogram>);

impl Default for ReconcileTime {
    fn default() -> Self {
        ReconcileTime(Mutex::new(Histogram::new(&RECONCILE_TIME_BOUNDS_NANOS)))
    }
}

impl ReconcileTime {
    pub(crate) fn observe(&self, duration: Duration) {
        self.0.lock().observe(duration);
    }

    pub(crate) fn read(&self) -> Histogram {
        self.0.lock().clone()
    }
}

/// The numbers of requests of one source, by reason.
#[derive(Debug)]
pub(crate) struct RequestCounters {
    source: String,
    by_reason: [Counter; RequestReason::ALL.len()],
}

impl RequestCounters {
    pub(crate) fn new(source: String) -> Self {
        RequestCounters { source, by_reason: std::array::from_fn(|_| Counter::default()) }
    }

    pub(crate) fn count(&self, reason: RequestReason) {
        self.by_reason[reason as usize].add_one();
    }

    /// The counts that are not zero.
    pub(crate) fn read(&self) -> impl Iterator<Item = RequestCount> {
        let counts = RequestReason::ALL.into_iter().zip(&self.by_reason);
        let counts = counts.map(|(reason, count)| (reason, count.value())).filter(|(_, count)| *count > 0);
        counts.map(|(reason, count)| RequestCount { source: self.source.clone(), reason, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lists_each_reason_at_its_discriminant() {
        for (at, reason) in RequestReason::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, at);
        }
    }
}
