//! One state of a collection: its values by key, and its indexes. A clone copies a few pointers, so that a published
//! state and the working state share everything that did not change.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};

use foldhash::fast::FixedState;
use smallvec::SmallVec;
use tidings_informer::indexer::Snapshot;
use tidings_object::{LabelSelector, RawObject};

use crate::element::{Element, Keyed, Value};
use crate::persistent_map::{Named, PersistentMap};
use crate::shared::KeepAlive;

/// One state of a collection.
pub(crate) struct Table<E> {
    rows: Rows<E>,
    indexes: Vec<IndexTable<E>>,
    hasher: FixedState,
}

pub(crate) enum Rows<E> {
    /// The cache of an informer, and how its objects become elements.
    Cache(Snapshot, fn(Arc<RawObject>) -> E),
    Own(PersistentMap<Value<E>>),
}

/// The values of one element in an index.
pub(crate) type IndexValues = SmallVec<[Arc<str>; 1]>;

/// The values of one changed element in one index, before and now.
pub(crate) struct IndexChange {
    pub(crate) index: u32,
    pub(crate) before: IndexValues,
    pub(crate) now: IndexValues,
}

/// The definition of an index.
pub(crate) struct IndexSpec<E> {
    pub(crate) number: u32,
    pub(crate) values_of: IndexFunction<E>,
    /// The index is dropped with its last handle.
    pub(crate) users: Weak<KeepAlive>,
}

pub(crate) type IndexFunction<E> = Arc<dyn Fn(&E) -> Vec<String> + Send + Sync>;

struct IndexTable<E> {
    spec: Arc<IndexSpec<E>>,
    buckets: PersistentMap<Arc<Bucket<E>>>,
}

/// The elements that have one value in an index, at least one.
struct Bucket<E> {
    value: Arc<str>,
    rows: PersistentMap<Value<E>>,
}

impl<E> Named for Bucket<E> {
    fn name(&self) -> &str {
        &self.value
    }
}

impl<E: Element> Table<E> {
    pub(crate) fn own(hasher: FixedState) -> Self {
        Table { rows: Rows::Own(PersistentMap::new(hasher.clone())), indexes: Vec::new(), hasher }
    }

    pub(crate) fn cache(snapshot: Snapshot, wrap: fn(Arc<RawObject>) -> E, hasher: FixedState) -> Self {
        Table { rows: Rows::Cache(snapshot, wrap), indexes: Vec::new(), hasher }
    }

    pub(crate) fn snapshot(&self) -> Option<&Snapshot> {
        match &self.rows {
            Rows::Cache(snapshot, _) => Some(snapshot),
            Rows::Own(_) => None,
        }
    }

