//! The informers of one controller: the caches that its listers read and that show its own writes.

use std::sync::Arc;

use tidings_informer::SharedInformer;
use tidings_object::{Key, Projection, ResourceKind};

use crate::context::ReferencedBodies;
use crate::writes::{KindWrites, WriteLog};

/// The informers of one controller, in the order of their declaration.
#[derive(Default)]
pub(crate) struct ControllerCaches {
    all: Vec<ControllerCache>,
    /// Whether the controller reconciles the keys of a collection. Then none of the caches is that of its own kind.
    is_of_collection: bool,
}

pub(crate) struct ControllerCache {
    pub(crate) projection: Projection,
    pub(crate) informer: SharedInformer<()>,
    /// The writes of this process that the cache may not show yet.
    pub(crate) writes: Arc<KindWrites>,
    /// Whether its objects belong to objects of the controller's kind.
    pub(crate) is_owned: bool,
    /// Set if it contains metadata, and the bodies of referenced objects are kept.
    pub(crate) bodies: Option<Arc<ReferencedBodies>>,
}

impl ControllerCache {
    pub(crate) fn new(projection: Projection, informer: SharedInformer<()>, log: &WriteLog) -> Self {
        let writes = log.kind(informer.resource());
        writes.add_cache(&informer);
        ControllerCache { projection, informer, writes, is_owned: false, bodies: None }
    }

    pub(crate) fn owned(mut self, is_owned: bool) -> Self {
        self.is_owned = is_owned;
        self
    }
}

impl ControllerCaches {
    pub(crate) fn of_collection() -> Self {
        ControllerCaches { all: Vec::new(), is_of_collection: true }
    }

    /// The generation of the object of a request. `None` if there is none, or if the controller has no kind.
    pub(crate) fn generation(&self, request: &Key) -> Option<i64> {
        match self.is_of_collection {
            true => None,
            false => self.own().reader().get(request)?.generation(),
        }
    }

    pub(crate) fn push(&mut self, cache: ControllerCache) {
        self.all.push(cache);
    }

    /// The informer of the kind that the controller reconciles. A controller of a collection has none.
    pub(crate) fn own(&self) -> &SharedInformer<()> {
        &self.all.first().expect("a controller watches its own kind").informer
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &ControllerCache> {
        self.all.iter()
    }

    /// The first cache of each resource whose objects the controller owns.
    pub(crate) fn owned(&self) -> impl Iterator<Item = &ControllerCache> {
        let is_first = |at: usize, cache: &ControllerCache| {
            let resource = cache.informer.resource();
            let is_same = |other: &ControllerCache| {
                let other = other.informer.resource();
                (&other.group, &other.plural) == (&resource.group, &resource.plural)
            };
            !self.all[..at].iter().filter(|other| other.is_owned).any(is_same)
        };
        let owned = self.all.iter().enumerate().filter(|(_, cache)| cache.is_owned);
        owned.filter(move |(at, cache)| is_first(*at, cache)).map(|(_, cache)| cache)
    }

    /// The first declared informer of a resource.
    pub(crate) fn find(&self, resource: &ResourceKind, projection: Projection) -> Option<&ControllerCache> {
        let mut found = self
            .all
            .iter()
            // Compares the kind first: it differs more often than group and version.
            .filter(|cache| cache.informer.resource().kind == resource.kind)
            .filter(|cache| cache.projection == projection && cache.informer.resource() == resource);
        found.next()
    }

    /// Every informer that shows objects of a resource, in any version of its API group: the `resourceVersion` of an
    /// object is the same in all of them.
    pub(crate) fn showing(&self, resource: &ResourceKind) -> impl Iterator<Item = &ControllerCache> {
        self.all.iter().filter(|cache| {
            let shown = cache.informer.resource();
            (&shown.group, &shown.plural) == (&resource.group, &resource.plural)
        })
    }
}
