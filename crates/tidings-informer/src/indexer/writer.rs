//! The only writer of a cache. Readers see nothing of what it writes until it publishes, and then all of it in one
//! step.
//!
//! It never waits for a reader, and an index function that fails or panics does not make it fail.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use foldhash::fast::FixedState;
use tidings_object::{RawObject, Version};
use tokio::sync::Notify;

use crate::sync::Published;

use super::index::IndexFault;
use super::inverted::InvertedIndexWriter;
use super::reader::{CacheShared, Reader};
use super::registry::IndexRegistry;
use super::snapshot::{CacheState, IndexMemory};
use super::table::SlotTableWriter;

/// How many faults are kept for [`Writer::take_index_faults`]. Further ones are only counted.
const FAULTS_KEPT: usize = 256;

/// Writes a cache. There is one per cache and it can't be cloned, so that its own state needs no lock.
#[derive(Debug)]
pub struct Writer {
    shared: Arc<CacheShared>,
    pub(super) objects: SlotTableWriter<RawObject>,
    /// Complete and incomplete indexes. [`follow_registry`](Self::follow_registry) drops the removed ones.
    pub(super) indexes: Vec<InvertedIndexWriter>,
    version: Option<Version>,
    /// The bytes of the objects and their bodies. The other fields are computed at each publication.
    memory: IndexMemory,
    hasher: FixedState,
    /// Whether anything was written since the last publication.
    is_dirty: bool,
    faults: Vec<IndexFault>,
    faults_total: u64,
}

/// Creates an empty cache: its writer, and a reader.
///
/// ```
/// use std::sync::Arc;
/// use k8s_openapi::api::core::v1::Pod;
/// use tidings_informer::indexer::indexer;
/// use tidings_object::{Budget, Intake, Kind, NothingKnown};
///
/// let intake = Intake::new(Pod::resource(), Arc::new(Budget::default()));
/// let pod = br#"{"metadata":{"name":"web-0","namespace":"shop","resourceVersion":"7"}}"#;
/// let (mut writer, reader) = indexer();
/// writer.upsert(intake.json(pod, &NothingKnown)?);
/// assert!(reader.is_empty(), "a write is invisible until it is published");
/// writer.publish(None);
/// assert!(reader.get("shop/web-0").is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn indexer() -> (Writer, Reader) {
    indexer_with_seed(RandomState::new().hash_one("indexer"))
}

/// As [`indexer`], with a given seed for the hashes of keys: only for measurements that must repeat exactly. Keys come
/// from outside, so in production the seed must be secret (hash flooding).
pub fn indexer_with_seed(hash_seed: u64) -> (Writer, Reader) {
    let hasher = FixedState::with_seed(hash_seed);
    let objects = SlotTableWriter::new(hasher.clone());
    let empty = CacheState {
        objects: objects.read().clone(),
        indexes: Vec::new(),
        version: None,
        memory: IndexMemory::default(),
    };
    let shared =
        Arc::new(CacheShared { published: Published::new(empty), registry: Arc::new(IndexRegistry::new()) });
    let reader = Reader::new(Arc::clone(&shared));
    let mut writer = Writer {
        shared,
        objects,
        indexes: Vec::new(),
        version: None,
        memory: IndexMemory::default(),
        hasher,
        is_dirty: false,
        faults: Vec::new(),
        faults_total: 0,
    };
    writer.publish(None);
    (writer, reader)
}

impl Writer {
    /// Stores an object, and returns the object that had its key before.
    pub fn upsert(&mut self, object: Arc<RawObject>) -> Option<Arc<RawObject>> {
        let found = self.find(object.key_bytes()).map(|(slot, _)| slot);
        self.upsert_at(found, object)
    }

    /// As [`upsert`](Self::upsert), with the slot that [`find`](Self::find) has just returned for its key.
    pub(crate) fn upsert_at(&mut self, found: Option<u32>, object: Arc<RawObject>) -> Option<Arc<RawObject>> {
        self.follow_registry();
        self.put(found, object).1
    }

