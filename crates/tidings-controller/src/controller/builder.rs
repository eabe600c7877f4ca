//! What can be said of a controller before it is made.

use std::fmt;
use std::time::Duration;

use kube_core::PartialObjectMeta;
use tidings_factory::InformerOptions;
use tidings_informer::informer::Notification;
use tidings_object::{Kind, ResourceKind};
use tidings_workqueue::limiter::{Exponential, RateLimiter};
use tidings_workqueue::{Builder as QueueBuilder, WorkQueue};

use super::source::{ControllerSource, Owned, SourceRole, WatchSpec, Watched};
use super::{Controller, WRITE_WAIT_MAX};
use crate::action::Action;
use crate::enqueue::object_map;
use crate::predicate::Predicate;
use crate::reconciler::{Error, Reconciler};
use crate::recorder::Recorder;
use crate::request::Request;
use crate::shard::Shard;
use crate::worker::OnError;

/// The first delay of a request that ended in an error.
const RETRY_FIRST: Duration = Duration::from_millis(5);

/// The longest one.
const RETRY_MAX: Duration = Duration::from_secs(1000);

/// How long a reconcile may take, unless another limit is given.
const RECONCILE_TIMEOUT: Duration = Duration::from_secs(60 * 60);

/// A controller that is being described.
#[must_use = "it becomes a controller with `reconcile`"]
pub struct ControllerBuilder<K> {
    name: String,
    watch: WatchSpec<K>,
    sources: Vec<ControllerSource>,
    settings: ControllerSettings,
}

pub(super) struct ControllerSettings {
    pub(super) workers: usize,
    pub(super) reconcile_timeout: Option<Duration>,
    pub(super) debounce: Duration,
    pub(super) write_wait_max: Duration,
    pub(super) queue: QueueBuilder<Request>,
    pub(super) shard: Option<Shard>,
    pub(super) on_error: Option<OnError>,
    pub(super) recorder: Option<Recorder>,
}

impl Default for ControllerSettings {
    /// Retries are limited for each key by itself: with a rate over all keys, a few that fail delay all others.
    fn default() -> Self {
        ControllerSettings {
            workers: 1,
            reconcile_timeout: Some(RECONCILE_TIMEOUT),
            debounce: Duration::ZERO,
            write_wait_max: WRITE_WAIT_MAX,
            queue: WorkQueue::builder().limiter(Exponential::new(RETRY_FIRST, RETRY_MAX)),
            shard: None,
            on_error: None,
            recorder: None,
        }
    }
}

