//! The indexes of a collection: from a value to the elements that have it.
//!
//! There are two kinds. An index of the user has a function, and reports the values of each changed element, from which
//! dependants are found. A label index is made for selectors that require a value of a label (`app=web`), so that they
//! do not look at all elements.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};

use foldhash::fast::FixedState;
use smallvec::SmallVec;

use crate::element::{Element, Value};
use crate::persistent_map::{Named, PersistentMap};
use crate::shared::KeepAlive;
use crate::sorted_map::SortedMap;

/// The values of one element in an index.
pub(crate) type IndexValues = SmallVec<[String; 1]>;

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

/// An index of the user.
pub(super) struct IndexTable<E> {
    pub(super) spec: Arc<IndexSpec<E>>,
    pub(super) buckets: Buckets<E>,
}

/// An index by one label.
pub(super) struct LabelIndex<E> {
    pub(super) label: Arc<str>,
    pub(super) buckets: Buckets<E>,
}

/// The elements by value.
pub(super) struct Buckets<E>(PersistentMap<Arc<Bucket<E>>>);

/// The elements that have one value, at least one.
struct Bucket<E> {
    value: Arc<str>,
    rows: SortedMap<Value<E>>,
}

impl<E: Element> Buckets<E> {
    pub(super) fn new(hasher: &FixedState) -> Self {
        Buckets(PersistentMap::new(hasher.clone()))
    }

    /// The elements with this value, sorted by key.
    pub(super) fn rows(&self, value: &str) -> impl Iterator<Item = &Value<E>> {
        self.0.get(value).into_iter().flat_map(|bucket| bucket.rows.iter())
    }

    /// All values, in no particular order.
    pub(super) fn values(&self) -> impl Iterator<Item = &Arc<str>> {
        self.0.iter().map(|bucket| &bucket.value)
    }

    fn put(&mut self, value: &str, row: &Value<E>) {
        match self.0.get_mut(value) {
            Some(bucket) => Arc::make_mut(bucket).rows.insert(row.clone()),
            None => {
                let mut bucket = Bucket { value: value.into(), rows: SortedMap::default() };
                bucket.rows.insert(row.clone());
                self.0.insert(Arc::new(bucket));
            }
        }
    }

    fn remove(&mut self, value: &str, key: &str) {
        let Some(bucket) = self.0.get_mut(value) else { return };
        let bucket = Arc::make_mut(bucket);
        bucket.rows.remove(key);
        if bucket.rows.is_empty() {
            self.0.remove(value);
        }
    }
}

impl<E: Element> IndexTable<E> {
    pub(super) fn new(spec: Arc<IndexSpec<E>>, hasher: &FixedState) -> Self {
        IndexTable { spec, buckets: Buckets::new(hasher) }
    }

    pub(super) fn change(
        &mut self,
        key: &str,
        old: Option<&Value<E>>,
        new: Option<&Value<E>>,
    ) -> IndexChange {
        let values = |row: Option<&Value<E>>| row.map(|row| self.values(row)).unwrap_or_default();
        let (before, now) = (values(old), values(new));
        for value in before.iter().filter(|value| !now.contains(value)) {
            self.buckets.remove(value, key);
        }
        if let Some(row) = new {
            now.iter().for_each(|value| self.buckets.put(value, row));
        }
        IndexChange { index: self.spec.number, before, now }
    }

    /// The values of one element, sorted. A function that panics gives none.
    fn values(&self, element: &E) -> IndexValues {
        let values = catch_unwind(AssertUnwindSafe(|| (self.spec.values_of)(element))).unwrap_or_default();
        let mut values: IndexValues = values.into();
        values.sort_unstable();
        values.dedup();
        values
    }
}

impl<E: Element> LabelIndex<E> {
    pub(super) fn new(label: &str, hasher: &FixedState) -> Self {
        LabelIndex { label: label.into(), buckets: Buckets::new(hasher) }
    }

    pub(super) fn change(&mut self, key: &str, old: Option<&Value<E>>, new: Option<&Value<E>>) {
        let (before, now) = (self.value(old), self.value(new));
        if let Some(before) = before.filter(|before| now.as_ref() != Some(before)) {
            self.buckets.remove(&before, key);
        }
        if let (Some(now), Some(row)) = (now, new) {
            self.buckets.put(&now, row);
        }
    }

    /// The value of one element. A `label` that panics gives none.
    fn value(&self, row: Option<&Value<E>>) -> Option<String> {
        let label = || row.and_then(|row| row.label(&self.label)).map(str::to_owned);
        catch_unwind(AssertUnwindSafe(label)).unwrap_or_default()
    }
}

impl<E> Named for Bucket<E> {
    fn name(&self) -> &str {
        &self.value
    }
}

impl<E> Clone for Bucket<E> {
    fn clone(&self) -> Self {
        Bucket { value: Arc::clone(&self.value), rows: self.rows.clone() }
    }
}

impl<E> Clone for Buckets<E> {
    fn clone(&self) -> Self {
        Buckets(self.0.clone())
    }
}

impl<E> Clone for IndexTable<E> {
    fn clone(&self) -> Self {
        IndexTable { spec: Arc::clone(&self.spec), buckets: self.buckets.clone() }
    }
}

impl<E> Clone for LabelIndex<E> {
    fn clone(&self) -> Self {
        LabelIndex { label: Arc::clone(&self.label), buckets: self.buckets.clone() }
    }
}
