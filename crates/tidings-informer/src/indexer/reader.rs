//! The read end of the cache: the last published state, and adding and removing indexes.
//!
//! Each call reads one published state. Two calls may read two states; take a [`Snapshot`] where they must agree. A
//! read never waits for the writer.

use std::sync::Arc;

use tidings_object::{Key, KnownObjects, LabelSelector, RawObject, Version};

use crate::sync::Published;

use super::index::{Index, IndexError};
use super::registry::IndexRegistry;
use super::snapshot::{CacheState, IndexMemory, Snapshot};

/// Reads a cache. A clone copies a pointer.
#[derive(Debug, Clone)]
pub struct Reader {
    shared: Arc<CacheShared>,
}

/// The build state of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum IndexState {
    /// It is not complete yet: reading it gives [`IndexError::Building`].
    Building,
    /// It can be read.
    Ready,
}

/// The state that both ends of a cache share.
#[derive(Debug)]
pub(super) struct CacheShared {
    pub(super) published: Published<CacheState>,
    pub(super) registry: Arc<IndexRegistry>,
}

impl Reader {
    pub(super) fn new(shared: Arc<CacheShared>) -> Self {
        Reader { shared }
    }

    /// One consistent state of the objects and all indexes, with its version.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::new(self.shared.published.load(), Arc::clone(&self.shared.registry))
    }

    /// The object with this key: `namespace/name`, or `name` in cluster scope.
    pub fn get(&self, key: &str) -> Option<Arc<RawObject>> {
        let key = key.as_bytes();
        self.shared.published.read(|state| state.objects.find(key).map(|(_, object)| Arc::clone(object)))
    }

    /// Every object.
    pub fn list(&self) -> Vec<Arc<RawObject>> {
        self.snapshot().list()
    }

    /// The key of every object.
    pub fn keys(&self) -> Vec<Key> {
        self.snapshot().keys()
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.shared.published.read(|state| state.objects.len())
    }

    /// Whether there are no objects.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The objects of one namespace.
    pub fn namespace(&self, namespace: &str) -> Vec<Arc<RawObject>> {
        self.snapshot().namespace(namespace)
    }

    /// The objects that have this value in this index.
    pub fn by_index(&self, index: &str, value: &str) -> Result<Vec<Arc<RawObject>>, IndexError> {
        self.snapshot().by_index(index, value)
    }

    /// One of the objects that have this value in this index.
    pub fn one_by_index(&self, index: &str, value: &str) -> Result<Option<Arc<RawObject>>, IndexError> {
        self.snapshot().one_by_index(index, value)
    }

    /// The objects that have all of these `(index, value)` pairs; every object if there are no pairs.
    pub fn by_indexes(&self, wanted: &[(&str, &str)]) -> Result<Vec<Arc<RawObject>>, IndexError> {
        self.snapshot().by_indexes(wanted)
    }

    /// The objects that have at least one value of this index in common with `object`, each once. `object` need not be
    /// in the cache.
    pub fn by_index_of(&self, index: &str, object: &RawObject) -> Result<Vec<Arc<RawObject>>, IndexError> {
        self.snapshot().by_index_of(index, object)
    }

    /// The keys of the objects that have this value in this index, sorted.
    pub fn index_keys(&self, index: &str, value: &str) -> Result<Vec<Key>, IndexError> {
        self.snapshot().index_keys(index, value)
    }

    /// The values that objects have in this index, sorted.
    pub fn index_values(&self, index: &str) -> Result<Vec<String>, IndexError> {
        self.snapshot().index_values(index)
    }

    /// The objects of one namespace, or of all, whose labels match.
    pub fn select(&self, namespace: Option<&str>, selector: &LabelSelector) -> Vec<Arc<RawObject>> {
        self.snapshot().select(namespace, selector)
    }

    /// The version of the cache: every change up to it can be read. `None` before the first list.
    pub fn version(&self) -> Option<Version> {
        self.shared.published.read(|state| state.version.clone())
    }

    /// The memory of the cache.
    pub fn memory(&self) -> IndexMemory {
        self.shared.published.read(|state| state.memory)
    }

    /// Adds an index, at any time. Objects that are already cached are indexed in the background. Until that is done,
    /// reading the index gives [`IndexError::Building`].
    pub fn add_index(&self, index: Index) -> Result<(), IndexError> {
        self.shared.registry.add(index)
    }

    /// Removes an index, at any time. Its name is free at once. Its memory is freed with the next write or maintenance
    /// slice, and when the snapshots that contain it are dropped.
    pub fn remove_index(&self, index: &str) -> Result<(), IndexError> {
        self.shared.registry.remove(index)
    }

    /// The names of all indexes, complete or not, the built-in one first.
    pub fn indexes(&self) -> Vec<String> {
        self.shared.registry.names()
    }

    /// The build state of an index; `None` if no index has this name.
    pub fn index_state(&self, index: &str) -> Option<IndexState> {
        match self.snapshot().index(index) {
            Ok(_) => Some(IndexState::Ready),
            Err(IndexError::Building { .. }) => Some(IndexState::Building),
            Err(_) => None,
        }
    }
}

impl KnownObjects for Reader {
    fn known(&self, key: &str) -> Option<Arc<RawObject>> {
        self.get(key)
    }
}
