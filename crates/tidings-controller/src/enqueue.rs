//! From a change to requests: what the subscribers of a controller do.
//!
//! A subscriber asks the predicates, maps the change to requests and puts them on the queue; it never decodes by itself, blocks or
//! reconciles. An initial list and resyncs come with a lower priority than what happens now.
//!
//! Every change is mapped, and none is merged with another before that: an object that moves from one owner to another and is
//! deleted concerns both, whichever of them its last state names. What merges are the requests, by key, on the queue. So if a
//! reconcile has seen a state, a request follows when that state is gone. In which order changes are mapped does not matter.

mod owner;
mod request_queue;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use tidings_informer::informer::Notification;

pub(crate) use owner::{CachedOwners, OwnerMap, OwnerSelection};
pub(crate) use request_queue::RequestQueue;

use crate::controller::stats::{RequestCounters, RequestReason};
use crate::predicate::Predicate;
use crate::request::Request;

/// Which requests a change makes.
pub(crate) type RequestMap<K> = Box<dyn Fn(&Notification<K>) -> Vec<Request> + Send + Sync>;

/// The subscriber that puts requests on a controller's queue.
pub(crate) struct Enqueue<K> {
    pub(crate) predicates: Vec<Predicate<K>>,
    pub(crate) map: RequestMap<K>,
    pub(crate) request_queue: RequestQueue,
    pub(crate) counts: Arc<RequestCounters>,
}

/// The object itself is asked for.
pub(crate) fn object_map<K>() -> RequestMap<K> {
    Box::new(|notification| vec![Request::from(notification.object().key())])
}

impl<K: 'static> Enqueue<K> {
    /// Puts the requests of a notification on the queue.
    pub(crate) fn enqueue(&self, notification: &Notification<K>) {
        // A predicate that panics can't say that the change is worth nothing.
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
            self.request_queue.add(request, reason);
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
