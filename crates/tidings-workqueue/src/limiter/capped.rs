//! Limits the delays of another limiter.

use std::time::Duration;

use super::RateLimiter;

/// Another limiter whose delays are at most `cap`.
///
/// ```
/// use std::time::Duration;
/// use tidings_workqueue::limiter::{Capped, Exponential, RateLimiter};
///
/// let doubling = Exponential::new(Duration::from_millis(5), Duration::from_secs(1000));
/// let limiter = Capped::new(doubling, Duration::from_millis(8));
/// assert_eq!([(); 3].map(|()| limiter.when(&"a")), [5, 8, 8].map(Duration::from_millis));
/// ```
#[derive(Debug)]
pub struct Capped<L> {
    limiter: L,
    cap: Duration,
}

impl<L> Capped<L> {
    /// Caps the delays of a limiter.
    pub fn new(limiter: L, cap: Duration) -> Self {
        Capped { limiter, cap }
    }
}

impl<T, L: RateLimiter<T>> RateLimiter<T> for Capped<L> {
    fn when(&self, item: &T) -> Duration {
        self.limiter.when(item).min(self.cap)
    }

    fn refund(&self, item: &T) {
        self.limiter.refund(item);
    }

    fn forget(&self, item: &T) {
        self.limiter.forget(item);
    }

    fn requeues(&self, item: &T) -> u32 {
        self.limiter.requeues(item)
    }
}
