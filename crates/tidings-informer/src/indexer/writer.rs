//! The one writer of a cache: what it writes is seen by nobody until it is published, and then in one step.
//!
//! It must never wait for a reader, and never fail on what an index function does.

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

/// How many faults wait for [`Writer::take_index_errors`]; later ones are counted only.
const FAULTS_KEPT: usize = 256;

/// Writes a cache. There is one, and it is not cloned: what it owns needs no lock.
#[derive(Debug)]
pub struct Writer {
    shared: Arc<CacheShared>,
    pub(super) objects: SlotTableWriter<RawObject>,
    /// Complete or not; those that were removed go when the registry is next looked at.
    pub(super) indexes: Vec<InvertedIndexWriter>,
    version: Option<Version>,
    /// Of objects and their bodies; the rest is counted when published.
    memory: IndexMemory,
    hasher: FixedState,
    is_dirty: bool,
    faults: Vec<IndexFault>,
    faults_total: u64,
}

/// A new, empty cache: its writer and a reader of it.
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
/// assert!(reader.is_empty(), "nothing is seen before it is published");
/// writer.publish(None);
/// assert!(reader.get("shop/web-0").is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn indexer() -> (Writer, Reader) {
    indexer_with_seed(RandomState::new().hash_one("indexer"))
}

/// As [`indexer`], hashing keys with a seed that is given: for measurements that must repeat exactly. Keys come
/// from outside, so a seed in use should not be known there.
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
    /// Stores an object, in place of the one with its key, which comes back.
    pub fn upsert(&mut self, object: Arc<RawObject>) -> Option<Arc<RawObject>> {
        let found = self.find(&object.key()).map(|(slot, _)| slot);
        self.upsert_at(found, object)
    }

    /// As [`upsert`](Self::upsert), where [`find`](Self::find) has just found the slot of its key, or none.
    pub(crate) fn upsert_at(&mut self, found: Option<u32>, object: Arc<RawObject>) -> Option<Arc<RawObject>> {
        self.adopt();
        self.put(found, object).1
    }

    /// Removes the object with this key, if there is one.
    pub fn remove(&mut self, key: &str) -> Option<Arc<RawObject>> {
        let (slot, _) = self.objects.read().find(key)?;
        Some(self.remove_slot(slot))
    }

    /// The object with this key as last written, published or not.
    pub fn get(&self, key: &str) -> Option<&Arc<RawObject>> {
        self.find(key).map(|(_, object)| object)
    }

    /// As [`get`](Self::get), with the slot that it stands in until it is removed.
    pub(crate) fn find(&self, key: &str) -> Option<(u32, &Arc<RawObject>)> {
        self.objects.read().find(key)
    }

    /// Every object as last written, published or not.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<RawObject>> {
        self.objects.read().iter().map(|(_, object)| object)
    }

    /// How many objects there are as last written.
    pub fn len(&self) -> usize {
        self.objects.read().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Puts `new`, which says the same as `old` in other bytes, in its place, unless that has changed
    /// meanwhile. Indexes are not touched. Says whether it was put.
    pub fn exchange(&mut self, old: &Arc<RawObject>, new: Arc<RawObject>) -> bool {
        let found = self.objects.read().find(&old.key());
        let Some((slot, _)) = found.filter(|(_, own)| Arc::ptr_eq(own, old)) else { return false };
        debug_assert_eq!(old.key(), new.key());
        self.account(Some(old), Some(&new));
        *self.objects.place(slot) = new;
        self.is_dirty = true;
        true
    }

    /// Makes everything written since the last time visible in one step. With `None` the cache's version stays
    /// as it is.
    pub fn publish(&mut self, version: Option<Version>) {
        self.adopt();
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

    /// Builds indexes that were added, looking at no more than about `budget_objects` objects, and says whether
    /// there is more to do. An index appears when it is complete: at once if nothing unpublished is pending,
    /// otherwise with the next [`publish`](Self::publish).
    pub fn maintain(&mut self, budget_objects: usize) -> bool {
        let had_unpublished = self.is_dirty;
        self.adopt();
        let mut budget = u32::try_from(budget_objects.max(1)).unwrap_or(u32::MAX);
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

    /// Whether indexes were added or removed and [`maintain`](Self::maintain) has not finished with them.
    pub fn needs_maintenance(&self) -> bool {
        self.shared.registry.is_changed() || self.indexes.iter().any(|index| index.cursor().is_some())
    }

    /// Told whenever an index is added or removed, for a task that waits for something to do.
    pub fn index_requests(&self) -> Arc<Notify> {
        Arc::clone(self.shared.registry.changed())
    }

    /// The objects whose values could not be read since the last call; the first 256 of them.
    pub fn take_index_errors(&mut self) -> Vec<IndexFault> {
        std::mem::take(&mut self.faults)
    }

    /// How often the values of an object could not be read, ever.
    pub fn index_errors_total(&self) -> u64 {
        self.faults_total
    }

    /// Another reader of this cache.
    pub fn reader(&self) -> Reader {
        Reader::new(Arc::clone(&self.shared))
    }

    /// Stores an object in the slot its key has, or in a new one.
    pub(super) fn put(
        &mut self,
        found: Option<u32>,
        object: Arc<RawObject>,
    ) -> (u32, Option<Arc<RawObject>>) {
        self.is_dirty = true;
        let (slot, replaced) = match found {
            Some(slot) => (slot, Some(std::mem::replace(self.objects.place(slot), Arc::clone(&object)))),
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
        let gone = self.objects.remove(slot);
        self.account(Some(&gone), None);
        gone
    }

    /// Follows the registry: drops indexes that were removed, begins those that were added. An index added to
    /// an empty cache is complete at once, and grows with it.
    pub(super) fn adopt(&mut self) {
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
        if let Err(error) = self.indexes[at].put(slot, object) {
            self.faults_total += 1;
            if self.faults.len() < FAULTS_KEPT {
                let index = Arc::clone(&self.indexes[at].spec().name);
                self.faults.push(IndexFault { index, key: object.key().to_key(), error });
            }
        }
    }

    fn complete_indexes(&self) -> impl Iterator<Item = &InvertedIndexWriter> {
        self.indexes.iter().filter(|index| index.cursor().is_none())
    }

    fn account(&mut self, gone: Option<&RawObject>, come: Option<&RawObject>) {
        let memory = &mut self.memory;
        if let Some(gone) = gone {
            memory.object_bytes = memory.object_bytes.saturating_sub(gone.memory_bytes());
            memory.packed_bytes = memory.packed_bytes.saturating_sub(gone.packed_bytes());
        }
        if let Some(come) = come {
            memory.object_bytes += come.memory_bytes();
            memory.packed_bytes += come.packed_bytes();
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
