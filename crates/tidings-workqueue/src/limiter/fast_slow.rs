//! A few attempts with a short delay, then all with a long one.

use std::time::Duration;

use super::RateLimiter;
use super::exponential::Attempts;
use crate::item::Item;

/// The first attempts of an item have the fast delay, all others the slow one.
///
/// ```
/// use std::time::Duration;
/// use tidings_workqueue::limiter::{FastSlow, RateLimiter};
///
/// let limiter = FastSlow::new(Duration::from_millis(5), Duration::from_secs(10), 2);
/// let delays = [(); 3].map(|()| limiter.when(&"default/web-0"));
/// assert_eq!(delays, [5, 5, 10_000].map(Duration::from_millis));
/// ```
#[derive(Debug)]
pub struct FastSlow<T> {
    fast: Duration,
    slow: Duration,
    fast_attempts: u32,
    attempts: Attempts<T>,
}

impl<T> FastSlow<T> {
    /// `fast` for `fast_attempts` attempts of an item, then `slow`.
    pub fn new(fast: Duration, slow: Duration, fast_attempts: u32) -> Self {
        FastSlow { fast, slow, fast_attempts, attempts: Attempts::new() }
    }
}

impl<T: Item> RateLimiter<T> for FastSlow<T> {
    fn when(&self, item: &T) -> Duration {
        if self.attempts.count(item) < self.fast_attempts { self.fast } else { self.slow }
    }

    fn forget(&self, item: &T) {
        self.attempts.forget(item);
    }

    fn requeues(&self, item: &T) -> u32 {
        self.attempts.of(item)
    }
}
