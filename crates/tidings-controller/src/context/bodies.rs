//! Bodies of referenced objects only, beside a cache of metadata.
//!
//! The cache of metadata says that an object exists and in which version. Its body is read from the server when a
//! reconciler first needs it, kept while an owner refers to the object, and dropped when the object changes. So the
//! memory is that of the referenced bodies plus the metadata of the rest.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use tidings_object::{Key, Projection, RawObject, ResourceKind};

use super::{Context, live};
use crate::caches::ControllerCache;
use crate::enqueue::ReferenceIndex;
use crate::error::ControllerError;
use crate::sync::Mutex;

/// With fewer bodies than this, no sweep runs.
const SWEEP_ABOVE: usize = 16;

pub(crate) struct ReferencedBodies {
    references: ReferenceIndex,
    kept: Mutex<KeptBodies>,
}

#[derive(Default)]
struct KeptBodies {
    by_key: HashMap<Key, Arc<RawObject>, RandomState>,
    /// The number of bodies above which the next sweep runs.
    sweep_above: usize,
}

impl ReferencedBodies {
    pub(crate) fn new(references: ReferenceIndex) -> Self {
        ReferencedBodies { references, kept: Mutex::default() }
    }

    /// The body of an object, if it is at least as new as its metadata.
    fn find(&self, metadata: &RawObject) -> Option<Arc<RawObject>> {
        let kept = self.kept.lock();
        let body = kept.by_key.get(metadata.key().as_str())?;
        let is_current = body.uid() == metadata.uid() && body.version().is_at_least(metadata.version());
        is_current.then(|| Arc::clone(body))
    }

    /// Keeps a body if an owner refers to it. Bodies to which no owner refers any more are dropped when the number of
    /// bodies has doubled.
    fn keep(&self, body: &Arc<RawObject>) {
        if !self.references.is_referenced(body) {
            return;
        }
        let mut kept = self.kept.lock();
        kept.by_key.insert(body.key().to_key(), Arc::clone(body));
        if kept.by_key.len() > kept.sweep_above.max(SWEEP_ABOVE) {
            kept.by_key.retain(|_, body| self.references.is_referenced(body));
            kept.sweep_above = 2 * kept.by_key.len();
        }
    }

    /// Drops the body of an object that has changed.
    pub(crate) fn forget(&self, key: &str) {
        self.kept.lock().by_key.remove(key);
    }
}

impl Context {
    /// An object of which the controller caches the metadata, and the body if it is referenced.
    pub(super) async fn read_body(
        &self,
        resource: &ResourceKind,
        key: &Key,
    ) -> Option<Result<Option<Arc<RawObject>>, ControllerError>> {
        let cache = self.caches().find(resource, Projection::Metadata)?;
        let bodies = cache.bodies.as_ref()?;
        Some(self.body(cache, bodies, key).await)
    }

    async fn body(
        &self,
        cache: &ControllerCache,
        bodies: &ReferencedBodies,
        key: &Key,
    ) -> Result<Option<Arc<RawObject>>, ControllerError> {
        let Some(metadata) = self.read(cache, key).await? else { return Ok(None) };
        if let Some(body) = bodies.find(&metadata) {
            return Ok(Some(body));
        }
        let body = live::get(self, cache, Projection::Full, key).await?;
        body.iter().for_each(|body| bodies.keep(body));
        Ok(body)
    }
}
