//! Combines several limiters.

use std::fmt;
use std::time::Duration;

use super::RateLimiter;

/// The longest delay and the highest count of several limiters. Each of them counts every attempt.
///
/// ```
/// use std::time::Duration;
/// use tidings_workqueue::limiter::{Exponential, MaxOf, RateLimiter, TokenBucket};
///
/// let each = Exponential::new(Duration::from_millis(5), Duration::from_secs(1000));
/// let limiter = MaxOf::new().and(each).and(TokenBucket::new(10.0, 100)); // each item, and all together
/// assert_eq!(limiter.when(&"default/web-0"), Duration::from_millis(5));
/// ```
pub struct MaxOf<T> {
    members: Vec<Box<dyn RateLimiter<T>>>,
}

impl<T> MaxOf<T> {
    /// Without members. It delays nothing.
    pub fn new() -> Self {
        MaxOf { members: Vec::new() }
    }

    /// Adds a member.
    #[must_use]
    pub fn and(mut self, member: impl RateLimiter<T>) -> Self {
        self.members.push(Box::new(member));
        self
    }
}

impl<T: 'static> RateLimiter<T> for MaxOf<T> {
    fn when(&self, item: &T) -> Duration {
        self.members.iter().map(|member| member.when(item)).max().unwrap_or_default()
    }

    fn refund(&self, item: &T) {
        self.members.iter().for_each(|member| member.refund(item));
    }

    fn forget(&self, item: &T) {
        self.members.iter().for_each(|member| member.forget(item));
    }

    fn requeues(&self, item: &T) -> u32 {
        self.members.iter().map(|member| member.requeues(item)).max().unwrap_or_default()
    }
}

impl<T> Default for MaxOf<T> {
    fn default() -> Self {
        MaxOf::new()
    }
}

impl<T> fmt::Debug for MaxOf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MaxOf").field("members", &self.members.len()).finish()
    }
}
