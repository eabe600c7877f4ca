//! How often a watcher is sent what happens: at once, or, where much happens, once in a millisecond.
//!
//! Waking a client costs it and the server more than a change does. Thousands of changes a second, each sent on its own, slow
//! those down who make them; sent together they cost little, and the wait is shorter than what a network adds.

use std::time::Duration;

use tokio::time::Instant;

/// How long what happens gathers.
const BATCH_INTERVAL: Duration = Duration::from_millis(1);

/// So many changes within [`BATCH_INTERVAL`] are much.
const BATCH_START_CHANGES: usize = 8;

/// So few in a parcel are no longer worth the wait.
const BATCH_STOP_CHANGES: usize = 4;

/// What one watcher's reads brought of late.
#[derive(Debug)]
pub(super) struct EventBatching {
    mode: BatchMode,
    /// When the last read brought something.
    last: Instant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BatchMode {
    /// Each change is sent as it comes; so many came since.
    Immediate { since: Instant, changes: usize },
    /// Changes gather until then.
    Batched { until: Instant },
}

impl EventBatching {
    pub(super) fn new(now: Instant) -> Self {
        EventBatching { mode: BatchMode::Immediate { since: now, changes: 0 }, last: now }
    }

    /// When to read next; `None` if at once.
    pub(super) fn next_read_at(&self) -> Option<Instant> {
        match self.mode {
            BatchMode::Immediate { .. } => None,
            BatchMode::Batched { until } => Some(until),
        }
    }

    /// Changes were read. `has_more` if there were more than could be read.
    pub(super) fn read(&mut self, read: usize, has_more: bool, now: Instant) {
        // A clock that stands still, as tests have it, may stand still for ever.
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

    /// Reads one change every so often, and says after which of them the next ones gather.
    fn waits(every: Duration, changes: usize) -> Vec<usize> {
        let start = Instant::now();
        let mut batching = EventBatching::new(start);
        let mut waits = Vec::new();
        let (mut now, mut unread) = (start, 0);
        for change in 0..changes {
            now += every;
            unread += 1;
            if batching.next_read_at().is_none_or(|at| now >= at) {
                batching.read(std::mem::take(&mut unread), false, now);
                if batching.next_read_at().is_some() {
                    waits.push(change);
                }
            }
        }
        waits
    }

    #[test]
    fn few_changes_are_never_held_back() {
        assert!(waits(150 * MICROSECOND, 1000).is_empty());
    }

    #[test]
    fn many_changes_are_held_back_from_the_eighth_on_for_a_millisecond_each() {
        assert_eq!(waits(100 * MICROSECOND, 40), [7, 17, 27, 37]);
    }

    #[test]
    fn who_falls_behind_reads_on_at_once() {
        let start = Instant::now();
        let mut batching = EventBatching::new(start);
        batching.read(256, true, start + MICROSECOND);
        assert_eq!(batching.next_read_at(), None);
        batching.read(100, false, start + 2 * MICROSECOND);
        assert_eq!(batching.next_read_at(), Some(start + 2 * MICROSECOND + BATCH_INTERVAL));
    }

    #[test]
    fn a_parcel_of_few_is_the_last() {
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
    fn where_the_clock_stands_still_nothing_is_held_back() {
        let now = Instant::now();
        let mut batching = EventBatching::new(now);
        for _ in 0..100 {
            batching.read(1, false, now);
            assert_eq!(batching.next_read_at(), None);
        }
    }
}
