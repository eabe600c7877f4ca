//! The options of a controller.

use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use kube_core::PartialObjectMeta;
use tidings_factory::InformerOptions;
use tidings_informer::{KeySource, Notification};
use tidings_object::{Key, Kind, ResourceKind};
use tidings_workqueue::limiter::{Exponential, RateLimiter};
use tidings_workqueue::{WorkQueue, WorkQueueBuilder};

use super::reference::Reference;
use super::source::{ControllerSource, Owned, SourceRole, WatchSpec, Watched};
use super::{Controller, WRITE_WAIT_MAX};
use crate::action::Action;
use crate::causes::{LoopDetection, LoopReport};
use crate::context::{LateReads, StalenessLimit, WhenStale};
use crate::enqueue::object_map;
use crate::predicate::Predicate;
use crate::reconciler::{Error, Reconciler};
use crate::recorder::Recorder;
use crate::request::Request;
use crate::shard::Shard;
use crate::worker::OnError;

/// The first delay of a failed request.
const RETRY_FIRST: Duration = Duration::from_millis(5);

/// The longest delay of a failed request.
const RETRY_MAX: Duration = Duration::from_secs(1000);

/// The default of [`ControllerBuilder::reconcile_timeout`].
const RECONCILE_TIMEOUT: Duration = Duration::from_secs(60 * 60);

/// Builds a [`Controller`] of objects of `K`, or of the keys of a collection.
///
/// A controller of a collection has no options that need a kind: owners, references, predicates and shards.
#[must_use = "call `reconcile` to get the controller"]
pub struct ControllerBuilder<K, S = WatchSpec<K>> {
    name: String,
    /// What requests reconciles: an informer of the controller's own kind, or a [`KeySource`].
    watch: S,
    sources: Vec<ControllerSource>,
    settings: ControllerSettings,
    kind: PhantomData<fn() -> K>,
}

pub(super) struct ControllerSettings {
    pub(super) workers: usize,
    pub(super) reconcile_timeout: Option<Duration>,
    pub(super) debounce: Duration,
    pub(super) write_wait_max: Duration,
    pub(super) late_reads: LateReads,
    pub(super) staleness_limit: Option<StalenessLimit>,
    pub(super) loops: LoopDetection,
    pub(super) queue: WorkQueueBuilder<Request>,
    pub(super) shard: Option<Shard>,
    pub(super) on_error: Option<OnError>,
    pub(super) recorder: Option<Recorder>,
}

impl Default for ControllerSettings {
    /// The limiter delays each key independently. With one rate for all keys, a few failing keys would delay all
    /// others.
    fn default() -> Self {
        ControllerSettings {
            workers: 1,
            reconcile_timeout: Some(RECONCILE_TIMEOUT),
            debounce: Duration::ZERO,
            write_wait_max: WRITE_WAIT_MAX,
            late_reads: LateReads::default(),
            staleness_limit: None,
            loops: LoopDetection::default(),
            queue: WorkQueue::builder().limiter(Exponential::new(RETRY_FIRST, RETRY_MAX)),
            shard: None,
            on_error: None,
            recorder: None,
        }
    }
}

impl<K: 'static> ControllerBuilder<K> {
    /// Watches a kind whose objects are controlled by objects of the controller's kind. A change requests the object's
    /// controller, and its previous controller.
    ///
    /// No change is skipped, however fast they follow each other: if a reconcile could see an object with its owner,
    /// that owner is reconciled again after the object has changed, moved to another owner, or was deleted.
    pub fn owns<O: Kind + 'static>(self) -> Self {
        self.owns_with(Owned::<O>::new())
    }

    /// As [`owns`](Self::owns), with only the metadata. The server sends nothing else.
    pub fn owns_metadata<O: Kind + 'static>(self) -> Self {
        self.owns_with(Owned::<O>::metadata())
    }

    /// As [`owns`](Self::owns), with predicates and options.
    pub fn owns_with<V: 'static>(mut self, owned: Owned<V>) -> Self {
        self.sources.push(owned.into_source(self.watch.resource().clone()));
        self
    }

    /// Watches a kind that objects of the controller's kind refer to by name, at this path. A change of such an object
    /// requests every object that refers to it. If an object changes its reference, it is followed.
    ///
    /// The path may have `[*]`. The referenced objects are in the namespace of the one that refers to them, or in
    /// cluster scope. See [`Reference`] for namespaces, several paths, selectors and functions. If the server's schema
    /// has no such path, the controller ends with an error that names it. A [predicate](Self::predicate) of the
    /// controller's kind must accept changes of the reference.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::{Secret, ServiceAccount};
    /// use tidings_controller::Controller;
    ///
    /// let builder = Controller::for_kind::<ServiceAccount>("accounts").refers_to::<Secret>(".secrets[*].name");
    /// ```
    pub fn refers_to<R: Kind + 'static>(self, path: &str) -> Self {
        self.refers_to_with(Reference::<R>::new().at(path))
    }

    /// As [`refers_to`](Self::refers_to), with more ways to refer to objects, predicates and options.
    pub fn refers_to_with<V: 'static>(mut self, reference: Reference<V>) -> Self {
        self.sources.push(reference.into_source(self.watch.resource().clone()));
        self
    }

    /// Adds a predicate for the controller's own kind. A notification becomes a request if all predicates accept it.
    pub fn predicate(mut self, predicate: Predicate<K>) -> Self {
        self.watch.predicates.push(predicate);
        self
    }

    /// The options of the informer of the controller's own kind.
    pub fn options(mut self, options: InformerOptions) -> Self {
        self.watch.options = options;
        self
    }

    /// Reconciles only the keys that this replica owns. When they change, every object of the kind is requested again.
    pub fn shard(mut self, shard: Shard) -> Self {
        self.settings.shard = Some(shard);
        self
    }

    /// The controller, with its reconciler.
    pub fn reconcile(self, reconciler: impl Reconciler) -> Controller {
        let ControllerBuilder { name, watch, mut sources, settings, .. } = self;
        sources.insert(0, watch.into_source(SourceRole::Mapped(object_map())));
        Controller { name, keys: None, sources, reconciler: Box::new(reconciler), settings }
    }
}