    /// Removes the object with this key, and returns it.
    pub fn remove(&mut self, key: &str) -> Option<Arc<RawObject>> {
        let (slot, _) = self.find(key.as_bytes())?;
        Some(self.remove_slot(slot))
    }

    /// The object with this key, published or not.
    pub fn get(&self, key: &str) -> Option<&Arc<RawObject>> {
        self.find(key.as_bytes()).map(|(_, object)| object)
    }

    /// As [`get`](Self::get), by the bytes of a key, with the slot of the object, which it keeps until it is removed.
    pub(crate) fn find(&self, key: &[u8]) -> Option<(u32, &Arc<RawObject>)> {
        self.objects.read().find(key)
    }

    /// Every object, published or not.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<RawObject>> {
        self.objects.read().iter().map(|(_, object)| object)
    }

    /// The number of objects, published or not.
    pub fn len(&self) -> usize {
        self.objects.read().len()
    }

    /// Whether there are no objects, published or not.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One more than the highest slot that was ever used.
    pub(crate) fn slots_end(&self) -> u32 {
        self.objects.end()
    }

    /// Replaces the object in a slot by what `repack` makes of it: the same object in other bytes. Does not update
    /// indexes. Returns the new object.
    pub(crate) fn exchange(
        &mut self,
        slot: u32,
        repack: impl FnOnce(&RawObject) -> Option<Arc<RawObject>>,
    ) -> Option<&RawObject> {
        let new = repack(self.objects.read().at(slot)?)?;
        let old = std::mem::replace(self.objects.get_mut(slot), Arc::clone(&new));
        debug_assert_eq!(old.key(), new.key());
        self.account(Some(&old), Some(&new));
        self.is_dirty = true;
        self.objects.read().at(slot).map(|object| &**object)
    }

    /// Makes everything that was written since the last publication visible, in one step. `None` keeps the version of
    /// the cache.
    pub fn publish(&mut self, version: Option<Version>) {
        self.follow_registry();
        if version.is_some() && version != self.version {
            self.version = version;
            self.is_dirty = true;
        }
        if self.is_dirty {
            self.is_dirty = false;
            self.shared.published.store(Arc::new(CacheState {
                objects: self.objects.read().clone(),
                indexes: self.complete_indexes().map(InvertedIndexWriter::read).collect(),
                version: self.version.clone(),
                memory: self.memory(),
            }));
        }
    }

    /// Builds the indexes that were added, over at most about `objects_max` objects, and returns whether more is left
    /// to do. A complete index becomes visible at once, or with the next [`publish`](Self::publish) if unpublished
    /// writes are pending.
    pub fn maintain(&mut self, objects_max: usize) -> bool {
        let had_unpublished = self.is_dirty;
        self.follow_registry();
        let mut budget = u32::try_from(objects_max.max(1)).unwrap_or(u32::MAX);
        for at in 0..self.indexes.len() {
            let Some(cursor) = self.indexes[at].cursor() else { continue };
            let end = self.objects.end().min(cursor.saturating_add(budget)).max(cursor);
            budget -= end - cursor;
            self.index_slots(at, cursor, end);
            if end >= self.objects.end() {
                self.indexes[at].complete();
                self.is_dirty = true;
            }
        }
        if !had_unpublished {
            self.publish(None);
        }
        self.needs_maintenance()
    }

    /// Whether [`maintain`](Self::maintain) has work: indexes were added or removed.
    pub fn needs_maintenance(&self) -> bool {
        self.shared.registry.is_changed() || self.indexes.iter().any(|index| index.cursor().is_some())
    }

    /// Notified whenever an index is added or removed.
    pub(crate) fn index_requests(&self) -> Arc<Notify> {
        Arc::clone(self.shared.registry.changed())
    }

    /// The first 256 faults since the last call: objects whose index values could not be read.
    pub fn take_index_faults(&mut self) -> Vec<IndexFault> {
        std::mem::take(&mut self.faults)
    }

    /// The number of all faults of this cache.
    pub fn index_faults_total(&self) -> u64 {
        self.faults_total
    }

    /// Another reader of this cache.
    pub fn reader(&self) -> Reader {
        Reader::new(Arc::clone(&self.shared))
    }

    /// Stores an object in the slot of its key, or in a new slot. Returns the slot and the object that was replaced.
    pub(super) fn put(
        &mut self,
        found: Option<u32>,
        object: Arc<RawObject>,
    ) -> (u32, Option<Arc<RawObject>>) {
        self.is_dirty = true;
        let (slot, replaced) = match found {
            Some(slot) => (slot, Some(std::mem::replace(self.objects.get_mut(slot), Arc::clone(&object)))),
            None => (self.objects.add(Arc::clone(&object)), None),
        };
        self.account(replaced.as_deref(), Some(&object));
        for at in 0..self.indexes.len() {
            self.index(at, slot, &object);
        }
        (slot, replaced)
    }

    pub(super) fn remove_slot(&mut self, slot: u32) -> Arc<RawObject> {
        self.is_dirty = true;
        for index in &mut self.indexes {
            index.remove(slot);
        }
        let removed = self.objects.remove(slot);
        self.account(Some(&removed), None);
        removed
    }

    /// Applies the changes of the registry: drops the removed indexes and begins the added ones. In an empty cache an
    /// added index is complete at once.
    pub(super) fn follow_registry(&mut self) {
        let Some(wanted) = self.shared.registry.take_changes() else { return };
        let mut own = std::mem::take(&mut self.indexes);
        for spec in wanted {
            let known = own.iter().position(|index| Arc::ptr_eq(index.spec(), &spec));
            self.indexes.push(match known {
                Some(at) => own.swap_remove(at),
                None => InvertedIndexWriter::new(spec, self.hasher.clone()),
            });
        }
        let is_empty = self.is_empty();
        for index in self.indexes.iter_mut().filter(|_| is_empty) {
            index.complete();
        }
        self.is_dirty = true;
    }

    fn index_slots(&mut self, at: usize, from: u32, to: u32) {
        self.indexes[at].set_cursor(to);
        for slot in from..to {
            if let Some(object) = self.objects.read().at(slot).cloned() {
                self.index(at, slot, &object);
            }
        }
    }

    fn index(&mut self, at: usize, slot: u32, object: &RawObject) {
        if let Err(cause) = self.indexes[at].put(slot, object) {
            self.faults_total += 1;
            if self.faults.len() < FAULTS_KEPT {
                let index = Arc::clone(&self.indexes[at].spec().name);
                self.faults.push(IndexFault { index, key: object.key().to_key(), cause });
            }
        }
    }

    fn complete_indexes(&self) -> impl Iterator<Item = &InvertedIndexWriter> {
        self.indexes.iter().filter(|index| index.cursor().is_none())
    }

    fn account(&mut self, removed: Option<&RawObject>, added: Option<&RawObject>) {
        let memory = &mut self.memory;
        if let Some(removed) = removed {
            memory.object_bytes = memory.object_bytes.saturating_sub(removed.memory_bytes());
            memory.packed_bytes = memory.packed_bytes.saturating_sub(removed.packed_bytes());
        }
        if let Some(added) = added {
            memory.object_bytes += added.memory_bytes();
            memory.packed_bytes += added.packed_bytes();
        }
    }

    fn memory(&self) -> IndexMemory {
        let index_bytes =
            self.objects.bytes() + self.indexes.iter().map(InvertedIndexWriter::bytes).sum::<usize>();
        IndexMemory { objects: self.len(), index_bytes, ..self.memory }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.shared.registry.stop();
    }
}
