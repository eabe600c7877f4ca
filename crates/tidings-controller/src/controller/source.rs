//! What a controller watches, and what it makes of it.

use std::fmt;
use std::sync::Arc;

use kube_core::PartialObjectMeta;
use kube_core::dynamic::DynamicObject;
use tidings_factory::{InformerOptions, SharedInformerFactory};
use tidings_informer::informer::{HandlerOptions, Registration, SharedInformer};
use tidings_object::{Kind, Projection, ResourceKind};
use tidings_source::BuildError;

use super::ControllerError;
use super::stats::RequestCounts;
use crate::caches::{Cache, Caches};
use crate::enqueue::{CachedOwners, Enqueue, Inlet, Map, OwnerMap, Owners};
use crate::predicate::{Change, Predicate};
use crate::request::Request;

/// A kind of objects that belong to those which the controller is for: a change requests the owner.
///
/// Every change is mapped, also those that follow so quickly that a handler would receive them merged: each owner that an object
/// had in some cached state is requested after that state is gone.
///
/// ```
/// use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
/// use tidings_controller::{Controller, Owned, Predicate};
///
/// let builder = Controller::for_kind::<Deployment>("deployment")
///     .owns_with(Owned::<ReplicaSet>::new().predicate(Predicate::generation_changed()));
/// ```
pub struct Owned<V> {
    pub(super) watch: Watch<V>,
    owners: Owners,
}

/// A kind of objects whose changes make requests by a map of one's own. The map is called with every change, none merged with
/// another; it must be quick, since a slow one slows its informer ([`subscribe`](SharedInformer::subscribe)).
pub struct Watched<V> {
    pub(super) watch: Watch<V>,
    map: Map<V>,
}

/// One informer, and which of its changes count.
pub(super) struct Watch<V> {
    resource: ResourceKind,
    projection: Projection,
    obtain: Box<Obtain<V>>,
    pub(super) options: InformerOptions,
    pub(super) predicates: Vec<Predicate<V>>,
}

/// How an informer is asked for.
type Obtain<V> =
    dyn FnOnce(&SharedInformerFactory, InformerOptions) -> Result<SharedInformer<V>, BuildError> + Send;

/// What the changes of an informer are for.
pub(super) enum Role<V> {
    /// Nothing: it is only read.
    Read,
    /// They make requests by a map.
    Mapped(Map<V>),
    /// They request owners.
    Owned(OwnerMap),
}

impl<O: Kind + 'static> Owned<O> {
    /// Whole objects of a kind.
    pub fn new() -> Self {
        Owned { watch: Watch::full(), owners: Owners::default() }
    }

    /// The metadata of objects of a kind: the server sends nothing else.
    pub fn metadata() -> Owned<PartialObjectMeta<O>> {
        Owned { watch: Watch::metadata(), owners: Owners::default() }
    }
}

impl Owned<DynamicObject> {
    /// Whole objects of a resource known at run time.
    pub fn resource(resource: impl Into<ResourceKind>) -> Self {
        Owned { watch: Watch::of(resource.into()), owners: Owners::default() }
    }
}

impl<V: 'static> Owned<V> {
    /// Requests every owner of the controller's kind, not only the one that controls the object.
    #[must_use]
    pub fn every_owner(mut self) -> Self {
        self.owners = Owners::Every;
        self
    }

    /// Lets only some changes count. Each predicate that is given must let a change pass.
    #[must_use]
    pub fn predicate(mut self, predicate: Predicate<V>) -> Self {
        self.watch.predicates.push(predicate);
        self
    }

    /// The options of its informer.
    #[must_use]
    pub fn options(mut self, options: InformerOptions) -> Self {
        self.watch.options = options;
        self
    }

    pub(super) fn into_source(self, owner: ResourceKind) -> Source {
        self.watch.into_source(Role::Owned(OwnerMap { owner, owners: self.owners }))
    }
}

impl<W: Kind + 'static> Watched<W> {
    /// Whole objects of a kind.
    pub fn new(map: impl Fn(&Change<W>) -> Vec<Request> + Send + Sync + 'static) -> Self {
        Watched { watch: Watch::full(), map: Box::new(map) }
    }

    /// The metadata of objects of a kind: the server sends nothing else.
    pub fn metadata(
        map: impl Fn(&Change<PartialObjectMeta<W>>) -> Vec<Request> + Send + Sync + 'static,
    ) -> Watched<PartialObjectMeta<W>> {
        Watched { watch: Watch::metadata(), map: Box::new(map) }
    }
}

