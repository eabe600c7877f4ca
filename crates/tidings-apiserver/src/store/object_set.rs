//! The present objects of one resource, in etcd's key order.
//!
//! The set takes one pointer per object: it reads the key through the pointer.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, btree_map, btree_set};
use std::iter::Peekable;
use std::ops::Bound;
use std::sync::Arc;

use super::object::StoredObject;

/// Objects ordered by the bytes of their keys: `a-b/x` sorts before `a/x`.
#[derive(Clone, Debug, Default)]
pub(super) struct ObjectSet {
    objects: BTreeSet<ByKey>,
    body_bytes: usize,
}

#[derive(Clone, Debug)]
struct ByKey(Arc<StoredObject>);

/// A range of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyRange {
    from: String,
    /// The first key after the range; empty if the range has no end.
    end: String,
}

impl KeyRange {
    pub(crate) fn all() -> Self {
        Self { from: String::new(), end: String::new() }
    }

    pub(crate) fn namespace(namespace: &str) -> Self {
        // '0' is the byte after '/', so it ends the namespace's keys.
        Self { from: format!("{namespace}/"), end: format!("{namespace}0") }
    }

    pub(crate) fn one(key: &str) -> Self {
        Self { from: key.to_owned(), end: format!("{key}\0") }
    }

    /// The part of the range from `key` on.
    pub(crate) fn starting_at(mut self, key: &str) -> Self {
        if key > self.from.as_str() {
            key.clone_into(&mut self.from);
        }
        self
    }

    pub(crate) fn contains(&self, key: &str) -> bool {
        key >= self.from.as_str() && (self.end.is_empty() || key < self.end.as_str())
    }

    fn bounds(&self) -> Option<(Bound<&str>, Bound<&str>)> {
        let end = if self.end.is_empty() { Bound::Unbounded } else { Bound::Excluded(self.end.as_str()) };
        let is_empty = !self.end.is_empty() && self.from >= self.end;
        (!is_empty).then_some((Bound::Included(self.from.as_str()), end))
    }
}

impl ObjectSet {
    pub(super) fn get(&self, key: &str) -> Option<&Arc<StoredObject>> {
        self.objects.get(key).map(|entry| &entry.0)
    }

    pub(super) fn put(&mut self, object: Arc<StoredObject>) -> Option<Arc<StoredObject>> {
        self.body_bytes += object.body().len();
        let old = self.objects.replace(ByKey(object)).map(|entry| entry.0);
        self.body_bytes -= old.as_ref().map_or(0, |old| old.body().len());
        old
    }

    pub(super) fn remove(&mut self, key: &str) -> Option<Arc<StoredObject>> {
        let old = self.objects.take(key).map(|entry| entry.0);
        self.body_bytes -= old.as_ref().map_or(0, |old| old.body().len());
        old
    }

    pub(super) fn len(&self) -> usize {
        self.objects.len()
    }

    pub(super) fn body_bytes(&self) -> usize {
        self.body_bytes
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<StoredObject>> {
        self.objects.iter().map(|entry| &entry.0)
    }

    /// The objects of a range.
    pub(super) fn range<'a>(&'a self, range: &'a KeyRange) -> impl Iterator<Item = &'a Arc<StoredObject>> {
        range
            .bounds()
            .into_iter()
            .flat_map(|bounds| self.objects.range::<str, _>(bounds))
            .map(|entry| &entry.0)
    }

    /// The objects of a range at an earlier version; see [`History::past_states_at`](super::history).
    pub(super) fn range_before<'a>(
        &'a self,
        range: &'a KeyRange,
        past_states: &'a BTreeMap<Box<str>, Option<Arc<StoredObject>>>,
    ) -> impl Iterator<Item = &'a Arc<StoredObject>> {
        range.bounds().into_iter().flat_map(|bounds| PastRange {
            now: self.objects.range::<str, _>(bounds).peekable(),
            then: past_states.range::<str, _>(bounds).peekable(),
        })
    }
}

/// Merges the present objects and the past states, both ordered by key. If both have a key, the past state is used.
struct PastRange<'a> {
    now: Peekable<btree_set::Range<'a, ByKey>>,
    then: Peekable<btree_map::Range<'a, Box<str>, Option<Arc<StoredObject>>>>,
}

impl<'a> Iterator for PastRange<'a> {
    type Item = &'a Arc<StoredObject>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let order = match (self.now.peek(), self.then.peek()) {
                (None, None) => return None,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(now), Some((then, _))) => now.0.key().cmp(then),
            };
            if order == Ordering::Less {
                return self.now.next().map(|entry| &entry.0);
            }
            if order == Ordering::Equal {
                self.now.next();
            }
            if let Some((_, Some(object))) = self.then.next() {
                return Some(object);
            }
        }
    }
}

impl Borrow<str> for ByKey {
    fn borrow(&self) -> &str {
        self.0.key()
    }
}

impl PartialEq for ByKey {
    fn eq(&self, other: &Self) -> bool {
        self.0.key() == other.0.key()
    }
}

impl Eq for ByKey {}

impl PartialOrd for ByKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ByKey {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.key().cmp(other.0.key())
    }
}