impl ControllerBuilder<Key, Box<dyn KeySource>> {
    /// The controller, with its reconciler.
    pub fn reconcile(self, reconciler: impl Reconciler) -> Controller {
        let ControllerBuilder { name, watch, sources, settings, .. } = self;
        Controller { name, keys: Some(watch), sources, reconciler: Box::new(reconciler), settings }
    }
}

impl<K, S> ControllerBuilder<K, S> {
    pub(super) fn new(name: String, watch: S) -> Self {
        ControllerBuilder {
            name,
            watch,
            sources: Vec::new(),
            settings: ControllerSettings::default(),
            kind: PhantomData,
        }
    }

    /// Watches a kind. The closure maps each notification to requests; it should use the [old and the new
    /// object](Notification::objects). If it panics, it requests nothing, and the factory's error hook is called.
    ///
    /// The closure is called for every notification; none are merged before. It must be fast and must not block: when
    /// `merge_above` notifications wait, the informer waits for the closure. Two calls may run at the same time, and
    /// notifications of one object may be mapped out of order.
    ///
    /// A closure that reads caches of the controller gets them from [`Watched::with_context`]. Any closure may also
    /// capture a lister. Readers never wait for an informer, so this can't deadlock. The cache may still be empty while
    /// the first lists run: objects that arrive there later need a watch of their own.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::{Pod, Service};
    /// use tidings_controller::{Action, Context, Controller, Error, Request};
    /// use tidings_factory::SharedInformerFactory;
    ///
    /// # async fn reconcile(_: Request, _: Context) -> Result<Action, Error> { Ok(Action::await_change()) }
    /// /// Reconciles each Service when it changes, or when a Pod of its application changes.
    /// fn controller(factory: &SharedInformerFactory) -> Controller {
    ///     let services = factory.informer::<Service>().lister();
    ///     Controller::for_kind::<Service>("endpoints")
    ///         .watches::<Pod>(move |pod| {
    ///             let app = pod.object().labels().value("app");
    ///             let all = services.list().into_iter();
    ///             let concerned = all.filter(|service| service.labels().value("app") == app);
    ///             concerned.map(|service| Request::from(service.key())).collect()
    ///         })
    ///         .reconcile(reconcile)
    /// }
    /// ```
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