impl<K: 'static> ControllerBuilder<K> {
    pub(super) fn new(name: String, watch: WatchSpec<K>) -> Self {
        ControllerBuilder { name, watch, sources: Vec::new(), settings: ControllerSettings::default() }
    }

    /// Watches a kind of objects that belong to those of the controller's kind: a change requests the object that controls it,
    /// and the one that controlled it before. However fast changes follow each other, none is left out: if a reconcile could see
    /// an object in its owner's hands, that owner is reconciled again after the object has changed, moved or gone.
    pub fn owns<O: Kind + 'static>(self) -> Self {
        self.owns_with(Owned::<O>::new())
    }

    /// As [`owns`](Self::owns), with the metadata only: the server sends nothing else.
    pub fn owns_metadata<O: Kind + 'static>(self) -> Self {
        self.owns_with(Owned::<O>::metadata())
    }

    /// As [`owns`](Self::owns), with predicates and options.
    pub fn owns_with<V: 'static>(mut self, owned: Owned<V>) -> Self {
        self.sources.push(owned.into_source(self.watch.resource().clone()));
        self
    }

    /// Watches a kind of objects; the map says which requests a change makes. It should look at
    /// [what was and what is](Notification::objects). A map that panics makes none: the factory's error hook hears of it.
    ///
    /// The map is called with every change, none merged with another. It must be quick and must not block: when the informer's
    /// bound (`merge_above`) of waiting changes is reached, the informer waits for the map. Two calls may run at the same time,
    /// and changes of one object may be mapped in another order than they happened.
    pub fn watches<W: Kind + 'static>(
        self,
        map: impl Fn(&Notification<W>) -> Vec<Request> + Send + Sync + 'static,
    ) -> Self {
        self.watches_with(Watched::<W>::new(map))
    }

    /// As [`watches`](Self::watches), with predicates and options.
    pub fn watches_with<V: 'static>(mut self, watched: Watched<V>) -> Self {
        self.sources.push(watched.into_source());
        self
    }

    /// Gives the reconciler a lister of a kind. Its changes make no requests.
    pub fn reads<R: Kind + 'static>(self) -> Self {
        self.reads_with::<R>(InformerOptions::new())
    }

    /// As [`reads`](Self::reads), with options of the informer.
    pub fn reads_with<R: Kind + 'static>(self, options: InformerOptions) -> Self {
        self.read(WatchSpec::<R>::full(), options)
    }

    /// As [`reads`](Self::reads), with the metadata only.
    pub fn reads_metadata<R: Kind + 'static>(self) -> Self {
        self.read(WatchSpec::<PartialObjectMeta<R>>::metadata(), InformerOptions::new())
    }

    /// As [`reads`](Self::reads), for a resource known at run time.
    pub fn reads_resource(self, resource: impl Into<ResourceKind>) -> Self {
        self.read(WatchSpec::of(resource.into()), InformerOptions::new())
    }

    fn read<V: 'static>(mut self, mut watch: WatchSpec<V>, options: InformerOptions) -> Self {
        watch.options = options;
        self.sources.push(watch.into_source(SourceRole::Read));
        self
    }

    /// Lets only some changes of the kind itself count. Each predicate that is given must let a change pass.
    pub fn predicate(mut self, predicate: Predicate<K>) -> Self {
        self.watch.predicates.push(predicate);
        self
    }

    /// The options of the informer of the kind itself.
    pub fn options(mut self, options: InformerOptions) -> Self {
        self.watch.options = options;
        self
    }

    /// Reconciles so many requests at the same time; 1 if not given.
    pub fn workers(mut self, workers: usize) -> Self {
        self.settings.workers = workers;
        self
    }

    /// Drops a reconcile that takes longer, at its next await, and tries again later. An hour if not given; `None` drops
    /// none, however long it takes.
    ///
    /// The default is for reconciles that hang, on a peer that never answers or on a lock: each holds a worker and its
    /// key. It is long, because a reconcile may wait for a cloud's API until a database or a cluster is there. One that
    /// blocks its thread is not dropped, since it never comes to an await.
    pub fn reconcile_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.settings.reconcile_timeout = limit.into();
        self
    }

    /// Waits so long for more changes after the first before a request is worked on: many changes make one reconcile. Not for
    /// the initial list and resyncs.
    pub fn debounce(mut self, window: Duration) -> Self {
        self.settings.debounce = window;
        self
    }

    /// Waits no longer than this for the cache to show what the last reconcile of a request wrote; 5 s if not given,
    /// zero is not at all.
    pub fn write_wait_max(mut self, limit: Duration) -> Self {
        self.settings.write_wait_max = limit;
        self
    }

    /// Says when a request that ended in an error is tried again; 5 ms later if not given, then twice as long each time up to
    /// 1,000 s, for each request by itself.
    pub fn limiter(mut self, limiter: impl RateLimiter<Request>) -> Self {
        self.settings.queue = self.settings.queue.limiter(limiter);
        self
    }

    /// Chooses what happens after a failed reconcile. The hook gets the request, the error, and the number of failures of
    /// this request in a row, 1 for the first. Without a hook, the request is retried as the
    /// [limiter](Self::limiter) allows, which is what [`Action::requeue`] means here too.
    ///
    /// Returned errors, panics and timeouts are failures; [`Error::cause`] of the latter two is a
    /// [`ControllerError`](crate::ControllerError). The hook is not called for [terminal](Error::terminal) errors. A hook that
    /// panics ends the controller.
    ///
    /// ```
    /// use std::time::Duration;
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use tidings_controller::{Action, Context, Controller, Error, Request};
    ///
    /// # async fn reconcile(_: Request, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// // Retries every 15 seconds, and stops after 10 failures until the object changes.
    /// let controller = Controller::for_kind::<ConfigMap>("copier")
    ///     .on_error(|request, error, failures| {
    ///         if failures < 10 {
    ///             return Action::requeue_after(Duration::from_secs(15));
    ///         }
    ///         println!("giving up on {request}: {error}");
    ///         Action::await_change()
    ///     })
    ///     .reconcile(reconcile);
    /// ```
    pub fn on_error(
        mut self,
        hook: impl Fn(&Request, &Error, u32) -> Action + Send + Sync + 'static,
    ) -> Self {
        self.settings.on_error = Some(OnError::new(hook));
        self
    }

    /// Gives the namespaces turns, so that one with many requests does not keep the others waiting.
    pub fn fair_by_namespace(mut self) -> Self {
        self.settings.queue = self.settings.queue.fair_by(|request| request.namespace().map(str::to_owned));
        self
    }

    /// Lets requests of the initial list and of resyncs be overtaken by others for so long; 30 s if not given.
    pub fn background_allowance(mut self, allowance: Duration) -> Self {
        self.settings.queue = self.settings.queue.background_allowance(allowance);
        self
    }

    /// Works only on the keys that are this replica's. When they change, each object of the kind is asked for again.
    pub fn shard(mut self, shard: Shard) -> Self {
        self.settings.shard = Some(shard);
        self
    }

    /// Records events through this recorder, whose task someone else runs. Without it the controller has one of its own,
    /// which reports in the controller's name.
    pub fn recorder(mut self, recorder: Recorder) -> Self {
        self.settings.recorder = Some(recorder);
        self
    }

    /// The controller, with what it does for each request.
    pub fn reconcile(self, reconciler: impl Reconciler) -> Controller {
        let ControllerBuilder { name, watch, mut sources, settings } = self;
        sources.insert(0, watch.into_source(SourceRole::Mapped(object_map())));
        Controller { name, sources, reconciler: Box::new(reconciler), settings }
    }
}

impl<K> fmt::Debug for ControllerBuilder<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ControllerBuilder").field("name", &self.name).finish_non_exhaustive()
    }
}
