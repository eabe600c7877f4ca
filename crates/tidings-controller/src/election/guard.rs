//! WorkState that goes on in a term, and what happens if it outlasts the lease.
//!
//! Tasks are told of the loss at the renew deadline and end at their next await. One that does not await can't be
//! ended, and when its lease could be another's nothing it does may happen any more. Whoever checks that must not
//! need the runtime, whose threads may all be blocked by that very work: each guard has a thread of its own
//! ([`fence`](crate::fence)). The election's task watches too, by tokio's clock, which is what tests with paused time
//! see; the first of the two acts, once.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use tokio::runtime::Handle;
use tokio::time::Instant;

use super::term::SharedTerm;
use crate::fence::{self, ABORT_NOTICE, AbortLog, NextCheck, WakeSignal};
use crate::sync::Mutex;

/// What happens when work outlasts the lease.
#[derive(Clone, Default)]
pub enum OnOverrun {
    /// The process is aborted: the one way to be sure that the work has ended.
    #[default]
    Abort,
    /// This is called, once, on a thread that it may not block for long. Two leaders may act from now on.
    Call(Arc<dyn Fn(&Overrun) + Send + Sync>),
}

/// WorkState that has outlasted its lease.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Overrun {
    /// The lease, as namespace and name.
    pub lease: Arc<str>,
    /// When another replica could first have it.
    pub expired_at: Instant,
}

/// No work may begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GuardError {
    /// The term is over.
    #[error("the term is over")]
    TermOver,
    /// The thread that watches over the work could not be started.
    #[error("starting the thread that watches over a term: {0}")]
    Thread(std::io::Error),
}

/// WorkState goes on in a term while this is held.
#[derive(Debug)]
#[must_use = "work is guarded while this is held"]
pub struct Guard {
    watchdog: Arc<Watchdog>,
    thread: Option<JoinHandle<()>>,
}

/// Waits for the work to end, or the lease.
pub(super) struct Watchdog {
    term_state: Arc<SharedTerm>,
    on_overrun: OnOverrun,
    work: Mutex<WorkState>,
    wake_signal: Arc<WakeSignal>,
    abort_log: AbortLog,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WorkState {
    Running,
    Ended,
    Overran,
}

impl OnOverrun {
    /// Calls `hook`.
    pub fn call(hook: impl Fn(&Overrun) + Send + Sync + 'static) -> Self {
        OnOverrun::Call(Arc::new(hook))
    }
}

impl fmt::Debug for OnOverrun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OnOverrun::Abort => "Abort",
            OnOverrun::Call(_) => "Call",
        })
    }
}

impl Guard {
    pub(super) fn new(term_state: Arc<SharedTerm>, on_overrun: OnOverrun) -> Result<Self, GuardError> {
        let (work, wake_signal) = (Mutex::new(WorkState::Running), Arc::default());
        let watchdog =
            Arc::new(Watchdog { term_state, on_overrun, work, wake_signal, abort_log: AbortLog::default() });
        let mut guard = Guard { watchdog, thread: None };
        // Entered first: if the thread can't be had, dropping the guard exits.
        if !guard.watchdog.term_state.add_guard(&guard.watchdog, Instant::now()) {
            return Err(GuardError::TermOver);
        }
        let (watchdog, runtime) = (Arc::clone(&guard.watchdog), Handle::try_current().ok());
        let check = move || {
            // In this runtime's context, tokio's clock is the runtime's own: a paused one is seen as paused.
            let _context = runtime.as_ref().map(Handle::enter);
            watchdog.check(Instant::now())
        };
        let wake_signal = Arc::clone(&guard.watchdog.wake_signal);
        guard.thread = Some(fence::spawn_watchdog(wake_signal, check).map_err(GuardError::Thread)?);
        Ok(guard)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.watchdog.end();
        self.watchdog.term_state.remove_guard(&self.watchdog);
        // A hook may drop the guard, on the very thread.
        if let Some(thread) =
            self.thread.take().filter(|thread| thread.thread().id() != thread::current().id())
        {
            // What a hook panics with has been caught and told.
            let _ = thread.join();
        }
    }
}

impl Watchdog {
    /// What the thread does at the term's deadlines, as they are by then, and when the work has ended.
    fn check(&self, now: Instant) -> NextCheck {
        if *self.work.lock() != WorkState::Running {
            return NextCheck::Never;
        }
        let is_active = self.term_state.is_active(now);
        let validity = self.term_state.validity();
        if now >= validity.expires_at {
            self.overrun();
            return NextCheck::Never;
        }
        if is_active {
            return NextCheck::After(validity.lost_at - now);
        }
        if matches!(self.on_overrun, OnOverrun::Call(_)) {
            return NextCheck::After(validity.expires_at - now);
        }
        if validity.expires_at - now <= ABORT_NOTICE {
            let lease = Arc::clone(&self.term_state.lease);
            self.abort_log.announce(move || {
                tracing::error!(%lease, "work is about to outlast the lease: aborting the process unless it ends");
            });
        }
        NextCheck::After(self.abort_log.next_check(validity.expires_at, now))
    }

    /// Acts, unless the work has ended or somebody has acted.
    pub(super) fn overrun(&self) {
        {
            let mut work = self.work.lock();
            if *work != WorkState::Running {
                return;
            }
            *work = WorkState::Overran;
        }
        self.wake_signal.notify();
        let overrun = Overrun {
            lease: Arc::clone(&self.term_state.lease),
            expired_at: self.term_state.validity().expires_at,
        };
        let lease = Arc::clone(&overrun.lease);
        match &self.on_overrun {
            OnOverrun::Abort => self.abort_log.abort(move || {
                tracing::error!(%lease, "work has outlasted the lease: aborting the process");
            }),
            OnOverrun::Call(hook) => {
                // The hook first, and the log on another thread: a log that blocks holds nothing up.
                let is_panic = catch_unwind(AssertUnwindSafe(|| hook(&overrun))).is_err();
                let _unread = fence::log_on_thread(move || {
                    tracing::error!(%lease, "work has outlasted the lease");
                    if is_panic {
                        tracing::error!(%lease, "the hook for work that outlasts a lease panicked");
                    }
                });
            }
        }
    }

    fn end(&self) {
        let mut work = self.work.lock();
        if *work == WorkState::Running {
            *work = WorkState::Ended;
        }
        drop(work);
        self.wake_signal.notify();
    }
}

impl fmt::Debug for Watchdog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watchdog").field("on_overrun", &self.on_overrun).finish_non_exhaustive()
    }
}
