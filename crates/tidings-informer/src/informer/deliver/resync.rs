//! Decides when a handler receives all objects again. The timers belong to the informer, so a watch that keeps
//! breaking does not delay them. A resync makes no request to the server.

use std::sync::Arc;

use tidings_util::clock;
use tokio::time::{Duration, Instant};

use crate::informer::deliver::mailbox::Mailbox;

/// The shortest resync period. A shorter one is raised to this.
pub const RESYNC_MIN: Duration = Duration::from_secs(1);

/// The resync period of a handler: its own, or else that of the informer. Zero means never.
pub(crate) fn effective_period(wish: Option<Duration>, informer: Duration) -> Option<Duration> {
    let period = wish.unwrap_or(informer);
    (!period.is_zero()).then(|| period.max(RESYNC_MIN))
}

/// The handlers with a resync period, each with the time of its next resync.
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

    /// The time of the next resync.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.due.iter().map(|(due, ..)| *due).min()
    }

    /// Returns the handlers that are due, and schedules the next resync of each.
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

/// The receivers of the [`Delta::Sync`](crate::delta::Delta::Sync)s in the per-object queue. A resync passes through
/// that queue at the position of each object, so that it is after the earlier changes of the object and before the
/// later ones.
///
/// If a resync is due while deltas of the previous one are still queued, both sets of handlers receive all of these
/// deltas. A handler may then receive an object once too often, but it never misses one.
#[derive(Default)]
pub(crate) struct PendingResyncs {
    mailboxes: Vec<Arc<Mailbox>>,
    /// The number of queued `Delta::Sync`s.
    pending: usize,
}

impl PendingResyncs {
    /// Records that `queued` deltas were queued for these handlers.
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

    /// Records that `syncs` deltas were delivered.
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
        // Nothing is queued if a delta of every object is queued already.
        pending_resyncs.begin(vec![Arc::clone(&one)], 0);
        pending_resyncs.begin(vec![Arc::clone(&other)], 1);
        check(&pending_resyncs, [false, true]);
    }

    #[test]
    fn a_handler_is_due_once_in_each_period_until_it_is_removed() {
        let begin = Instant::now();
        let second = Duration::from_secs(1);
        for remove in [Mailbox::drain, Mailbox::close] {
            let mailbox =
                Arc::new(Mailbox::new("handler".to_owned(), Overflow::Merge(1), Some(second), None));
            let mut schedule = ResyncSchedule::default();
            schedule.add(&mailbox, begin);
            assert!(schedule.take_due(begin).is_empty());
            assert_eq!(schedule.take_due(begin + second).len(), 1);
            assert_eq!(
                (schedule.take_due(begin + second).len(), schedule.next()),
                (0, Some(begin + 2 * second))
            );
            remove(&mailbox);
            assert_eq!((schedule.take_due(begin + 2 * second).len(), schedule.next()), (0, None));
        }
    }
}
