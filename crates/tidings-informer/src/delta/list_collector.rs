//! Collects the objects of a list before it enters the queue. Each key is kept once, the last object wins, and no key
//! is copied.
//!
//! The consumer sees nothing of a list before its commit. A list that is dropped before that has no effect.

use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use tidings_object::{RawObject, Version};
use tidings_source::StreamScope;

use super::fifo_entry::key_hash;
use super::order::StreamMessage;
use super::sender::StreamSender;
use crate::reflector::{Epoch, Replacement};

/// The objects of a list, each key once.
#[derive(Debug, Default)]
pub(super) struct ListedObjects {
    objects: Vec<Arc<RawObject>>,
    /// Each index of `objects`, hashed by the key of the object there.
    indexes: HashTable<u32>,
    hasher: RandomState,
}

/// The list that a stream is receiving. Its commit pushes it into the queue.
#[derive(Debug)]
pub struct ListCollector<'a> {
    sender: &'a mut StreamSender,
    scope: StreamScope,
    listed: ListedObjects,
}

impl ListedObjects {
    /// Adds an object, or replaces the object with its key.
    pub(super) fn accept(&mut self, object: Arc<RawObject>) {
        let ListedObjects { objects, indexes, hasher } = self;
        let key = object.key_bytes();
        let entry = indexes.entry(
            key_hash(hasher, key),
            |&at| objects[at as usize].key_bytes() == key,
            |&at| key_hash(hasher, objects[at as usize].key_bytes()),
        );
        match entry {
            Entry::Occupied(at) => objects[*at.get() as usize] = object,
            Entry::Vacant(vacant) => {
                vacant.insert(index(objects.len()));
                objects.push(object);
            }
        }
    }

    /// Removes a key. The last object moves to its index.
    pub(super) fn retract(&mut self, key: &[u8]) {
        let Some(at) = self.find(key) else { return };
        self.remove_index(at);
        let last = index(self.objects.len() - 1);
        if at != last {
            self.remove_index(last);
        }
        self.objects.swap_remove(at as usize);
        if at != last {
            let ListedObjects { objects, indexes, hasher } = self;
            let hash = |at: u32| key_hash(hasher, objects[at as usize].key_bytes());
            indexes.insert_unique(hash(at), at, |&at| hash(at));
        }
    }

    pub(super) fn contains(&self, key: &[u8]) -> bool {
        self.find(key).is_some()
    }

    pub(super) fn len(&self) -> usize {
        self.objects.len()
    }

    /// The objects, in the order in which their keys first arrived, except after a retraction.
    pub(super) fn objects(&self) -> &[Arc<RawObject>] {
        &self.objects
    }

    pub(super) fn into_objects(self) -> Vec<Arc<RawObject>> {
        self.objects
    }

    fn find(&self, key: &[u8]) -> Option<u32> {
        let has_key = |&at: &u32| self.objects[at as usize].key_bytes() == key;
        self.indexes.find(key_hash(&self.hasher, key), has_key).copied()
    }

    fn remove_index(&mut self, at: u32) {
        let hash = key_hash(&self.hasher, self.objects[at as usize].key_bytes());
        if let Ok(entry) = self.indexes.find_entry(hash, |&other| other == at) {
            entry.remove();
        }
    }
}

impl FromIterator<Arc<RawObject>> for ListedObjects {
    fn from_iter<I: IntoIterator<Item = Arc<RawObject>>>(objects: I) -> ListedObjects {
        let mut listed = ListedObjects::default();
        objects.into_iter().for_each(|object| listed.accept(object));
        listed
    }
}

impl<'a> ListCollector<'a> {
    pub(super) fn new(sender: &'a mut StreamSender, scope: StreamScope) -> ListCollector<'a> {
        ListCollector { sender, scope, listed: ListedObjects::default() }
    }
}

impl Replacement for ListCollector<'_> {
    fn accept(&mut self, object: Arc<RawObject>) {
        self.listed.accept(object);
    }

    fn retract(&mut self, object: &RawObject) {
        self.listed.retract(object.key_bytes());
    }

    fn len(&self) -> usize {
        self.listed.len()
    }

    async fn commit(self, version: Version, epoch: Epoch) {
        let ListCollector { sender, scope, listed } = self;
        sender.push(StreamMessage::Listed { scope, listed, version, epoch }).await;
    }
}

fn index(at: usize) -> u32 {
    u32::try_from(at).expect("a list has fewer than 2^32 objects")
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;
    use crate::delta::transcript::{object, word};

    fn words(listed: &ListedObjects) -> Vec<String> {
        listed.objects().iter().map(|object| word(object)).collect()
    }

    #[test]
    fn the_last_object_of_a_key_replaces_the_first_at_its_index() {
        let listed: ListedObjects = ["a/x@1", "a/y@2", "a/x@3"].map(object).into_iter().collect();
        assert_eq!(words(&listed), ["a/x@3", "a/y@2"]);
        assert!(listed.contains(b"a/x") && !listed.contains(b"a/z"));
    }

    #[test]
    fn a_retracted_object_is_absent_and_can_be_added_again() {
        let mut listed: ListedObjects = ["a/x@1", "a/y@2", "a/z@3"].map(object).into_iter().collect();
        listed.retract(b"a/x");
        listed.retract(b"a/x");
        listed.retract(b"a/unknown");
        assert_eq!(words(&listed), ["a/z@3", "a/y@2"]);
        listed.accept(object("a/x@4"));
        listed.retract(b"a/x");
        assert_eq!(words(&listed), ["a/z@3", "a/y@2"]);
        listed.retract(b"a/z");
        listed.retract(b"a/y");
        assert!(listed.len() == 0 && listed.into_objects().is_empty());
    }

    proptest! {
        #[test]
        fn a_list_equals_a_map(steps in prop::collection::vec((any::<bool>(), 0..12_u8), 0..60)) {
            let mut listed = ListedObjects::default();
            let mut model = BTreeMap::new();
            for (version, (is_accept, name)) in steps.into_iter().enumerate() {
                let key = format!("a/{name}");
                if is_accept {
                    listed.accept(object(&format!("{key}@{version}")));
                    model.insert(key, version);
                } else {
                    listed.retract(key.as_bytes());
                    model.remove(&key);
                }
            }
            for name in 0..12 {
                let key = format!("a/{name}");
                prop_assert_eq!(listed.contains(key.as_bytes()), model.contains_key(&key));
            }
            let found: BTreeSet<_> = words(&listed).into_iter().collect();
            prop_assert_eq!(found.len(), listed.len());
            prop_assert_eq!(found, model.iter().map(|(key, version)| format!("{key}@{version}")).collect());
        }
    }
}
