//! The informers of a controller, and how their notifications become requests.

use std::fmt;
use std::sync::Arc;

use kube_core::PartialObjectMeta;
use kube_core::dynamic::DynamicObject;
use tidings_factory::{InformerOptions, SharedInformerFactory};
use tidings_informer::{Handler, InformerError, Notification, Registration, SharedInformer};
use tidings_object::{FieldPath, Kind, Projection, ResourceKind};

use super::map_context::{MapContext, MapFailures};
use super::reference::ReferenceSpec;
use super::stats::RequestCounters;
use crate::caches::{ControllerCache, ControllerCaches};
use crate::context::ReferencedBodies;
use crate::enqueue::{
    CachedOwners, Enqueue, OwnerMap, OwnerSelection, ReferenceForm, ReferenceIndex, RequestMap, RequestQueue,
};
use crate::error::ControllerError;
use crate::predicate::Predicate;
use crate::reconciler::Error;
use crate::request::Request;
use crate::writes::WriteLog;

/// A kind whose objects are owned by objects of the controller's kind: a change requests the owner.
///
/// Every notification is mapped; none are merged before. Each owner that an object had in a cached state is requested
/// after that state has changed.
///
/// ```
/// use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
/// use tidings_controller::{Controller, Owned, Predicate};
///
/// let builder = Controller::for_kind::<Deployment>("deployment")
///     .owns_with(Owned::<ReplicaSet>::new().predicate(Predicate::generation_changed()));
/// ```
pub struct Owned<V> {
    pub(super) watch: WatchSpec<V>,
    owners: OwnerSelection,
}

/// A kind whose notifications are mapped to requests by a closure. See [`watches`](super::ControllerBuilder::watches).
pub struct Watched<V> {
    pub(super) watch: WatchSpec<V>,
    map: SourceRole<V>,
}

/// The requests that a notification causes, with the caches of the controller.
type ContextMap<V> = Box<dyn Fn(&Notification<V>, &MapContext) -> Result<Vec<Request>, Error> + Send + Sync>;

/// One informer, and the predicates for its notifications.
pub struct WatchSpec<V> {
    resource: ResourceKind,
    projection: Projection,
    get_informer: Box<GetInformer<V>>,
    pub(super) options: InformerOptions,
    pub(super) predicates: Vec<Predicate<V>>,
}

/// Gets an informer from a factory.
type GetInformer<V> =
    dyn FnOnce(&SharedInformerFactory, InformerOptions) -> Result<SharedInformer<V>, InformerError> + Send;

/// How the notifications of an informer are used.
pub(super) enum SourceRole<V> {
    /// Not at all: the cache is only read.
    Read,
    /// A map makes requests of them.
    Mapped(RequestMap<V>),
    /// A map that reads caches makes requests of them.
    MappedInContext(ContextMap<V>),
    /// They request owners.
    Owned(OwnerMap),
    /// They request the objects that refer to them.
    Referenced(ReferenceSpec),
}

/// The options that all watched kinds of a controller have: `Owned`, `Watched` and `Reference`, each with a field `watch`.
macro_rules! watch_options {
    ($kind:ident) => {
        impl<V: 'static> $kind<V> {
            /// Adds a predicate. A notification becomes a request if all predicates accept it.
            #[must_use]
            pub fn predicate(mut self, predicate: crate::predicate::Predicate<V>) -> Self {
                self.watch.predicates.push(predicate);
                self
            }

            /// The options of its informer.
            #[must_use]
            pub fn options(mut self, options: tidings_factory::InformerOptions) -> Self {
                self.watch.options = options;
                self
            }
        }
    };
}

pub(super) use watch_options;

watch_options!(Owned);
watch_options!(Watched);

impl<O: Kind + 'static> Owned<O> {
    /// Watches whole objects of a kind.
    pub fn new() -> Self {
        Owned { watch: WatchSpec::full(), owners: OwnerSelection::default() }
    }

    /// Watches the metadata of a kind. The server sends nothing else.
    pub fn metadata() -> Owned<PartialObjectMeta<O>> {
        Owned { watch: WatchSpec::metadata(), owners: OwnerSelection::default() }
    }
}

impl Owned<DynamicObject> {
    /// Watches whole objects of a resource that is known only at run time.
    pub fn resource(resource: impl Into<ResourceKind>) -> Self {
        Owned { watch: WatchSpec::of(resource.into()), owners: OwnerSelection::default() }
    }
}