    pub(crate) fn set_snapshot(&mut self, newer: Snapshot) {
        if let Rows::Cache(snapshot, _) = &mut self.rows {
            *snapshot = newer;
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<Value<E>> {
        match &self.rows {
            Rows::Cache(snapshot, wrap) => snapshot.get(key).map(|raw| Value::cached(wrap(raw))),
            Rows::Own(rows) => rows.get(key).cloned(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match &self.rows {
            Rows::Cache(snapshot, _) => snapshot.len(),
            Rows::Own(rows) => rows.len(),
        }
    }

    /// All values, in no particular order.
    pub(crate) fn list(&self) -> Vec<Value<E>> {
        match &self.rows {
            Rows::Cache(snapshot, wrap) => {
                snapshot.iter().map(|raw| Value::cached(wrap(Arc::clone(raw)))).collect()
            }
            Rows::Own(rows) => rows.iter().cloned().collect(),
        }
    }

    pub(crate) fn keys(&self) -> Vec<Arc<str>> {
        match &self.rows {
            Rows::Cache(snapshot, _) => snapshot.iter().map(|raw| raw.key().as_str().into()).collect(),
            Rows::Own(rows) => rows.iter().map(Value::shared_key).collect(),
        }
    }

    fn index(&self, number: u32) -> Option<&IndexTable<E>> {
        self.indexes.iter().find(|index| index.spec.number == number)
    }

    pub(crate) fn by_index(&self, index: u32, value: &str) -> Vec<Value<E>> {
        let bucket = self.index(index).and_then(|index| index.buckets.get(value));
        bucket.map_or_else(Vec::new, |bucket| bucket.rows.iter().cloned().collect())
    }

    pub(crate) fn index_values(&self, index: u32) -> Vec<Arc<str>> {
        let buckets = self.index(index).map(|index| index.buckets.iter());
        buckets.into_iter().flatten().map(|bucket| Arc::clone(&bucket.value)).collect()
    }

    pub(crate) fn select(&self, namespace: Option<&str>, selector: &LabelSelector) -> Vec<Value<E>> {
        match &self.rows {
            Rows::Cache(snapshot, wrap) => {
                let found = snapshot.select(namespace, selector);
                found.into_iter().map(|raw| Value::cached(wrap(raw))).collect()
            }
            Rows::Own(rows) => {
                let rows = rows.iter().filter(|row| is_selected(&***row, namespace, selector));
                rows.cloned().collect()
            }
        }
    }

    /// Adds an index over everything that is there.
    pub(crate) fn add_index(&mut self, spec: Arc<IndexSpec<E>>) {
        let mut index = IndexTable { spec, buckets: PersistentMap::new(self.hasher.clone()) };
        for row in self.list() {
            let values = index.values(&row);
            index.replace(&row.shared_key(), &[], &values, Some(&row), &self.hasher);
        }
        self.indexes.push(index);
    }

    /// Drops the indexes that nothing uses, and returns whether there were any.
    pub(crate) fn drop_unused_indexes(&mut self) -> bool {
        let before = self.indexes.len();
        self.indexes.retain(|index| index.spec.users.strong_count() > 0);
        self.indexes.len() < before
    }

    /// Builds all indexes again, after the rows were replaced as a whole.
    pub(crate) fn rebuild_indexes(&mut self) {
        for index in std::mem::take(&mut self.indexes) {
            self.add_index(index.spec);
        }
    }

    /// Stores or removes one value, and returns the values of its old and of its new state in each index. The rows of a cache are replaced as a whole, by `set_snapshot`.
    pub(crate) fn change(
        &mut self,
        key: &Arc<str>,
        old: Option<&Value<E>>,
        new: Option<&Value<E>>,
    ) -> Vec<IndexChange> {
        if let Rows::Own(rows) = &mut self.rows {
            match new {
                Some(new) => drop(rows.insert(new.clone())),
                None => drop(rows.remove(key)),
            }
        }
        let hasher = &self.hasher;
        let indexes = self.indexes.iter_mut();
        let change = |index: &mut IndexTable<E>| {
            let values = |row: Option<&Value<E>>| row.map(|row| index.values(row)).unwrap_or_default();
            let (before, now) = (values(old), values(new));
            index.replace(key, &before, &now, new, hasher);
            IndexChange { index: index.spec.number, before, now }
        };
        indexes.map(change).collect()
    }
}

impl<E: Element> IndexTable<E> {
    /// The values of one element, sorted. A function that panics gives none.
    fn values(&self, element: &E) -> IndexValues {
        let values = catch_unwind(AssertUnwindSafe(|| (self.spec.values_of)(element))).unwrap_or_default();
        let mut values: IndexValues = values.into_iter().map(Arc::from).collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    fn replace(
        &mut self,
        key: &Arc<str>,
        before: &[Arc<str>],
        now: &[Arc<str>],
        row: Option<&Value<E>>,
        hasher: &FixedState,
    ) {
        for value in before.iter().filter(|value| !now.contains(value)) {
            let Some(bucket) = self.buckets.get(value) else { continue };
            let mut bucket = Bucket::clone(bucket);
            bucket.rows.remove(key);
            match bucket.rows.is_empty() {
                true => drop(self.buckets.remove(value)),
                false => drop(self.buckets.insert(Arc::new(bucket))),
            }
        }
        let Some(row) = row else { return };
        for value in now {
            let mut bucket = match self.buckets.get(value) {
                Some(bucket) => Bucket::clone(bucket),
                None => Bucket { value: Arc::clone(value), rows: PersistentMap::new(hasher.clone()) },
            };
            bucket.rows.insert(row.clone());
            self.buckets.insert(Arc::new(bucket));
        }
    }
}

/// Whether an element is in the namespace, the part of its key before the first slash, and its labels match.
pub(crate) fn is_selected<E: Keyed + ?Sized>(
    element: &E,
    namespace: Option<&str>,
    selector: &LabelSelector,
) -> bool {
    namespace.is_none_or(|namespace| namespace_of(&element.key()) == Some(namespace))
        && selector.matches(|label| element.label(label))
}

pub(crate) fn namespace_of(key: &str) -> Option<&str> {
    key.split_once('/').map(|(namespace, _)| namespace)
}

impl<E> Clone for Bucket<E> {
    fn clone(&self) -> Self {
        Bucket { value: Arc::clone(&self.value), rows: self.rows.clone() }
    }
}

impl<E> Clone for IndexTable<E> {
    fn clone(&self) -> Self {
        IndexTable { spec: Arc::clone(&self.spec), buckets: self.buckets.clone() }
    }
}

impl<E> Clone for Table<E> {
    fn clone(&self) -> Self {
        let rows = match &self.rows {
            Rows::Cache(snapshot, wrap) => Rows::Cache(snapshot.clone(), *wrap),
            Rows::Own(rows) => Rows::Own(rows.clone()),
        };
        Table { rows, indexes: self.indexes.clone(), hasher: self.hasher.clone() }
    }
}
