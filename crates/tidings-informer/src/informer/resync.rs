//! When which handler is told everything again. The clock is the informer's own: a watch that keeps breaking
//! does not starve it, and the server is never asked.

use std::sync::Arc;

use tidings_source::clock;
use tokio::time::{Duration, Instant};

use super::listener::Mailbox;

/// No handler is told everything again more often than this.
pub const RESYNC_PERIOD_MIN: Duration = Duration::from_secs(1);

/// The period that a handler gets: its own wish, else the informer's; zero is never.
pub(super) fn effective_period(wish: Option<Duration>, informer: Duration) -> Option<Duration> {
    let period = wish.unwrap_or(informer);
    (!period.is_zero()).then(|| period.max(RESYNC_PERIOD_MIN))
}

/// The handlers that want resyncs, with when each is due.
#[derive(Default)]
pub(super) struct ResyncClock {
    due: Vec<(Instant, Duration, Arc<Mailbox>)>,
}

impl ResyncClock {
    pub(super) fn add(&mut self, mailbox: &Arc<Mailbox>, now: Instant) {
        if let Some(period) = mailbox.resync_period() {
            self.due.push((clock::after(now, period), period, Arc::clone(mailbox)));
        }
    }

    /// When the next handler is due.
    pub(super) fn next(&self) -> Option<Instant> {
        self.due.iter().map(|(due, ..)| *due).min()
    }

    /// The handlers that are due; each is due again a period from now.
    pub(super) fn take_due(&mut self, now: Instant) -> Vec<Arc<Mailbox>> {
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
