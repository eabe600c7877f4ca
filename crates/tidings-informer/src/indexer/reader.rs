//! The readers' end of the cache: what was last published, and the choice of indexes.
//!
//! Each read is of one published state; two reads may be of two, so whoever needs them to agree takes a
//! [`Snapshot`]. A read never waits for the writer.

use std::sync::Arc;

use tidings_object::{Key, KnownObjects, LabelSelector, RawObject, Version};

use crate::sync::Published;

use super::index::{Index, IndexError};
use super::registry::IndexRegistry;
use super::snapshot::{CacheState, IndexMemory, Snapshot};

/// Reads a cache. Cloning it copies a pointer.
#[derive(Debug, Clone)]
pub struct Reader {
    shared: Arc<CacheShared>,
}

/// How far an index is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexState {
    /// It is not complete yet: reading it is an error.
    Building,
    /// It can be read.
    Ready,
}

/// What the two ends of a cache share.
#[derive(Debug)]
pub(super) struct CacheShared {
    pub(super) published: Published<CacheState>,
    pub(super) registry: Arc<IndexRegistry>,
}

impl Reader {
    pub(super) fn new(shared: Arc<CacheShared>) -> Self {
        Reader { shared }
    }

    /// One consistent view of objects and all indexes, with its version.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::new(self.shared.published.load(), Arc::clone(&self.shared.registry))
    }

    /// The object with this key: `namespace/name`, or `name` in cluster scope.
    pub fn get(&self, key: &str) -> Option<Arc<RawObject>> {
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

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.shared.published.read(|state| state.objects.len())
    }

    /// Whether there are none.
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

    /// The objects that have each of these values in its index; every object when none is given.
    pub fn by_indexes(&self, wanted: &[(&str, &str)]) -> Result<Vec<Arc<RawObject>>, IndexError> {
        self.snapshot().by_indexes(wanted)
    }

    /// The objects that share a value in this index with `object`, which need not be in the cache; each once.
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

    /// The objects in a namespace, or in all, whose labels match; nothing is decoded.
    pub fn select(&self, namespace: Option<&str>, selector: &LabelSelector) -> Vec<Arc<RawObject>> {
        self.snapshot().select(namespace, selector)
    }

    /// Every change up to this version can be read. `None` before the first list.
    pub fn version(&self) -> Option<Version> {
        self.shared.published.read(|state| state.version.clone())
    }

    /// What the cache takes in memory.
    pub fn memory(&self) -> IndexMemory {
        self.shared.published.read(|state| state.memory)
    }

    /// Adds an index, at any time. What is cached already is indexed in the background: until that is done,
    /// reading the index gives [`IndexError::Building`].
    pub fn add_index(&self, index: Index) -> Result<(), IndexError> {
        self.shared.registry.add(index)
    }

    /// Removes an index, at any time; its name is free at once. Its memory goes with the next write or slice
    /// of maintenance, and with the snapshots that hold it.
    pub fn remove_index(&self, index: &str) -> Result<(), IndexError> {
        self.shared.registry.remove(index)
    }

    /// The indexes that there are, complete or not, the built-in one first.
    pub fn indexes(&self) -> Vec<String> {
        self.shared.registry.names()
    }

    /// How far an index is; `None` when there is none of this name.
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
