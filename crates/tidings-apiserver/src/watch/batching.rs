//! Batches the events of a busy watch, in the manner of interrupt coalescing: each change is sent at once, until many
//! changes follow each other; then they are sent together once per millisecond.
//!
//! To wake a client costs more than to send a change. Thousands of wake-ups per second slow down the clients that
//! write. A batch costs one wake-up, and its delay is shorter than that of a network.
//!
//! ```text
//! changes within 1 ms:  1 2 3 4 5 6 7 8        8 or more: wait 1 ms before the next read
//! sent:                 1 2 3 4 5 6 7 8 ... [9..18] ... [19..28] ... [29,30]    fewer than 4: send at once again
//! ```

use std::time::Duration;

use tokio::time::Instant;

/// How long a batch collects changes.
const BATCH_INTERVAL: Duration = Duration::from_millis(1);

/// Batching starts after this many changes within [`BATCH_INTERVAL`].
const BATCH_START_CHANGES: usize = 8;

/// Batching stops after a batch with fewer changes than this.
const BATCH_STOP_CHANGES: usize = 4;

/// Decides when one watcher reads the history.
#[derive(Debug)]
pub(super) struct EventBatching {
    mode: BatchMode,
    /// When the last read returned changes.
    last: Instant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BatchMode {
    /// Each change is sent at once. Counts the changes since an instant.
    Immediate { since: Instant, changes: usize },
    /// The next read happens at this instant.
    Batched { until: Instant },
}

impl EventBatching {
    pub(super) fn new(now: Instant) -> Self {
        EventBatching { mode: BatchMode::Immediate { since: now, changes: 0 }, last: now }
    }

    /// When to read next; `None` to read at once.
    pub(super) fn next_read_at(&self) -> Option<Instant> {
        match self.mode {
            BatchMode::Immediate { .. } => None,
            BatchMode::Batched { until } => Some(until),
        }
    }

    /// A read returned changes. `has_more` says that there are more than it could return.
    pub(super) fn read(&mut self, read: usize, has_more: bool, now: Instant) {
        // While a test has paused the clock it may never advance, so nothing is delayed.
        let has_moved = now > std::mem::replace(&mut self.last, now);
        let counted = |since, changes| match changes {
            BATCH_START_CHANGES.. if has_moved && !has_more => {
                BatchMode::Batched { until: now + BATCH_INTERVAL }
            }
            _ => BatchMode::Immediate { since, changes },
        };
        self.mode = match self.mode {
            BatchMode::Immediate { since, changes } if has_moved && now - since < BATCH_INTERVAL => {
                counted(since, changes + read)
            }
            BatchMode::Batched { .. } if read >= BATCH_STOP_CHANGES => {
                counted(now, read.max(BATCH_START_CHANGES))
            }
            BatchMode::Immediate { .. } | BatchMode::Batched { .. } => counted(now, read),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MICROSECOND: Duration = Duration::from_micros(1);

    /// Makes one change per interval. Returns the changes after which the watcher delays the next read.
    fn delays(every: Duration, changes: usize) -> Vec<usize> {
        let start = Instant::now();
        let mut batching = EventBatching::new(start);
        let mut delays = Vec::new();
        let (mut now, mut unread) = (start, 0);
        for change in 0..changes {
            now += every;
            unread += 1;
            if batching.next_read_at().is_none_or(|at| now >= at) {
                batching.read(std::mem::take(&mut unread), false, now);
                if batching.next_read_at().is_some() {
                    delays.push(change);
                }
            }
        }
        delays
    }

    #[test]
    fn few_changes_are_never_delayed() {
        assert!(delays(150 * MICROSECOND, 1000).is_empty());
    }

    #[test]
    fn many_changes_are_delayed_from_the_eighth_on_by_a_millisecond_each() {
        assert_eq!(delays(100 * MICROSECOND, 40), [7, 17, 27, 37]);
    }

    #[test]
    fn a_watcher_that_falls_behind_reads_on_at_once() {
        let start = Instant::now();
        let mut batching = EventBatching::new(start);
        batching.read(256, true, start + MICROSECOND);
        assert_eq!(batching.next_read_at(), None);
        batching.read(100, false, start + 2 * MICROSECOND);
        assert_eq!(batching.next_read_at(), Some(start + 2 * MICROSECOND + BATCH_INTERVAL));
    }

    #[test]
    fn a_small_batch_is_the_last() {
        let start = Instant::now();
        let mut batching = EventBatching::new(start);
        batching.read(BATCH_START_CHANGES, false, start + MICROSECOND);
        let first = batching.next_read_at().expect("a wait");
        batching.read(BATCH_STOP_CHANGES, false, first);
        let second = batching.next_read_at().expect("a wait");
        batching.read(BATCH_STOP_CHANGES - 1, false, second);
        assert_eq!(batching.next_read_at(), None);
    }

    #[test]
    fn nothing_is_delayed_while_the_clock_is_paused() {
        let now = Instant::now();
        let mut batching = EventBatching::new(now);
        for _ in 0..100 {
            batching.read(1, false, now);
            assert_eq!(batching.next_read_at(), None);
        }
    }
}
