//! Exponential backoff for each item.

use std::time::Duration;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use tidings_util::backoff::exponential;

use super::RateLimiter;
use crate::item::Item;
use crate::sync::Mutex;

/// Exponential backoff: `base` for the first attempt of an item, twice as long for each further one, at most `max`. It
/// counts the attempts of an item until the item is forgotten.
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

/// The attempts of each item since it was last forgotten.
#[derive(Debug)]
pub(super) struct Attempts<T>(Mutex<HashMap<T, u32, RandomState>>);

impl<T> Exponential<T> {
    /// A limiter with this first delay and this longest delay.
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
    /// Counts one attempt, and returns how many there were before.
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
        // Usually nothing has failed. Then the item need not be hashed.
        let forgotten = if attempts.is_empty() { None } else { attempts.remove_entry(item) };
        drop(attempts);
        drop(forgotten);
    }
}
