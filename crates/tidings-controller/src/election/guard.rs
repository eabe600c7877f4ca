//! Work that goes on in a term, and what happens if it outlasts the lease.
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

use super::term::Tenure;
use crate::fence::{self, Bell, LastWords, Look, NOTICE};
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

/// Work that has outlasted its lease.
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

/// Work goes on in a term while this is held.
#[derive(Debug)]
#[must_use = "work is guarded while this is held"]
pub struct Guard {
    watchdog: Arc<Watchdog>,
    thread: Option<JoinHandle<()>>,
}

/// Waits for the work to end, or the lease.
pub(super) struct Watchdog {
    tenure: Arc<Tenure>,
    on_overrun: OnOverrun,
    work: Mutex<Work>,
    bell: Arc<Bell>,
    last_words: LastWords,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    GoesOn,
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
    pub(super) fn new(tenure: Arc<Tenure>, on_overrun: OnOverrun) -> Result<Self, GuardError> {
        let (work, bell) = (Mutex::new(Work::GoesOn), Arc::default());
        let watchdog =
            Arc::new(Watchdog { tenure, on_overrun, work, bell, last_words: LastWords::default() });
        let mut guard = Guard { watchdog, thread: None };
        // Entered first: if the thread can't be had, dropping the guard exits.
        if !guard.watchdog.tenure.enter(&guard.watchdog, Instant::now()) {
            return Err(GuardError::TermOver);
        }
        let (watchdog, runtime) = (Arc::clone(&guard.watchdog), Handle::try_current().ok());
        let look = move || {
            // In this runtime's context, tokio's clock is the runtime's own: a paused one is seen as paused.
            let _context = runtime.as_ref().map(Handle::enter);
            watchdog.look(Instant::now())
        };
        let bell = Arc::clone(&guard.watchdog.bell);
        guard.thread = Some(fence::watch(bell, look).map_err(GuardError::Thread)?);
        Ok(guard)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.watchdog.end();
        self.watchdog.tenure.exit(&self.watchdog);
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
    fn look(&self, now: Instant) -> Look {
        if *self.work.lock() != Work::GoesOn {
            return Look::Over;
        }
        let is_on = self.tenure.is_on(now);
        let belief = self.tenure.belief();
        if now >= belief.expires_at {
            self.overrun();
            return Look::Over;
        }
        if is_on {
            return Look::After(belief.lost_at - now);
        }
        if matches!(self.on_overrun, OnOverrun::Call(_)) {
            return Look::After(belief.expires_at - now);
        }
        if belief.expires_at - now <= NOTICE {
            let lease = Arc::clone(&self.tenure.lease);
            self.last_words.announce(move || {
                tracing::error!(%lease, "work is about to outlast the lease: aborting the process unless it ends");
            });
        }
        Look::After(self.last_words.next_look(belief.expires_at, now))
    }

    /// Acts, unless the work has ended or somebody has acted.
    pub(super) fn overrun(&self) {
        {
            let mut work = self.work.lock();
            if *work != Work::GoesOn {
                return;
            }
            *work = Work::Overran;
        }
        self.bell.ring();
        let overrun =
            Overrun { lease: Arc::clone(&self.tenure.lease), expired_at: self.tenure.belief().expires_at };
        let lease = Arc::clone(&overrun.lease);
        match &self.on_overrun {
            OnOverrun::Abort => self.last_words.abort(move || {
                tracing::error!(%lease, "work has outlasted the lease: aborting the process");
            }),
            OnOverrun::Call(hook) => {
                // The hook first, and the log on another thread: a log that blocks holds nothing up.
                let is_panic = catch_unwind(AssertUnwindSafe(|| hook(&overrun))).is_err();
                let _unread = fence::write(move || {
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
        if *work == Work::GoesOn {
            *work = Work::Ended;
        }
        drop(work);
        self.bell.ring();
    }
}

impl fmt::Debug for Watchdog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watchdog").field("on_overrun", &self.on_overrun).finish_non_exhaustive()
    }
}
