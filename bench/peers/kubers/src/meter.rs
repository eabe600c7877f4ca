//! The counters of a handler, and a goal to wait for. Counting takes two or three atomic operations, so that it does
//! not affect the measurement.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock};
use std::time::{Instant, SystemTime};

use kube::ResourceExt;
use tokio::sync::Notify;

use crate::specimen::Specimen;

/// The label with the time of an update, in nanoseconds since 1970.
const SENT_LABEL: &str = "bench.example.com/sent";

/// A count that is never reached.
const NEVER: u64 = u64::MAX;

/// The counters of one handler. kube-rs does not distinguish adds from updates, so everything is a notification.
pub(crate) struct Meter {
    notifications: AtomicU64,
    /// How many of them were about the sentinel.
    of_sentinel: AtomicU64,
    sentinel: OnceLock<(String, String)>,
    /// The numbers of the first and the last notification of the goal.
    first_at: AtomicU64,
    goal: AtomicU64,
    times: Mutex<(Option<Instant>, Option<Instant>)>,
    reached: Notify,
    is_timed: AtomicBool,
    latencies_ns: Mutex<Vec<u64>>,
}

impl Meter {
    pub(crate) fn new() -> Self {
        Meter {
            notifications: AtomicU64::new(0),
            of_sentinel: AtomicU64::new(0),
            sentinel: OnceLock::new(),
            first_at: AtomicU64::new(NEVER),
            goal: AtomicU64::new(NEVER),
            times: Mutex::default(),
            reached: Notify::new(),
            is_timed: AtomicBool::new(false),
            latencies_ns: Mutex::default(),
        }
    }

    /// Counts a notification about this object.
    pub(crate) fn count<K: Specimen>(&self, object: &K) {
        if let Some((namespace, name)) = self.sentinel.get()
            && object.meta().name.as_ref() == Some(name)
            && object.meta().namespace.as_ref() == Some(namespace)
        {
            self.of_sentinel.fetch_add(1, Ordering::Relaxed);
        }
        if self.is_timed.load(Ordering::Relaxed) {
            self.time(object);
        }
        let count = self.notifications.fetch_add(1, Ordering::Relaxed) + 1;
        if count == self.first_at.load(Ordering::Relaxed) {
            self.times().0 = Some(Instant::now());
        }
        if count == self.goal.load(Ordering::Relaxed) {
            self.times().1 = Some(Instant::now());
            self.reached.notify_one();
        }
    }

    /// The number of notifications without those about the sentinel.
    pub(crate) fn of_others(&self) -> u64 {
        self.notifications() - self.of_sentinel.load(Ordering::Relaxed)
    }

    /// The number of notifications.
    pub(crate) fn notifications(&self) -> u64 {
        self.notifications.load(Ordering::Relaxed)
    }

    /// Sets the sentinel.
    pub(crate) fn set_sentinel(&self, namespace: &str, name: &str) {
        self.sentinel.get_or_init(|| (namespace.to_owned(), name.to_owned()));
    }

    /// Sets a goal of this many further notifications. Must be called while none is on its way.
    pub(crate) fn set_goal(&self, notifications: u64) {
        let now = self.notifications();
        *self.times() = (None, None);
        self.first_at.store(now + 1, Ordering::Relaxed);
        self.goal.store(now + notifications, Ordering::Relaxed);
    }

    /// Waits for the goal. Returns the times of its first and last notification.
    pub(crate) async fn reached(&self) -> Option<(Instant, Instant)> {
        self.reached.notified().await;
        let (first, last) = *self.times();
        first.zip(last)
    }

    /// Starts to record latencies.
    pub(crate) fn start_timing(&self, notifications: usize) {
        *self.latencies() = Vec::with_capacity(notifications);
        self.is_timed.store(true, Ordering::Relaxed);
    }

    /// Stops recording, and returns the latencies in ascending order.
    pub(crate) fn stop_timing(&self) -> Vec<u64> {
        self.is_timed.store(false, Ordering::Relaxed);
        let mut latencies_ns = std::mem::take(&mut *self.latencies());
        latencies_ns.sort_unstable();
        latencies_ns
    }

    /// Records the time since the object was written, by the wall clock that both processes share.
    fn time<K: Specimen>(&self, object: &K) {
        let sent_ns = object.labels().get(SENT_LABEL).and_then(|sent| sent.parse::<u128>().ok());
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        if let (Some(sent_ns), Ok(now)) = (sent_ns, now) {
            let latency_ns = now.as_nanos().saturating_sub(sent_ns);
            self.latencies().push(u64::try_from(latency_ns).unwrap_or(u64::MAX));
        }
    }

    fn times(&self) -> MutexGuard<'_, (Option<Instant>, Option<Instant>)> {
        self.times.lock().expect("nobody panics with it")
    }

    fn latencies(&self) -> MutexGuard<'_, Vec<u64>> {
        self.latencies_ns.lock().expect("nobody panics with it")
    }
}