impl Watched<DynamicObject> {
    /// Whole objects of a resource known at run time.
    pub fn resource(
        resource: impl Into<ResourceKind>,
        map: impl Fn(&Change<DynamicObject>) -> Vec<Request> + Send + Sync + 'static,
    ) -> Self {
        Watched { watch: Watch::of(resource.into()), map: Box::new(map) }
    }
}

impl<V: 'static> Watched<V> {
    /// Lets only some changes count. Each predicate that is given must let a change pass.
    #[must_use]
    pub fn predicate(mut self, predicate: Predicate<V>) -> Self {
        self.watch.predicates.push(predicate);
        self
    }

    /// The options of its informer.
    #[must_use]
    pub fn options(mut self, options: InformerOptions) -> Self {
        self.watch.options = options;
        self
    }

    pub(super) fn into_source(self) -> Source {
        self.watch.into_source(Role::Mapped(self.map))
    }
}

impl<K: Kind + 'static> Watch<K> {
    pub(super) fn full() -> Self {
        let obtain = |factory: &SharedInformerFactory, options| Ok(factory.informer_with(options));
        Watch::new(K::resource(), Projection::Full, obtain)
    }
}

impl Watch<DynamicObject> {
    pub(super) fn of(resource: ResourceKind) -> Self {
        let asked = resource.clone();
        let obtain = |factory: &SharedInformerFactory, options| factory.dynamic_with(asked, options);
        Watch::new(resource, Projection::Full, obtain)
    }
}

impl<V: 'static> Watch<V> {
    fn new(
        resource: ResourceKind,
        projection: Projection,
        obtain: impl FnOnce(&SharedInformerFactory, InformerOptions) -> Result<SharedInformer<V>, BuildError>
        + Send
        + 'static,
    ) -> Self {
        let obtain = Box::new(obtain);
        Watch { resource, projection, obtain, options: InformerOptions::new(), predicates: Vec::new() }
    }

    pub(super) fn resource(&self) -> &ResourceKind {
        &self.resource
    }

    /// An informer, with a handler unless it is only read.
    pub(super) fn into_source(self, role: Role<V>) -> Source {
        let Watch { resource, projection, obtain, options, predicates } = self;
        Source(Box::new(move |factory, controller, inlet, caches| {
            let informer = obtain(factory, options).map_err(|source| ControllerError::Resource {
                controller: controller.to_owned(),
                resource: resource.to_string(),
                source,
            })?;
            let counts = Arc::new(RequestCounts::new(resource.to_string()));
            let map = match role {
                Role::Read => None,
                Role::Mapped(map) => Some(map),
                Role::Owned(owners) => Some(owners.into_map(CachedOwners::of(caches.own()))),
            };
            let registration = match map {
                None => None,
                Some(map) => {
                    let options =
                        HandlerOptions { name: Some(controller.to_owned()), ..HandlerOptions::default() };
                    let counts = Arc::clone(&counts);
                    let requests = Enqueue { predicates, map, inlet: inlet.clone(), counts };
                    let added =
                        informer.subscribe(options, move |notification| requests.enqueue(notification));
                    Some(added.map_err(|source| ControllerError::Attach {
                        controller: controller.to_owned(),
                        source,
                    })?)
                }
            };
            let cache = Cache { projection, informer: informer.seen_as() };
            Ok(Attached { cache, registration, counts })
        }))
    }
}

impl<K: Kind + 'static> Watch<PartialObjectMeta<K>> {
    pub(super) fn metadata() -> Self {
        let obtain = |factory: &SharedInformerFactory, options| Ok(factory.metadata_with::<K>(options));
        Watch::new(K::resource(), Projection::Metadata, obtain)
    }
}

/// How an informer is asked for, and a handler added to it.
type Attach =
    dyn FnOnce(&SharedInformerFactory, &str, &Inlet, &Caches) -> Result<Attached, ControllerError> + Send;

/// What a controller watches or reads, of whatever type.
pub(super) struct Source(Box<Attach>);

/// A source that has its informer.
pub(super) struct Attached {
    pub(super) cache: Cache,
    pub(super) registration: Option<Registration>,
    pub(super) counts: Arc<RequestCounts>,
}

impl Source {
    /// Attaches it. Those that were attached before are in `caches`, the controller's own kind first.
    pub(super) fn attach(
        self,
        factory: &SharedInformerFactory,
        controller: &str,
        inlet: &Inlet,
        caches: &Caches,
    ) -> Result<Attached, ControllerError> {
        (self.0)(factory, controller, inlet, caches)
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
