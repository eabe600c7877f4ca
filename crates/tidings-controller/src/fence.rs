//! The thread that fences work off: it sees a deadline pass although every thread of the runtime is blocked, by that
//! very work.
//!
//! Elections and shards use it in the same way. The thread does nothing but wait and look, so it must never wait for
//! anything that the work could hold: no task of the runtime, and no log. A log may be a pipe that nobody reads. Lines
//! are therefore written by another thread, see [`AbortLog`].

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::time::Instant;

use crate::sync::{Condvar, Mutex};

/// A paused clock may stand just before a deadline; the thread does not spin on it.
const CHECK_INTERVAL_MIN: Duration = Duration::from_millis(1);

/// How long before the deadline the abort is announced in the log. Nothing waits for the log at the deadline itself:
/// from then on another replica could act.
pub(crate) const ABORT_NOTICE: Duration = Duration::from_millis(100);

/// Wakes the thread of a fence before its time.
#[derive(Debug, Default)]
pub(crate) struct WakeSignal {
    is_notified: Mutex<bool>,
    condvar: Condvar,
}

/// When the thread looks again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NextCheck {
    /// After this time, or when the wake_signal rings.
    After(Duration),
    /// When the wake_signal rings.
    OnWake,
    /// Never: the thread ends.
    Never,
}

/// The line that explains an abort, written once.
#[derive(Debug, Default)]
pub(crate) struct AbortLog {
    is_announced: Mutex<bool>,
}

impl WakeSignal {
    pub(crate) fn notify(&self) {
        *self.is_notified.lock() = true;
        self.condvar.notify_all();
    }

    /// Calls `look` now, and again at the times that it names, until it says that it is over.
    fn run(&self, mut check: impl FnMut() -> NextCheck) {
        loop {
            // Cleared before the look: a notify during it is answered by another look.
            *self.is_notified.lock() = false;
            let next = check();
            let mut is_notified = self.is_notified.lock();
            match next {
                NextCheck::Never => return,
                _ if *is_notified => {}
                NextCheck::OnWake => self.condvar.wait(&mut is_notified),
                NextCheck::After(time) => {
                    self.condvar.wait_for(&mut is_notified, time.max(CHECK_INTERVAL_MIN));
                }
            }
        }
    }
}

/// Starts the thread of a fence.
pub(crate) fn spawn_watchdog(
    wake_signal: Arc<WakeSignal>,
    check: impl FnMut() -> NextCheck + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    thread::Builder::new().name("tidings-fence".to_owned()).spawn(move || wake_signal.run(check))
}

impl AbortLog {
    /// When a fence looks that aborts at `deadline`: before it, to announce that, and at it.
    pub(crate) fn next_check(&self, deadline: Instant, now: Instant) -> Duration {
        let left = deadline - now;
        if *self.is_announced.lock() { left } else { left.saturating_sub(ABORT_NOTICE) }
    }

    /// Writes the line with `log`, once. Nothing waits for it.
    pub(crate) fn announce(&self, log: impl FnOnce() + Send + 'static) {
        if !std::mem::replace(&mut *self.is_announced.lock(), true) {
            drop(log_on_thread(log));
        }
    }

    /// Ends the process. If it was not announced, because the thread woke too late for that, then the line gets a
    /// short time to be written: without it nobody would know why.
    pub(crate) fn abort(&self, log: impl FnOnce() + Send + 'static) -> ! {
        if !std::mem::replace(&mut *self.is_announced.lock(), true)
            && let Ok(written) = log_on_thread(log)
        {
            // Written, or a log that blocks: both end the wait.
            let _ = written.recv_timeout(ABORT_NOTICE);
        }
        std::process::abort();
    }
}

/// Writes to the log on a thread of its own, which may block for ever. The answer comes when it has written.
pub(crate) fn log_on_thread(log: impl FnOnce() + Send + 'static) -> io::Result<Receiver<()>> {
    let (done, written) = mpsc::channel();
    let dispatch = tracing::dispatcher::get_default(Clone::clone);
    let log = move || {
        tracing::dispatcher::with_default(&dispatch, log);
        // An error says that nobody waits for it.
        let _ = done.send(());
    };
    thread::Builder::new().name("tidings-last-words".to_owned()).spawn(log)?;
    Ok(written)
}
