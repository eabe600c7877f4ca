//! How much may be told about one object: a burst, then one more now and then, so that an object which is never
//! well does not fill the server.

use std::time::Duration;

use tokio::time::Instant;

use super::lru::LruMap;

/// Objects that are remembered at the most.
const OBJECTS_MAX: usize = 4096;

/// A bucket of events for each object.
pub(super) struct SpamFilter {
    buckets: LruMap<String, TokenBucket>,
    burst_events: u32,
    refill_interval: Duration,
}

struct TokenBucket {
    left_events: u32,
    /// Up to when the bucket has been refilled.
    filled_until: Instant,
}

impl SpamFilter {
    pub(super) fn new(burst_events: u32, refill_interval: Duration) -> Self {
        SpamFilter { buckets: LruMap::new(OBJECTS_MAX), burst_events, refill_interval }
    }

    /// Whether one more may be told about this object.
    pub(super) fn allows(&mut self, object: String, now: Instant) -> bool {
        let full = TokenBucket { left_events: self.burst_events, filled_until: now };
        let bucket = self.buckets.used(object, now, || full);
        bucket.refill(now, self.burst_events, self.refill_interval);
        let allows = bucket.left_events > 0;
        bucket.left_events = bucket.left_events.saturating_sub(1);
        allows
    }

    /// Forgets objects whose bucket is full again: that is as good as none.
    pub(super) fn sweep(&mut self, now: Instant) {
        let until_full = self.refill_interval.saturating_mul(self.burst_events);
        self.buckets.retain(|used, _| now.duration_since(used) < until_full);
    }
}

impl TokenBucket {
    fn refill(&mut self, now: Instant, burst_events: u32, interval: Duration) {
        if interval.is_zero() {
            self.left_events = burst_events;
            return;
        }
        let passed = now.duration_since(self.filled_until).as_nanos() / interval.as_nanos();
        let gained = u32::try_from(passed).unwrap_or(u32::MAX);
        self.left_events = self.left_events.saturating_add(gained).min(burst_events);
        self.filled_until =
            if self.left_events == burst_events { now } else { self.filled_until + interval * gained };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_has_a_burst_and_then_one_more_in_each_interval() {
        let start = Instant::now();
        let minute = Duration::from_secs(60);
        let mut filter = SpamFilter::new(3, minute);
        let mut passed = |object: &str, at| (0..10).filter(|_| filter.allows(object.to_owned(), at)).count();
        assert_eq!(passed("a", start), 3);
        assert_eq!(passed("b", start), 3, "objects do not take from each other");
        assert_eq!(passed("a", start + minute / 2), 0);
        assert_eq!(passed("a", start + minute), 1, "refused events do not put off the refill");
        assert_eq!(passed("a", start + 3 * minute), 2);
        assert_eq!(passed("a", start + 100 * minute), 3, "no more than a burst is saved up");
    }
}
