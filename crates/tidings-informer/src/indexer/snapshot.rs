//! One consistent state of the cache: the objects, every complete index, and their version.
//!
//! Snapshots share everything that did not change between them. Taking one costs a reference count; keeping one costs
//! the memory of what changed since. No method waits or decodes an object.

use std::collections::HashMap;
use std::sync::Arc;

use tidings_object::{Key, LabelSelector, Operator, RawObject, Version};

use super::index::{IndexError, NAMESPACE_INDEX};
use super::inverted::InvertedIndex;
use super::registry::IndexRegistry;
use super::slot_set::SlotSet;
use super::table::{Named, SlotTable};

/// One consistent state of the objects and all indexes, with its version. A clone copies two pointers.
///
/// Results have no particular order, unless a method says otherwise.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use tidings_informer::Lister;
///
/// # fn example(pods: Lister<Pod>) -> Result<(), Box<dyn std::error::Error>> {
/// let snapshot = pods.snapshot();
/// let (all, in_default) = (snapshot.len(), snapshot.namespace("default").len());
/// // All three are of the same moment, even if the cache changes between the calls.
/// println!("{in_default} of {all} at version {:?}", snapshot.version());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Snapshot {
    state: Arc<CacheState>,
    registry: Arc<IndexRegistry>,
}

/// A change of one object between two snapshots. At least one of the two states exists.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SnapshotChange {
    /// The state in the older snapshot.
    pub old: Option<Arc<RawObject>>,
    /// The state in the newer snapshot.
    pub new: Option<Arc<RawObject>>,
}

/// The memory of a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct IndexMemory {
    /// The number of objects.
    pub objects: usize,
    /// The bytes of the objects with their packed bodies, without decoded values.
    pub object_bytes: usize,
    /// The bytes of the packed bodies.
    pub packed_bytes: usize,
    /// An estimate of the bytes of the tables and indexes.
    pub index_bytes: usize,
}

/// A state that the writer has published.
#[derive(Debug)]
pub(super) struct CacheState {
    pub(super) objects: SlotTable<RawObject>,
    /// The complete indexes.
    pub(super) indexes: Vec<InvertedIndex>,
    pub(super) version: Option<Version>,
    pub(super) memory: IndexMemory,
}

impl Named for RawObject {
    fn name(&self) -> &[u8] {
        self.key_bytes()
    }
}

impl Snapshot {
    pub(super) fn new(state: Arc<CacheState>, registry: Arc<IndexRegistry>) -> Self {
        Snapshot { state, registry }
    }

    /// The object with this key: `namespace/name`, or `name` in cluster scope.
    pub fn get(&self, key: &str) -> Option<Arc<RawObject>> {
        self.state.objects.find(key.as_bytes()).map(|(_, object)| Arc::clone(object))
    }

    /// Every object.
    pub fn list(&self) -> Vec<Arc<RawObject>> {
        let mut objects = Vec::with_capacity(self.len());
        objects.extend(self.iter().cloned());
        objects
    }

    /// An iterator over every object.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<RawObject>> {
        self.state.objects.iter().map(|(_, object)| object)
    }

    /// The key of every object.
    pub fn keys(&self) -> Vec<Key> {
        self.iter().map(|object| object.key().to_key()).collect()
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.state.objects.len()
    }

    /// Whether there are no objects.
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

    /// One of the objects that have this value in this index: the only one, if values are unique.
    pub fn one_by_index(&self, index: &str, value: &str) -> Result<Option<Arc<RawObject>>, IndexError> {
        let slot = self.index(index)?.slots(value).and_then(|slots| slots.iter().next());
        Ok(slot.map(|slot| Arc::clone(self.object(slot))))
    }

    /// The objects that have all of these `(index, value)` pairs; every object if there are no pairs.
    pub fn by_indexes(&self, wanted: &[(&str, &str)]) -> Result<Vec<Arc<RawObject>>, IndexError> {
        let sets = wanted.iter().map(|(index, value)| Ok(self.index(index)?.slots(value)));
        let sets = sets.collect::<Result<Vec<_>, IndexError>>()?;
        let Some(mut sets) = sets.into_iter().collect::<Option<Vec<_>>>() else { return Ok(Vec::new()) };
        sets.sort_by_key(|slots| slots.len());
        let Some((smallest, others)) = sets.split_first() else { return Ok(self.list()) };
        let common = smallest.iter().filter(|slot| others.iter().all(|slots| slots.contains(*slot)));
        Ok(common.map(|slot| Arc::clone(self.object(slot))).collect())
    }

    /// The objects that have at least one value of this index in common with `object`, each once. `object` need not be
    /// in the cache.
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

    /// The objects of one namespace, or of all, whose labels match. A label index is used where one fits a requirement.
    pub fn select(&self, namespace: Option<&str>, selector: &LabelSelector) -> Vec<Arc<RawObject>> {
        if selector.is_everything() {
            return namespace.map_or_else(|| self.list(), |namespace| self.namespace(namespace));
        }
        if selector.is_nothing() {
            return Vec::new();
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

    /// What changed since `earlier`, an older snapshot of the same cache: the old and the new state of each object, in
    /// no particular order. The cost is that of the writes in between, not that of the cache.
    ///
    /// An object that was deleted and created again in between is one change, with both states.
    pub fn changes_since(&self, earlier: &Snapshot) -> Vec<SnapshotChange> {
        let mut changes = Vec::new();
        // Slots are reused: a slot may hold one object before and another one now, and an object that was deleted and
        // created again may be in another slot.
        let mut removed: HashMap<&[u8], &Arc<RawObject>> = HashMap::new();
        let mut added: Vec<&Arc<RawObject>> = Vec::new();
        self.state.objects.for_each_difference(&earlier.state.objects, |old, new| match (old, new) {
            (Some(old), Some(new)) if old.key_bytes() == new.key_bytes() => {
                if !old.is_unchanged(new) {
                    changes.push(SnapshotChange { old: Some(Arc::clone(old)), new: Some(Arc::clone(new)) });
                }
            }
            (old, new) => {
                removed.extend(old.map(|old| (old.key_bytes(), old)));
                added.extend(new);
            }
        });
        for new in added {
            let old = removed.remove(new.key_bytes());
            if !old.is_some_and(|old| old.is_unchanged(new)) {
                changes.push(SnapshotChange { old: old.map(Arc::clone), new: Some(Arc::clone(new)) });
            }
        }
        let removed = removed.into_values();
        changes.extend(removed.map(|old| SnapshotChange { old: Some(Arc::clone(old)), new: None }));
        changes
    }

    /// The memory of the cache in this state.
    pub fn memory(&self) -> IndexMemory {
        self.state.memory
    }

    /// An index by name. An index that was removed later is unknown in earlier snapshots too.
    pub(super) fn index(&self, name: &str) -> Result<&InvertedIndex, IndexError> {
        let indexes = self.state.indexes.iter();
        indexes
            .filter(|index| !index.spec.is_removed())
            .find(|index| *index.spec.name == *name)
            .ok_or_else(|| self.registry.missing(name))
    }

    /// The smallest set of objects that one index gives for a selection.
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
                // An object has one value of a label, so these sets are disjoint.
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
    /// Disjoint sets.
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
