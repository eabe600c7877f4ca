//! One consistent view of the cache: objects, every index, and the version they stand at.
//!
//! It shares with other views whatever did not change between them, so taking one costs a reference count and
//! holding one costs what has changed since. Nothing here waits, and nothing decodes.

use std::sync::Arc;

use tidings_object::{Key, LabelSelector, RawObject, Version, selector::Operator};

use super::index::{IndexError, NAMESPACE_INDEX};
use super::inverted::InvertedIndex;
use super::registry::IndexRegistry;
use super::slot_set::SlotSet;
use super::table::{Named, SlotTable};

/// One consistent view of objects and all indexes, with its version. Cloning it copies two pointers.
///
/// Unless a method says otherwise, results are in no particular order.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use tidings_informer::lister::Lister;
///
/// # fn example(pods: Lister<Pod>) -> Result<(), Box<dyn std::error::Error>> {
/// let then = pods.snapshot();
/// let (all, here) = (then.len(), then.namespace("default").len());
/// println!("{here} of {all} at version {:?}", then.version()); // of one moment, whatever is written meanwhile
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Snapshot {
    state: Arc<CacheState>,
    registry: Arc<IndexRegistry>,
}

/// What a cache takes in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexMemory {
    /// How many objects it holds.
    pub objects: usize,
    /// What they take, packed bodies included, nothing decoded.
    pub object_bytes: usize,
    /// What their packed bodies take.
    pub packed_bytes: usize,
    /// About what the tables and indexes take beside the objects.
    pub index_bytes: usize,
}

/// What the writer publishes.
#[derive(Debug)]
pub(super) struct CacheState {
    pub(super) objects: SlotTable<RawObject>,
    /// The complete ones.
    pub(super) indexes: Vec<InvertedIndex>,
    pub(super) version: Option<Version>,
    pub(super) memory: IndexMemory,
}

impl Named for RawObject {
    fn name(&self) -> &str {
        self.key().as_str()
    }
}

impl Snapshot {
    pub(super) fn new(state: Arc<CacheState>, registry: Arc<IndexRegistry>) -> Self {
        Snapshot { state, registry }
    }

    /// The object with this key: `namespace/name`, or `name` in cluster scope.
    pub fn get(&self, key: &str) -> Option<Arc<RawObject>> {
        self.state.objects.find(key).map(|(_, object)| Arc::clone(object))
    }

    /// Every object.
    pub fn list(&self) -> Vec<Arc<RawObject>> {
        let mut objects = Vec::with_capacity(self.len());
        objects.extend(self.iter().cloned());
        objects
    }

