//! One state of a collection: its values by key, and its indexes. A clone copies a few pointers, so that a published
//! state and the working state share everything that did not change.

mod index;

use std::borrow::Cow;
use std::sync::Arc;

use foldhash::fast::FixedState;
use tidings_informer::indexer::Snapshot;
use tidings_object::{LabelSelector, RawObject};

use crate::dependency::required_label;
use crate::element::{Element, Keyed, Value};
use crate::persistent_map::PersistentMap;
pub(crate) use index::{IndexChange, IndexFunction, IndexSpec};
use index::{IndexTable, LabelIndex};

/// The most label indexes of one collection. Selectors that require other labels look at all elements.
const LABEL_INDEXES_MAX: usize = 4;
/// With fewer elements a scan is as fast.
const LABEL_INDEX_ELEMENTS_MIN: usize = 4;

/// One state of a collection.
pub(crate) struct Table<E> {
    rows: Rows<E>,
    indexes: Vec<IndexTable<E>>,
    label_indexes: Vec<LabelIndex<E>>,
    hasher: FixedState,
}

pub(crate) enum Rows<E> {
    /// The cache of an informer, and how its objects become elements.
    Cache(Snapshot, fn(Arc<RawObject>) -> E),
    Own(PersistentMap<Value<E>>),
}

impl<E: Element> Table<E> {
    pub(crate) fn own(hasher: FixedState) -> Self {
        let rows = Rows::Own(PersistentMap::new(hasher.clone()));
        Table { rows, indexes: Vec::new(), label_indexes: Vec::new(), hasher }
    }

    pub(crate) fn cache(snapshot: Snapshot, wrap: fn(Arc<RawObject>) -> E, hasher: FixedState) -> Self {
        let rows = Rows::Cache(snapshot, wrap);
        Table { rows, indexes: Vec::new(), label_indexes: Vec::new(), hasher }
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

    /// As `get`, without a clone of a value that is stored here.
    pub(crate) fn read(&self, key: &str) -> Option<Cow<'_, Value<E>>> {
        match &self.rows {
            Rows::Cache(..) => self.get(key).map(Cow::Owned),
            Rows::Own(rows) => rows.get(key).map(Cow::Borrowed),
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

    /// As `list`, without clones of values that are stored here.
    pub(crate) fn read_all(&self) -> Vec<Cow<'_, Value<E>>> {
        match &self.rows {
            Rows::Cache(..) => self.list().into_iter().map(Cow::Owned).collect(),
            Rows::Own(rows) => rows.iter().map(Cow::Borrowed).collect(),
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

    /// The values that have this value in an index, sorted by key.
    pub(crate) fn by_index(&self, index: u32, value: &str) -> impl Iterator<Item = &Value<E>> {
        self.index(index).into_iter().flat_map(move |index| index.buckets.rows(value))
    }

    pub(crate) fn index_values(&self, index: u32) -> Vec<Arc<str>> {
        self.index(index).map_or_else(Vec::new, |index| index.buckets.values().cloned().collect())
    }

    /// The values in a namespace whose labels match, in no particular order.
    pub(crate) fn select(&self, namespace: Option<&str>, selector: &LabelSelector) -> Vec<Cow<'_, Value<E>>> {
        let is_selected = |row: &&Value<E>| is_selected::<E>(row, namespace, selector);
        if let Some((label, [value])) = required_label(selector)
            && let Some(index) = self.label_indexes.iter().find(|index| *index.label == *label)
        {
            return index.buckets.rows(value).filter(is_selected).map(Cow::Borrowed).collect();
        }
        match &self.rows {
            Rows::Cache(snapshot, wrap) => {
                let found = snapshot.select(namespace, selector);
                found.into_iter().map(|raw| Cow::Owned(Value::cached(wrap(raw)))).collect()
            }
            Rows::Own(rows) => rows.iter().filter(is_selected).map(Cow::Borrowed).collect(),
        }
    }

    /// The label by which an index would help this selector, unless there is one.
    pub(crate) fn missing_label_index<'s>(&self, selector: &'s LabelSelector) -> Option<&'s str> {
        let (label, [_]) = required_label(selector)? else { return None };
        let is_useful = self.len() >= LABEL_INDEX_ELEMENTS_MIN
            && self.label_indexes.len() < LABEL_INDEXES_MAX
            && self.label_indexes.iter().all(|index| *index.label != *label);
        is_useful.then_some(label)
    }

    pub(crate) fn add_label_index(&mut self, label: &str) {
        if self.label_indexes.len() < LABEL_INDEXES_MAX {
            let mut index = LabelIndex::new(label, &self.hasher);
            self.list().iter().for_each(|row| index.change(&row.key(), None, Some(row)));
            self.label_indexes.push(index);
        }
    }

    /// Adds an index over everything that is there.
    pub(crate) fn add_index(&mut self, spec: Arc<IndexSpec<E>>) {
        let mut index = IndexTable::new(spec, &self.hasher);
        self.list().iter().for_each(|row| drop(index.change(&row.key(), None, Some(row))));
        self.indexes.push(index);
    }

    /// Drops the indexes that nothing uses, and returns whether there were any.
    pub(crate) fn drop_unused_indexes(&mut self) -> bool {
        let before = self.indexes.len();
        self.indexes.retain(|index| index.spec.users.strong_count() > 0);
        self.indexes.len() < before
    }

    /// Builds all indexes again, after the rows were replaced as a whole. Label indexes are made again when they are
    /// needed.
    pub(crate) fn rebuild_indexes(&mut self) {
        self.label_indexes.clear();
        for index in std::mem::take(&mut self.indexes) {
            self.add_index(index.spec);
        }
    }

    /// Stores or removes one value, and returns the value that was there. The rows of a cache are replaced as a whole, by
    /// `set_snapshot`.
    pub(crate) fn set(&mut self, key: &str, new: Option<&Value<E>>) -> Option<Value<E>> {
        let Rows::Own(rows) = &mut self.rows else { return None };
        match new {
            Some(new) => rows.insert(new.clone()),
            None => rows.remove(key),
        }
    }

    /// Brings the indexes up to date after a change of one value. Returns the values of its old and of its new state in
    /// each index of the user.
    pub(crate) fn change_indexes(
        &mut self,
        key: &str,
        old: Option<&Value<E>>,
        new: Option<&Value<E>>,
    ) -> Vec<IndexChange> {
        self.label_indexes.iter_mut().for_each(|index| index.change(key, old, new));
        self.indexes.iter_mut().map(|index| index.change(key, old, new)).collect()
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

impl<E> Clone for Table<E> {
    fn clone(&self) -> Self {
        let rows = match &self.rows {
            Rows::Cache(snapshot, wrap) => Rows::Cache(snapshot.clone(), *wrap),
            Rows::Own(rows) => Rows::Own(rows.clone()),
        };
        Table {
            rows,
            indexes: self.indexes.clone(),
            label_indexes: self.label_indexes.clone(),
            hasher: self.hasher.clone(),
        }
    }
}
