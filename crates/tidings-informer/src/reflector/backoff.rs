//! How long to wait after a failure: one ladder for everything a reflector asks.
//!
//! The ladder climbs with every failure and starts again after a quiet time; a server that names a time is
//! never asked sooner.

use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use tokio::time::Instant;

/// The steps of the ladder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BackoffConfig {
    /// The first step. Default 800 ms.
    pub initial: Duration,
    /// By how much each step is longer than the one before. Default 2.
    pub factor: f64,
    /// Each wait is its step times 1 to 1 + `jitter`. Default 1.
    pub jitter: f64,
    /// The longest step, before jitter. Default 30 s.
    pub step_max: Duration,
    /// After so long without a failure the first step comes again. Default 2 min.
    pub reset_after: Duration,
}

/// Where on its ladder a reflector stands.
#[derive(Debug)]
pub(super) struct Backoff {
    config: BackoffConfig,
    rng: SmallRng,
    step: Duration,
    /// When the last wait ends: time spent waiting is no time without a failure.
    waited_until: Option<Instant>,
}

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
    pub(super) fn new(config: BackoffConfig, seed: u64) -> Backoff {
        Backoff {
            config,
            rng: SmallRng::seed_from_u64(seed),
            step: config.initial.min(config.step_max),
            waited_until: None,
        }
    }

    /// How long to wait after a failure now. `asked_for` is what the server asked for.
    pub(super) fn next_delay(&mut self, asked_for: Option<Duration>) -> Duration {
        let now = Instant::now();
        let is_quiet = |until| now.saturating_duration_since(until) > self.config.reset_after;
        if self.waited_until.is_some_and(is_quiet) {
            self.step = self.config.initial.min(self.config.step_max);
        }
        let stretch = 1.0 + self.config.jitter.max(0.0) * self.rng.random::<f64>();
        let own = scaled(self.step, stretch);
        self.step = scaled(self.step, self.config.factor.max(1.0)).min(self.config.step_max);
        let delay = own.max(asked_for.unwrap_or_default());
        self.waited_until = now.checked_add(delay);
        delay
    }
}

/// A figure from a user's configuration must not make this panic.
pub(super) fn scaled(duration: Duration, by: f64) -> Duration {
    const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
    Duration::try_from_secs_f64(duration.as_secs_f64() * by).map_or(LONGEST, |scaled| scaled.min(LONGEST))
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    // holds: R6, X1
    #[tokio::test(start_paused = true)]
    async fn the_ladder_doubles_to_its_cap_stays_there_and_starts_again_after_two_quiet_minutes() {
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
        assert!(delay >= Duration::from_secs(30), "the cap holds under uninterrupted failure: {delay:?}");
        advance(delay + Duration::from_secs(121)).await;
        let delay = backoff.next_delay(None);
        assert!(delay < Duration::from_millis(1600), "two quiet minutes begin the ladder anew: {delay:?}");
    }

    // holds: R8
    #[tokio::test(start_paused = true)]
    async fn a_ladder_of_ones_own_takes_the_place_of_the_default() {
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
    async fn a_server_is_never_asked_sooner_than_it_asked_for() {
        let mut backoff = Backoff::new(BackoffConfig::default(), 7);
        assert_eq!(backoff.next_delay(Some(Duration::from_secs(90))), Duration::from_secs(90));
        assert!(backoff.next_delay(Some(Duration::from_millis(1))) >= Duration::from_millis(1600));
    }

    #[test]
    fn figures_that_make_no_sense_do_not_panic() {
        for by in [f64::NAN, f64::INFINITY, -1.0, 1e300] {
            assert!(scaled(Duration::from_secs(1), by) <= Duration::from_secs(24 * 60 * 60));
        }
    }
}
