//! The durations of a shard.

use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ShardTiming {
    pub(super) lease_duration: Duration,
    pub(super) renew_deadline: Duration,
    pub(super) retry_period: Duration,
    pub(super) hand_over_timeout: Duration,
}

impl ShardTiming {
    /// When the own permits must have ended, counted from when the last renewal was sent. If our clock is 10 % slow and
    /// the clock of an observer 10 % fast, this is before the lease duration has passed for the observer:
    /// 0.8 / 0.9 < 1 / 1.1.
    pub(super) fn permits_end(&self) -> Duration {
        self.lease_duration.mul_f64(0.8)
    }
}
