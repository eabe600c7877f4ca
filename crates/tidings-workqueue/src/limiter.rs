//! How long an item has to wait before it is tried again.
//!
//! A limiter is asked once for each `add_rate_limited`, outside the queue's lock, and must not wait itself.

mod capped;
mod exponential;
mod fast_slow;
mod max_of;
mod token_bucket;

use std::sync::Arc;
use std::time::Duration;

use crate::item::Item;

pub use capped::Capped;
pub use exponential::Exponential;
pub use fast_slow::FastSlow;
pub use max_of::MaxOf;
pub use token_bucket::TokenBucket;

/// Says when an item may be tried again.
///
/// ```
/// use std::time::Duration;
/// use tidings_workqueue::{WorkQueue, limiter::RateLimiter};
///
/// /// Every item again after a second, however often.
/// struct EverySecond;
///
/// impl<T> RateLimiter<T> for EverySecond {
///     fn when(&self, _: &T) -> Duration {
///         Duration::from_secs(1)
///     }
///     fn forget(&self, _: &T) {}
///     fn requeues(&self, _: &T) -> u32 {
///         0
///     }
/// }
///
/// let queue: WorkQueue<String> = WorkQueue::builder().limiter(EverySecond).build();
/// ```
pub trait RateLimiter<T>: Send + Sync + 'static {
    /// Charges the item for one more attempt, and says how long it has to wait for it.
    fn when(&self, item: &T) -> Duration;

    /// Takes back what all items share of the last charge: the item was not queued by it, since it is queued
    /// already or the queue is shutting down. How often the item itself was tried stays as it is.
    fn refund(&self, _item: &T) {}

    /// The item succeeded, or was given up: its next attempt is again its first.
    fn forget(&self, item: &T);

    /// How often the item was charged since it was last forgotten.
    fn requeues(&self, item: &T) -> u32;
}

impl<T, L: RateLimiter<T> + ?Sized> RateLimiter<T> for Arc<L> {
    fn when(&self, item: &T) -> Duration {
        (**self).when(item)
    }

    fn refund(&self, item: &T) {
        (**self).refund(item);
    }

    fn forget(&self, item: &T) {
        (**self).forget(item);
    }

    fn requeues(&self, item: &T) -> u32 {
        (**self).requeues(item)
    }
}

/// What a controller's queue has unless told otherwise: the longer of 5 ms to 1000 s for each item by itself, and ten
/// a second over all items after a burst of 100.
pub fn default_for_controllers<T: Item>() -> MaxOf<T> {
    MaxOf::new()
        .and(Exponential::new(Duration::from_millis(5), Duration::from_secs(1000)))
        .and(TokenBucket::new(10.0, 100))
}

/// For items alone, without a rate over all of them: 1 ms to 1000 s.
pub fn default_for_items<T: Item>() -> Exponential<T> {
    Exponential::new(Duration::from_millis(1), Duration::from_secs(1000))
}
