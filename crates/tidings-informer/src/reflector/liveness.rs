//! When a silent watch is taken for dead.
//!
//! A server sends bookmarks at an interval that it does not tell; it is learnt from the stream, and taken for a
//! minute before that, as kube-apiserver does it. Silence that lasts several intervals reopens the watch, which is no
//! failure: bookmarks come only when there is a newer version, so a quiet resource is silent too, and each reopening
//! that brings nothing doubles the patience.
//!
//! No watch is silent for longer than `silence_max`, whatever was learnt and however often it was doubled: a
//! connection that a network dropped without a word looks the same as a quiet resource. The price is one request per
//! watch every three minutes, and only where neither events nor bookmarks come.

use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use tidings_util::backoff::scaled;
use tokio::time::Instant;

/// How silence is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LivenessConfig {
    /// How many bookmark intervals of silence reopen a watch. Default 3.
    pub intervals: u32,
    /// The least silence that reopens a watch. Default 5 s.
    pub silence_min: Duration,
    /// The most silence before a watch is reopened: before its first bookmark, between bookmarks that are far apart,
    /// and while reopening brings nothing. Default 3 min.
    pub silence_max: Duration,
}

/// What one stream has taught us about its server's bookmarks. Times in which we did not read do not pass here:
/// whoever waits starts its clock anew at every wait.
#[derive(Debug)]
pub(super) struct BookmarkInterval {
    config: LivenessConfig,
    rng: SmallRng,
    interval: Option<Duration>,
    bookmark_at: Option<Instant>,
    fruitless: u32,
    patience: Duration,
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
        }
    }
}

impl BookmarkInterval {
    pub(super) fn new(config: LivenessConfig, seed: u64) -> BookmarkInterval {
        let mut bookmark_interval = BookmarkInterval {
            config,
            rng: SmallRng::seed_from_u64(seed),
            interval: None,
            bookmark_at: None,
            fruitless: 0,
            patience: config.silence_max,
        };
        bookmark_interval.settle();
        bookmark_interval
    }

    /// How long this watch may be silent.
    pub(super) fn patience(&self) -> Duration {
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
            self.settle();
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
        self.settle();
    }

    fn settle(&mut self) {
        let interval = self.interval.unwrap_or(INTERVAL_ASSUMED);
        let LivenessConfig { intervals, silence_min, silence_max } = self.config;
        let base = interval.saturating_mul(intervals).max(silence_min);
        let doubled = base.saturating_mul(1 << self.fruitless.min(16)).min(silence_max);
        let shortened = scaled(doubled, 1.0 - JITTER * self.rng.random::<f64>());
        self.patience = shortened.max(silence_min);
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    fn within_jitter(patience: Duration, full_seconds: u64) -> bool {
        let full = Duration::from_secs(full_seconds);
        full.mul_f64(1.0 - JITTER) <= patience && patience <= full
    }

    // holds: X22, X38
    #[tokio::test(start_paused = true)]
    async fn patience_is_three_learnt_intervals_within_its_bounds() {
        let mut bookmark_interval = BookmarkInterval::new(LivenessConfig::default(), 7);
        bookmark_interval.opening();
        assert!(
            within_jitter(bookmark_interval.patience(), 180),
            "before a bookmark: {:?}",
            bookmark_interval.patience()
        );
        bookmark_interval.bookmark();
        assert!(within_jitter(bookmark_interval.patience(), 180), "{:?}", bookmark_interval.patience());
        for _ in 0..40 {
            advance(Duration::from_secs(10)).await;
            bookmark_interval.bookmark();
        }
        assert!(within_jitter(bookmark_interval.patience(), 30), "{:?}", bookmark_interval.patience());
        advance(Duration::from_secs(600)).await;
        bookmark_interval.bookmark();
        assert!(within_jitter(bookmark_interval.patience(), 180), "never more than three minutes");
        for _ in 0..60 {
            bookmark_interval.bookmark();
        }
        assert_eq!(bookmark_interval.patience(), Duration::from_secs(5), "never less than five seconds");
    }

    // holds: X22, X38
    #[tokio::test(start_paused = true)]
    async fn patience_doubles_to_three_minutes_while_reopening_brings_nothing() {
        let mut bookmark_interval = BookmarkInterval::new(LivenessConfig::default(), 7);
        for _ in 0..40 {
            advance(Duration::from_secs(10)).await;
            bookmark_interval.bookmark();
        }
        for full in [60, 120, 180, 180] {
            bookmark_interval.fell_silent();
            bookmark_interval.opening();
            assert!(
                within_jitter(bookmark_interval.patience(), full),
                "{:?} of {full}",
                bookmark_interval.patience()
            );
        }
        bookmark_interval.heard();
        assert!(within_jitter(bookmark_interval.patience(), 30), "{:?}", bookmark_interval.patience());
    }

    // holds: X22
    #[tokio::test(start_paused = true)]
    async fn the_interval_follows_a_longer_gap_at_once_and_a_shorter_one_slowly() {
        let mut bookmark_interval = BookmarkInterval::new(LivenessConfig::default(), 7);
        bookmark_interval.bookmark();
        for (gap, full) in [(10, 30), (10, 30), (40, 120), (8, 96), (8, 78), (30, 90)] {
            advance(Duration::from_secs(gap)).await;
            bookmark_interval.bookmark();
            assert!(
                within_jitter(bookmark_interval.patience(), full),
                "{:?} after {gap} s, of {full}",
                bookmark_interval.patience()
            );
        }
    }

    // holds: X22
    #[tokio::test(start_paused = true)]
    async fn the_time_between_bookmarks_of_two_streams_is_no_interval() {
        let mut bookmark_interval = BookmarkInterval::new(LivenessConfig::default(), 7);
        for _ in 0..2 {
            bookmark_interval.bookmark();
            advance(Duration::from_secs(1)).await;
        }
        bookmark_interval.opening();
        advance(Duration::from_secs(60)).await;
        bookmark_interval.bookmark();
        assert_eq!(bookmark_interval.patience(), Duration::from_secs(5), "the interval is still a second");
    }

    // holds: X22
    #[tokio::test(start_paused = true)]
    async fn an_event_shortens_doubled_patience_and_leaves_any_other_alone() {
        let mut bookmark_interval = BookmarkInterval::new(
            LivenessConfig { silence_max: Duration::MAX, ..LivenessConfig::default() },
            7,
        );
        let patience = bookmark_interval.patience();
        bookmark_interval.heard();
        assert_eq!(
            bookmark_interval.patience(),
            patience,
            "nothing was doubled, so that nothing is drawn anew"
        );
        bookmark_interval.fell_silent();
        assert!(within_jitter(bookmark_interval.patience(), 360), "{:?}", bookmark_interval.patience());
        bookmark_interval.heard();
        assert!(within_jitter(bookmark_interval.patience(), 180), "{:?}", bookmark_interval.patience());
    }

    // holds: X22
    #[tokio::test(start_paused = true)]
    async fn patience_differs_from_watch_to_watch() {
        let patience = |seed| {
            let mut bookmark_interval = BookmarkInterval::new(LivenessConfig::default(), seed);
            bookmark_interval.bookmark();
            bookmark_interval.patience()
        };
        assert_ne!(patience(1), patience(2));
    }
}
