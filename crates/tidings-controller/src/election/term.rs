//! A term: one time in shared, from the read_clocks the lease was acquired until it was lost.
//!
//! The election's task writes a term's times, and everybody reads them by the clock: that a term is over never
//! depends on a task that has been woken. A term that is over never comes back.

use std::sync::Arc;

use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::guard::{Guard, GuardError, OnOverrun, Watchdog};
use super::state_machine::LeaseValidity;
use crate::sync::Mutex;

/// A time in shared. Clones are the same term.
#[derive(Debug, Clone)]
pub struct Term {
    term_state: Arc<SharedTerm>,
}

impl Term {
    pub(super) fn new(term_state: Arc<SharedTerm>) -> Self {
        Term { term_state }
    }

    /// Cancelled when leadership is lost: at the renew deadline, when somebody else has the lease, when the
    /// election is stopped. What runs in this term ends at its next await.
    pub fn lost(&self) -> CancellationToken {
        self.term_state.lost.clone()
    }

    /// Whether leadership is lost. Answers by the clock, even if no task has run for a while.
    pub fn is_lost(&self) -> bool {
        !self.term_state.is_active(Instant::now())
    }

    /// From when on another replica could have the lease, unless it is renewed before: what runs in this term must
    /// have ended by then. It allows for clocks that run up to 10 % faster or slower than true time.
    pub fn expires_at(&self) -> Instant {
        self.term_state.state.lock().validity.expires_at
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
        Guard::new(Arc::clone(&self.term_state), on_overrun)
    }
}

/// What the election's task, its handles and the guards know of a term.
#[derive(Debug)]
pub(super) struct SharedTerm {
    pub(super) lease: Arc<str>,
    state: Mutex<TermState>,
    lost: CancellationToken,
    idle: Notify,
}

#[derive(Debug)]
struct TermState {
    validity: LeaseValidity,
    has_ended: bool,
    guards: Vec<Arc<Watchdog>>,
}

impl SharedTerm {
    pub(super) fn new(lease: Arc<str>, validity: LeaseValidity) -> Self {
        let state = Mutex::new(TermState { validity, has_ended: false, guards: Vec::new() });
        SharedTerm { lease, state, lost: CancellationToken::new(), idle: Notify::new() }
    }

    /// Whether the term goes on. Ends it if it is past its time.
    pub(super) fn is_active(&self, now: Instant) -> bool {
        let mut state = self.state.lock();
        state.has_ended |= now >= state.validity.lost_at;
        let has_ended = state.has_ended;
        drop(state);
        if has_ended {
            self.lost.cancel();
        }
        !has_ended
    }

    /// The lease was renewed, unless the term is over already.
    pub(super) fn renew(&self, validity: LeaseValidity, now: Instant) -> bool {
        let is_active = self.is_active(now);
        let mut state = self.state.lock();
        if is_active && !state.has_ended {
            state.validity = validity;
        }
        !state.has_ended
    }

    /// Still ours to keep from others, though nobody is to act on it any more.
    pub(super) fn keep(&self, validity: LeaseValidity) {
        self.state.lock().validity = validity;
    }

    pub(super) fn end(&self) {
        self.state.lock().has_ended = true;
        self.lost.cancel();
    }

    pub(super) fn validity(&self) -> LeaseValidity {
        self.state.lock().validity
    }

    /// Lets a guard in, if the term goes on.
    pub(super) fn add_guard(&self, guard: &Arc<Watchdog>, now: Instant) -> bool {
        let mut state = self.state.lock();
        let is_active = !state.has_ended && now < state.validity.lost_at;
        if is_active {
            state.guards.push(Arc::clone(guard));
        }
        is_active
    }

    pub(super) fn remove_guard(&self, guard: &Arc<Watchdog>) {
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
