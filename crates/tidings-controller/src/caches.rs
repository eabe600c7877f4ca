//! The informers of one controller: where its listers read, and where its own writes show.

use tidings_informer::informer::SharedInformer;
use tidings_object::{Projection, ResourceKind};

/// The informers of one controller, in the order in which they were declared.
#[derive(Default)]
pub(crate) struct ControllerCaches {
    all: Vec<ControllerCache>,
}

/// One of them, of any type.
pub(crate) struct ControllerCache {
    pub(crate) projection: Projection,
    pub(crate) informer: SharedInformer<()>,
}

impl ControllerCaches {
    pub(crate) fn push(&mut self, cache: ControllerCache) {
        self.all.push(cache);
    }

    /// That of the kind which the controller is for.
    pub(crate) fn own(&self) -> &SharedInformer<()> {
        &self.all.first().expect("a controller watches its own kind").informer
    }

    /// The first that was declared of a kind.
    pub(crate) fn find(
        &self,
        resource: &ResourceKind,
        projection: Projection,
    ) -> Option<&SharedInformer<()>> {
        let mut found = self
            .all
            .iter()
            // The kind first, by which most differ: all have the same few groups and versions.
            .filter(|cache| cache.informer.resource().kind == resource.kind)
            .filter(|cache| cache.projection == projection && cache.informer.resource() == resource);
        found.next().map(|cache| &cache.informer)
    }

    /// Every one that shows objects of a resource. Versions of objects are the same in all versions of an API group.
    pub(crate) fn showing(&self, resource: &ResourceKind) -> impl Iterator<Item = &SharedInformer<()>> {
        let all = self.all.iter().map(|cache| &cache.informer);
        all.filter(|informer| {
            let shown = informer.resource();
            (&shown.group, &shown.plural) == (&resource.group, &resource.plural)
        })
    }
}
