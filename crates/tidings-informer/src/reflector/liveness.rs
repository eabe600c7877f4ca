//! When a silent watch is taken for dead.
//!
//! A server sends bookmarks at an interval that it does not tell; it is learnt from the stream. Silence that
//! lasts several intervals reopens the watch, which is no failure: bookmarks come only when there is a newer
//! version, so a quiet resource is silent too, and each reopening that brings nothing doubles the patience.

use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use tokio::time::Instant;

use super::backoff::scaled;

/// How silence is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LivenessConfig {
    /// How many bookmark intervals of silence reopen a watch. Default 3.
    pub intervals: u32,
    /// The least silence that reopens a watch. Default 5 s.
    pub silence_min: Duration,
    /// The most silence that is borne on a watch that has spoken. Default 3 min.
    pub silence_max: Duration,
    /// The most that doubling leads to while reopening brings nothing. Default 15 min.
    pub doubled_max: Duration,
}

/// What one stream has taught us about its server's bookmarks. Times in which we did not read do not pass here:
/// whoever waits starts its clock anew at every wait.
#[derive(Debug)]
pub(super) struct Rhythm {
    config: LivenessConfig,
    chance: SmallRng,
    interval: Option<Duration>,
    bookmark_at: Option<Instant>,
    fruitless: u32,
    patience: Option<Duration>,
}

/// Taken for the interval until two bookmarks in a row have told it: what kube-apiserver does.
const INTERVAL_ASSUMED: Duration = Duration::from_secs(60);

/// By how much at most patience is shortened, so that many watches do not reopen together.
const JITTER: f64 = 0.2;

impl Default for LivenessConfig {
    fn default() -> Self {
        LivenessConfig {
            intervals: 3,
            silence_min: Duration::from_secs(5),
            silence_max: Duration::from_secs(3 * 60),
            doubled_max: Duration::from_secs(15 * 60),
        }
    }
}

impl Rhythm {
    pub(super) fn new(config: LivenessConfig, seed: u64) -> Rhythm {
        Rhythm {
            config,
            chance: SmallRng::seed_from_u64(seed),
            interval: None,
            bookmark_at: None,
            fruitless: 0,
            patience: None,
        }
    }

    /// How long this watch may be silent; no bound before the first bookmark.
    pub(super) fn patience(&self) -> Option<Duration> {
        self.patience
    }

    /// A watch is opened. Bookmarks of two streams tell nothing about the interval.
    pub(super) fn opening(&mut self) {
        self.bookmark_at = None;
    }

    /// Anything was received.
    pub(super) fn heard(&mut self) {
        if self.fruitless > 0 {
            self.fruitless = 0;
            self.settle_again();
        }
    }

    /// A bookmark was received. The interval follows a longer gap at once and a shorter one slowly: bookmarks
    /// that piled up while we did not read come close together.
    pub(super) fn bookmark(&mut self) {
        let now = Instant::now();
        if let Some(before) = self.bookmark_at.replace(now) {
            let gap = now - before;
            self.interval = Some(match self.interval {
                Some(interval) if gap < interval => (interval * 3 + gap) / 4,
                _ => gap,
            });
        }
        self.fruitless = 0;
        self.settle();
    }

    /// Patience has ended, and the watch is opened again.
    pub(super) fn fell_silent(&mut self) {
        self.fruitless = self.fruitless.saturating_add(1);
        self.settle_again();
    }

    /// Before the first bookmark nothing is known, and nothing settled.
    fn settle_again(&mut self) {
        if self.patience.is_some() {
            self.settle();
        }
    }

    fn settle(&mut self) {
        let interval = self.interval.unwrap_or(INTERVAL_ASSUMED);
        let LivenessConfig { intervals, silence_min, silence_max, doubled_max } = self.config;
        let base = interval.saturating_mul(intervals).min(silence_max).max(silence_min);
        let doubled = base.saturating_mul(1 << self.fruitless.min(16)).min(doubled_max.max(base));
        let shortened = scaled(doubled, 1.0 - JITTER * self.chance.random::<f64>());
        self.patience = Some(shortened.max(silence_min));
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    fn within_jitter(patience: Option<Duration>, full_seconds: u64) -> bool {
        let full = Duration::from_secs(full_seconds);
        patience.is_some_and(|p| full.mul_f64(1.0 - JITTER) <= p && p <= full)
    }

    // holds: X22
    #[tokio::test(start_paused = true)]
    async fn patience_is_three_learnt_intervals_within_its_bounds() {
        let mut rhythm = Rhythm::new(LivenessConfig::default(), 7);
        rhythm.opening();
        assert_eq!(rhythm.patience(), None, "before a bookmark nothing is known");
        rhythm.bookmark();
        assert!(within_jitter(rhythm.patience(), 180), "{:?}", rhythm.patience());
        for _ in 0..40 {
            advance(Duration::from_secs(10)).await;
            rhythm.bookmark();
        }
        assert!(within_jitter(rhythm.patience(), 30), "{:?}", rhythm.patience());
        advance(Duration::from_secs(600)).await;
        rhythm.bookmark();
        assert!(within_jitter(rhythm.patience(), 180), "never more than three minutes");
        for _ in 0..60 {
            rhythm.bookmark();
        }
        assert_eq!(rhythm.patience(), Some(Duration::from_secs(5)), "never less than five seconds");
    }

    // holds: X22
    #[tokio::test(start_paused = true)]
    async fn patience_doubles_to_fifteen_minutes_while_reopening_brings_nothing() {
        let mut rhythm = Rhythm::new(LivenessConfig::default(), 7);
        rhythm.bookmark();
        for full in [360, 720, 900, 900] {
            rhythm.fell_silent();
            rhythm.opening();
            assert!(within_jitter(rhythm.patience(), full), "{:?} of {full}", rhythm.patience());
        }
        rhythm.heard();
        assert!(within_jitter(rhythm.patience(), 180), "{:?}", rhythm.patience());
    }

    // holds: X22
    #[tokio::test(start_paused = true)]
    async fn patience_differs_from_watch_to_watch() {
        let patience = |seed| {
            let mut rhythm = Rhythm::new(LivenessConfig::default(), seed);
            rhythm.bookmark();
            rhythm.patience()
        };
        assert_ne!(patience(1), patience(2));
    }
}
