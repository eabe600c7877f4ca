//! The informers of one controller: the caches that its listers read and that show its own writes.

use tidings_informer::informer::SharedInformer;
use tidings_object::{Projection, ResourceKind};

/// The informers of one controller, in the order of their declaration.
#[derive(Default)]
pub(crate) struct ControllerCaches {
    all: Vec<ControllerCache>,
}

pub(crate) struct ControllerCache {
    pub(crate) projection: Projection,
    pub(crate) informer: SharedInformer<()>,
}

impl ControllerCaches {
    pub(crate) fn push(&mut self, cache: ControllerCache) {
        self.all.push(cache);
    }

    /// The informer of the kind that the controller reconciles.
    pub(crate) fn own(&self) -> &SharedInformer<()> {
        &self.all.first().expect("a controller watches its own kind").informer
    }

    /// The first declared informer of a resource.
    pub(crate) fn find(
        &self,
        resource: &ResourceKind,
        projection: Projection,
    ) -> Option<&SharedInformer<()>> {
        let mut found = self
            .all
            .iter()
            // Compares the kind first: it differs more often than group and version.
            .filter(|cache| cache.informer.resource().kind == resource.kind)
            .filter(|cache| cache.projection == projection && cache.informer.resource() == resource);
        found.next().map(|cache| &cache.informer)
    }

    /// Every informer that shows objects of a resource, in any version of its API group: the `resourceVersion` of an
    /// object is the same in all of them.
    pub(crate) fn showing(&self, resource: &ResourceKind) -> impl Iterator<Item = &SharedInformer<()>> {
        let all = self.all.iter().map(|cache| &cache.informer);
        all.filter(|informer| {
            let shown = informer.resource();
            (&shown.group, &shown.plural) == (&resource.group, &resource.plural)
        })
    }
}
