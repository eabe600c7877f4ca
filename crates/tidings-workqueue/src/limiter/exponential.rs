//! Twice as long after each attempt, for each item by itself.

use std::time::Duration;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use tidings_util::backoff::exponential;

use super::RateLimiter;
use crate::item::Item;
use crate::sync::Mutex;

/// `base`, then twice as long each time, up to `max`. It remembers every item until it is forgotten.
///
/// ```
/// use std::time::Duration;
/// use tidings_workqueue::limiter::{Exponential, RateLimiter};
///
/// let limiter = Exponential::new(Duration::from_millis(5), Duration::from_secs(1));
/// let delays = [(); 3].map(|()| limiter.when(&"default/web-0"));
/// assert_eq!(delays, [5, 10, 20].map(Duration::from_millis));
/// limiter.forget(&"default/web-0");
/// assert_eq!(limiter.when(&"default/web-0"), Duration::from_millis(5));
/// ```
#[derive(Debug)]
pub struct Exponential<T> {
    base: Duration,
    max: Duration,
    attempts: Attempts<T>,
}

/// How often each item was tried since it was last forgotten.
#[derive(Debug)]
pub(super) struct Attempts<T>(Mutex<HashMap<T, u32, RandomState>>);

impl<T> Exponential<T> {
    /// The first delay and the longest one.
    pub fn new(base: Duration, max: Duration) -> Self {
        Exponential { base, max, attempts: Attempts::new() }
    }
}

impl<T: Item> RateLimiter<T> for Exponential<T> {
    fn when(&self, item: &T) -> Duration {
        exponential(self.base, self.attempts.count(item), self.max)
    }

    fn forget(&self, item: &T) {
        self.attempts.forget(item);
    }

    fn requeues(&self, item: &T) -> u32 {
        self.attempts.of(item)
    }
}

impl<T> Attempts<T> {
    pub(super) fn new() -> Self {
        Attempts(Mutex::new(HashMap::with_hasher(RandomState::default())))
    }
}

impl<T: Item> Attempts<T> {
    /// Counts one attempt, and says how many there were before.
    pub(super) fn count(&self, item: &T) -> u32 {
        let mut attempts = self.0.lock();
        let count = attempts.entry_ref(item).or_insert(0);
        let before = *count;
        *count = before.saturating_add(1);
        before
    }

    pub(super) fn of(&self, item: &T) -> u32 {
        self.0.lock().get(item).copied().unwrap_or(0)
    }

    pub(super) fn forget(&self, item: &T) {
        let mut attempts = self.0.lock();
        // Mostly nothing has failed, and an item is not worth a hash then.
        let forgotten = if attempts.is_empty() { None } else { attempts.remove_entry(item) };
        drop(attempts);
        drop(forgotten);
    }
}
