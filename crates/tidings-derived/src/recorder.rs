//! Records what one evaluation of a function reads. It must never decide what the function sees.

use std::cell::RefCell;

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
    /// The first entry is the input, which has no dependency: its collection finds the slot by its key.
    entries: Vec<(Option<Dependency>, ReadSet)>,
    /// A collection that was read and has not synced.
    blocked_by: Option<NodeId>,
    /// The first error of a read.
    error: Option<String>,
}

/// The number of an entry.
pub(crate) type EntryId = usize;

/// The entry of the input.
pub(crate) const INPUT: EntryId = 0;

/// What an evaluation has read.
#[derive(Debug, PartialEq)]
pub(crate) struct Recorded {
    pub(crate) input: ReadSetId,
    /// Sorted, each once.
    pub(crate) dependencies: Vec<(Dependency, ReadSetId)>,
    pub(crate) blocked_by: Option<NodeId>,
    pub(crate) error: Option<String>,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(reads: &'a RefCell<ReadTable>) -> Self {
        let state = RecorderState { entries: vec![(None, ReadSet::default())], ..RecorderState::default() };
        Recorder { reads, state: RefCell::new(state) }
    }

    /// Begins an entry for a dependency. What is read of its elements is added to the entry.
    pub(crate) fn begin(&self, dependency: Dependency) -> EntryId {
        let entries = &mut self.state.borrow_mut().entries;
        entries.push((Some(dependency), ReadSet::default()));
        entries.len() - 1
    }

    pub(crate) fn read_whole(&self, entry: EntryId) {
        self.state.borrow_mut().entries[entry].1.add_whole();
    }

    /// Records a read of a field, and returns the parsed path.
    pub(crate) fn read_field(&self, entry: EntryId, path: &str) -> Result<FieldPath, ParseError> {
        let (path, id) = self.reads.borrow_mut().field(path)?;
        self.state.borrow_mut().entries[entry].1.insert(id);
        Ok(path)
    }

    pub(crate) fn read_label(&self, entry: EntryId, key: &str) {
        let id = self.reads.borrow_mut().label(key);
        self.state.borrow_mut().entries[entry].1.insert(id);
    }

    pub(crate) fn block(&self, node: NodeId) {
        self.state.borrow_mut().blocked_by.get_or_insert(node);
    }

    pub(crate) fn fail(&self, error: String) {
        self.state.borrow_mut().error.get_or_insert(error);
    }

    pub(crate) fn finish(self) -> Recorded {
        let RecorderState { mut entries, blocked_by, error } = self.state.into_inner();
        let table = &mut *self.reads.borrow_mut();
        let (_, input) = entries.swap_remove(INPUT);
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut merged: Vec<(Dependency, ReadSet)> = Vec::with_capacity(entries.len());
        for (dependency, reads) in entries {
            let Some(dependency) = dependency else { continue };
            match merged.last_mut() {
                Some((last, all)) if *last == dependency => all.add(&reads),
                _ => merged.push((dependency, reads)),
            }
        }
        Recorded {
            input: table.intern(&input),
            dependencies: merged.into_iter().map(|(on, reads)| (on, table.intern(&reads))).collect(),
            blocked_by,
            error,
        }
    }
}
