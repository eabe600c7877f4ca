//! How long to wait before a retry: exponential backoff, with jitter where many clients may fail at the same moment.
//!
//! [`Backoff`] is the policy of a task that retries for ever: it remembers its step and resets after a time without
//! failures. [`exponential`] and [`jittered`] are its parts, for callers that count attempts themselves.

use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng as _};
use tokio::time::Instant;

/// The settings of a [`Backoff`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BackoffConfig {
    /// The first step. Default 800 ms.
    pub initial: Duration,
    /// Each step is the step before times this. Default 2.
    pub factor: f64,
    /// Each delay is its step times a random number between 1 and 1 + `jitter`. Default 1.
    pub jitter: f64,
    /// The longest step, before jitter. Default 30 s.
    pub step_max: Duration,
    /// After this time without a failure, the next failure starts at the first step again. Default 2 min.
    pub reset_after: Duration,
}

/// Exponential backoff with jitter that resets after a time without failures.
///
/// With the default settings the steps are 0.8 s, 1.6 s, 3.2 s and so on up to 30 s. Each delay is one to two times its
/// step. The first failure later than two minutes after the end of the last delay waits 0.8 s to 1.6 s again.
#[derive(Debug)]
pub struct Backoff {
    config: BackoffConfig,
    rng: SmallRng,
    step: Duration,
    /// The end of the last delay. Time spent waiting is not time without a failure.
    waited_until: Option<Instant>,
}

/// The longest delay that [`scaled`] returns.
const SCALED_MAX: Duration = Duration::from_secs(24 * 60 * 60);

impl Default for BackoffConfig {
    fn default() -> Self {
        BackoffConfig {
            initial: Duration::from_millis(800),
            factor: 2.0,
            jitter: 1.0,
            step_max: Duration::from_secs(30),
            reset_after: Duration::from_secs(120),
        }
    }
}

impl Backoff {
    /// Starts at the first step. The jitter comes from `seed`.
    pub fn new(config: BackoffConfig, seed: u64) -> Backoff {
        Backoff {
            config,
            rng: SmallRng::seed_from_u64(seed),
            step: config.initial.min(config.step_max),
            waited_until: None,
        }
    }

    /// The delay after a failure that happened now. It is never shorter than `retry_after`, the delay that the server
    /// requested.
    pub fn next_delay(&mut self, retry_after: Option<Duration>) -> Duration {
        let now = Instant::now();
        let is_reset_due = |until| now.saturating_duration_since(until) > self.config.reset_after;
        if self.waited_until.is_some_and(is_reset_due) {
            self.step = self.config.initial.min(self.config.step_max);
        }
        let own = jittered(self.step, self.config.jitter, &mut self.rng);
        self.step = scaled(self.step, self.config.factor.max(1.0)).min(self.config.step_max);
        let delay = own.max(retry_after.unwrap_or_default());
        self.waited_until = now.checked_add(delay);
        delay
    }
}

/// `base` times two to the power of `attempts`, at most `max`.
///
/// ```
/// use std::time::Duration;
/// use tidings_util::backoff::exponential;
///
/// let (base, max) = (Duration::from_millis(5), Duration::from_secs(1));
/// assert_eq!([0, 1, 2, 99].map(|attempts| exponential(base, attempts, max).as_millis()), [5, 10, 20, 1000]);
/// ```
#[inline]
pub fn exponential(base: Duration, attempts: u32, max: Duration) -> Duration {
    let factor = 1_u32.checked_shl(attempts);
    factor.and_then(|factor| base.checked_mul(factor)).unwrap_or(Duration::MAX).min(max)
}

/// `delay` times a random number between 1 and 1 + `jitter`, at most a day.
pub fn jittered(delay: Duration, jitter: f64, rng: &mut impl Rng) -> Duration {
    scaled(delay, 1.0 + jitter.max(0.0) * rng.random::<f64>())
}

/// `duration` times `factor`, at most a day. A factor that is negative, infinite or not a number, which a user's
/// configuration can contain, gives a day and does not panic.
pub fn scaled(duration: Duration, factor: f64) -> Duration {
    let scaled = Duration::try_from_secs_f64(duration.as_secs_f64() * factor);
    scaled.map_or(SCALED_MAX, |scaled| scaled.min(SCALED_MAX))
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    // holds: R6, X1
    #[tokio::test(start_paused = true)]
    async fn the_steps_double_up_to_the_maximum_and_reset_after_two_minutes_without_failure() {
        let mut backoff = Backoff::new(BackoffConfig::default(), 7);
        let mut step_ms = 800;
        for _ in 0..20 {
            let delay = backoff.next_delay(None);
            let (low, high) = (Duration::from_millis(step_ms), Duration::from_millis(2 * step_ms));
            assert!(low <= delay && delay < high, "{delay:?} is not within {low:?}..{high:?}");
            step_ms = (2 * step_ms).min(30_000);
            advance(delay + Duration::from_secs(119)).await;
        }
        let delay = backoff.next_delay(None);
        assert!(delay >= Duration::from_secs(30), "the maximum holds under uninterrupted failure: {delay:?}");
        advance(delay + Duration::from_secs(121)).await;
        let delay = backoff.next_delay(None);
        assert!(delay < Duration::from_millis(1600), "two minutes without failure reset the step: {delay:?}");
    }

    // holds: R8
    #[tokio::test(start_paused = true)]
    async fn a_users_settings_replace_the_default() {
        let config = BackoffConfig {
            initial: Duration::from_millis(10),
            factor: 3.0,
            jitter: 0.0,
            step_max: Duration::from_millis(50),
            reset_after: Duration::from_secs(5),
        };
        let mut backoff = Backoff::new(config, 7);
        let delays: Vec<_> = (0..4).map(|_| backoff.next_delay(None).as_millis()).collect();
        assert_eq!(delays, [10, 30, 50, 50]);
        advance(Duration::from_secs(6)).await;
        assert_eq!(backoff.next_delay(None).as_millis(), 10);
    }

    // holds: X4
    #[tokio::test(start_paused = true)]
    async fn no_delay_is_shorter_than_the_server_requested() {
        let mut backoff = Backoff::new(BackoffConfig::default(), 7);
        assert_eq!(backoff.next_delay(Some(Duration::from_secs(90))), Duration::from_secs(90));
        assert!(backoff.next_delay(Some(Duration::from_millis(1))) >= Duration::from_millis(1600));
    }

    #[test]
    fn factors_out_of_range_do_not_panic() {
        for factor in [f64::NAN, f64::INFINITY, -1.0, 1e300] {
            assert!(scaled(Duration::from_secs(1), factor) <= SCALED_MAX);
        }
    }
}
