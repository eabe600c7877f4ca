//! The watchdog thread that fences work off: it acts when a deadline passes, even if the work blocks all threads of the
//! runtime.
//!
//! Elections and shards use it. The thread only waits and checks. It must never wait for anything that the work could
//! block: no task of the runtime, and no log, because the log may be a pipe that is not read. Other threads write the
//! log lines, see [`AbortLog`].

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::time::Instant;

use crate::sync::{Condvar, Mutex};

/// A paused clock can stand just before a deadline. This keeps the thread from spinning on it.
const CHECK_INTERVAL_MIN: Duration = Duration::from_millis(1);

/// How long before the deadline the log announces the abort. At the deadline itself nothing may wait for the log,
/// because from then on another replica could act.
pub(crate) const ABORT_NOTICE: Duration = Duration::from_millis(100);

/// Wakes the watchdog thread before its next check is due.
#[derive(Debug, Default)]
pub(crate) struct WakeSignal {
    is_notified: Mutex<bool>,
    condvar: Condvar,
}

/// When the watchdog thread checks again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NextCheck {
    /// After this time, or earlier if it is woken.
    After(Duration),
    /// When it is woken.
    OnWake,
    /// Never: the thread ends.
    Never,
}

/// Writes the log line that explains an abort, once.
#[derive(Debug, Default)]
pub(crate) struct AbortLog {
    is_announced: Mutex<bool>,
}

impl WakeSignal {
    pub(crate) fn notify(&self) {
        *self.is_notified.lock() = true;
        self.condvar.notify_all();
    }

    /// Calls `check` now and at the times that it returns, until it returns [`NextCheck::Never`].
    fn run(&self, mut check: impl FnMut() -> NextCheck) {
        loop {
            // Cleared before the check, so that a notification during the check causes another check.
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

pub(crate) fn spawn_watchdog(
    wake_signal: Arc<WakeSignal>,
    check: impl FnMut() -> NextCheck + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    thread::Builder::new().name("tidings-fence".to_owned()).spawn(move || wake_signal.run(check))
}

impl AbortLog {
    /// How long until the next check of a watchdog that aborts at `deadline`: it checks once before the deadline, to
    /// announce the abort, and once at the deadline.
    pub(crate) fn next_check(&self, deadline: Instant, now: Instant) -> Duration {
        let left = deadline - now;
        if *self.is_announced.lock() { left } else { left.saturating_sub(ABORT_NOTICE) }
    }

    /// Writes the line with `log`, once, without waiting for it.
    pub(crate) fn announce(&self, log: impl FnOnce() + Send + 'static) {
        if !std::mem::replace(&mut *self.is_announced.lock(), true) {
            drop(log_on_thread(log));
        }
    }

    /// Ends the process. If the thread woke too late to announce it, the line gets a short time to be written: without
    /// the line, the log would not say why the process ended.
    pub(crate) fn abort(&self, log: impl FnOnce() + Send + 'static) -> ! {
        if !std::mem::replace(&mut *self.is_announced.lock(), true)
            && let Ok(written) = log_on_thread(log)
        {
            // A timeout means that the log is blocked. The process ends in either case.
            let _ = written.recv_timeout(ABORT_NOTICE);
        }
        std::process::abort();
    }
}

/// Runs `log` on a new thread, which may block for ever. The receiver gets a message when the line is written.
pub(crate) fn log_on_thread(log: impl FnOnce() + Send + 'static) -> io::Result<Receiver<()>> {
    let (done, written) = mpsc::channel();
    let dispatch = tracing::dispatcher::get_default(Clone::clone);
    let log = move || {
        tracing::dispatcher::with_default(&dispatch, log);
        // An error means that the receiver was dropped.
        let _ = done.send(());
    };
    thread::Builder::new().name("tidings-fence-log".to_owned()).spawn(log)?;
    Ok(written)
}
