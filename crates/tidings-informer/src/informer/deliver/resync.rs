//! When which handler is told everything again. The clock is the informer's own: a watch that keeps breaking
//! does not starve it, and the server is never asked.

use std::sync::Arc;

use tidings_util::clock;
use tokio::time::{Duration, Instant};

use crate::informer::deliver::mailbox::Mailbox;

/// No handler is told everything again more often than this.
pub const RESYNC_MIN: Duration = Duration::from_secs(1);

/// The period that a handler gets: its own wish, else the informer's; zero is never.
pub(crate) fn effective_period(wish: Option<Duration>, informer: Duration) -> Option<Duration> {
    let period = wish.unwrap_or(informer);
    (!period.is_zero()).then(|| period.max(RESYNC_MIN))
}

/// The handlers that want resyncs, with when each is due.
#[derive(Default)]
pub(crate) struct ResyncSchedule {
    due: Vec<(Instant, Duration, Arc<Mailbox>)>,
}

impl ResyncSchedule {
    pub(crate) fn add(&mut self, mailbox: &Arc<Mailbox>, now: Instant) {
        if let Some(period) = mailbox.resync() {
            self.due.push((clock::after(now, period), period, Arc::clone(mailbox)));
        }
    }

    /// When the next handler is due.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.due.iter().map(|(due, ..)| *due).min()
    }

    /// The handlers that are due; each is due again a period from now.
    pub(crate) fn take_due(&mut self, now: Instant) -> Vec<Arc<Mailbox>> {
        self.due.retain(|(_, _, mailbox)| mailbox.is_open());
        let mut due_now = Vec::new();
        for (due, period, mailbox) in &mut self.due {
            if *due <= now {
                *due = clock::after(now, *period);
                due_now.push(Arc::clone(mailbox));
            }
        }
        due_now
    }
}

/// Whom the [`Delta::Sync`](crate::delta::Delta::Sync)s in the queue are for. The per-object queue delivers resyncs in the place of
/// each object, so that they come before its later changes and after its earlier ones.
///
/// If a resync comes due while deltas of the one before are still queued, both sets of handlers get all of them: one repetition too
/// many is no harm, and one too few would be a resync that never came.
#[derive(Default)]
pub(crate) struct PendingResyncs {
    mailboxes: Vec<Arc<Mailbox>>,
    /// How many of the deltas are queued.
    pending: usize,
}

impl PendingResyncs {
    /// So many were queued for these.
    pub(crate) fn begin(&mut self, due: Vec<Arc<Mailbox>>, queued: usize) {
        if self.pending == 0 {
            self.mailboxes.clear();
        }
        self.pending += queued;
        for mailbox in due {
            if !self.concerns(&mailbox) {
                self.mailboxes.push(mailbox);
            }
        }
    }

    /// So many were delivered.
    pub(crate) fn delivered(&mut self, syncs: usize) {
        self.pending -= syncs;
        if self.pending == 0 {
            self.mailboxes.clear();
        }
    }

    pub(crate) fn concerns(&self, mailbox: &Arc<Mailbox>) -> bool {
        self.mailboxes.iter().any(|other| Arc::ptr_eq(other, mailbox))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::informer::deliver::mailbox::Overflow;

    fn mailbox() -> Arc<Mailbox> {
        Arc::new(Mailbox::new("handler".to_owned(), Overflow::Merge(1), None, None))
    }

    // holds: X29
    #[test]
    fn a_handler_is_concerned_until_all_that_was_queued_for_it_is_delivered() {
        let (one, other) = (mailbox(), mailbox());
        let mut pending_resyncs = PendingResyncs::default();
        let check = |pending_resyncs: &PendingResyncs, expected: [bool; 2]| {
            assert_eq!([&one, &other].map(|mailbox| pending_resyncs.concerns(mailbox)), expected);
        };
        pending_resyncs.begin(vec![Arc::clone(&one)], 3);
        check(&pending_resyncs, [true, false]);
        pending_resyncs.delivered(1);
        pending_resyncs.begin(vec![Arc::clone(&other)], 2);
        pending_resyncs.delivered(2);
        check(&pending_resyncs, [true, true]);
        pending_resyncs.delivered(2);
        check(&pending_resyncs, [false, false]);
        // Nothing was queued, for something is queued of every object.
        pending_resyncs.begin(vec![Arc::clone(&one)], 0);
        pending_resyncs.begin(vec![Arc::clone(&other)], 1);
        check(&pending_resyncs, [false, true]);
    }
}