impl<V: 'static> Owned<V> {
    /// Requests every owner of the controller's kind, not only the object's controller.
    #[must_use]
    pub fn every_owner(mut self) -> Self {
        self.owners = OwnerSelection::Every;
        self
    }

    pub(super) fn into_source(self, owner: ResourceKind) -> ControllerSource {
        self.watch.into_source(SourceRole::Owned(OwnerMap { owner, owners: self.owners }))
    }
}

impl<W: Kind + 'static> Watched<W> {
    /// Watches whole objects of a kind.
    pub fn new(map: impl Fn(&Notification<W>) -> Vec<Request> + Send + Sync + 'static) -> Self {
        Watched { watch: WatchSpec::full(), map: SourceRole::Mapped(Box::new(map)) }
    }

    /// Watches whole objects of a kind. The map also gets the caches of the controller. If it returns an error, requests
    /// would be lost: the controller ends with that error.
    ///
    /// ```
    /// use k8s_openapi::api::core::v1::{Pod, Service};
    /// use tidings_controller::{Controller, Request, Watched};
    ///
    /// // Requests the services of a pod's application when the pod changes.
    /// let builder = Controller::for_kind::<Service>("endpoints").watches_with(Watched::<Pod>::with_context(
    ///     |pod, context| {
    ///         let app = pod.object().labels().value("app");
    ///         let all = context.lister::<Service>()?.list().into_iter();
    ///         let concerned = all.filter(|service| service.labels().value("app") == app);
    ///         Ok(concerned.map(|service| Request::from(service.key())).collect())
    ///     },
    /// ));
    /// ```
    pub fn with_context(
        map: impl Fn(&Notification<W>, &MapContext) -> Result<Vec<Request>, Error> + Send + Sync + 'static,
    ) -> Self {
        Watched { watch: WatchSpec::full(), map: SourceRole::MappedInContext(Box::new(map)) }
    }

    /// Watches the metadata of a kind. The server sends nothing else.
    pub fn metadata(
        map: impl Fn(&Notification<PartialObjectMeta<W>>) -> Vec<Request> + Send + Sync + 'static,
    ) -> Watched<PartialObjectMeta<W>> {
        Watched { watch: WatchSpec::metadata(), map: SourceRole::Mapped(Box::new(map)) }
    }
}

impl Watched<DynamicObject> {
    /// Watches whole objects of a resource that is known only at run time.
    pub fn resource(
        resource: impl Into<ResourceKind>,
        map: impl Fn(&Notification<DynamicObject>) -> Vec<Request> + Send + Sync + 'static,
    ) -> Self {
        Watched { watch: WatchSpec::of(resource.into()), map: SourceRole::Mapped(Box::new(map)) }
    }
}

impl<V: 'static> Watched<V> {
    pub(super) fn into_source(self) -> ControllerSource {
        self.watch.into_source(self.map)
    }
}

impl<K: Kind + 'static> WatchSpec<K> {
    pub(super) fn full() -> Self {
        let get_informer = |factory: &SharedInformerFactory, options| factory.informer_with(options);
        WatchSpec::new(K::resource(), Projection::Full, get_informer)
    }
}

impl WatchSpec<DynamicObject> {
    pub(super) fn of(resource: ResourceKind) -> Self {
        let requested = resource.clone();
        let get_informer =
            |factory: &SharedInformerFactory, options| factory.dynamic_with(requested, options);
        WatchSpec::new(resource, Projection::Full, get_informer)
    }
}

