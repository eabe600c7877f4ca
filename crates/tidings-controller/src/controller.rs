//! A controller: joins informers, a queue and workers.
//!
//! [`Controller::for_kind`] declares what is watched and which reconciler is called; [`Controller::for_collection`] does
//! so for the keys of a collection. [`Controller::attach`] gets the
//! informers from a factory and returns a handle and a task. Nothing runs before the task does. The task spawns the
//! workers and the recorder, and owns them.

mod builder;
mod collection;
mod map_context;
#[cfg(feature = "metrics")]
mod metrics;
mod reference;
mod schema_check;
mod source;
pub(crate) mod stats;
mod task;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube_core::PartialObjectMeta;
use kube_core::dynamic::DynamicObject;
use tidings_factory::SharedInformerFactory;
use tidings_informer::KeySource;
use tidings_object::{Kind, ResourceKind};
use tidings_workqueue::WorkQueue;

pub use builder::ControllerBuilder;
pub use map_context::MapContext;
#[cfg(feature = "metrics")]
pub use metrics::ControllerMetrics;
pub use reference::Reference;
pub use source::{Owned, Watched};
pub use stats::{ControllerStats, RequestCount, RequestReason};
pub use task::{ControllerHandle, ControllerTask};

use crate::caches::ControllerCaches;
use crate::causes::CauseLog;
use crate::context::{FreshReads, SharedContext};
use crate::controller::stats::{ContextCounters, ReconcileCounters, RequestCounters};
use crate::enqueue::RequestQueue;
use crate::error::ControllerError;
use crate::reconciler::AnyReconciler;
use crate::recorder::{Recorder, RecorderTask};
use crate::request::Request;
use crate::sync::AtomicU64;
use crate::worker::{ControllerState, ObjectWaits, Parking, ShardFilter, WorkerShared};
use crate::writes::PendingWrites;
use builder::ControllerSettings;
use collection::attach_keys;
use map_context::MapFailures;
use schema_check::SchemaCheck;
use source::ControllerSource;
use task::{ControllerHandlers, TaskStart};

/// A controller that is ready to be attached to a factory.
///
/// ```
/// use std::time::Duration;
/// use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
/// use tidings_controller::{Action, Context, Controller, Error, Predicate, Request};
///
/// async fn reconcile(request: Request, context: Context) -> Result<Action, Error> {
///     let Some(deployment) = context.get::<Deployment>(&request).await? else {
///         return Ok(Action::await_change()); // it was deleted
///     };
///     println!("{request} wants {:?} replicas", deployment.spec.replicas);
///     Ok(Action::await_change())
/// }
///
/// let controller = Controller::for_kind::<Deployment>("deployment")
///     .owns::<ReplicaSet>()
///     .predicate(Predicate::generation_changed())
///     .workers(4)
///     .reconcile_timeout(Duration::from_secs(60))
///     .reconcile(reconcile);
/// ```
pub struct Controller {
    name: String,
    /// Set if it reconciles the keys of a collection, instead of a kind.
    keys: Option<Box<dyn KeySource>>,
    /// The first is the controller's own kind, if it has one.
    sources: Vec<ControllerSource>,
    reconciler: Box<dyn AnyReconciler>,
    settings: ControllerSettings,
}

