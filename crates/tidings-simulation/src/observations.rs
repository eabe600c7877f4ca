//! Records what each reconcile could see, and which reconciles are active. The oracles use it to check rule 1b, that no
//! key is reconciled twice at the same time, and that a replica reads its own writes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use parking_lot::Mutex;
use tidings::controller::Request;
use tokio::time::Instant;

/// The name of a controller and a request.
pub(crate) type WorkItem = (&'static str, Request);

/// What a reconcile could see when it started: the objects that map to its request, as `kind key@version`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Observation {
    pub(crate) at: Instant,
    pub(crate) saw: BTreeSet<String>,
}

/// The last observation of each request, in one incarnation of a replica.
#[derive(Debug, Default)]
pub(crate) struct Observations(Mutex<HashMap<WorkItem, Observation>>);

impl Observations {
    pub(crate) fn record(&self, work: WorkItem, saw: BTreeSet<String>) {
        self.0.lock().insert(work, Observation { at: Instant::now(), saw });
    }

    pub(crate) fn all(&self) -> HashMap<WorkItem, Observation> {
        self.0.lock().clone()
    }
}

/// The active reconciles of all replicas.
#[derive(Debug, Default)]
pub(crate) struct ActiveReconciles {
    by_request: Mutex<BTreeMap<(String, &'static str, Request), String>>,
    violation: Mutex<Option<String>>,
    reconciles: Mutex<u64>,
}

/// An active reconcile, until this is dropped.
pub(crate) struct ReconcileGuard {
    active: Arc<ActiveReconciles>,
    key: (String, &'static str, Request),
}

impl ActiveReconciles {
    /// Registers a reconcile. `group` names the replicas that share keys: all, or one replica if they do not
    /// coordinate.
    pub(crate) fn take(self: &Arc<Self>, group: &str, holder: &str, work: WorkItem) -> ReconcileGuard {
        let key = (group.to_owned(), work.0, work.1);
        *self.reconciles.lock() += 1;
        if let Some(other) = self.by_request.lock().insert(key.clone(), holder.to_owned()) {
            let message = format!("{} {} is reconciled by {other} and {holder}", key.1, key.2);
            self.violation.lock().get_or_insert(message);
        }
        ReconcileGuard { active: Arc::clone(self), key }
    }

    /// The first violation.
    pub(crate) fn violation(&self) -> Option<String> {
        self.violation.lock().clone()
    }

    /// Records a violation. Only the first is kept.
    pub(crate) fn report_violation(&self, message: String) {
        self.violation.lock().get_or_insert(message);
    }

    pub(crate) fn reconciles(&self) -> u64 {
        *self.reconciles.lock()
    }
}

impl Drop for ReconcileGuard {
    fn drop(&mut self) {
        self.active.by_request.lock().remove(&self.key);
    }
}
