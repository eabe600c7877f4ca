//! Rate limiters: how long an item waits before it is tried again.
//!
//! The queue calls its limiter once for each `add_rate_limited`, outside of its lock. A limiter must not block.

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

/// Decides when an item is tried again.
///
/// ```
/// use std::time::Duration;
/// use tidings_workqueue::{WorkQueue, limiter::RateLimiter};
///
/// /// Delays every item by a second.
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
    /// Counts one more attempt of the item, and returns its delay.
    fn when(&self, item: &T) -> Duration;

    /// Returns what the last [`when`](Self::when) took from a limit that all items share. The queue calls it if the item was
    /// not queued, because it is queued already or the queue is shutting down. The attempts of the item stay counted.
    fn refund(&self, _item: &T) {}

    /// The item succeeded, or was given up: its next attempt is its first again.
    fn forget(&self, item: &T);

    /// The number of attempts of the item since it was last forgotten.
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

/// The default of client-go: the longer delay of an exponential backoff from 5 ms to 1000 s for each item, and a token
/// bucket of ten a second for all items with a burst of 100.
pub fn default_for_controllers<T: Item>() -> MaxOf<T> {
    MaxOf::new()
        .and(Exponential::new(Duration::from_millis(5), Duration::from_secs(1000)))
        .and(TokenBucket::new(10.0, 100))
}

/// Exponential backoff from 1 ms to 1000 s for each item, without a limit for all items.
pub fn default_for_items<T: Item>() -> Exponential<T> {
    Exponential::new(Duration::from_millis(1), Duration::from_secs(1000))
}
