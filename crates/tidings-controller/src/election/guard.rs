//! Work that goes on in a term, and what happens if it outlasts the lease.
//!
//! Tasks are told of the loss at the renew deadline and end at their next await. One that does not await can't be
//! ended, and when its lease could be another's nothing it does may happen any more. Whoever checks that must not
//! need the runtime, whose threads may all be blocked by that very work: each guard has a thread of its own, which
//! does nothing but wait. The election's task watches too, by tokio's clock, which is what tests with paused time
//! see; whoever comes first acts, once.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::Instant;

use super::term::Tenure;
use crate::sync::{Condvar, Mutex};

/// A paused clock may stand just before a deadline; the thread does not spin on it.
const LOOK_INTERVAL_MIN: Duration = Duration::from_millis(1);

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
    #[error("starting the thread that watches over a term")]
    Thread(#[source] std::io::Error),
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
    changed: Condvar,
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
        let (work, changed) = (Mutex::new(Work::GoesOn), Condvar::new());
        let watchdog = Arc::new(Watchdog { tenure, on_overrun, work, changed });
        let mut guard = Guard { watchdog, thread: None };
        // Entered first: if the thread can't be had, dropping the guard exits.
        if !guard.watchdog.tenure.enter(&guard.watchdog, Instant::now()) {
            return Err(GuardError::TermOver);
        }
        let (watchdog, runtime) = (Arc::clone(&guard.watchdog), Handle::try_current().ok());
        let thread = thread::Builder::new().name("tidings-term".to_owned());
        let thread = thread.spawn(move || watchdog.watch(runtime.as_ref())).map_err(GuardError::Thread)?;
        guard.thread = Some(thread);
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
    /// The body of the thread: wakes at the term's deadlines, as they are by then, and when the work has ended.
    fn watch(&self, runtime: Option<&Handle>) {
        // In this runtime's context, tokio's clock is the runtime's own: a paused one is seen as paused.
        let _context = runtime.map(Handle::enter);
        let mut work = self.work.lock();
        while *work == Work::GoesOn {
            let now = Instant::now();
            let is_on = self.tenure.is_on(now);
            let belief = self.tenure.belief();
            if now >= belief.expires_at {
                drop(work);
                return self.overrun();
            }
            let next = if is_on { belief.lost_at } else { belief.expires_at };
            self.changed.wait_for(&mut work, (next - now).max(LOOK_INTERVAL_MIN));
        }
    }

    /// Acts, unless the work has ended or somebody has acted.
    pub(super) fn overrun(&self) {
        {
            let mut work = self.work.lock();
            if *work != Work::GoesOn {
                return;
            }
            *work = Work::Overran;
            self.changed.notify_all();
        }
        let overrun =
            Overrun { lease: Arc::clone(&self.tenure.lease), expired_at: self.tenure.belief().expires_at };
        match &self.on_overrun {
            OnOverrun::Abort => {
                tracing::error!(lease = %overrun.lease, "work has outlasted the lease: aborting the process");
                std::process::abort();
            }
            OnOverrun::Call(hook) => {
                tracing::error!(lease = %overrun.lease, "work has outlasted the lease");
                if catch_unwind(AssertUnwindSafe(|| hook(&overrun))).is_err() {
                    tracing::error!(lease = %overrun.lease, "the hook for work that outlasts a lease panicked");
                }
            }
        }
    }

    fn end(&self) {
        let mut work = self.work.lock();
        if *work == Work::GoesOn {
            *work = Work::Ended;
        }
        self.changed.notify_all();
    }
}

impl fmt::Debug for Watchdog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watchdog").field("on_overrun", &self.on_overrun).finish_non_exhaustive()
    }
}
