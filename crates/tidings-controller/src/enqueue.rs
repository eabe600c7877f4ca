//! From notifications to requests: the subscribers of a controller.
//!
//! A subscriber calls the predicates, maps the notification to requests, and adds them to the queue. It does not
//! decode, block or reconcile. Requests from the initial list and from resyncs have a lower priority than requests from
//! live changes.
//!
//! Notifications are never merged before they are mapped; requests merge on the queue, by key. So if a reconcile has
//! seen a state of an object, another request follows after that state has changed. The order of the mapping does not
//! matter. Merging first would lose requests:
//!
//! ```text
//! pod p: owner A -> owner B -> deleted
//! each one mapped:         update (A and B), deletion (B)      requests A and B
//! merged by object first:  deletion of p with owner B          requests B only; A still counts p
//! ```

mod owner;
mod references;
mod request_queue;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tidings_informer::Notification;
use tidings_object::ResourceKind;

pub(crate) use owner::{CachedOwners, OwnerMap, OwnerSelection};
pub(crate) use references::{ReferenceForm, ReferenceIndex};
pub(crate) use request_queue::RequestQueue;

use crate::causes::Cause;
use crate::controller::stats::{RequestCounters, RequestReason};
use crate::predicate::Predicate;
use crate::request::Request;

/// The requests that a notification causes.
pub(crate) type RequestMap<K> = Box<dyn Fn(&Notification<K>) -> Vec<Request> + Send + Sync>;

/// The subscriber that puts requests on a controller's queue.
pub(crate) struct Enqueue<K> {
    pub(crate) predicates: Vec<Predicate<K>>,
    pub(crate) map: RequestMap<K>,
    pub(crate) request_queue: RequestQueue,
    pub(crate) counts: Arc<RequestCounters>,
    pub(crate) resource: Arc<ResourceKind>,
}

/// Requests the object itself.
pub(crate) fn object_map<K>() -> RequestMap<K> {
    Box::new(|notification| vec![Request::from(notification.object().key())])
}

impl<K: 'static> Enqueue<K> {
    /// Adds the requests of a notification to the queue.
    pub(crate) fn enqueue(&self, notification: &Notification<K>) {
        // A predicate that panics counts as one that accepts.
        let passes = |predicate: &Predicate<K>| {
            catch_unwind(AssertUnwindSafe(|| predicate.passes(notification))).unwrap_or(true)
        };
        if !self.predicates.iter().all(passes) {
            self.counts.count(RequestReason::Filtered);
            return;
        }
        let reason = reason(notification);
        for request in (self.map)(notification) {
            self.counts.count(reason);
            self.request_queue.add(request, Cause::notified(reason, notification, &self.resource));
        }
    }
}

fn reason<K>(notification: &Notification<K>) -> RequestReason {
    match notification {
        Notification::Added { is_initial: true, .. } => RequestReason::Initial,
        Notification::Added { .. } => RequestReason::Added,
        Notification::Updated { is_resync: true, .. } => RequestReason::Resync,
        Notification::Updated { .. } => RequestReason::Updated,
        Notification::Deleted { .. } => RequestReason::Deleted,
    }
}
