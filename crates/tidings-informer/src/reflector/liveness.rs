//! When a silent watch is reopened: the idle timeout of a watch, learnt from its bookmarks.
//!
//! A server sends bookmarks at an interval that it does not announce. It is learnt from the stream; before that it
//! counts as one minute, the interval of kube-apiserver. A watch that is silent for several intervals is reopened. This
//! is not a failure: bookmarks arrive only when there is a newer version, so a quiet resource is silent too. Each
//! reopened watch that receives nothing doubles the timeout.
//!
//! The timeout is never longer than `silence_max`, because a connection that the network dropped without notice looks
//! like a quiet resource. The cost is one request per watch every three minutes, and only if neither events nor
//! bookmarks arrive.
//!
//! Example, with the default settings and without jitter:
//!
//! ```text
//! no bookmark yet                 180 s   3 intervals of 60 s
//! bookmarks every 10 s             30 s   3 intervals of 10 s
//! reopened, still silent           60 s   then 120 s, then 180 s
//! an event arrives                 30 s
//! ```

use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use tidings_util::backoff::scaled;
use tokio::time::Instant;

use super::config::LivenessConfig;

/// The bookmark interval of one stream, and the idle timeout that follows from it. The caller starts the timeout anew
/// at each wait, so that the time in which the sink is slow and nothing is read does not count.
#[derive(Debug)]
pub(super) struct BookmarkInterval {
    config: LivenessConfig,
    rng: SmallRng,
    interval: Option<Duration>,
    last_bookmark: Option<Instant>,
    /// How many watches in a row were reopened and received nothing.
    empty_reopens: u32,
    idle_timeout: Duration,
}

/// The assumed interval until two bookmarks of one watch have arrived: that of kube-apiserver.
const INTERVAL_ASSUMED: Duration = Duration::from_secs(60);

/// The timeout is shortened by up to this fraction, so that many watches do not reopen together.
const JITTER: f64 = 0.2;

impl BookmarkInterval {
    pub(super) fn new(config: LivenessConfig, seed: u64) -> BookmarkInterval {
        let mut bookmark_interval = BookmarkInterval {
            config,
            rng: SmallRng::seed_from_u64(seed),
            interval: None,
            last_bookmark: None,
            empty_reopens: 0,
            idle_timeout: config.silence_max,
        };
        bookmark_interval.update_timeout();
        bookmark_interval
    }

    /// How long the current watch may be silent.
    pub(super) fn idle_timeout(&self) -> Duration {
        self.idle_timeout
    }

    /// A watch is opened. The time between bookmarks of two watches is not an interval.
    pub(super) fn watch_opened(&mut self) {
        self.last_bookmark = None;
    }

    /// An event or bookmark was received.
    pub(super) fn received(&mut self) {
        if self.empty_reopens > 0 {
            self.empty_reopens = 0;
            self.update_timeout();
        }
    }

    /// A bookmark was received. The interval follows a longer gap at once, and a shorter gap slowly: bookmarks that
    /// were buffered while nothing was read arrive close together.
    pub(super) fn bookmark_received(&mut self) {
        let now = Instant::now();
        if let Some(before) = self.last_bookmark.replace(now) {
            let gap = now - before;
            self.interval = Some(match self.interval {
                Some(interval) if gap < interval => (interval * 3 + gap) / 4,
                _ => gap,
            });
        }
        self.empty_reopens = 0;
        self.update_timeout();
    }

    /// The idle timeout has passed, and the watch is reopened.
    pub(super) fn timed_out(&mut self) {
        self.empty_reopens = self.empty_reopens.saturating_add(1);
        self.update_timeout();
    }