    /// Every object, one after the other.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<RawObject>> {
        self.state.objects.iter().map(|(_, object)| object)
    }

    /// The key of every object.
    pub fn keys(&self) -> Vec<Key> {
        self.iter().map(|object| object.key().to_key()).collect()
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.state.objects.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The objects of one namespace.
    pub fn namespace(&self, namespace: &str) -> Vec<Arc<RawObject>> {
        self.slots_in(namespace).map_or_else(Vec::new, |slots| self.objects(slots))
    }

    /// The objects that have this value in this index.
    pub fn by_index(&self, index: &str, value: &str) -> Result<Vec<Arc<RawObject>>, IndexError> {
        Ok(self.index(index)?.slots(value).map_or_else(Vec::new, |slots| self.objects(slots)))
    }

    /// One of the objects that have this value in this index: that which is there where a value is an object's own.
    pub fn one_by_index(&self, index: &str, value: &str) -> Result<Option<Arc<RawObject>>, IndexError> {
        let slot = self.index(index)?.slots(value).and_then(|slots| slots.iter().next());
        Ok(slot.map(|slot| Arc::clone(self.object(slot))))
    }

    /// The objects that have each of these values in its index; every object when none is given.
    pub fn by_indexes(&self, wanted: &[(&str, &str)]) -> Result<Vec<Arc<RawObject>>, IndexError> {
        let sets = wanted.iter().map(|(index, value)| Ok(self.index(index)?.slots(value)));
        let sets = sets.collect::<Result<Vec<_>, IndexError>>()?;
        let Some(mut sets) = sets.into_iter().collect::<Option<Vec<_>>>() else { return Ok(Vec::new()) };
        sets.sort_by_key(|slots| slots.len());
        let Some((smallest, others)) = sets.split_first() else { return Ok(self.list()) };
        let common = smallest.iter().filter(|slot| others.iter().all(|slots| slots.contains(*slot)));
        Ok(common.map(|slot| Arc::clone(self.object(slot))).collect())
    }

    /// The objects that share a value in this index with `object`, which need not be in the cache; each once.
    pub fn by_index_of(&self, index: &str, object: &RawObject) -> Result<Vec<Arc<RawObject>>, IndexError> {
        let index = self.index(index)?;
        let values = index.spec.values(object).unwrap_or_default();
        let mut slots = Vec::new();
        for value in &values {
            slots.extend(index.slots(value).into_iter().flat_map(SlotSet::iter));
        }
        slots.sort_unstable();
        slots.dedup();
        Ok(slots.into_iter().map(|slot| Arc::clone(self.object(slot))).collect())
    }

    /// The keys of the objects that have this value in this index, sorted.
    pub fn index_keys(&self, index: &str, value: &str) -> Result<Vec<Key>, IndexError> {
        let slots = self.index(index)?.slots(value);
        let slots = slots.into_iter().flat_map(SlotSet::iter);
        let mut keys = slots.map(|slot| self.object(slot).key().to_key()).collect::<Vec<_>>();
        keys.sort_unstable();
        Ok(keys)
    }

    /// The values that objects have in this index, sorted.
    pub fn index_values(&self, index: &str) -> Result<Vec<String>, IndexError> {
        let mut values = self.index(index)?.values().map(str::to_owned).collect::<Vec<_>>();
        values.sort_unstable();
        Ok(values)
    }

    /// The objects in a namespace, or in all, whose labels match. Labels are read from identity; a label
    /// index answers for the requirement that it fits.
    pub fn select(&self, namespace: Option<&str>, selector: &LabelSelector) -> Vec<Arc<RawObject>> {
        if selector.is_everything() {
            return namespace.map_or_else(|| self.list(), |namespace| self.namespace(namespace));
        }
        let matches = |object: &&Arc<RawObject>| {
            namespace.is_none_or(|namespace| object.namespace() == Some(namespace))
                && selector.matches(|label| object.labels().value(label))
        };
        match self.candidates(namespace, selector) {
            Candidates::All => self.iter().filter(matches).cloned().collect(),
            Candidates::OneOf(sets) => {
                let slots = sets.into_iter().flat_map(SlotSet::iter);
                slots.map(|slot| self.object(slot)).filter(matches).cloned().collect()
            }
        }
    }

    /// The indexes that can be read, the built-in one first.
    pub fn indexes(&self) -> Vec<String> {
        let indexes = self.state.indexes.iter().filter(|index| !index.spec.is_removed());
        indexes.map(|index| index.spec.name.to_string()).collect()
    }

    /// Every change up to this version is in it. `None` before the first list.
    pub fn version(&self) -> Option<Version> {
        self.state.version.clone()
    }

    /// What it takes in memory.
    pub fn memory(&self) -> IndexMemory {
        self.state.memory
    }

    /// An index that was removed in the meantime is gone from every view.
    pub(super) fn index(&self, name: &str) -> Result<&InvertedIndex, IndexError> {
        let indexes = self.state.indexes.iter();
        indexes
            .filter(|index| !index.spec.is_removed())
            .find(|index| *index.spec.name == *name)
            .ok_or_else(|| self.registry.absence(name))
    }

    /// The fewest objects that an index can name for a selection.
    fn candidates(&self, namespace: Option<&str>, selector: &LabelSelector) -> Candidates<'_> {
        let mut best = match namespace {
            Some(namespace) => Candidates::OneOf(self.slots_in(namespace).into_iter().collect()),
            None => Candidates::All,
        };
        for requirement in selector.requirements() {
            let Operator::In(values) = &requirement.operator else { continue };
            let mut values = values.iter().collect::<Vec<_>>();
            values.sort_unstable();
            values.dedup();
            let indexes = self.state.indexes.iter().filter(|index| !index.spec.is_removed());
            let by_label = indexes.filter(|index| index.spec.label_key() == Some(&requirement.key));
            let found = by_label.take(1).map(|index| {
                // An object has one value of a label, so these sets have nothing in common.
                Candidates::OneOf(values.iter().filter_map(|value| index.slots(value)).collect())
            });
            best = found.fold(best, Candidates::fewer);
        }
        best
    }

    fn slots_in(&self, namespace: &str) -> Option<&SlotSet> {
        self.index(NAMESPACE_INDEX).ok()?.slots(namespace)
    }

    fn objects(&self, slots: &SlotSet) -> Vec<Arc<RawObject>> {
        let mut objects = Vec::with_capacity(slots.len());
        objects.extend(slots.iter().map(|slot| Arc::clone(self.object(slot))));
        objects
    }

    fn object(&self, slot: u32) -> &Arc<RawObject> {
        self.state.objects.at(slot).expect("an indexed slot holds an object")
    }
}

enum Candidates<'a> {
    All,
    /// Sets that have nothing in common.
    OneOf(Vec<&'a SlotSet>),
}

impl Candidates<'_> {
    fn fewer(self, other: Self) -> Self {
        if other.count() < self.count() { other } else { self }
    }

    fn count(&self) -> usize {
        match self {
            Candidates::All => usize::MAX,
            Candidates::OneOf(sets) => sets.iter().map(|slots| slots.len()).sum(),
        }
    }
}
