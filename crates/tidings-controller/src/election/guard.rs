//! Guards the work of a term: acts if the work has not ended when the lease could belong to another replica.
//!
//! At the renew deadline the term's token is cancelled, and tasks end at their next await. A task that never awaits
//! can't be ended; at the expiry of the lease the process must end instead. The check at the expiry must not need the
//! runtime, because the work may block all threads of the runtime. So each guard has a watchdog thread
//! ([`fence`]). The election's task checks too, by tokio's clock, which is the clock that tests with
//! paused time advance. The first of the two acts, once.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use tidings_object::Key;
use tokio::runtime::Handle;
use tokio::time::Instant;

use super::term::SharedTerm;
use crate::fence::{self, ABORT_NOTICE, AbortLog, NextCheck, WakeSignal};
use crate::lease_error::LeaseError;
use crate::sync::Mutex;

/// What happens when work has not ended at the time when its lease could belong to another replica.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum OnOverrun {
    /// Aborts the process. Nothing else ends the work for certain.
    #[default]
    Abort,
    /// Calls this once, on a thread that it must not block for long. From now on two replicas may work at the same
    /// time.
    Call(Arc<dyn Fn(&Overrun) + Send + Sync>),
}

/// Work that has not ended before its lease expired.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Overrun {
    /// The lease, as namespace and name.
    pub lease: Arc<str>,
    /// The earliest time at which another replica could have taken the lease.
    pub expired_at: Instant,
    /// The keys whose permits were held, for a [shard](crate::Shard). Empty for an election.
    pub keys: Vec<Key>,
}

/// Work runs in a term while this is held.
#[derive(Debug)]
#[must_use = "work is guarded while this is held"]
pub struct Guard {
    watchdog: Arc<Watchdog>,
    thread: Option<JoinHandle<()>>,
}

/// Waits until the work ends or the lease expires.
pub(super) struct Watchdog {
    term: Arc<SharedTerm>,
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
    pub(super) fn new(term: Arc<SharedTerm>, on_overrun: OnOverrun) -> Result<Self, LeaseError> {
        let (work, wake_signal) = (Mutex::new(WorkState::Running), Arc::default());
        let watchdog =
            Arc::new(Watchdog { term, on_overrun, work, wake_signal, abort_log: AbortLog::default() });
        let mut guard = Guard { watchdog, thread: None };
        // Added before the thread starts: if it can't start, dropping the guard removes it again.
        if !guard.watchdog.term.add_guard(&guard.watchdog, Instant::now()) {
            return Err(LeaseError::TermEnded);
        }
        let (watchdog, runtime) = (Arc::clone(&guard.watchdog), Handle::try_current().ok());
        let check = move || {
            // In the context of the runtime, `Instant::now` is the runtime's clock, which tests can pause.
            let _context = runtime.as_ref().map(Handle::enter);
            watchdog.check(Instant::now())
        };
        let wake_signal = Arc::clone(&guard.watchdog.wake_signal);
        guard.thread = Some(fence::spawn_watchdog(wake_signal, check).map_err(LeaseError::WatchdogThread)?);
        Ok(guard)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.watchdog.end();
        self.watchdog.term.remove_guard(&self.watchdog);
        // The hook may drop the guard on the watchdog thread, which can't join itself.
        if let Some(thread) =
            self.thread.take().filter(|thread| thread.thread().id() != thread::current().id())
        {
            // A panic of the hook has been caught and logged.
            let _ = thread.join();
        }
    }
}

impl Watchdog {
    /// The check of the watchdog thread. It runs at the deadlines of the term, which renewals move, and when the work
    /// has ended.
    fn check(&self, now: Instant) -> NextCheck {
        if *self.work.lock() != WorkState::Running {
            return NextCheck::Never;
        }
        let is_active = self.term.is_active(now);
        let validity = self.term.validity();
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
            let lease = Arc::clone(&self.term.lease);
            self.abort_log.announce(move || {
                tracing::error!(%lease, "work is about to outlast the lease: aborting the process unless it ends");
            });
        }
        NextCheck::After(self.abort_log.next_check(validity.expires_at, now))
    }

    /// Aborts or calls the hook, unless the work has ended or this was done before.
    pub(super) fn overrun(&self) {
        {
            let mut work = self.work.lock();
            if *work != WorkState::Running {
                return;
            }
            *work = WorkState::Overran;
        }
        self.wake_signal.notify();
        let (lease, expired_at) = (Arc::clone(&self.term.lease), self.term.validity().expires_at);
        let overrun = Overrun { lease, expired_at, keys: Vec::new() };
        let lease = Arc::clone(&overrun.lease);
        match &self.on_overrun {
            OnOverrun::Abort => self.abort_log.abort(move || {
                tracing::error!(%lease, "work has outlasted the lease: aborting the process");
            }),
            OnOverrun::Call(hook) => {
                // The hook runs first and the log on another thread: a blocked log must not delay the hook.
                let is_panic = catch_unwind(AssertUnwindSafe(|| hook(&overrun))).is_err();
                let _unread = fence::log_on_thread(move || {
                    tracing::error!(%lease, "work has outlasted the lease");
                    if is_panic {
                        tracing::error!(%lease, "the overrun hook panicked");
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
