//! Limits the events about one object with a token bucket, so that an object with a permanent error does not fill the
//! server. client-go has the same limit (`EventSourceObjectSpamFilter`).

use std::time::Duration;

use tokio::time::Instant;

use super::lru::LruMap;

/// The least recently used objects beyond this number are forgotten.
const OBJECTS_MAX: usize = 4096;

/// A token bucket for each object.
pub(super) struct SpamFilter {
    buckets: LruMap<String, TokenBucket>,
    burst_events: u32,
    refill_interval: Duration,
}

struct TokenBucket {
    tokens: u32,
    /// Until when the bucket has been refilled.
    filled_until: Instant,
}

impl SpamFilter {
    pub(super) fn new(burst_events: u32, refill_interval: Duration) -> Self {
        SpamFilter { buckets: LruMap::new(OBJECTS_MAX), burst_events, refill_interval }
    }

    /// Takes a token. False if there is none.
    pub(super) fn allows(&mut self, object: String, now: Instant) -> bool {
        let full = TokenBucket { tokens: self.burst_events, filled_until: now };
        let bucket = self.buckets.get_or_insert(object, now, || full);
        bucket.refill(now, self.burst_events, self.refill_interval);
        let allows = bucket.tokens > 0;
        bucket.tokens = bucket.tokens.saturating_sub(1);
        allows
    }

    /// Removes full buckets: an object without a bucket has a full one.
    pub(super) fn sweep(&mut self, now: Instant) {
        let until_full = self.refill_interval.saturating_mul(self.burst_events);
        self.buckets.retain(|used, _| now.duration_since(used) < until_full);
    }
}

impl TokenBucket {
    fn refill(&mut self, now: Instant, burst_events: u32, interval: Duration) {
        if interval.is_zero() {
            self.tokens = burst_events;
            return;
        }
        let passed = now.duration_since(self.filled_until).as_nanos() / interval.as_nanos();
        let gained = u32::try_from(passed).unwrap_or(u32::MAX);
        self.tokens = self.tokens.saturating_add(gained).min(burst_events);
        self.filled_until =
            if self.tokens == burst_events { now } else { self.filled_until + interval * gained };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_has_a_burst_and_then_one_event_in_each_interval() {
        let start = Instant::now();
        let minute = Duration::from_secs(60);
        let mut filter = SpamFilter::new(3, minute);
        let mut passed = |object: &str, at| (0..10).filter(|_| filter.allows(object.to_owned(), at)).count();
        assert_eq!(passed("a", start), 3);
        assert_eq!(passed("b", start), 3, "objects do not share tokens");
        assert_eq!(passed("a", start + minute / 2), 0);
        assert_eq!(passed("a", start + minute), 1, "refused events do not delay the refill");
        assert_eq!(passed("a", start + 3 * minute), 2);
        assert_eq!(passed("a", start + 100 * minute), 3, "the bucket holds no more than a burst");
    }
}
