//! The writes of a member into its own Lease: which is pending, which reached the server, and which the cache shows.
//!
//! The write that the cache shows proves how fresh the cache is, without comparing clocks: the cache has everything
//! that was written before that write was sent.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

#[derive(Debug, Default)]
pub(super) struct OwnWrites {
    /// The sequence number of the last write.
    pub(super) sequence: u64,
    /// Sequence number and start of the newest writes.
    pub(super) started: VecDeque<(u64, Instant)>,
    pub(super) pending_since: Option<Instant>,
    /// The last write that succeeded.
    pub(super) answered_sequence: u64,
    /// When the response to it arrived.
    pub(super) answered_at: Option<Instant>,
    /// The last write that the cache shows; 0 if it shows none.
    pub(super) seen_sequence: u64,
    /// When that write was started: the cache has everything that was written before.
    pub(super) fresh_until: Option<Instant>,
    /// When the last write that reached the server was started. `None` when the claim has expired.
    pub(super) renewed_at: Option<Instant>,
    pub(super) next_at: Option<Instant>,
}

/// How many writes that the cache does not show are kept. Dropping one only makes the cache look older.
const UNSEEN_WRITES_MAX: usize = 64;

impl OwnWrites {
    /// Starts a write and returns its sequence number.
    pub(super) fn begin(&mut self, now: Instant, retry_period: Duration) -> u64 {
        self.sequence += 1;
        if self.started.len() == UNSEEN_WRITES_MAX {
            self.started.pop_front();
        }
        self.started.push_back((self.sequence, now));
        self.pending_since = Some(now);
        self.next_at = Some(now + retry_period);
        self.sequence
    }

    /// The cache shows this write; 0 for none. It may show an older write than before, for instance after a relist from
    /// a stale server: then the cache is as old as that write.
    pub(super) fn saw(&mut self, sequence: u64) {
        let sequence = if sequence <= self.sequence { sequence } else { 0 };
        if sequence == self.seen_sequence {
            return;
        }
        let is_older = sequence < self.seen_sequence;
        self.seen_sequence = sequence;
        self.started.retain({
            let newest =
                self.started.iter().map(|(started, _)| *started).filter(|started| *started <= sequence).max();
            move |(started, _)| newest.is_none_or(|newest| *started >= newest)
        });
        match self.started.front() {
            Some((started, at)) if *started <= sequence => self.fresh_until = Some(*at),
            _ if is_older => self.fresh_until = None,
            _ => {}
        }
    }
}
