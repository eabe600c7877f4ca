//! A token bucket for all items.

use std::time::Duration;

use tokio::time::Instant;

use super::RateLimiter;
use crate::sync::Mutex;

/// A token bucket with a rate and a burst. If it is empty, an item reserves the next token and waits for it.
///
/// ```
/// use std::time::Duration;
/// use tidings_workqueue::limiter::{RateLimiter, TokenBucket};
///
/// let limiter = TokenBucket::new(10.0, 2); // ten a second, two at once
/// assert_eq!([(); 2].map(|()| limiter.when(&"any")), [Duration::ZERO; 2]);
/// assert!(limiter.when(&"any") > Duration::ZERO);
/// ```
#[derive(Debug)]
pub struct TokenBucket {
    per_second: f64,
    burst: f64,
    level: Mutex<Level>,
}

#[derive(Debug)]
struct Level {
    /// Below zero by the number of reserved tokens.
    tokens: f64,
    at: Instant,
}

impl TokenBucket {
    /// A full bucket. With a rate that is not above zero it is never filled again.
    pub fn new(per_second: f64, burst: u32) -> Self {
        let burst = f64::from(burst);
        let per_second = if per_second > 0.0 { per_second } else { 0.0 };
        TokenBucket { per_second, burst, level: Mutex::new(Level { tokens: burst, at: Instant::now() }) }
    }
}

impl<T> RateLimiter<T> for TokenBucket {
    fn when(&self, _item: &T) -> Duration {
        let mut level = self.level.lock();
        let now = Instant::now();
        let gained = now.saturating_duration_since(level.at).as_secs_f64() * self.per_second;
        level.tokens = (level.tokens + gained).min(self.burst) - 1.0;
        level.at = now;
        if level.tokens >= 0.0 {
            return Duration::ZERO;
        }
        Duration::try_from_secs_f64(-level.tokens / self.per_second).unwrap_or(Duration::MAX)
    }

    fn refund(&self, _item: &T) {
        let mut level = self.level.lock();
        level.tokens = (level.tokens + 1.0).min(self.burst);
    }

    fn forget(&self, _item: &T) {}

    fn requeues(&self, _item: &T) -> u32 {
        0
    }
}
