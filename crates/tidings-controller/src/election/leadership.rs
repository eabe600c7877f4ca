//! The handle of an election. It sends no request: it reads what the election's task published, and the clock.

use std::sync::Arc;
use std::time::Duration;

use tidings_util::watch;
use tokio::time::Instant;

use super::term::{SharedTerm, Term};
use crate::lease_error::LeaseError;
use crate::sync::{AtomicU64, Ordering};

/// A handle to an election. Clones are handles to the same election.
#[derive(Debug, Clone)]
pub struct Leadership {
    pub(super) shared: Arc<SharedElection>,
}

/// Written by the election's task, read by handles.
#[derive(Debug)]
pub(super) struct SharedElection {
    pub(super) name: String,
    pub(super) lease: Arc<str>,
    pub(super) identity: String,
    pub(super) lease_duration: Duration,
    pub(super) status: watch::Sender<ElectionStatus>,
    pub(super) slow_paths: AtomicU64,
}

#[derive(Debug, Default)]
pub(super) struct ElectionStatus {
    pub(super) holder: Option<Arc<str>>,
    /// When the task last saw the lease change.
    pub(super) changed_at: Option<Instant>,
    /// Our term, if we lead. It may have ended by the clock before the task noticed.
    pub(super) term: Option<Arc<SharedTerm>>,
    pub(super) is_ended: bool,
}

impl Leadership {
    /// The name of the election.
    pub fn name(&self) -> &str {
        &self.shared.name
    }

    /// The identity that this replica writes into the lease.
    pub fn identity(&self) -> &str {
        &self.shared.identity
    }

    /// Whether this replica leads now, by the clock.
    pub fn is_leader(&self) -> bool {
        self.term().is_some()
    }

    /// The current term, if this replica leads.
    pub fn term(&self) -> Option<Term> {
        let term = self.shared.status.borrow().term.clone()?;
        term.is_active(Instant::now()).then(|| Term::new(term))
    }

    /// Waits until this replica leads. `None` when the election has ended: this replica will never lead.
    ///
    /// The leader's work runs in the caller's task, so that it can't delay the renewals of the election's task.
    pub async fn acquired(&self) -> Option<Term> {
        let mut status = self.shared.status.subscribe();
        loop {
            if let Some(term) = self.term() {
                return Some(term);
            }
            if status.borrow_and_update().is_ended {
                return None;
            }
            status.changed().await.ok()?;
        }
    }

    /// The holder of the lease when it was last read, even if the lease has expired since.
    pub fn holder(&self) -> Option<Arc<str>> {
        self.shared.status.borrow().holder.clone()
    }

    /// Waits until the lease has a holder other than `known`. `None` when the election has ended.
    pub async fn holder_other_than(&self, known: Option<&str>) -> Option<Arc<str>> {
        let mut status = self.shared.status.subscribe();
        let is_changed = |status: &ElectionStatus| {
            status.is_ended || status.holder.as_deref().is_some_and(|holder| Some(holder) != known)
        };
        let status = status.wait_for(is_changed).await.ok()?;
        status.holder.clone().filter(|holder| Some(&**holder) != known)
    }

    /// A health check. It fails with [`LeaseError::Stalled`] if this replica leads and its task has not seen the lease
    /// renewed for longer than the lease duration and `tolerance`. Leadership is lost long before; a task that has not
    /// even noticed that is stuck, and the process should be restarted.
    pub fn check(&self, tolerance: Duration) -> Result<(), LeaseError> {
        let status = self.shared.status.borrow();
        let (Some(_), Some(changed_at)) = (&status.term, status.changed_at) else { return Ok(()) };
        let age = changed_at.elapsed();
        if age <= self.shared.lease_duration.saturating_add(tolerance) {
            return Ok(());
        }
        Err(LeaseError::Stalled { lease: Arc::clone(&self.shared.lease), age })
    }

    /// Whether the election's task has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.shared.status.borrow().is_ended
    }

    /// How many renewals had to read the lease first.
    pub fn slow_paths(&self) -> u64 {
        self.shared.slow_paths.load(Ordering::Relaxed)
    }
}