impl Controller {
    /// A controller of a kind.
    pub fn for_kind<K: Kind + 'static>(name: impl Into<String>) -> ControllerBuilder<K> {
        ControllerBuilder::new(name.into(), source::WatchSpec::full())
    }

    /// A controller of a kind of which it needs only the metadata. The server sends nothing else.
    pub fn for_metadata<K: Kind + 'static>(
        name: impl Into<String>,
    ) -> ControllerBuilder<PartialObjectMeta<K>> {
        ControllerBuilder::new(name.into(), source::WatchSpec::metadata())
    }

    /// A controller of a resource that is known only at run time, for generic operators and policy engines. It shares
    /// its cache with typed informers of the same resource.
    ///
    /// ```
    /// use tidings_controller::{Action, Context, Controller, Error, Owned, Request};
    /// use tidings_object::{ResourceKind, Scope};
    ///
    /// fn resource(group: &'static str, kind: &'static str, plural: &'static str) -> ResourceKind {
    ///     let scope = Scope::Namespaced;
    ///     ResourceKind { group: group.into(), version: "v1".into(), kind: kind.into(), plural: plural.into(), scope }
    /// }
    ///
    /// async fn reconcile(request: Request, context: Context) -> Result<Action, Error> {
    ///     let widgets = resource("example.com", "Widget", "widgets");
    ///     if let Some(widget) = context.lister_of(&widgets)?.get(&request) {
    ///         println!("{request} is {}", widget.decoded()?.data["spec"]["colour"]);
    ///     }
    ///     Ok(Action::await_change())
    /// }
    ///
    /// let controller = Controller::for_resource("widgets", resource("example.com", "Widget", "widgets"))
    ///     .owns_with(Owned::resource(resource("", "ConfigMap", "configmaps")))
    ///     .reconcile(reconcile);
    /// ```
    pub fn for_resource(
        name: impl Into<String>,
        resource: impl Into<ResourceKind>,
    ) -> ControllerBuilder<DynamicObject> {
        ControllerBuilder::new(name.into(), source::WatchSpec::of(resource.into()))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Gets the informers from the factory and adds the handlers. Nothing runs yet: start the factory, and run the
    /// task. From now on changes add requests, which wait on the queue until the task runs.
    pub fn attach(
        self,
        factory: &SharedInformerFactory,
    ) -> Result<(ControllerHandle, ControllerTask), ControllerError> {
        let Controller { name, keys, sources, reconciler, settings } = self;
        if name.is_empty() {
            return Err(ControllerError::EmptyName);
        }
        if settings.workers == 0 {
            return Err(ControllerError::NoWorkers { controller: name });
        }
        let queue = settings.queue.named(name.as_str()).build();
        let (causes, debounce) = (Arc::new(CauseLog::new(settings.loops)), settings.debounce);
        let request_queue = RequestQueue { queue: queue.clone(), debounce, causes: Arc::clone(&causes) };
        let mut caches = match &keys {
            Some(_) => ControllerCaches::of_collection(),
            None => ControllerCaches::default(),
        };
        let mut handlers = ControllerHandlers::default();
        let (mut requests, mut paths) = (Vec::new(), Vec::new());
        let (map_failures, map_failure) = MapFailures::new();
        let keys = keys.map(|keys| attach_keys(&*keys, &name, &request_queue, &mut handlers)).transpose()?;
        let has_kind = keys.is_none();
        requests.extend(keys);
        for source in sources {
            let attached = source.attach(factory, &name, &request_queue, &map_failures, &caches)?;
            requests.push(attached.counts);
            paths.extend(attached.owner_paths);
            handlers.push(attached.registration, &attached.cache.informer);
            caches.push(attached.cache);
        }
        let schema_check = has_kind.then(|| SchemaCheck {
            client: factory.client().clone(),
            controller: name.clone(),
            owner: caches.own().resource().clone(),
            paths,
        });
        let state = Arc::new(controller_state(queue, requests, Arc::clone(&causes)));
        let (recorder, recorder_task) = recorder_of(settings.recorder, factory, &name);
        let context = SharedContext {
            controller: name.clone(),
            client: factory.client().clone(),
            recorder,
            caches,
            pending_writes: PendingWrites::default(),
            causes,
            fresh_reads: FreshReads { within: settings.write_wait_max, late: settings.late_reads },
            counters: Arc::clone(&state.context),
        };
        let (parking, parked) = Parking::new();
        let (object_waits, wait_receiver) = ObjectWaits::new();
        let work = WorkerShared {
            reconciler,
            context: Arc::new(context),
            state: Arc::clone(&state),
            reconcile_timeout: settings.reconcile_timeout,
            write_wait_max: settings.write_wait_max,
            staleness_limit: settings.staleness_limit,
            on_error: settings.on_error,
            shard_filter: settings.shard.map(ShardFilter::new),
            parking,
            object_waits,
            next_id: AtomicU64::new(1),
        };
        let handle = ControllerHandle::new(name, settings.workers, state, handlers.synced());
        let work = Arc::new(work);
        let begin = TaskStart { parked, waits: wait_receiver, schema_check, map_failure };
        let task = ControllerTask::new(handle.clone(), request_queue, work, begin, handlers, recorder_task);
        Ok((handle, task))
    }
}

/// The recorder that the user gave, or a new one with its task.
fn recorder_of(
    given: Option<Recorder>,
    factory: &SharedInformerFactory,
    controller: &str,
) -> (Recorder, Option<RecorderTask>) {
    match given {
        Some(recorder) => (recorder, None),
        None => {
            let (recorder, task) = Recorder::new(factory.client().clone(), controller);
            (recorder, Some(task))
        }
    }
}

fn controller_state(
    queue: WorkQueue<Request>,
    sources: Vec<Arc<RequestCounters>>,
    causes: Arc<CauseLog>,
) -> ControllerState {
    let own = RequestCounters::new("controller".to_owned());
    let context = Arc::new(ContextCounters::default());
    ControllerState { queue, counters: ReconcileCounters::default(), context, own, sources, causes }
}

impl fmt::Debug for Controller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Controller")
            .field("name", &self.name)
            .field("sources", &self.sources.len())
            .finish_non_exhaustive()
    }
}

/// The default of [`ControllerBuilder::write_wait_max`].
const WRITE_WAIT_MAX: Duration = Duration::from_secs(5);
