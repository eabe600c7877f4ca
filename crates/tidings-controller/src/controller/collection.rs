//! A controller of a source of keys, such as a derived collection, instead of a kind.
//!
//! It has a queue, workers and a context like every controller. It has no cache of its own kind: there is no kind. The
//! reconciler reads the value of its key from the source.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tidings_factory::InformerOptions;
use tidings_informer::{KeyChange, KeySource, KeySourceError, KeySubscriber, Notification};
use tidings_object::{Key, Kind};
use tidings_workqueue::limiter::RateLimiter;

use super::Controller;
use super::builder::ControllerSettings;
use super::source::{ControllerSource, SourceRole, WatchSpec, Watched};
use super::stats::{RequestCounters, RequestReason};
use super::task::ControllerHandlers;
use crate::action::Action;
use crate::causes::Cause;
use crate::context::LateReads;
use crate::enqueue::RequestQueue;
use crate::error::ControllerError;
use crate::reconciler::{Error, Reconciler};
use crate::recorder::Recorder;
use crate::request::Request;
use crate::worker::OnError;

/// Builds a [`Controller`] of a collection. Its options are those of a [`ControllerBuilder`](super::ControllerBuilder).
/// It has none that need a kind: owners, references, predicates and shards.
#[must_use = "call `reconcile` to get the controller"]
pub struct CollectionControllerBuilder {
    name: String,
    keys: Box<dyn KeySource>,
    sources: Vec<ControllerSource>,
    settings: ControllerSettings,
}

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
    ) -> CollectionControllerBuilder {
        CollectionControllerBuilder {
            name: name.into(),
            keys: Box::new(collection.clone()),
            sources: Vec::new(),
            settings: ControllerSettings::default(),
        }
    }
}

impl CollectionControllerBuilder {
    /// See [`ControllerBuilder::watches`](super::ControllerBuilder::watches).
    pub fn watches<W: Kind + 'static>(
        self,
        map: impl Fn(&Notification<W>) -> Vec<Request> + Send + Sync + 'static,
    ) -> Self {
        self.watches_with(Watched::<W>::new(map))
    }

    /// See [`ControllerBuilder::watches_with`](super::ControllerBuilder::watches_with).
    pub fn watches_with<V: 'static>(mut self, watched: Watched<V>) -> Self {
        self.sources.push(watched.into_source());
        self
    }

    /// See [`ControllerBuilder::reads`](super::ControllerBuilder::reads).
    pub fn reads<R: Kind + 'static>(self) -> Self {
        self.reads_with::<R>(InformerOptions::new())
    }

    /// See [`ControllerBuilder::reads_with`](super::ControllerBuilder::reads_with).
    pub fn reads_with<R: Kind + 'static>(mut self, options: InformerOptions) -> Self {
        let mut watch = WatchSpec::<R>::full();
        watch.options = options;
        self.sources.push(watch.into_source(SourceRole::Read));
        self
    }

    /// How many requests are reconciled at the same time. Default 1.
    pub fn workers(mut self, workers: usize) -> Self {
        self.settings.workers = workers;
        self
    }

    /// See [`ControllerBuilder::reconcile_timeout`](super::ControllerBuilder::reconcile_timeout).
    pub fn reconcile_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.settings.reconcile_timeout = limit.into();
        self
    }

    /// See [`ControllerBuilder::debounce`](super::ControllerBuilder::debounce).
    pub fn debounce(mut self, window: Duration) -> Self {
        self.settings.debounce = window;
        self
    }

    /// See [`ControllerBuilder::write_wait_max`](super::ControllerBuilder::write_wait_max).
    pub fn write_wait_max(mut self, limit: Duration) -> Self {
        self.settings.write_wait_max = limit;
        self
    }

    /// See [`ControllerBuilder::late_reads`](super::ControllerBuilder::late_reads).
    pub fn late_reads(mut self, late: LateReads) -> Self {
        self.settings.late_reads = late;
        self
    }

    /// See [`ControllerBuilder::limiter`](super::ControllerBuilder::limiter).
    pub fn limiter(mut self, limiter: impl RateLimiter<Request>) -> Self {
        self.settings.queue = self.settings.queue.limiter(limiter);
        self
    }

    /// See [`ControllerBuilder::on_error`](super::ControllerBuilder::on_error).
    pub fn on_error(
        mut self,
        hook: impl Fn(&Request, &Error, u32) -> Action + Send + Sync + 'static,
    ) -> Self {
        self.settings.on_error = Some(OnError::new(hook));
        self
    }

    /// See [`ControllerBuilder::fair_by_namespace`](super::ControllerBuilder::fair_by_namespace).
    pub fn fair_by_namespace(mut self) -> Self {
        self.settings.queue = self.settings.queue.fair_by(|request| request.namespace().map(str::to_owned));
        self
    }

    /// See [`ControllerBuilder::recorder`](super::ControllerBuilder::recorder).
    pub fn recorder(mut self, recorder: Recorder) -> Self {
        self.settings.recorder = Some(recorder);
        self
    }

    /// The controller, with its reconciler.
    pub fn reconcile(self, reconciler: impl Reconciler) -> Controller {
        let CollectionControllerBuilder { name, keys, sources, settings } = self;
        Controller { name, keys: Some(keys), sources, reconciler: Box::new(reconciler), settings }
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
        let key = Key::parse(key).map_err(KeySourceError::new)?;
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

impl fmt::Debug for CollectionControllerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CollectionControllerBuilder").field("name", &self.name).finish_non_exhaustive()
    }
}
