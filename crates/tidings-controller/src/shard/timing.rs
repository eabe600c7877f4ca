//! How long things may take, and why that keeps two members from working on one key.

use std::time::Duration;

/// How long things may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ShardTiming {
    pub(super) lease_duration: Duration,
    pub(super) renew_deadline: Duration,
    pub(super) retry_period: Duration,
    pub(super) hand_over_timeout: Duration,
}

impl ShardTiming {
    /// When the own permits must have ended, from the begin of the last renewal. If our clock is 10 % slow and an
    /// observer's 10 % fast, this is still before the lease duration has passed for him: 0.8 / 0.9 < 1 / 1.1.
    pub(super) fn permits_end(&self) -> Duration {
        self.lease_duration.mul_f64(0.8)
    }
}