    fn update_timeout(&mut self) {
        let interval = self.interval.unwrap_or(INTERVAL_ASSUMED);
        let LivenessConfig { intervals, silence_min, silence_max } = self.config;
        let base = interval.saturating_mul(intervals).max(silence_min);
        let doubled = base.saturating_mul(1 << self.empty_reopens.min(16)).min(silence_max);
        let shortened = scaled(doubled, 1.0 - JITTER * self.rng.random::<f64>());
        self.idle_timeout = shortened.max(silence_min);
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    fn within_jitter(timeout: Duration, full_seconds: u64) -> bool {
        let full = Duration::from_secs(full_seconds);
        full.mul_f64(1.0 - JITTER) <= timeout && timeout <= full
    }

    // holds: X22, X38
    #[tokio::test(start_paused = true)]
    async fn the_timeout_is_three_learnt_intervals_within_its_limits() {
        let mut bookmark_interval = BookmarkInterval::new(LivenessConfig::default(), 7);
        bookmark_interval.watch_opened();
        assert!(
            within_jitter(bookmark_interval.idle_timeout(), 180),
            "before a bookmark: {:?}",
            bookmark_interval.idle_timeout()
        );
        bookmark_interval.bookmark_received();
        assert!(
            within_jitter(bookmark_interval.idle_timeout(), 180),
            "{:?}",
            bookmark_interval.idle_timeout()
        );
        for _ in 0..40 {
            advance(Duration::from_secs(10)).await;
            bookmark_interval.bookmark_received();
        }
        assert!(
            within_jitter(bookmark_interval.idle_timeout(), 30),
            "{:?}",
            bookmark_interval.idle_timeout()
        );
        advance(Duration::from_secs(600)).await;
        bookmark_interval.bookmark_received();
        assert!(within_jitter(bookmark_interval.idle_timeout(), 180), "never more than three minutes");
        for _ in 0..60 {
            bookmark_interval.bookmark_received();
        }
        assert_eq!(bookmark_interval.idle_timeout(), Duration::from_secs(5), "never less than five seconds");
    }

    // holds: X22, X38
    #[tokio::test(start_paused = true)]
    async fn the_timeout_doubles_up_to_three_minutes_while_reopened_watches_receive_nothing() {
        let mut bookmark_interval = BookmarkInterval::new(LivenessConfig::default(), 7);
        for _ in 0..40 {
            advance(Duration::from_secs(10)).await;
            bookmark_interval.bookmark_received();
        }
        for full in [60, 120, 180, 180] {
            bookmark_interval.timed_out();
            bookmark_interval.watch_opened();
            assert!(
                within_jitter(bookmark_interval.idle_timeout(), full),
                "{:?} of {full}",
                bookmark_interval.idle_timeout()
            );
        }
        bookmark_interval.received();
        assert!(
            within_jitter(bookmark_interval.idle_timeout(), 30),
            "{:?}",
            bookmark_interval.idle_timeout()
        );
    }

    // holds: X22
    #[tokio::test(start_paused = true)]
    async fn the_interval_follows_a_longer_gap_at_once_and_a_shorter_one_slowly() {
        let mut bookmark_interval = BookmarkInterval::new(LivenessConfig::default(), 7);
        bookmark_interval.bookmark_received();
        for (gap, full) in [(10, 30), (10, 30), (40, 120), (8, 96), (8, 78), (30, 90)] {
            advance(Duration::from_secs(gap)).await;
            bookmark_interval.bookmark_received();
            assert!(
                within_jitter(bookmark_interval.idle_timeout(), full),
                "{:?} after {gap} s, of {full}",
                bookmark_interval.idle_timeout()
            );
        }
    }

    // holds: X22
    #[tokio::test(start_paused = true)]
    async fn the_time_between_bookmarks_of_two_watches_is_not_an_interval() {
        let mut bookmark_interval = BookmarkInterval::new(LivenessConfig::default(), 7);
        for _ in 0..2 {
            bookmark_interval.bookmark_received();
            advance(Duration::from_secs(1)).await;
        }
        bookmark_interval.watch_opened();
        advance(Duration::from_secs(60)).await;
        bookmark_interval.bookmark_received();
        assert_eq!(
            bookmark_interval.idle_timeout(),
            Duration::from_secs(5),
            "the interval is still a second"
        );
    }

    // holds: X22
    #[tokio::test(start_paused = true)]
    async fn an_event_resets_a_doubled_timeout_and_no_other() {
        let mut bookmark_interval = BookmarkInterval::new(
            LivenessConfig { silence_max: Duration::MAX, ..LivenessConfig::default() },
            7,
        );
        let before = bookmark_interval.idle_timeout();
        bookmark_interval.received();
        assert_eq!(bookmark_interval.idle_timeout(), before, "no new jitter, because nothing was doubled");
        bookmark_interval.timed_out();
        assert!(
            within_jitter(bookmark_interval.idle_timeout(), 360),
            "{:?}",
            bookmark_interval.idle_timeout()
        );
        bookmark_interval.received();
        assert!(
            within_jitter(bookmark_interval.idle_timeout(), 180),
            "{:?}",
            bookmark_interval.idle_timeout()
        );
    }

    // holds: X22
    #[tokio::test(start_paused = true)]
    async fn the_timeout_has_jitter() {
        let timeout = |seed| {
            let mut bookmark_interval = BookmarkInterval::new(LivenessConfig::default(), seed);
            bookmark_interval.bookmark_received();
            bookmark_interval.idle_timeout()
        };
        assert_ne!(timeout(1), timeout(2));
    }
}
