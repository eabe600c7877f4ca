//! The caches that the map of a watched kind reads. It never keeps an informer running.

use std::any::type_name;
use std::fmt;

use tidings_informer::{Lister, SharedInformer};
use tidings_object::{Kind, Projection, ResourceKind};

use crate::caches::ControllerCaches;

/// What a map of [`Watched::with_context`](super::Watched::with_context) reads: the caches of the controller's own kind,
/// of the watched kind, and of the kinds that were declared before it.
///
/// A cache may still be empty while the first lists run. Objects that arrive there later need a watch of their own.
pub struct MapContext {
    controller: String,
    caches: Vec<MappedCache>,
}

struct MappedCache {
    resource: ResourceKind,
    lister: Lister<()>,
}

impl MapContext {
    /// The caches that are attached so far, and the one of the watched kind. Metadata is not included.
    pub(super) fn new(controller: &str, attached: &ControllerCaches, watched: &SharedInformer<()>) -> Self {
        let attached = attached.iter().filter(|cache| cache.projection == Projection::Full);
        let informers = attached.map(|cache| &cache.informer).chain([watched]);
        let caches = informers
            .map(|informer| MappedCache {
                resource: informer.resource().clone(),
                lister: Lister::over(informer.reader().clone(), informer.resource().clone()),
            })
            .collect();
        MapContext { controller: controller.to_owned(), caches }
    }

    /// Reads objects of a kind from the controller's cache. It sends no request to the server, and never waits for an
    /// informer.
    ///
    /// # Panics
    ///
    /// If the controller did not declare this kind before the watched one: declare it with `reads::<K>()`.
    pub fn lister<K: Kind>(&self) -> Lister<K> {
        let resource = K::resource();
        let found = self.caches.iter().find(|cache| cache.resource == resource);
        let found = found.unwrap_or_else(|| {
            let (controller, kind) = (&self.controller, type_name::<K>());
            panic!("a map of controller {controller:?} has no cache of {resource}: declare `.reads::<{kind}>()` before it")
        });
        found.lister.clone().cast()
    }
}

impl fmt::Debug for MapContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MapContext").field("controller", &self.controller).finish_non_exhaustive()
    }
}
