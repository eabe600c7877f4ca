//! The counters of a handler, and goals to wait for.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};

use tokio::sync::Notify;
use tokio::time::Instant;

/// A count that is never reached.
const NEVER: u64 = u64::MAX;

/// The counters of one handler.
pub(super) struct Meter {
    /// All notifications except those of the sentinel.
    notifications: AtomicU64,
    updates: AtomicU64,
    /// The update with which the goal starts.
    first_at: AtomicU64,
    /// The update with which the goal is reached.
    goal: AtomicU64,
    /// The times of the first and the last update of the goal.
    times: Mutex<(Option<Instant>, Option<Instant>)>,
    reached: Notify,
    /// Whether latencies are recorded.
    is_timed: AtomicBool,
    latencies_ns: Mutex<Vec<u64>>,
    /// The object whose update ends a relist.
    sentinel: OnceLock<(String, String)>,
    sentinel_seen: Notify,
}

impl Meter {
    pub(super) fn new() -> Self {
        Meter {
            notifications: AtomicU64::new(0),
            updates: AtomicU64::new(0),
            first_at: AtomicU64::new(NEVER),
            goal: AtomicU64::new(NEVER),
            times: Mutex::default(),
            reached: Notify::new(),
            is_timed: AtomicBool::new(false),
            latencies_ns: Mutex::default(),
            sentinel: OnceLock::new(),
            sentinel_seen: Notify::new(),
        }
    }

    pub(super) fn count_notification(&self) {
        self.notifications.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_update(&self, namespace: Option<&str>, name: &str) {
        if let Some((of_namespace, of_name)) = self.sentinel.get()
            && name == of_name
            && namespace == Some(of_namespace)
        {
            self.sentinel_seen.notify_one();
            return;
        }
        self.count_notification();
        let updates = self.updates.fetch_add(1, Ordering::Relaxed) + 1;
        if updates == self.first_at.load(Ordering::Relaxed) {
            self.times().0 = Some(Instant::now());
        }
        if updates == self.goal.load(Ordering::Relaxed) {
            self.times().1 = Some(Instant::now());
            self.reached.notify_one();
        }
    }

    pub(super) fn is_timed(&self) -> bool {
        self.is_timed.load(Ordering::Relaxed)
    }

    pub(super) fn take_latency(&self, nanoseconds: u64) {
        self.latencies_ns.lock().expect("no thread panics while it holds the lock").push(nanoseconds);
    }

    /// Starts to record latencies.
    pub(super) fn time(&self, updates: u64) {
        let mut latencies = self.latencies_ns.lock().expect("no thread panics while it holds the lock");
        latencies.clear();
        latencies.reserve(usize::try_from(updates).unwrap_or(0));
        self.is_timed.store(true, Ordering::Relaxed);
    }

    /// Stops recording, and returns the latencies in ascending order.
    pub(super) fn latencies(&self) -> Vec<u64> {
        self.is_timed.store(false, Ordering::Relaxed);
        let mut latencies =
            std::mem::take(&mut *self.latencies_ns.lock().expect("no thread panics while it holds the lock"));
        latencies.sort_unstable();
        latencies
    }

    /// Sets a goal of this many further updates. Must be called while no update is on its way.
    pub(super) fn set_goal(&self, updates: u64) {
        let now = self.updates.load(Ordering::Relaxed);
        *self.times() = (None, None);
        self.first_at.store(now + 1, Ordering::Relaxed);
        self.goal.store(now + updates, Ordering::Relaxed);
    }

    /// Waits for the goal. Returns the times of its first and last update.
    pub(super) async fn reached(&self) -> Option<(Instant, Instant)> {
        self.reached.notified().await;
        let (first, last) = *self.times();
        first.zip(last)
    }

    /// Sets the sentinel, whose updates are not counted.
    pub(super) fn set_sentinel(&self, namespace: &str, name: &str) {
        self.sentinel.get_or_init(|| (namespace.to_owned(), name.to_owned()));
    }

    pub(super) async fn sentinel_seen(&self) {
        self.sentinel_seen.notified().await;
    }

    pub(super) fn notifications(&self) -> u64 {
        self.notifications.load(Ordering::Relaxed)
    }

    fn times(&self) -> std::sync::MutexGuard<'_, (Option<Instant>, Option<Instant>)> {
        self.times.lock().expect("no thread panics while it holds the lock")
    }
}
