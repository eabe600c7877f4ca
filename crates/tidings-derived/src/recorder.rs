//! Records what one evaluation of a function reads. It must never decide what the function sees.

use std::cell::RefCell;
use std::sync::Arc;

use smallvec::SmallVec;
use tidings_object::{FieldPath, ParseError};

use crate::dependency::{Dependency, NodeId};
use crate::reads::{ReadSet, ReadSetId, ReadTable};

/// Records the reads of one evaluation.
pub(crate) struct Recorder<'a> {
    reads: &'a RefCell<ReadTable>,
    state: RefCell<RecorderState>,
}

#[derive(Default)]
struct RecorderState {
    /// What was read of the input, which has no dependency: its collection finds the slot by its key.
    input: ReadSet,
    entries: SmallVec<[(Dependency, ReadSet); 2]>,
    /// A collection that was read and has not synced.
    blocked_by: Option<NodeId>,
    /// The first error of a read.
    error: Option<String>,
}

/// What a read belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryId {
    Input,
    /// The dependency with this number.
    Dependency(u32),
}

/// The dependencies of one evaluation.
pub(crate) type Dependencies = SmallVec<[(Dependency, ReadSetId); 2]>;

/// What an evaluation has read.
#[derive(Debug, PartialEq)]
pub(crate) struct Recorded {
    pub(crate) input: ReadSetId,
    /// Sorted, each once.
    pub(crate) dependencies: Dependencies,
    pub(crate) blocked_by: Option<NodeId>,
    pub(crate) error: Option<String>,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(reads: &'a RefCell<ReadTable>) -> Self {
        Recorder { reads, state: RefCell::default() }
    }

    /// Begins an entry for a dependency. What is read of its elements is added to the entry.
    pub(crate) fn begin(&self, dependency: Dependency) -> EntryId {
        let entries = &mut self.state.borrow_mut().entries;
        entries.push((dependency, ReadSet::default()));
        EntryId::Dependency((entries.len() - 1) as u32)
    }

    pub(crate) fn read_whole(&self, entry: EntryId) {
        self.state.borrow_mut().reads_of(entry).add_whole();
    }

    /// Records a read of a field, and returns the parsed path.
    pub(crate) fn read_field(&self, entry: EntryId, path: &str) -> Result<Arc<FieldPath>, ParseError> {
        let (path, id) = self.reads.borrow_mut().field(path)?;
        self.state.borrow_mut().reads_of(entry).insert(id);
        Ok(path)
    }

    pub(crate) fn read_label(&self, entry: EntryId, key: &str) {
        let id = self.reads.borrow_mut().label(key);
        self.state.borrow_mut().reads_of(entry).insert(id);
    }

    pub(crate) fn block(&self, node: NodeId) {
        self.state.borrow_mut().blocked_by.get_or_insert(node);
    }

    pub(crate) fn fail(&self, error: String) {
        self.state.borrow_mut().error.get_or_insert(error);
    }

    pub(crate) fn finish(self) -> Recorded {
        let RecorderState { input, mut entries, blocked_by, error } = self.state.into_inner();
        let table = &mut *self.reads.borrow_mut();
        let input = table.intern(&input);
        if entries.len() > 1 {
            entries.sort_by(|(one, _), (other, _)| one.cmp(other));
            entries.dedup_by(|(dependency, reads), (earlier, all)| {
                let is_same = dependency == earlier;
                if is_same {
                    all.add(reads);
                }
                is_same
            });
        }
        let dependencies = entries.into_iter().map(|(on, reads)| (on, table.intern(&reads))).collect();
        Recorded { input, dependencies, blocked_by, error }
    }
}

impl RecorderState {
    fn reads_of(&mut self, entry: EntryId) -> &mut ReadSet {
        match entry {
            EntryId::Input => &mut self.input,
            EntryId::Dependency(at) => &mut self.entries[at as usize].1,
        }
    }
}
