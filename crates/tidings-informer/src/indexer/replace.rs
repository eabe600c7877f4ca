//! Replaces everything in a scope by a list.
//!
//! An unchanged object keeps its `Arc` in the cache, so that a relist without changes writes nothing. Objects outside
//! the scope are never touched, because another stream lists and watches them.

use std::sync::Arc;

use hashbrown::HashMap;
use tidings_object::RawObject;
use tidings_source::StreamScope;

use super::index::NAMESPACE_INDEX;
use super::writer::Writer;

/// The changes that [`Writer::replace`] made.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ReplaceSummary {
    /// New objects (without an old one) and objects with other content (with the old one), in the order of the list.
    pub changed: Vec<(Option<Arc<RawObject>>, Arc<RawObject>)>,
    /// Objects that were cached and are not in the list.
    pub removed: Vec<Arc<RawObject>>,
    /// The number of unchanged objects. The cache keeps its own copies.
    pub unchanged: usize,
    /// Objects of the list that are outside the scope. They are not stored.
    pub out_of_scope: Vec<Arc<RawObject>>,
}

impl Writer {
    /// Replaces everything in `scope` by a list. If a key occurs several times, the last object is stored.
    pub fn replace(&mut self, scope: &StreamScope, objects: Vec<Arc<RawObject>>) -> ReplaceSummary {
        self.follow_registry();
        let before = self.slots_in(scope);
        let mut listed = SlotBitmap::default();
        let mut summary = ReplaceSummary::default();
        for object in last_of_each_key(objects) {
            if !scope.contains(object.namespace()) {
                summary.out_of_scope.push(object);
                continue;
            }
            let found = self.objects.read().find(object.key_bytes());
            let found =
                found.map(|(slot, own)| (slot, Arc::ptr_eq(own, &object) || own.is_unchanged(&object)));
            match found {
                Some((slot, true)) => {
                    listed.insert(slot);
                    summary.unchanged += 1;
                }
                found => {
                    let (slot, old) = self.put(found.map(|(slot, _)| slot), Arc::clone(&object));
                    listed.insert(slot);
                    summary.changed.push((old, object));
                }
            }
        }
        let absent = before.into_iter().filter(|slot| !listed.contains(*slot));
        summary.removed = absent.map(|slot| self.remove_slot(slot)).collect();
        summary
    }

    /// Removes everything in `scope`, and returns it.
    pub fn remove_scope(&mut self, scope: &StreamScope) -> Vec<Arc<RawObject>> {
        self.slots_in(scope).into_iter().map(|slot| self.remove_slot(slot)).collect()
    }

    fn slots_in(&self, scope: &StreamScope) -> Vec<u32> {
        match scope.namespace() {
            None => self.objects.read().iter().map(|(slot, _)| slot).collect(),
            Some(namespace) => {
                let mut indexes = self.indexes.iter();
                let index = indexes.find(|index| *index.spec().name == *NAMESPACE_INDEX);
                let index = index.expect("every cache has the namespace index").read();
                index.slots(namespace).into_iter().flat_map(|slots| slots.iter()).collect()
            }
        }
    }
}

/// A bitmap of slots.
#[derive(Debug, Default)]
struct SlotBitmap(Vec<u64>);

impl SlotBitmap {
    fn insert(&mut self, slot: u32) {
        let word = slot as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (slot % 64);
    }

    fn contains(&self, slot: u32) -> bool {
        self.0.get(slot as usize / 64).is_some_and(|word| word & (1 << (slot % 64)) != 0)
    }
}

/// The last object of each key, in the order of the list.
fn last_of_each_key(mut objects: Vec<Arc<RawObject>>) -> Vec<Arc<RawObject>> {
    let mut last = HashMap::with_capacity(objects.len());
    for (at, object) in objects.iter().enumerate() {
        last.insert(object.key_bytes(), at);
    }
    if last.len() == objects.len() {
        drop(last);
        return objects;
    }
    let mut is_last = vec![false; objects.len()];
    last.into_values().for_each(|at| is_last[at] = true);
    let mut is_last = is_last.into_iter();
    objects.retain(|_| is_last.next().expect("one flag per object"));
    objects
}
