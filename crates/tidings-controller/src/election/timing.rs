//! The durations of an election, checked, and the deadlines that follow from them.
//!
//! Nothing here reads a clock. Safety depends on two durations, both counted from the moment before the renewing
//! request was sent: how long the holder may rely on its lease, and when another replica could take it. With the
//! defaults:
//!
//! ```text
//!  0 s     by the holder's clock: the holder sends the renewing request
//! 10 s     renew deadline: the holder no longer leads and cancels its work
//! 12.27 s  expiry, 15 s * 0.9 / 1.1: if the holder's clock is 10 % slow and the clock of another replica 10 % fast,
//!          the other clock has advanced by the lease duration of 15 s, and that replica takes the lease
//! ```

use std::time::Duration;

use rand::rngs::SmallRng;
use tidings_util::backoff::jittered;

use crate::lease_error::LeaseError;

/// A clock may run this much faster or slower than true time, in percent.
const CLOCK_RATE_TOLERANCE_PERCENT: u32 = 10;

/// A candidate reads the lease again after the retry period times a random factor from 1 to 1 plus this.
const JITTER_FACTOR: f64 = 1.2;

/// A shorter timeout would fail on servers that are only busy.
const REQUEST_TIMEOUT_MIN: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ElectionTiming {
    pub(super) lease_duration: Duration,
    pub(super) renew_deadline: Duration,
    pub(super) retry_period: Duration,
}

impl Default for ElectionTiming {
    fn default() -> Self {
        ElectionTiming {
            lease_duration: Duration::from_secs(15),
            renew_deadline: Duration::from_secs(10),
            retry_period: Duration::from_secs(2),
        }
    }
}

impl ElectionTiming {
    pub(super) fn check(&self) -> Result<(), LeaseError> {
        let refused = |reason| Err(LeaseError::Timing { reason });
        let &ElectionTiming { lease_duration, renew_deadline, retry_period } = self;
        let durations = [
            ("lease duration", lease_duration),
            ("renew deadline", renew_deadline),
            ("retry period", retry_period),
        ];
        for (option, duration) in durations {
            if duration.is_zero() {
                return refused(format!("the {option} is zero: choose a positive duration"));
            }
        }
        if i32::try_from(lease_duration.as_secs()).is_err() || lease_duration.as_secs() == i32::MAX as u64 {
            return refused(format!(
                "a lease duration of {lease_duration:?} is too long for the 32-bit number of seconds in a lease"
            ));
        }
        if lease_duration <= renew_deadline {
            return refused(format!(
                "the lease duration {lease_duration:?} must be longer than the renew deadline {renew_deadline:?}"
            ));
        }
        // In this order: the multiplication overflows for a very long retry period.
        if retry_period >= renew_deadline || renew_deadline <= retry_period.mul_f64(JITTER_FACTOR) {
            return refused(format!(
                "the renew deadline {renew_deadline:?} must be longer than 1.2 times the retry period {retry_period:?}"
            ));
        }
        Ok(())
    }

    /// The lease duration as written into the lease: whole seconds, rounded up.
    pub(super) fn lease_seconds(&self) -> i32 {
        let seconds = self.lease_duration.as_secs() + u64::from(self.lease_duration.subsec_nanos() > 0);
        i32::try_from(seconds).unwrap_or(i32::MAX)
    }

    /// When another replica could take the lease. The other replica waits for the lease duration by its own clock,
    /// which may be fast, from a moment that can't be before our request. Our clock may be slow.
    pub(super) fn expiry(&self) -> Duration {
        self.lease_duration * (100 - CLOCK_RATE_TOLERANCE_PERCENT) / (100 + CLOCK_RATE_TOLERANCE_PERCENT)
    }

    /// How long the holder relies on its lease: up to the renew deadline, but never past the expiry.
    pub(super) fn validity(&self) -> Duration {
        self.renew_deadline.min(self.expiry())
    }

