//! Named things in numbered slots: a slot table beside a table from name to slot, both copy-on-write.
//!
//! The cache's objects stand in one, and so do the values of each index. A slot's number never changes while
//! its thing is there, so that others can refer to it; it is given out again afterwards. A name is hashed with
//! a seed of the cache's own, for names come from outside.

use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::cow_chunks::CowChunks;
use super::linear_hash::LinearHash;

/// What stands in a table.
pub(super) trait Named {
    fn name(&self) -> &str;
}

/// One state of a table, to be read. A copy costs nothing.
#[derive(Debug)]
pub(super) struct SlotTable<T> {
    slots: CowChunks<Arc<T>, 8>,
    lookup: LinearHash,
    hasher: FixedState,
}

/// A table and what only its writer needs.
#[derive(Debug)]
pub(super) struct SlotTableWriter<T> {
    table: SlotTable<T>,
    /// Slots below `end` in which nothing stands.
    free: Vec<u32>,
    end: u32,
}

impl<T: Named> SlotTable<T> {
    fn new(hasher: FixedState) -> Self {
        SlotTable { slots: CowChunks::new(), lookup: LinearHash::new(), hasher }
    }

    pub(super) fn len(&self) -> usize {
        self.lookup.len()
    }

    pub(super) fn find(&self, name: &str) -> Option<(u32, &Arc<T>)> {
        let hash = self.hash(name);
        self.lookup.candidates(hash).find_map(|slot| {
            let thing = self.at(slot)?;
            (thing.name() == name).then_some((slot, thing))
        })
    }

    pub(super) fn at(&self, slot: u32) -> Option<&Arc<T>> {
        self.slots.get(slot)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &Arc<T>)> {
        self.slots.iter()
    }

    /// How much memory it takes beyond the things in it.
    pub(super) fn bytes(&self) -> usize {
        self.slots.bytes() + self.lookup.bytes()
    }

    fn hash(&self, name: &str) -> u32 {
        let hash = self.hasher.hash_one(name);
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

    /// One past the last slot ever in use.
    pub(super) fn end(&self) -> u32 {
        self.end
    }

    /// Puts a thing whose name is not in the table into a slot of its own.
    pub(super) fn add(&mut self, thing: Arc<T>) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.end += 1;
            self.end - 1
        });
        self.table.lookup.insert(self.table.hash(thing.name()), slot);
        *self.table.slots.place(slot) = Some(thing);
        slot
    }

    /// The thing in a taken slot, to be replaced by one of the same name.
    pub(super) fn place(&mut self, slot: u32) -> &mut Arc<T> {
        self.table.slots.place(slot).as_mut().expect("only taken slots are written again")
    }

    pub(super) fn remove(&mut self, slot: u32) -> Arc<T> {
        let thing = self.table.slots.remove(slot).expect("only taken slots are emptied");
        self.table.lookup.remove(self.table.hash(thing.name()), slot);
        self.free.push(slot);
        if self.table.len() == 0 {
            (self.free, self.end) = (Vec::new(), 0);
        }
        thing
    }

    pub(super) fn bytes(&self) -> usize {
        self.table.bytes() + self.free.capacity() * size_of::<u32>()
    }
}

/// No thing is touched.
impl<T> Clone for SlotTable<T> {
    fn clone(&self) -> Self {
        SlotTable { slots: self.slots.clone(), lookup: self.lookup.clone(), hasher: self.hasher.clone() }
    }
}
