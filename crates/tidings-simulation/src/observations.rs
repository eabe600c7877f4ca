//! What reconciles of one replica saw, and who works on what: the evidence for rule 1b, for "no key in two hands" and for
//! "a replica reads what it record_write".

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use parking_lot::Mutex;
use tidings::controller::Request;
use tokio::time::Instant;

/// A controller's name and a request.
pub(crate) type WorkItem = (&'static str, Request);

/// What one reconcile could see when it began: objects that map to its request, as `kind key@version`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Observation {
    pub(crate) at: Instant,
    pub(crate) saw: BTreeSet<String>,
}

/// The last observation of each request, in one life of a replica.
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

/// Who works on what now, over all replicas.
#[derive(Debug, Default)]
pub(crate) struct ActiveReconciles {
    held: Mutex<BTreeMap<(String, &'static str, Request), String>>,
    violation: Mutex<Option<String>>,
    reconciles: Mutex<u64>,
}

/// WorkItem that goes on until this is dropped, in whatever way.
pub(crate) struct ReconcileGuard {
    active: Arc<ActiveReconciles>,
    place: (String, &'static str, Request),
}

impl ActiveReconciles {
    /// Takes a piece of work. `group` is what shares keys: all replicas, or one replica if they do not coordinate.
    pub(crate) fn take(self: &Arc<Self>, group: &str, holder: &str, work: WorkItem) -> ReconcileGuard {
        let place = (group.to_owned(), work.0, work.1);
        *self.reconciles.lock() += 1;
        if let Some(other) = self.held.lock().insert(place.clone(), holder.to_owned()) {
            let message = format!("{} {} is worked on by {other} and {holder}", place.1, place.2);
            self.violation.lock().get_or_insert(message);
        }
        ReconcileGuard { active: Arc::clone(self), place }
    }

    /// WorkItem in two hands, if there was any.
    pub(crate) fn violation(&self) -> Option<String> {
        self.violation.lock().clone()
    }

    /// Another violation of what work may do.
    pub(crate) fn report_violation(&self, message: String) {
        self.violation.lock().get_or_insert(message);
    }

    /// How many reconciles there were.
    pub(crate) fn reconciles(&self) -> u64 {
        *self.reconciles.lock()
    }
}

impl Drop for ReconcileGuard {
    fn drop(&mut self) {
        self.active.held.lock().remove(&self.place);
    }
}
