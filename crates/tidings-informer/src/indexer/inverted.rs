//! An inverted index: from each value to the slots of the objects that have it (posting lists), updated as objects
//! change.
//!
//! The writer remembers the values of each slot. Removing an object therefore never calls the user's index function
//! again, which may return something else by then. An index that is still being built contains the slots below its
//! cursor and ignores writes to slots above it: the build reads these when its cursor arrives there.
//!
//! Example: an index on the label `app`, with `a/x` (slot 0, app=web) and `a/y` (slot 1, app=web):
//!
//! ```text
//! postings: web -> {0, 1}             values by slot: 0 -> web, 1 -> web
//! a/y becomes app=db:
//! postings: web -> {0}, db -> {1}     values by slot: 0 -> web, 1 -> db
//! ```

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;
use smallvec::SmallVec;
use tidings_object::RawObject;

use super::index::{IndexFaultCause, IndexSpec};
use super::slot_set::SlotSet;
use super::table::{Named, SlotTable, SlotTableWriter};

/// One state of an index, for readers. A clone copies a few pointers.
#[derive(Debug, Clone)]
pub(super) struct InvertedIndex {
    pub(super) spec: Arc<IndexSpec>,
    values: SlotTable<Posting>,
}

/// A value and the slots of the objects that have it, at least one.
#[derive(Debug, Clone)]
pub(super) struct Posting {
    pub(super) value: Box<str>,
    pub(super) slots: SlotSet,
}

/// An index with the state that only its writer needs.
#[derive(Debug)]
pub(super) struct InvertedIndexWriter {
    spec: Arc<IndexSpec>,
    values: SlotTableWriter<Posting>,
    values_by_slot: ValuesBySlot,
    /// The slots below it are indexed. `u32::MAX` when the build is complete.
    cursor: u32,
    /// An estimate of the bytes of the postings.
    posting_bytes: usize,
}

/// The values of each object slot. A value is given by its own slot in the table of values.
#[derive(Debug, Default)]
struct ValuesBySlot {
    by_slot: Vec<SlotValues>,
    /// The values of the slots that have [`SlotValues::Several`].
    several: HashMap<u32, Box<[u32]>>,
}

#[derive(Debug, Clone, Copy, Default)]
enum SlotValues {
    #[default]
    None,
    One(u32),
    Several,
}

type ValueSlots = SmallVec<[u32; 4]>;

impl Named for Posting {
    fn name(&self) -> &[u8] {
        self.value.as_bytes()
    }
}

impl InvertedIndex {
    /// The slots of the objects that have this value.
    pub(super) fn slots(&self, value: &str) -> Option<&SlotSet> {
        self.values.find(value.as_bytes()).map(|(_, posting)| &posting.slots)
    }

    /// The values that at least one object has.
    pub(super) fn values(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(|(_, posting)| &*posting.value)
    }
}

impl InvertedIndexWriter {
    /// An empty index whose build has not begun.
    pub(super) fn new(spec: Arc<IndexSpec>, hasher: FixedState) -> Self {
        let values = SlotTableWriter::new(hasher);
        InvertedIndexWriter {
            spec,
            values,
            values_by_slot: ValuesBySlot::default(),
            cursor: 0,
            posting_bytes: 0,
        }
    }

    pub(super) fn spec(&self) -> &Arc<IndexSpec> {
        &self.spec
    }

    pub(super) fn read(&self) -> InvertedIndex {
        InvertedIndex { spec: Arc::clone(&self.spec), values: self.values.read().clone() }
    }

    /// The slot up to which it is built; `None` when the build is complete.
    pub(super) fn cursor(&self) -> Option<u32> {
        (self.cursor != u32::MAX).then_some(self.cursor)
    }

    pub(super) fn set_cursor(&mut self, cursor: u32) {
        self.cursor = cursor;
    }

    pub(super) fn complete(&mut self) {
        self.cursor = u32::MAX;
    }

    /// Indexes `object`, which is now the object in `slot`. On an error the object is not in the index.
    pub(super) fn put(&mut self, slot: u32, object: &RawObject) -> Result<(), IndexFaultCause> {
        if slot >= self.cursor {
            return Ok(());
        }
        let before = self.values_by_slot.get(slot);
        if self.spec.is_by_key() && !before.is_empty() {
            return Ok(());
        }
        let values = self.spec.values(object);
        let mut now = ValueSlots::new();
        for value in values.iter().flatten() {
            let found = self.values.read().find(value.as_bytes()).map(|(at, _)| at);
            now.push(found.unwrap_or_else(|| {
                self.posting_bytes += size_of::<Posting>() + 2 * size_of::<usize>() + value.len();
                self.values.add(Arc::new(Posting { value: (**value).into(), slots: SlotSet::new() }))
            }));
        }
        for &at in now.iter().filter(|at| !before.contains(at)) {
            let posting = Arc::make_mut(self.values.get_mut(at));
            self.posting_bytes -= posting.slots.bytes();
            posting.slots.insert(slot);
            self.posting_bytes += posting.slots.bytes();
        }
        for &at in before.iter().filter(|at| !now.contains(at)) {
            self.remove_from_posting(at, slot);
        }
        self.values_by_slot.set(slot, &now);
        values.map(drop)
    }

    /// Removes the object that was in `slot`.
    pub(super) fn remove(&mut self, slot: u32) {
        if slot >= self.cursor {
            return;
        }
        for at in self.values_by_slot.get(slot) {
            self.remove_from_posting(at, slot);
        }
        self.values_by_slot.set(slot, &[]);
    }

    /// An estimate of its bytes.
    pub(super) fn bytes(&self) -> usize {
        self.values.bytes()
            + self.posting_bytes
            + self.values_by_slot.by_slot.capacity() * size_of::<SlotValues>()
    }

    /// Removes a slot from the posting at `at`. A posting without slots is removed.
    fn remove_from_posting(&mut self, at: u32, slot: u32) {
        let posting = Arc::make_mut(self.values.get_mut(at));
        self.posting_bytes -= posting.slots.bytes();
        posting.slots.remove(slot);
        self.posting_bytes += posting.slots.bytes();
        if posting.slots.is_empty() {
            self.posting_bytes -= size_of::<Posting>() + 2 * size_of::<usize>() + posting.value.len();
            self.values.remove(at);
        }
    }
}

impl ValuesBySlot {
    fn get(&self, slot: u32) -> ValueSlots {
        match self.by_slot.get(slot as usize) {
            None | Some(SlotValues::None) => ValueSlots::new(),
            Some(SlotValues::One(at)) => ValueSlots::from_slice(&[*at]),
            Some(SlotValues::Several) => self.several[&slot].iter().copied().collect(),
        }
    }

    fn set(&mut self, slot: u32, now: &[u32]) {
        let index = slot as usize;
        if self.by_slot.len() <= index {
            if now.is_empty() {
                return;
            }
            self.by_slot.resize(index + 1, SlotValues::None);
        }
        if matches!(self.by_slot[index], SlotValues::Several) {
            self.several.remove(&slot);
        }
        self.by_slot[index] = match now {
            [] => SlotValues::None,
            [one] => SlotValues::One(*one),
            several => {
                self.several.insert(slot, several.into());
                SlotValues::Several
            }
        };
    }
}
