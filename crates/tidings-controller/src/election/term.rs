//! A term: one period of leadership, from the acquisition of the lease to its loss.
//!
//! The election's task writes the deadlines of a term; readers compare them with the clock. So the end of a term never
//! depends on a task that still has to be woken. A term that has ended never becomes active again.

use std::sync::Arc;

use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::guard::{Guard, OnOverrun, Watchdog};
use super::state_machine::LeaseValidity;
use crate::lease_error::LeaseError;
use crate::sync::Mutex;

/// One period of leadership. Clones are the same term.
#[derive(Debug, Clone)]
pub struct Term {
    shared: Arc<SharedTerm>,
}

impl Term {
    pub(super) fn new(shared: Arc<SharedTerm>) -> Self {
        Term { shared }
    }

    /// Cancelled when leadership is lost: at the renew deadline, when another replica has the lease, or when the
    /// election is stopped. Work in this term must end at its next await.
    pub fn lost(&self) -> CancellationToken {
        self.shared.lost.clone()
    }

    /// Whether leadership is lost, by the clock.
    pub fn is_lost(&self) -> bool {
        !self.shared.is_active(Instant::now())
    }

    /// When another replica could take the lease, unless it is renewed before. Work in this term must have ended by
    /// then. It allows for clocks that run up to 10 % faster or slower than true time.
    pub fn expires_at(&self) -> Instant {
        self.shared.validity().expires_at
    }

    /// Guards work in this term until the guard is dropped. The lease is not released while a guard exists. If one
    /// still exists when another replica could take the lease, `on_overrun` applies.
    ///
    /// ```no_run
    /// # use tidings_controller::{Leadership, OnOverrun};
    /// # async fn example(leadership: Leadership) -> Result<(), Box<dyn std::error::Error>> {
    /// while let Some(term) = leadership.acquired().await {
    ///     let guard = term.guard(OnOverrun::Abort)?;
    ///     term.lost().run_until_cancelled(async { /* only the leader does this */ }).await;
    ///     drop(guard);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn guard(&self, on_overrun: OnOverrun) -> Result<Guard, LeaseError> {
        Guard::new(Arc::clone(&self.shared), on_overrun)
    }
}

/// A term as the election's task, its handles and the guards share it.
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

    /// Whether the term is active. Ends it if its time has passed.
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

    /// Extends the term after a renewal of the lease. False if the term has ended before.
    pub(super) fn renew(&self, validity: LeaseValidity, now: Instant) -> bool {
        let is_active = self.is_active(now);
        let mut state = self.state.lock();
        if is_active && !state.has_ended {
            state.validity = validity;
        }
        !state.has_ended
    }

    /// Extends the lease of a term that has ended, while its guards still exist: other replicas must not take it yet.
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

    /// Adds a guard if the term is active.
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

    /// Waits until the term has no guard.
    pub(super) async fn idle(&self) {
        let mut idle = std::pin::pin!(self.idle.notified());
        // Subscribes before it reads, so that a guard dropped in between is not missed.
        idle.as_mut().enable();
        while !self.is_idle() {
            idle.as_mut().await;
            idle.set(self.idle.notified());
            idle.as_mut().enable();
        }
    }
}