    /// Gives the reconciler a cache of a kind. Its changes add no requests.
    pub fn reads<R: Kind + 'static>(self) -> Self {
        self.reads_with::<R>(InformerOptions::new())
    }

    /// As [`reads`](Self::reads), with options for the informer.
    pub fn reads_with<R: Kind + 'static>(self, options: InformerOptions) -> Self {
        self.read(WatchSpec::<R>::full(), options)
    }

    /// As [`reads`](Self::reads), with only the metadata.
    pub fn reads_metadata<R: Kind + 'static>(self) -> Self {
        self.read(WatchSpec::<PartialObjectMeta<R>>::metadata(), InformerOptions::new())
    }

    /// As [`reads`](Self::reads), for a resource that is known only at run time.
    pub fn reads_resource(self, resource: impl Into<ResourceKind>) -> Self {
        self.read(WatchSpec::of(resource.into()), InformerOptions::new())
    }

    fn read<V: 'static>(mut self, mut watch: WatchSpec<V>, options: InformerOptions) -> Self {
        watch.options = options;
        self.sources.push(watch.into_source(SourceRole::Read));
        self
    }

    /// How many requests are reconciled at the same time. Default 1.
    pub fn workers(mut self, workers: usize) -> Self {
        self.settings.workers = workers;
        self
    }

    /// Drops a reconcile that takes longer than this, at its next await, and retries it. Default one hour; `None` is no
    /// limit.
    ///
    /// The default is for reconciles that hang, on a peer that never answers or on a lock: each occupies a worker and
    /// its key. It is long because a reconcile may wait until a cloud API has created a database or a cluster. A
    /// reconcile that blocks its thread is not dropped, because it never reaches an await.
    pub fn reconcile_timeout(mut self, limit: impl Into<Option<Duration>>) -> Self {
        self.settings.reconcile_timeout = limit.into();
        self
    }

    /// Waits this long after the first change of a request, so that many changes cause one reconcile. Default zero. It
    /// does not apply to the initial list and to resyncs.
    pub fn debounce(mut self, window: Duration) -> Self {
        self.settings.debounce = window;
        self
    }

    /// How long a request waits until the caches show the writes of its last reconcile, and how long
    /// [`Context::get`](crate::Context::get) and [`Context::list`](crate::Context::list) wait for writes. Default 5 s;
    /// zero is no wait, and reads return what the cache has.
    pub fn write_wait_max(mut self, limit: Duration) -> Self {
        self.settings.write_wait_max = limit;
        self
    }

    /// What reads do if the cache does not show this process's own writes within
    /// [`write_wait_max`](Self::write_wait_max). By default they are an error, and the request is retried.
    pub fn late_reads(mut self, late: LateReads) -> Self {
        self.settings.late_reads = late;
        self
    }

    /// What happens while one of the controller's caches may be behind the server by more than `limit`: its stream has
    /// been down that long, or has been silent for that long beyond the minute that is normal. By default reconciles go
    /// on. The caches are checked before each reconcile.
    pub fn stale_after(mut self, limit: Duration, when: WhenStale) -> Self {
        self.settings.staleness_limit = Some(StalenessLimit { limit, when });
        self
    }

    /// Reports a request as a loop if the controller wakes itself for it more often than this within a minute: its own
    /// writes alone request the reconciles, and the generation of the object does not change. Default 60; `None` reports
    /// nothing. A report is one warning in the log, `tidings_controller_loops_total`, and a call of
    /// [`on_loop`](Self::on_loop), once for each request and minute. Reconciles go on.
    pub fn loop_limit(mut self, wakes_in_a_minute: impl Into<Option<u32>>) -> Self {
        self.settings.loops.limit = wakes_in_a_minute.into();
        self
    }

    /// Calls this when the controller wakes itself without end. See [`loop_limit`](Self::loop_limit). The hook must not
    /// block; a panic is logged.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use tidings_controller::Controller;
    ///
    /// let builder = Controller::for_kind::<ConfigMap>("copier").on_loop(|report| {
    ///     eprintln!("{report}"); // controller "copier" wakes itself for default/a: ... configmaps default/a at .data.count
    /// });
    /// ```
    pub fn on_loop(mut self, hook: impl Fn(&LoopReport) + Send + Sync + 'static) -> Self {
        self.settings.loops.hook = Some(Box::new(hook));
        self
    }

    /// Decides when a failed request is retried. Default: after 5 ms, then twice as long each time up to 1,000 s, for
    /// each request independently.
    pub fn limiter(mut self, limiter: impl RateLimiter<Request>) -> Self {
        self.settings.queue = self.settings.queue.limiter(limiter);
        self
    }

    /// Chooses what happens after a failed reconcile. The hook gets the request, the error, and the number of failures
    /// of this request in a row, 1 for the first. Without a hook, the request is retried as the
    /// [limiter](Self::limiter) allows, which is what [`Action::requeue`] means here too.
    ///
    /// Returned errors, panics and timeouts are failures; [`Error::cause`] of the latter two is a
    /// [`ControllerError`](crate::ControllerError). The hook is not called for [terminal](Error::terminal) errors. A
    /// hook that panics ends the controller.
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

    /// Serves the namespaces in turn (fair queueing), so that one with many requests does not delay the others.
    pub fn fair_by_namespace(mut self) -> Self {
        self.settings.queue = self.settings.queue.fair_by(|request| request.namespace().map(str::to_owned));
        self
    }

    /// How long live requests may overtake requests of the initial list and of resyncs. Default 30 s.
    pub fn background_allowance(mut self, allowance: Duration) -> Self {
        self.settings.queue = self.settings.queue.background_allowance(allowance);
        self
    }

    /// Records events with this recorder, whose task the caller runs. By default the controller has its own recorder,
    /// which uses the controller's name.
    pub fn recorder(mut self, recorder: Recorder) -> Self {
        self.settings.recorder = Some(recorder);
        self
    }
}

impl<K, S> fmt::Debug for ControllerBuilder<K, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ControllerBuilder").field("name", &self.name).finish_non_exhaustive()
    }
}
