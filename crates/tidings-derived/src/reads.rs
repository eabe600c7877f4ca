//! Which parts of an object a function has read: paths, and sets of paths.
//!
//! A function that read `.status.podIP` and the label `app` of a pod has the read set {field .status.podIP, label app}.
//! Most keys of a collection have the same read set, so that sets are interned: a dependency stores a number of four
//! bytes. When the pod changes, each path is read in the old and in the new state, once for all dependants, and a
//! dependant whose paths are all equal is not recomputed. Values are compared, never hashes.
//!
//! The number of paths and sets is bounded: a function that builds paths from data without end depends on whole objects
//! from then on.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use smallvec::SmallVec;
use tidings_object::{FieldPath, FieldValue, ParseError, RawObject, UnpackedObject};

/// More paths than this in one graph count as reads of the whole object.
const PATHS_MAX: usize = 4096;
/// More read sets than this in one graph count as reads of the whole object.
const READ_SETS_MAX: usize = 65_536;

/// Paths may come from outside, so that the seed of each map is random. No map is iterated.
type HashMap<K, V> = std::collections::HashMap<K, V, foldhash::fast::RandomState>;

/// The number of a path in a [`ReadTable`].
pub(crate) type PathId = u32;

/// An interned read set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ReadSetId(u32);

impl ReadSetId {
    /// Nothing but whether the object exists.
    pub(crate) const PRESENCE: ReadSetId = ReadSetId(0);
    /// All of the object.
    pub(crate) const WHOLE: ReadSetId = ReadSetId(1);
}

/// What one evaluation has read of one object, or of all objects of one query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ReadSet {
    is_whole: bool,
    /// Sorted.
    paths: SmallVec<[PathId; 6]>,
}

/// One part of an object.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum ReadPath {
    Field(Arc<FieldPath>),
    Label(String),
}

/// The paths and read sets of one graph.
#[derive(Debug)]
pub(crate) struct ReadTable {
    paths: Vec<ReadPath>,
    by_field: HashMap<String, PathId>,
    by_label: HashMap<String, PathId>,
    sets: Vec<Box<[PathId]>>,
    by_set: HashMap<Box<[PathId]>, ReadSetId>,
}

impl ReadSet {
    pub(crate) fn insert(&mut self, path: Option<PathId>) {
        match path {
            None => self.add_whole(),
            Some(path) => {
                if let Err(at) = self.paths.binary_search(&path) {
                    self.paths.insert(at, path);
                }
            }
        }
    }

    pub(crate) fn add_whole(&mut self) {
        self.is_whole = true;
    }

    pub(crate) fn add(&mut self, other: &ReadSet) {
        self.is_whole |= other.is_whole;
        other.paths.iter().for_each(|path| self.insert(Some(*path)));
    }
}

impl ReadTable {
    pub(crate) fn new() -> Self {
        ReadTable {
            paths: Vec::new(),
            by_field: HashMap::default(),
            by_label: HashMap::default(),
            // The places of `PRESENCE` and `WHOLE`.
            sets: vec![Box::default(), Box::default()],
            by_set: HashMap::default(),
        }
    }

    /// The path with this text, and its number unless there are too many.
    pub(crate) fn field(&mut self, text: &str) -> Result<(Arc<FieldPath>, Option<PathId>), ParseError> {
        if let Some(id) = self.by_field.get(text)
            && let ReadPath::Field(path) = &self.paths[*id as usize]
        {
            return Ok((Arc::clone(path), Some(*id)));
        }
        let path = Arc::new(FieldPath::parse(text)?);
        let id = self.add(ReadPath::Field(Arc::clone(&path)));
        self.by_field.extend(id.map(|id| (text.to_owned(), id)));
        Ok((path, id))
    }

    pub(crate) fn label(&mut self, key: &str) -> Option<PathId> {
        if let Some(id) = self.by_label.get(key) {
            return Some(*id);
        }
        let id = self.add(ReadPath::Label(key.to_owned()))?;
        self.by_label.insert(key.to_owned(), id);
        Some(id)
    }