    pub(super) fn request_timeout(&self) -> Duration {
        REQUEST_TIMEOUT_MIN.max(self.renew_deadline / 2)
    }

    /// How long a candidate waits before it reads the lease again.
    pub(super) fn retry_jittered(&self, rng: &mut SmallRng) -> Duration {
        jittered(self.retry_period, JITTER_FACTOR, rng)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    fn timing(lease_ms: u64, renew_ms: u64, retry_ms: u64) -> ElectionTiming {
        let [lease_duration, renew_deadline, retry_period] =
            [lease_ms, renew_ms, retry_ms].map(Duration::from_millis);
        ElectionTiming { lease_duration, renew_deadline, retry_period }
    }

    // holds: E1
    #[test]
    fn durations_that_do_not_fit_together_are_refused() {
        let error =
            |timing: ElectionTiming| timing.check().err().map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(error(timing(15_000, 10_000, 2_000)), "");
        assert_eq!(error(timing(10_001, 10_000, 8_333)), "");
        assert!(error(timing(10_000, 10_000, 2_000)).contains("longer than the renew deadline"));
        assert!(error(timing(15_000, 2_400, 2_000)).contains("1.2 times the retry period"));
        assert!(error(timing(0, 10_000, 2_000)).contains("the lease duration is zero"));
        assert!(error(timing(15_000, 0, 2_000)).contains("the renew deadline is zero"));
        assert!(error(timing(15_000, 10_000, 0)).contains("the retry period is zero"));
        assert!(error(timing(u64::MAX, 10_000, 2_000)).contains("too long"));
        let endless = ElectionTiming { retry_period: Duration::MAX, ..ElectionTiming::default() };
        assert!(error(endless).contains("1.2 times the retry period"));
    }

    // holds: E2
    #[test]
    fn the_default_durations_are_those_of_client_go() {
        assert_eq!(ElectionTiming::default(), timing(15_000, 10_000, 2_000));
        assert!(ElectionTiming::default().check().is_ok());
    }

    // holds: E3
    #[test]
    fn a_candidate_reads_again_after_1_to_2_2_retry_periods() {
        let timing = ElectionTiming::default();
        let mut rng = SmallRng::seed_from_u64(5);
        let waits: Vec<_> = (0..1000).map(|_| timing.retry_jittered(&mut rng)).collect();
        let (shortest, longest) = (waits.iter().min().unwrap(), waits.iter().max().unwrap());
        assert!((Duration::from_secs(2)..Duration::from_millis(2100)).contains(shortest), "{shortest:?}");
        assert!((Duration::from_millis(4300)..Duration::from_millis(4400)).contains(longest), "{longest:?}");
    }

    #[test]
    fn the_written_lease_duration_is_never_shorter_than_the_configured_one() {
        assert_eq!(timing(15_000, 10_000, 2_000).lease_seconds(), 15);
        assert_eq!(timing(15_001, 10_000, 2_000).lease_seconds(), 16);
        assert_eq!(timing(300, 200, 100).lease_seconds(), 1);
    }

    // Compares true times: our clock is 10 % slow, the other clock 10 % fast.
    #[test]
    fn the_validity_ends_before_another_replica_could_take_the_lease_with_clocks_10_percent_off() {
        for timing in
            [timing(15_000, 10_000, 2_000), timing(15_000, 14_999, 2_000), timing(2_000, 1_900, 100)]
        {
            let taken = timing.lease_duration.as_secs_f64() / 1.1;
            assert!(timing.expiry().as_secs_f64() / 0.9 <= taken + 1e-6, "{timing:?}");
            assert!(timing.validity() <= timing.expiry());
        }
    }

    // holds: E12
    #[test]
    fn a_request_times_out_after_half_the_renew_deadline_but_not_before_a_second() {
        assert_eq!(timing(15_000, 10_000, 2_000).request_timeout(), Duration::from_secs(5));
        assert_eq!(timing(2_000, 1_500, 100).request_timeout(), Duration::from_secs(1));
    }
}
