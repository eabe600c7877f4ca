//! A term: one time in office, from the moment the lease was acquired until it was lost.
//!
//! The election's task writes a term's times, and everybody reads them by the clock: that a term is over never
//! depends on a task that has been woken. A term that is over never comes back.

use std::sync::Arc;

use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::contest::Belief;
use super::guard::{Guard, GuardError, OnOverrun, Watchdog};
use crate::sync::Mutex;

/// A time in office. Clones are the same term.
#[derive(Debug, Clone)]
pub struct Term {
    tenure: Arc<Tenure>,
}

impl Term {
    pub(super) fn new(tenure: Arc<Tenure>) -> Self {
        Term { tenure }
    }

    /// Cancelled when leadership is lost: at the renew deadline, when somebody else has the lease, when the
    /// election is stopped. What runs in this term ends at its next await.
    pub fn lost(&self) -> CancellationToken {
        self.tenure.lost.clone()
    }

    /// Whether leadership is lost. Answers by the clock, even if no task has run for a while.
    pub fn is_lost(&self) -> bool {
        !self.tenure.is_on(Instant::now())
    }

    /// From when on another replica could have the lease, unless it is renewed before: what runs in this term must
    /// have ended by then. It allows for clocks that run up to 10 % faster or slower than true time.
    pub fn expires_at(&self) -> Instant {
        self.tenure.state.lock().belief.expires_at
    }

    /// Says that work goes on in this term, until the guard is dropped. The lease is not released while it does, and
    /// if it still does when the lease could be another's, then `on_overrun` happens.
    ///
    /// ```no_run
    /// # use tidings_controller::election::{Leadership, OnOverrun};
    /// # async fn example(leadership: Leadership) -> Result<(), Box<dyn std::error::Error>> {
    /// while let Some(term) = leadership.acquired().await {
    ///     let guard = term.guard(OnOverrun::Abort)?;
    ///     term.lost().run_until_cancelled(async { /* what only the leader may do */ }).await;
    ///     drop(guard);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn guard(&self, on_overrun: OnOverrun) -> Result<Guard, GuardError> {
        Guard::new(Arc::clone(&self.tenure), on_overrun)
    }
}

/// What the election's task, its handles and the guards know of a term.
#[derive(Debug)]
pub(super) struct Tenure {
    pub(super) lease: Arc<str>,
    state: Mutex<State>,
    lost: CancellationToken,
    idle: Notify,
}

#[derive(Debug)]
struct State {
    belief: Belief,
    is_over: bool,
    guards: Vec<Arc<Watchdog>>,
}

impl Tenure {
    pub(super) fn new(lease: Arc<str>, belief: Belief) -> Self {
        let state = Mutex::new(State { belief, is_over: false, guards: Vec::new() });
        Tenure { lease, state, lost: CancellationToken::new(), idle: Notify::new() }
    }

    /// Whether the term goes on. Ends it if it is past its time.
    pub(super) fn is_on(&self, now: Instant) -> bool {
        let mut state = self.state.lock();
        state.is_over |= now >= state.belief.lost_at;
        let is_over = state.is_over;
        drop(state);
        if is_over {
            self.lost.cancel();
        }
        !is_over
    }

    /// The lease was renewed, unless the term is over already.
    pub(super) fn renew(&self, belief: Belief, now: Instant) -> bool {
        let is_on = self.is_on(now);
        let mut state = self.state.lock();
        if is_on && !state.is_over {
            state.belief = belief;
        }
        !state.is_over
    }

    /// Still ours to keep from others, though nobody is to act on it any more.
    pub(super) fn keep(&self, belief: Belief) {
        self.state.lock().belief = belief;
    }

    pub(super) fn end(&self) {
        self.state.lock().is_over = true;
        self.lost.cancel();
    }

    pub(super) fn belief(&self) -> Belief {
        self.state.lock().belief
    }

    /// Lets a guard in, if the term goes on.
    pub(super) fn enter(&self, guard: &Arc<Watchdog>, now: Instant) -> bool {
        let mut state = self.state.lock();
        let is_on = !state.is_over && now < state.belief.lost_at;
        if is_on {
            state.guards.push(Arc::clone(guard));
        }
        is_on
    }

    pub(super) fn exit(&self, guard: &Arc<Watchdog>) {
        let mut state = self.state.lock();
        state.guards.retain(|other| !Arc::ptr_eq(other, guard));
        let is_idle = state.guards.is_empty();
        drop(state);
        if is_idle {
            self.idle.notify_waiters();
        }
    }

    pub(super) fn guards(&self) -> Vec<Arc<Watchdog>> {
        self.state.lock().guards.clone()
    }

    pub(super) fn is_idle(&self) -> bool {
        self.state.lock().guards.is_empty()
    }

    /// Ends when no work goes on in the term.
    pub(super) async fn idle(&self) {
        let mut idle = std::pin::pin!(self.idle.notified());
        // Listens first and looks then, so that a guard that goes in between is heard.
        idle.as_mut().enable();
        while !self.is_idle() {
            idle.as_mut().await;
            idle.set(self.idle.notified());
            idle.as_mut().enable();
        }
    }
}
