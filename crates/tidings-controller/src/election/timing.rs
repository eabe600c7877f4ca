//! The durations of an election, checked, and what follows from them.
//!
//! Nothing here looks at a clock. Safety rests on two figures: how long a holder may believe in its lease, and
//! when another replica could take it, both counted from the read_clocks before the renewing request was sent.

use std::time::Duration;

use rand::rngs::SmallRng;
use tidings_util::backoff::jittered;

use super::ElectionError;

/// Clocks may run this much faster or slower than true time, in percent.
const CLOCK_RATE_TOLERANCE_PERCENT: u32 = 10;

/// A candidate asks again after the retry period times one to one plus this.
const JITTER_FACTOR: f64 = 1.2;

/// Shorter would give up on servers that are merely busy.
const REQUEST_TIMEOUT_MIN: Duration = Duration::from_secs(1);

/// How long things take in one election.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ElectionTiming {
    pub(super) lease: Duration,
    pub(super) renew_deadline: Duration,
    pub(super) retry: Duration,
}

impl Default for ElectionTiming {
    fn default() -> Self {
        ElectionTiming {
            lease: Duration::from_secs(15),
            renew_deadline: Duration::from_secs(10),
            retry: Duration::from_secs(2),
        }
    }
}

impl ElectionTiming {
    pub(super) fn check(&self) -> Result<(), ElectionError> {
        let &ElectionTiming { lease, renew_deadline, retry } = self;
        for (which, duration) in
            [("lease duration", lease), ("renew deadline", renew_deadline), ("retry period", retry)]
        {
            if duration.is_zero() {
                return Err(ElectionError::Zero { which });
            }
        }
        if i32::try_from(lease.as_secs()).is_err() || lease.as_secs() == i32::MAX as u64 {
            return Err(ElectionError::LeaseTooLong { lease });
        }
        if lease <= renew_deadline {
            return Err(ElectionError::LeaseWithinRenewDeadline { lease, renew_deadline });
        }
        // In this order: a factor of a retry period of any length could overflow.
        if retry >= renew_deadline || renew_deadline <= retry.mul_f64(JITTER_FACTOR) {
            return Err(ElectionError::RenewDeadlineWithinRetry { renew_deadline, retry });
        }
        Ok(())
    }

    /// The lease's duration as it is written: whole seconds, and never less than what the holder counts on.
    pub(super) fn lease_seconds(&self) -> i32 {
        let seconds = self.lease.as_secs() + u64::from(self.lease.subsec_nanos() > 0);
        i32::try_from(seconds).unwrap_or(i32::MAX)
    }

    /// When another replica could take the lease: it waits for the lease's duration by a clock that may be fast,
    /// from a read_clocks that can't be before our request; ours may be slow.
    pub(super) fn expiry(&self) -> Duration {
        self.lease * (100 - CLOCK_RATE_TOLERANCE_PERCENT) / (100 + CLOCK_RATE_TOLERANCE_PERCENT)
    }

    /// How long the holder believes in its lease: up to the renew deadline, and never longer than it is safe.
    pub(super) fn validity(&self) -> Duration {
        self.renew_deadline.min(self.expiry())
    }

    /// How long an answer is waited for.
    pub(super) fn request_timeout(&self) -> Duration {
        REQUEST_TIMEOUT_MIN.max(self.renew_deadline / 2)
    }

    /// When a candidate looks again.
    pub(super) fn retry_jittered(&self, rng: &mut SmallRng) -> Duration {
        jittered(self.retry, JITTER_FACTOR, rng)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    fn timing(lease: u64, renew_deadline: u64, retry: u64) -> ElectionTiming {
        let [lease, renew_deadline, retry] = [lease, renew_deadline, retry].map(Duration::from_millis);
        ElectionTiming { lease, renew_deadline, retry }
    }

    // holds: E1
    #[test]
    fn durations_that_can_not_work_together_are_refused() {
        let says =
            |timing: ElectionTiming| timing.check().err().map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(says(timing(15_000, 10_000, 2_000)), "");
        assert_eq!(says(timing(10_001, 10_000, 8_333)), "");
        assert!(says(timing(10_000, 10_000, 2_000)).contains("longer than the renew deadline"));
        assert!(says(timing(15_000, 2_400, 2_000)).contains("1.2 times the retry period"));
        assert!(says(timing(0, 10_000, 2_000)).contains("the lease duration is zero"));
        assert!(says(timing(15_000, 0, 2_000)).contains("the renew deadline is zero"));
        assert!(says(timing(15_000, 10_000, 0)).contains("the retry period is zero"));
        assert!(says(timing(u64::MAX, 10_000, 2_000)).contains("too long"));
        let endless = ElectionTiming { retry: Duration::MAX, ..ElectionTiming::default() };
        assert!(says(endless).contains("1.2 times the retry period"));
    }

    // holds: E2
    #[test]
    fn the_durations_of_convention_are_the_defaults() {
        assert_eq!(ElectionTiming::default(), timing(15_000, 10_000, 2_000));
        assert!(ElectionTiming::default().check().is_ok());
    }

    // holds: E3
    #[test]
    fn a_candidate_asks_again_after_one_to_two_point_two_retry_periods() {
        let timing = ElectionTiming::default();
        let mut rng = SmallRng::seed_from_u64(5);
        let waits: Vec<_> = (0..1000).map(|_| timing.retry_jittered(&mut rng)).collect();
        let (shortest, longest) = (waits.iter().min().unwrap(), waits.iter().max().unwrap());
        assert!((Duration::from_secs(2)..Duration::from_millis(2100)).contains(shortest), "{shortest:?}");
        assert!((Duration::from_millis(4300)..Duration::from_millis(4400)).contains(longest), "{longest:?}");
    }

    #[test]
    fn a_holder_never_counts_on_more_than_what_is_written() {
        assert_eq!(timing(15_000, 10_000, 2_000).lease_seconds(), 15);
        assert_eq!(timing(15_001, 10_000, 2_000).lease_seconds(), 16);
        assert_eq!(timing(300, 200, 100).lease_seconds(), 1);
    }

    // Our clock a tenth slow, the other's a tenth fast: true time at the end of our validity and at the takeover.
    #[test]
    fn belief_ends_before_another_could_take_the_lease_whatever_the_clocks_do() {
        for timing in
            [timing(15_000, 10_000, 2_000), timing(15_000, 14_999, 2_000), timing(2_000, 1_900, 100)]
        {
            let taken = timing.lease.as_secs_f64() / 1.1;
            assert!(timing.expiry().as_secs_f64() / 0.9 <= taken + 1e-6, "{timing:?}");
            assert!(timing.validity() <= timing.expiry());
        }
    }

    // holds: E12
    #[test]
    fn a_request_may_take_half_the_renew_deadline_and_at_least_a_second() {
        assert_eq!(timing(15_000, 10_000, 2_000).request_timeout(), Duration::from_secs(5));
        assert_eq!(timing(2_000, 1_500, 100).request_timeout(), Duration::from_secs(1));
    }
}
