//! A list takes the place of everything in its scope.
//!
//! What did not change stays the very object that the cache holds, so a relist of an unchanged cache writes
//! nothing. Objects outside the scope are never touched: another stream answers for them.

use std::sync::Arc;

use hashbrown::HashMap;
use tidings_object::RawObject;
use tidings_source::StreamScope;

use super::index::NAMESPACE_INDEX;
use super::writer::Writer;

/// What a list changed.
#[derive(Debug, Default)]
pub struct ReplaceSummary {
    /// Objects that were not there before, or with other content, in the list's order: what each was, and is.
    pub changed: Vec<(Option<Arc<RawObject>>, Arc<RawObject>)>,
    /// Objects that the list does not have.
    pub removed: Vec<Arc<RawObject>>,
    /// How many are as they were: the cache keeps its own.
    pub unchanged: usize,
    /// Objects that the list should not have had, and that were not taken: they are in another scope.
    pub out_of_scope: Vec<Arc<RawObject>>,
}

impl Writer {
    /// Replaces everything in `scope` by a list. The last of several objects with one key counts.
    pub fn replace(&mut self, scope: &StreamScope, objects: Vec<Arc<RawObject>>) -> ReplaceSummary {
        self.adopt();
        let before = self.slots_in(scope);
        let mut seen = SlotBitmap::default();
        let mut replaced = ReplaceSummary::default();
        for object in last_of_each_key(objects) {
            if !scope.contains(object.namespace()) {
                replaced.out_of_scope.push(object);
                continue;
            }
            let found = self.objects.read().find(&object.key());
            let found =
                found.map(|(slot, own)| (slot, Arc::ptr_eq(own, &object) || own.is_unchanged(&object)));
            match found {
                Some((slot, true)) => {
                    seen.add(slot);
                    replaced.unchanged += 1;
                }
                found => {
                    let (slot, old) = self.put(found.map(|(slot, _)| slot), Arc::clone(&object));
                    seen.add(slot);
                    replaced.changed.push((old, object));
                }
            }
        }
        let gone = before.into_iter().filter(|slot| !seen.has(*slot));
        replaced.removed = gone.map(|slot| self.remove_slot(slot)).collect();
        replaced
    }

    /// Removes everything in `scope`.
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

/// The slots that a list named.
#[derive(Debug, Default)]
struct SlotBitmap(Vec<u64>);

impl SlotBitmap {
    fn add(&mut self, slot: u32) {
        let word = slot as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (slot % 64);
    }

    fn has(&self, slot: u32) -> bool {
        self.0.get(slot as usize / 64).is_some_and(|word| word & (1 << (slot % 64)) != 0)
    }
}

/// Only the last object with each key, in the order in which they stand.
fn last_of_each_key(mut objects: Vec<Arc<RawObject>>) -> Vec<Arc<RawObject>> {
    let mut last = HashMap::with_capacity(objects.len());
    for (at, object) in objects.iter().enumerate() {
        last.insert(object.key().as_str(), at);
    }
    if last.len() == objects.len() {
        drop(last);
        return objects;
    }
    let mut is_last = vec![false; objects.len()];
    last.into_values().for_each(|at| is_last[at] = true);
    let mut is_last = is_last.into_iter();
    objects.retain(|_| is_last.next().expect("each object has its mark"));
    objects
}