    fn add(&mut self, path: ReadPath) -> Option<PathId> {
        let id = self.paths.len();
        (id < PATHS_MAX).then(|| {
            self.paths.push(path);
            id as PathId
        })
    }

    pub(crate) fn intern(&mut self, reads: &ReadSet) -> ReadSetId {
        if reads.is_whole {
            return ReadSetId::WHOLE;
        }
        if reads.paths.is_empty() {
            return ReadSetId::PRESENCE;
        }
        if let Some(id) = self.by_set.get(&*reads.paths) {
            return *id;
        }
        if self.sets.len() >= READ_SETS_MAX {
            return ReadSetId::WHOLE;
        }
        let id = ReadSetId(self.sets.len() as u32);
        self.sets.push(reads.paths[..].into());
        self.by_set.insert(reads.paths[..].into(), id);
        id
    }

    /// The texts of the paths in a read set, for operators.
    pub(crate) fn describe(&self, reads: ReadSetId) -> Vec<String> {
        match reads {
            ReadSetId::PRESENCE => Vec::new(),
            ReadSetId::WHOLE => vec!["*".to_owned()],
            ReadSetId(id) => {
                self.sets[id as usize].iter().map(|path| self.paths[*path as usize].to_string()).collect()
            }
        }
    }
}

impl fmt::Display for ReadPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadPath::Field(path) => path.fmt(f),
            ReadPath::Label(key) => write!(f, "label {key}"),
        }
    }
}

/// Compares two states of one object at the paths that functions have read. Each path is compared once, and each state
/// is unpacked at most once.
#[derive(Default)]
pub(crate) struct PathComparison {
    state: RefCell<ComparisonState>,
}

#[derive(Default)]
struct ComparisonState {
    compared: SmallVec<[(PathId, bool); 4]>,
    /// Behind a pointer: most comparisons unpack nothing, and a round may have many changes.
    unpacked: Option<Box<UnpackedStates>>,
}

#[derive(Default)]
struct UnpackedStates {
    old: Option<Option<UnpackedObject>>,
    new: Option<Option<UnpackedObject>>,
}

impl PathComparison {
    /// Whether what was read differs between the two states.
    pub(crate) fn differs(
        &self,
        old: &RawObject,
        new: &RawObject,
        reads: ReadSetId,
        table: &ReadTable,
    ) -> bool {
        match reads {
            ReadSetId::PRESENCE => false,
            ReadSetId::WHOLE => true,
            ReadSetId(id) => {
                table.sets[id as usize].iter().any(|path| self.path_differs(old, new, *path, table))
            }
        }
    }

    fn path_differs(&self, old: &RawObject, new: &RawObject, path: PathId, table: &ReadTable) -> bool {
        let mut state = self.state.borrow_mut();
        if let Some((_, differs)) = state.compared.iter().find(|(compared, _)| *compared == path) {
            return *differs;
        }
        let differs = match &table.paths[path as usize] {
            ReadPath::Label(key) => old.labels().value(key) != new.labels().value(key),
            ReadPath::Field(path) => match old.has_equal_prefetched(new, path) {
                Some(is_equal) => !is_equal,
                None => {
                    let unpacked = state.unpacked.get_or_insert_default();
                    let before = read(old, &mut unpacked.old, path);
                    // An object that can't be read counts as changed.
                    before.is_none() || before != read(new, &mut unpacked.new, path)
                }
            },
        };
        state.compared.push((path, differs));
        differs
    }
}

/// Reads a field, from the identity if it was prefetched, and otherwise from the unpacked body.
fn read(
    object: &RawObject,
    unpacked: &mut Option<Option<UnpackedObject>>,
    path: &FieldPath,
) -> Option<FieldValue> {
    if object.is_prefetched(path) {
        return object.field_at(path).ok();
    }
    let unpacked = unpacked.get_or_insert_with(|| object.unpack().ok());
    object.field_of(unpacked.as_ref()?, path).ok()
}
