//! The thread that fences work off: it sees a deadline pass although every thread of the runtime is blocked, by that
//! very work.
//!
//! Elections and shards use it in the same way. The thread does nothing but wait and look, so it must never wait for
//! anything that the work could hold: no task of the runtime, and no log. A log may be a pipe that nobody reads. Lines
//! are therefore written by another thread, see [`LastWords`].

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::time::Instant;

use crate::sync::{Condvar, Mutex};

/// A paused clock may stand just before a deadline; the thread does not spin on it.
const LOOK_INTERVAL_MIN: Duration = Duration::from_millis(1);

/// How long before the deadline the abort is announced in the log. Nothing waits for the log at the deadline itself:
/// from then on another replica could act.
pub(crate) const NOTICE: Duration = Duration::from_millis(100);

/// Wakes the thread of a fence before its time.
#[derive(Debug, Default)]
pub(crate) struct Bell {
    is_rung: Mutex<bool>,
    rung: Condvar,
}

/// When the thread looks again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// After this time, or when the bell rings.
    After(Duration),
    /// When the bell rings.
    WhenRung,
    /// Never: the thread ends.
    Over,
}

/// The line that explains an abort, written once.
#[derive(Debug, Default)]
pub(crate) struct LastWords {
    is_announced: Mutex<bool>,
}

impl Bell {
    pub(crate) fn ring(&self) {
        *self.is_rung.lock() = true;
        self.rung.notify_all();
    }

    /// Calls `look` now, and again at the times that it names, until it says that it is over.
    fn watch(&self, mut look: impl FnMut() -> Look) {
        loop {
            // Cleared before the look: a ring during it is answered by another look.
            *self.is_rung.lock() = false;
            let next = look();
            let mut is_rung = self.is_rung.lock();
            match next {
                Look::Over => return,
                _ if *is_rung => {}
                Look::WhenRung => self.rung.wait(&mut is_rung),
                Look::After(time) => {
                    self.rung.wait_for(&mut is_rung, time.max(LOOK_INTERVAL_MIN));
                }
            }
        }
    }
}

/// Starts the thread of a fence.
pub(crate) fn watch(
    bell: Arc<Bell>,
    look: impl FnMut() -> Look + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    thread::Builder::new().name("tidings-fence".to_owned()).spawn(move || bell.watch(look))
}

impl LastWords {
    /// When a fence looks that aborts at `deadline`: before it, to announce that, and at it.
    pub(crate) fn next_look(&self, deadline: Instant, now: Instant) -> Duration {
        let left = deadline - now;
        if *self.is_announced.lock() { left } else { left.saturating_sub(NOTICE) }
    }

    /// Writes the line with `log`, once. Nothing waits for it.
    pub(crate) fn announce(&self, log: impl FnOnce() + Send + 'static) {
        if !std::mem::replace(&mut *self.is_announced.lock(), true) {
            drop(write(log));
        }
    }

    /// Ends the process. If it was not announced, because the thread woke too late for that, then the line gets a
    /// short time to be written: without it nobody would know why.
    pub(crate) fn abort(&self, log: impl FnOnce() + Send + 'static) -> ! {
        if !std::mem::replace(&mut *self.is_announced.lock(), true)
            && let Ok(written) = write(log)
        {
            // Written, or a log that blocks: both end the wait.
            let _ = written.recv_timeout(NOTICE);
        }
        std::process::abort();
    }
}

/// Writes to the log on a thread of its own, which may block for ever. The answer comes when it has written.
pub(crate) fn write(log: impl FnOnce() + Send + 'static) -> io::Result<Receiver<()>> {
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
