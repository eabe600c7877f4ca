//! Who leads, for whoever wants to know. A handle asks nobody: it reads what the election's task has written, and
//! the clock.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::term::{SharedTerm, Term};
use crate::sync::{AtomicU64, Ordering};

/// A handle to an election. Clones are handles to the same.
#[derive(Debug, Clone)]
pub struct Leadership {
    pub(super) shared: Arc<SharedElection>,
}

/// The election's task has not looked after its lease for too long.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("leader of {lease}, but the lease was last renewed {age:?} ago")]
pub struct Stalled {
    /// The lease, as namespace and name.
    pub lease: Arc<str>,
    /// How long ago it was seen to change.
    pub age: Duration,
}

/// What the task writes and handles read.
#[derive(Debug)]
pub(super) struct SharedElection {
    pub(super) name: String,
    pub(super) lease: Arc<str>,
    pub(super) identity: String,
    pub(super) lease_duration: Duration,
    pub(super) status: watch::Sender<ElectionStatus>,
    pub(super) slow_paths: AtomicU64,
}

/// What was last seen.
#[derive(Debug, Default)]
pub(super) struct ElectionStatus {
    pub(super) holder: Option<Arc<str>>,
    pub(super) changed_at: Option<Instant>,
    /// Our term, as the task knows: it may be past its time.
    pub(super) term_state: Option<Arc<SharedTerm>>,
    pub(super) is_ended: bool,
}

impl Leadership {
    /// The name of the election.
    pub fn name(&self) -> &str {
        &self.shared.name
    }

    /// The name that this replica writes in the lease.
    pub fn identity(&self) -> &str {
        &self.shared.identity
    }

    /// Whether this replica leads, now and by the clock.
    pub fn is_leader(&self) -> bool {
        self.term().is_some()
    }

    /// The term that goes on, if this replica leads.
    pub fn term(&self) -> Option<Term> {
        let term_state = self.shared.status.borrow().term_state.clone()?;
        term_state.is_active(Instant::now()).then(|| Term::new(term_state))
    }

    /// Waits until this replica leads; at once if it does. `None` when the election has ended: it will never lead.
    ///
    /// What a leader does runs in the caller's own task, so that it can't keep the election from renewing.
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

    /// Who held the lease when it was last seen, be it valid or not.
    pub fn holder(&self) -> Option<Arc<str>> {
        self.shared.status.borrow().holder.clone()
    }

    /// Waits until somebody other than `known` holds the lease. `None` when the election has ended.
    pub async fn holder_other_than(&self, known: Option<&str>) -> Option<Arc<str>> {
        let mut status = self.shared.status.subscribe();
        let is_news = |status: &ElectionStatus| {
            status.is_ended || status.holder.as_deref().is_some_and(|holder| Some(holder) != known)
        };
        let status = status.wait_for(is_news).await.ok()?;
        status.holder.clone().filter(|holder| Some(&**holder) != known)
    }

    /// Whether the election is well: it is not if this replica is the leader and its task has not seen the lease
    /// renewed for longer than the lease's duration and `tolerance`. By then leadership is long lost, and a task
    /// that has not even noticed is stuck: the process should be restarted.
    pub fn check(&self, tolerance: Duration) -> Result<(), Stalled> {
        let status = self.shared.status.borrow();
        let (Some(_), Some(changed_at)) = (&status.term_state, status.changed_at) else { return Ok(()) };
        let age = changed_at.elapsed();
        if age <= self.shared.lease_duration.saturating_add(tolerance) {
            return Ok(());
        }
        Err(Stalled { lease: Arc::clone(&self.shared.lease), age })
    }

    /// How often a renewal had to read the lease first.
    pub fn slow_paths(&self) -> u64 {
        self.shared.slow_paths.load(Ordering::Relaxed)
    }
}