impl<V: 'static> WatchSpec<V> {
    fn new(
        resource: ResourceKind,
        projection: Projection,
        get_informer: impl FnOnce(
            &SharedInformerFactory,
            InformerOptions,
        ) -> Result<SharedInformer<V>, InformerError>
        + Send
        + 'static,
    ) -> Self {
        let get_informer = Box::new(get_informer);
        WatchSpec {
            resource,
            projection,
            get_informer,
            options: InformerOptions::new(),
            predicates: Vec::new(),
        }
    }

    pub(super) fn resource(&self) -> &ResourceKind {
        &self.resource
    }

    /// Adds a subscriber to the informer, unless it is only read.
    pub(super) fn into_source(self, role: SourceRole<V>) -> ControllerSource {
        let WatchSpec { resource, projection, get_informer, options, predicates } = self;
        ControllerSource(Box::new(move |factory, controller, request_queue, failures, caches| {
            let resource_name = resource.to_string();
            let failed = |source| ControllerError::Resource {
                controller: controller.to_owned(),
                resource: resource_name.clone(),
                source: Box::new(source),
            };
            let informer = get_informer(factory, options).map_err(&failed)?;
            let counts = Arc::new(RequestCounters::new(resource_name.clone()));
            let is_owned = matches!(role, SourceRole::Owned(_));
            let (mut bodies, mut owner_paths) = (None, Vec::new());
            let map = match role {
                SourceRole::Read => None,
                SourceRole::Mapped(map) => Some(map),
                SourceRole::MappedInContext(map) => {
                    let context = MapContext::new(controller, caches, &informer.clone().cast());
                    let failures = failures.clone();
                    Some(Box::new(move |notification: &Notification<V>| {
                        map(notification, &context).unwrap_or_else(|error| failures.report(&context, error))
                    }) as _)
                }
                SourceRole::Owned(owners) => Some(owners.into_map(CachedOwners::of(caches.own()))),
                SourceRole::Referenced(spec) => {
                    let keeps_bodies = spec.keeps_bodies;
                    let forms = spec.into_forms(controller, &resource)?;
                    owner_paths.extend(forms.iter().flat_map(ReferenceForm::paths).cloned());
                    let index = ReferenceIndex::new(caches.own(), forms, resource.scope);
                    bodies = keeps_bodies.then(|| Arc::new(ReferencedBodies::new(index.clone())));
                    Some(referenced_map(index, bodies.clone()))
                }
            };
            let registration = match map {
                None => None,
                Some(map) => {
                    let counts = Arc::clone(&counts);
                    let (request_queue, resource) = (request_queue.clone(), Arc::new(resource));
                    let requests = Enqueue { predicates, map, request_queue, counts, resource };
                    let subscriber = Handler::subscriber(move |notification| requests.enqueue(notification));
                    let added = informer.add_handler(subscriber.named(controller));
                    Some(added.map_err(failed)?)
                }
            };
            let log = factory.shared_value::<WriteLog>();
            let mut cache = ControllerCache::new(projection, informer.cast(), &log).owned(is_owned);
            cache.bodies = bodies;
            Ok(AttachedSource { cache, registration, counts, owner_paths })
        }))
    }
}

impl<K: Kind + 'static> WatchSpec<PartialObjectMeta<K>> {
    pub(super) fn metadata() -> Self {
        let get_informer = |factory: &SharedInformerFactory, options| factory.metadata_with::<K>(options);
        WatchSpec::new(K::resource(), Projection::Metadata, get_informer)
    }
}

/// Gets an informer and adds the controller's subscriber to it.
type Attach = dyn FnOnce(
        &SharedInformerFactory,
        &str,
        &RequestQueue,
        &MapFailures,
        &ControllerCaches,
    ) -> Result<AttachedSource, ControllerError>
    + Send;

/// A kind that a controller watches or reads, without its type.
pub(super) struct ControllerSource(Box<Attach>);

pub(super) struct AttachedSource {
    pub(super) cache: ControllerCache,
    pub(super) registration: Option<Registration>,
    pub(super) counts: Arc<RequestCounters>,
    /// The paths that are read from objects of the controller's own kind.
    pub(super) owner_paths: Vec<FieldPath>,
}

/// Requests the referrers of an object, and drops its kept body.
fn referenced_map<V: 'static>(index: ReferenceIndex, bodies: Option<Arc<ReferencedBodies>>) -> RequestMap<V> {
    let map = index.into_map();
    Box::new(move |notification| {
        if let Some(bodies) = &bodies {
            bodies.forget(&notification.object().key());
        }
        map(notification)
    })
}

impl ControllerSource {
    /// Attaches the source. `caches` contains the sources that were attached before, the controller's own kind first.
    pub(super) fn attach(
        self,
        factory: &SharedInformerFactory,
        controller: &str,
        request_queue: &RequestQueue,
        failures: &MapFailures,
        caches: &ControllerCaches,
    ) -> Result<AttachedSource, ControllerError> {
        (self.0)(factory, controller, request_queue, failures, caches)
    }
}

impl<O: Kind + 'static> Default for Owned<O> {
    fn default() -> Self {
        Owned::new()
    }
}

impl<V> fmt::Debug for Owned<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Owned").field("resource", &self.watch.resource).finish_non_exhaustive()
    }
}

impl<V> fmt::Debug for Watched<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watched").field("resource", &self.watch.resource).finish_non_exhaustive()
    }
}
