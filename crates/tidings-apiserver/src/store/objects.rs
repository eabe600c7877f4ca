//! The present objects of one resource, in the order in which etcd orders their keys.
//!
//! One word for each object besides the object itself: its key is read through the entry.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, btree_map, btree_set};
use std::iter::Peekable;
use std::ops::Bound;
use std::sync::Arc;

use super::object::Stored;

/// Ordered by key, as bytes: `a-b/x` comes before `a/x`.
#[derive(Clone, Debug, Default)]
pub(super) struct Objects {
    slots: BTreeSet<Slot>,
    body_bytes: usize,
}

#[derive(Clone, Debug)]
struct Slot(Arc<Stored>);

/// Which keys are meant: all, or those of one namespace, from a first key on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRange {
    from: String,
    /// First key that is no longer meant; empty for no end.
    end: String,
}

impl KeyRange {
    /// All keys.
    pub fn all() -> Self {
        Self { from: String::new(), end: String::new() }
    }

    /// The keys of one namespace.
    pub fn namespace(namespace: &str) -> Self {
        // '0' is the byte after '/': no key of the namespace is beyond it.
        Self { from: format!("{namespace}/"), end: format!("{namespace}0") }
    }

    /// One key.
    pub fn one(key: &str) -> Self {
        Self { from: key.to_owned(), end: format!("{key}\0") }
    }

    /// The same range, but nothing before `key`.
    pub fn starting_at(mut self, key: &str) -> Self {
        if key > self.from.as_str() {
            key.clone_into(&mut self.from);
        }
        self
    }

    /// Whether a key is meant.
    pub fn contains(&self, key: &str) -> bool {
        key >= self.from.as_str() && (self.end.is_empty() || key < self.end.as_str())
    }

    fn bounds(&self) -> Option<(Bound<&str>, Bound<&str>)> {
        let end = if self.end.is_empty() { Bound::Unbounded } else { Bound::Excluded(self.end.as_str()) };
        let is_empty = !self.end.is_empty() && self.from >= self.end;
        (!is_empty).then_some((Bound::Included(self.from.as_str()), end))
    }
}

impl Objects {
    pub(super) fn get(&self, key: &str) -> Option<&Arc<Stored>> {
        self.slots.get(key).map(|slot| &slot.0)
    }

    pub(super) fn put(&mut self, object: Arc<Stored>) -> Option<Arc<Stored>> {
        self.body_bytes += object.body().len();
        let old = self.slots.replace(Slot(object)).map(|slot| slot.0);
        self.body_bytes -= old.as_ref().map_or(0, |old| old.body().len());
        old
    }

    pub(super) fn remove(&mut self, key: &str) -> Option<Arc<Stored>> {
        let old = self.slots.take(key).map(|slot| slot.0);
        self.body_bytes -= old.as_ref().map_or(0, |old| old.body().len());
        old
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn body_bytes(&self) -> usize {
        self.body_bytes
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<Stored>> {
        self.slots.iter().map(|slot| &slot.0)
    }

    /// The objects of a range, as they are.
    pub(super) fn range<'a>(&'a self, range: &'a KeyRange) -> impl Iterator<Item = &'a Arc<Stored>> {
        range.bounds().into_iter().flat_map(|bounds| self.slots.range::<str, _>(bounds)).map(|slot| &slot.0)
    }

    /// The objects of a range, as they were before what `undone` tells.
    pub(super) fn range_before<'a>(
        &'a self,
        range: &'a KeyRange,
        undone: &'a BTreeMap<Box<str>, Option<Arc<Stored>>>,
    ) -> impl Iterator<Item = &'a Arc<Stored>> {
        range.bounds().into_iter().flat_map(|bounds| Before {
            now: self.slots.range::<str, _>(bounds).peekable(),
            then: undone.range::<str, _>(bounds).peekable(),
        })
    }
}

/// Two ordered sequences as one; where both have a key, `then` wins.
struct Before<'a> {
    now: Peekable<btree_set::Range<'a, Slot>>,
    then: Peekable<btree_map::Range<'a, Box<str>, Option<Arc<Stored>>>>,
}

impl<'a> Iterator for Before<'a> {
    type Item = &'a Arc<Stored>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let order = match (self.now.peek(), self.then.peek()) {
                (None, None) => return None,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(now), Some((then, _))) => now.0.key().cmp(then),
            };
            if order == Ordering::Less {
                return self.now.next().map(|slot| &slot.0);
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

impl Borrow<str> for Slot {
    fn borrow(&self) -> &str {
        self.0.key()
    }
}

impl PartialEq for Slot {
    fn eq(&self, other: &Self) -> bool {
        self.0.key() == other.0.key()
    }
}

impl Eq for Slot {}

impl PartialOrd for Slot {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Slot {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.key().cmp(other.0.key())
    }
}
