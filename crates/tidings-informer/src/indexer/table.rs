//! A slot table (slot map): values in numbered slots, and a hash table from a value's name to its slot. Both parts are
//! copy-on-write.
//!
//! One table has the objects of the cache, by key. Each index has a table of its index values. A slot keeps its number
//! while its value exists, so that indexes refer to objects by slot number instead of by key; a freed slot is reused.
//! Names are hashed with a seed of this cache, because names come from outside (hash flooding).
//!
//! Example: the objects `a/x` and `a/y` are in slots 0 and 1. `a/x` is removed: slot 0 is free. `b/z` is added: it gets
//! slot 0. An index that maps the label value `web` to the slot set {1} never saw a key.

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::cow_chunks::CowChunks;
use super::linear_hash::LinearHash;

/// A value that a table finds by its name.
pub(super) trait Named {
    /// The bytes of its name: a table hashes and compares them.
    fn name(&self) -> &[u8];
}

/// One state of a table, for readers. A clone copies two pointers.
#[derive(Debug)]
pub(super) struct SlotTable<T> {
    slots: CowChunks<Arc<T>, 8>,
    slot_by_name: LinearHash,
    hasher: FixedState,
}

/// A table with the free list, which only its writer needs.
#[derive(Debug)]
pub(super) struct SlotTableWriter<T> {
    table: SlotTable<T>,
    /// The empty slots below `end`.
    free: Vec<u32>,
    end: u32,
}

impl<T: Named> SlotTable<T> {
    fn new(hasher: FixedState) -> Self {
        SlotTable { slots: CowChunks::new(), slot_by_name: LinearHash::new(), hasher }
    }

    pub(super) fn len(&self) -> usize {
        self.slot_by_name.len()
    }

    pub(super) fn find(&self, name: &[u8]) -> Option<(u32, &Arc<T>)> {
        let hash = self.hash(name);
        self.slot_by_name.candidates(hash).find_map(|slot| {
            let value = self.at(slot)?;
            (value.name() == name).then_some((slot, value))
        })
    }

    pub(super) fn at(&self, slot: u32) -> Option<&Arc<T>> {
        self.slots.get(slot)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &Arc<T>)> {
        self.slots.iter()
    }

    /// Calls `show` with the old and the new value of each slot whose value was replaced, added or removed since
    /// `earlier`, an older state of this table.
    pub(super) fn for_each_difference<'a>(
        &'a self,
        earlier: &'a Self,
        mut show: impl FnMut(Option<&'a Arc<T>>, Option<&'a Arc<T>>),
    ) {
        self.slots.for_each_difference(&earlier.slots, &mut |_, old, new| match (old, new) {
            (Some(old), Some(new)) if Arc::ptr_eq(old, new) => {}
            (old, new) => show(old, new),
        });
    }

    /// Its bytes, without those of the values.
    pub(super) fn bytes(&self) -> usize {
        self.slots.bytes() + self.slot_by_name.bytes()
    }

    fn hash(&self, name: &[u8]) -> u32 {
        let mut hasher = self.hasher.build_hasher();
        hasher.write(name);
        let hash = hasher.finish();
        (hash ^ (hash >> 32)) as u32
    }
}

impl<T: Named> SlotTableWriter<T> {
    pub(super) fn new(hasher: FixedState) -> Self {
        SlotTableWriter { table: SlotTable::new(hasher), free: Vec::new(), end: 0 }
    }

    pub(super) fn read(&self) -> &SlotTable<T> {
        &self.table
    }

    /// One more than the highest slot that was ever used.
    pub(super) fn end(&self) -> u32 {
        self.end
    }

    /// Adds a value whose name is not in the table, and returns its slot.
    pub(super) fn add(&mut self, value: Arc<T>) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.end += 1;
            self.end - 1
        });
        self.table.slot_by_name.insert(self.table.hash(value.name()), slot);
        *self.table.slots.entry(slot) = Some(value);
        slot
    }

    /// The value of a used slot, for replacing it by a value with the same name.
    pub(super) fn get_mut(&mut self, slot: u32) -> &mut Arc<T> {
        self.table.slots.entry(slot).as_mut().expect("the slot is used")
    }

    pub(super) fn remove(&mut self, slot: u32) -> Arc<T> {
        let value = self.table.slots.remove(slot).expect("the slot is used");
        self.table.slot_by_name.remove(self.table.hash(value.name()), slot);
        self.free.push(slot);
        if self.table.len() == 0 {
            (self.free, self.end) = (Vec::new(), 0);
        }
        value
    }

    pub(super) fn bytes(&self) -> usize {
        self.table.bytes() + self.free.capacity() * size_of::<u32>()
    }
}

/// Clones no value.
impl<T> Clone for SlotTable<T> {
    fn clone(&self) -> Self {
        SlotTable {
            slots: self.slots.clone(),
            slot_by_name: self.slot_by_name.clone(),
            hasher: self.hasher.clone(),
        }
    }
}
