//! One index: from values to the slots of the objects that have them, kept up as objects change.
//!
//! The writer remembers under which values it put each slot, so that taking it out again never asks the index
//! function, which might answer otherwise by now. An index that is still being built knows the slots below its
//! cursor and ignores writes to those above: they are read when the cursor gets there.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;
use smallvec::SmallVec;
use tidings_object::RawObject;

use super::index::{IndexFaultError, IndexSpec};
use super::slot_set::SlotSet;
use super::table::{Named, SlotTable, SlotTableWriter};

/// One state of an index, to be read. A copy costs nothing.
#[derive(Debug, Clone)]
pub(super) struct InvertedIndex {
    pub(super) spec: Arc<IndexSpec>,
    values: SlotTable<Posting>,
}

/// A value and the slots of the objects that have it: never none.
#[derive(Debug, Clone)]
pub(super) struct Posting {
    pub(super) value: Box<str>,
    pub(super) slots: SlotSet,
}

/// An index and what only its writer needs.
#[derive(Debug)]
pub(super) struct InvertedIndexWriter {
    spec: Arc<IndexSpec>,
    values: SlotTableWriter<Posting>,
    under: ValuesBySlot,
    /// Every slot below it is in the index if its object has values.
    cursor: u32,
    /// About what the postings take.
    posting_bytes: usize,
}

/// ValuesBySlot which values each slot stands, as the values' own slots.
#[derive(Debug, Default)]
struct ValuesBySlot {
    of: Vec<SlotValues>,
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
    fn name(&self) -> &str {
        &self.value
    }
}

impl InvertedIndex {
    /// The slots of the objects that have this value.
    pub(super) fn slots(&self, value: &str) -> Option<&SlotSet> {
        self.values.find(value).map(|(_, posting)| &posting.slots)
    }

    /// The values that some object has.
    pub(super) fn values(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(|(_, posting)| &*posting.value)
    }
}

impl InvertedIndexWriter {
    /// An index that is complete as long as there are no objects.
    pub(super) fn new(spec: Arc<IndexSpec>, hasher: FixedState) -> Self {
        let values = SlotTableWriter::new(hasher);
        InvertedIndexWriter { spec, values, under: ValuesBySlot::default(), cursor: 0, posting_bytes: 0 }
    }

    pub(super) fn spec(&self) -> &Arc<IndexSpec> {
        &self.spec
    }

    pub(super) fn read(&self) -> InvertedIndex {
        InvertedIndex { spec: Arc::clone(&self.spec), values: self.values.read().clone() }
    }

    /// Up to which slot it is built; `None` when wholly.
    pub(super) fn cursor(&self) -> Option<u32> {
        (self.cursor != u32::MAX).then_some(self.cursor)
    }

    pub(super) fn set_cursor(&mut self, cursor: u32) {
        self.cursor = cursor;
    }

    pub(super) fn complete(&mut self) {
        self.cursor = u32::MAX;
    }

    /// The object in `slot` is now this one.
    pub(super) fn put(&mut self, slot: u32, object: &RawObject) -> Result<(), IndexFaultError> {
        if slot >= self.cursor {
            return Ok(());
        }
        let before = self.under.slots(slot);
        if self.spec.is_by_key() && !before.is_empty() {
            return Ok(());
        }
        let values = self.spec.values(object);
        let mut now = ValueSlots::new();
        for value in values.iter().flatten() {
            let found = self.values.read().find(value).map(|(at, _)| at);
            now.push(found.unwrap_or_else(|| {
                self.posting_bytes += size_of::<Posting>() + 2 * size_of::<usize>() + value.len();
                self.values.add(Arc::new(Posting { value: (**value).into(), slots: SlotSet::new() }))
            }));
        }
        for &at in now.iter().filter(|at| !before.contains(at)) {
            let posting = Arc::make_mut(self.values.place(at));
            self.posting_bytes -= posting.slots.bytes();
            posting.slots.insert(slot);
            self.posting_bytes += posting.slots.bytes();
        }
        for &at in before.iter().filter(|at| !now.contains(at)) {
            self.take(at, slot);
        }
        self.under.set(slot, &now);
        values.map(drop)
    }

    /// There is no object in `slot` any more.
    pub(super) fn remove(&mut self, slot: u32) {
        if slot >= self.cursor {
            return;
        }
        for at in self.under.slots(slot) {
            self.take(at, slot);
        }
        self.under.set(slot, &[]);
    }

    /// About how much memory it takes.
    pub(super) fn bytes(&self) -> usize {
        self.values.bytes() + self.posting_bytes + self.under.of.capacity() * size_of::<SlotValues>()
    }

    /// Takes a slot from one value; a value that nobody has goes too.
    fn take(&mut self, at: u32, slot: u32) {
        let posting = Arc::make_mut(self.values.place(at));
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
    fn slots(&self, slot: u32) -> ValueSlots {
        match self.of.get(slot as usize) {
            None | Some(SlotValues::None) => ValueSlots::new(),
            Some(SlotValues::One(at)) => ValueSlots::from_slice(&[*at]),
            Some(SlotValues::Several) => self.several[&slot].iter().copied().collect(),
        }
    }

    fn set(&mut self, slot: u32, now: &[u32]) {
        let index = slot as usize;
        if self.of.len() <= index {
            if now.is_empty() {
                return;
            }
            self.of.resize(index + 1, SlotValues::None);
        }
        if matches!(self.of[index], SlotValues::Several) {
            self.several.remove(&slot);
        }
        self.of[index] = match now {
            [] => SlotValues::None,
            [one] => SlotValues::One(*one),
            several => {
                self.several.insert(slot, several.into());
                SlotValues::Several
            }
        };
    }
}
