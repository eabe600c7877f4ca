//! The writes of a member into its own Lease: which are under way, which reached the server, and which the cache
//! shows. The last tells how old the cache is, whatever clocks say.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

/// The own writes.
#[derive(Debug, Default)]
pub(super) struct OwnWrites {
    /// The number of the last one.
    pub(super) sequence: u64,
    /// When the newest were begun.
    pub(super) begun: VecDeque<(u64, Instant)>,
    pub(super) under_way: Option<Instant>,
    /// The last one that was answered well.
    pub(super) answered_sequence: u64,
    /// When it was answered.
    pub(super) answered_at: Option<Instant>,
    /// The last one that the cache shows; 0 if it shows none.
    pub(super) seen_sequence: u64,
    /// When that one was begun: the cache has everything that was written before.
    pub(super) fresh_until: Option<Instant>,
    /// When the last one that is known to have reached the server was begun. None once that is too long ago.
    pub(super) renewed_at: Option<Instant>,
    pub(super) next_at: Option<Instant>,
}

/// How many writes that the cache does not show are remembered. Forgetting one only makes waits longer.
const UNSEEN_WRITES_MAX: usize = 64;

impl OwnWrites {
    /// Begins one, and tells its number.
    pub(super) fn begin(&mut self, now: Instant, retry_period: Duration) -> u64 {
        self.sequence += 1;
        if self.begun.len() == UNSEEN_WRITES_MAX {
            self.begun.pop_front();
        }
        self.begun.push_back((self.sequence, now));
        self.under_way = Some(now);
        self.next_at = Some(now + retry_period);
        self.sequence
    }

    /// The cache shows this one; 0 for none. It may show an older one than before: then it is as old as that.
    pub(super) fn saw(&mut self, sequence: u64) {
        let sequence = if sequence <= self.sequence { sequence } else { 0 };
        if sequence == self.seen_sequence {
            return;
        }
        let is_older = sequence < self.seen_sequence;
        self.seen_sequence = sequence;
        self.begun.retain({
            let newest = self.begun.iter().map(|(begun, _)| *begun).filter(|begun| *begun <= sequence).max();
            move |(begun, _)| newest.is_none_or(|newest| *begun >= newest)
        });
        match self.begun.front() {
            Some((begun, at)) if *begun <= sequence => self.fresh_until = Some(*at),
            _ if is_older => self.fresh_until = None,
            _ => {}
        }
    }
}
