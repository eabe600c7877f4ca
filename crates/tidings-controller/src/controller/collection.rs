//! A controller of a source of keys, such as a derived collection, instead of a kind.
//!
//! It has a queue, workers and a context like every controller. It has no cache of its own kind: there is no kind. The
//! reconciler reads the value of its key from the source.

use std::sync::Arc;

use tidings_informer::{KeyChange, KeySource, KeySubscriber};
use tidings_object::Key;

use super::stats::{RequestCounters, RequestReason};
use super::task::ControllerHandlers;
use super::{Controller, ControllerBuilder};
use crate::causes::Cause;
use crate::enqueue::RequestQueue;
use crate::error::ControllerError;

impl Controller {
    /// A controller of the keys of a collection, or of another [`KeySource`]. A key is requested when the collection has
    /// synced, and when its value is added, changes or is deleted. Workers start when the collection has synced and
    /// every key was requested.
    ///
    /// The reconciler reads the newest value with the lister of the collection. If it finds none, the key was deleted.
    /// A key is a request, so it has the form `namespace/name` or `name`; other keys are reported as faults of the
    /// collection. The task of the collection's graph must run until the controller has stopped, for instance as a
    /// [`runnable`](crate::Manager::runnable) of the manager. If it ends before, the controller ends with an error.
    ///
    /// ```
    /// use tidings_controller::{Action, Context, Controller, Request};
    /// use tidings_informer::KeySource;
    ///
    /// fn publisher(endpoints: &(impl KeySource + Clone)) -> Controller {
    ///     Controller::for_collection("publish", endpoints).workers(4).reconcile(
    ///         |request: Request, _: Context| async move {
    ///             println!("publishing {request}");
    ///             Ok(Action::await_change())
    ///         },
    ///     )
    /// }
    /// ```
    pub fn for_collection<C: KeySource + Clone>(
        name: impl Into<String>,
        collection: &C,
    ) -> ControllerBuilder<Key, Box<dyn KeySource>> {
        ControllerBuilder::new(name.into(), Box::new(collection.clone()))
    }
}

/// Subscribes a controller to keys. From now on changes add requests. Returns the counts of these requests.
pub(super) fn attach_keys(
    keys: &dyn KeySource,
    controller: &str,
    request_queue: &RequestQueue,
    handlers: &mut ControllerHandlers,
) -> Result<Arc<RequestCounters>, ControllerError> {
    let counts = Arc::new(RequestCounters::new(keys.name()));
    let subscriber = key_subscriber(request_queue.clone(), Arc::clone(&counts));
    let subscription = keys
        .subscribe(controller, subscriber)
        .map_err(|source| ControllerError::KeySource { controller: controller.to_owned(), source })?;
    handlers.push_keys(subscription);
    Ok(counts)
}

fn key_subscriber(request_queue: RequestQueue, counts: Arc<RequestCounters>) -> KeySubscriber {
    Box::new(move |key, change| {
        let key = Key::parse(key)?;
        let reason = match change {
            KeyChange::Initial => RequestReason::Initial,
            KeyChange::Added => RequestReason::Added,
            KeyChange::Deleted => RequestReason::Deleted,
            _ => RequestReason::Updated,
        };
        counts.count(reason);
        request_queue.add(key.into(), Cause::of(reason));
        Ok(())
    })
}
