//! A list on its way in: each key once, the last one wins, and no key is copied.
//!
//! Nobody downstream sees any of it before it is committed; dropped before that, it leaves no trace.

use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use tidings_object::{RawObject, Version};
use tidings_source::StreamScope;

use super::order::StreamMessage;
use super::sender::StreamSender;
use crate::reflector::{Epoch, Replacement};

/// The objects of a list, each key once.
#[derive(Debug, Default)]
pub struct ListedObjects {
    objects: Vec<Arc<RawObject>>,
    /// Where in `objects` a key stands: every index once, hashed by the key found there.
    places: HashTable<u32>,
    hasher: RandomState,
}

/// A list that a stream collects; it enters the queue by its commit.
#[derive(Debug)]
pub struct ListCollector<'a> {
    sender: &'a mut StreamSender,
    scope: StreamScope,
    listed: ListedObjects,
}

impl ListedObjects {
    /// Takes an object in. The same key again takes the place of the one before.
    pub fn accept(&mut self, object: Arc<RawObject>) {
        let ListedObjects { objects, places, hasher } = self;
        let key = object.key();
        let place = places.entry(
            hasher.hash_one(key.as_str()),
            |&at| objects[at as usize].key() == key,
            |&at| hasher.hash_one(objects[at as usize].key().as_str()),
        );
        match place {
            Entry::Occupied(place) => objects[*place.get() as usize] = object,
            Entry::Vacant(place) => {
                place.insert(index(objects.len()));
                objects.push(object);
            }
        }
    }

    /// Takes a key out again. The last object moves to its place.
    pub fn retract(&mut self, key: &str) {
        let Some(at) = self.place(key) else { return };
        self.forget(at);
        let last = index(self.objects.len() - 1);
        if at != last {
            self.forget(last);
        }
        self.objects.swap_remove(at as usize);
        if at != last {
            let ListedObjects { objects, places, hasher } = self;
            let hash = |at: u32| hasher.hash_one(objects[at as usize].key().as_str());
            places.insert_unique(hash(at), at, |&at| hash(at));
        }
    }

    /// Whether it has an object of this key.
    pub fn contains(&self, key: &str) -> bool {
        self.place(key).is_some()
    }

    /// How many objects it has.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// The objects, in the order in which their keys first came (but for retractions).
    pub fn objects(&self) -> &[Arc<RawObject>] {
        &self.objects
    }

    /// The objects alone.
    pub fn into_objects(self) -> Vec<Arc<RawObject>> {
        self.objects
    }

    fn place(&self, key: &str) -> Option<u32> {
        let is_it = |&at: &u32| self.objects[at as usize].key().as_str() == key;
        self.places.find(self.hasher.hash_one(key), is_it).copied()
    }

    fn forget(&mut self, at: u32) {
        let hash = self.hasher.hash_one(self.objects[at as usize].key().as_str());
        if let Ok(place) = self.places.find_entry(hash, |&other| other == at) {
            place.remove();
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
        self.listed.retract(&object.key());
    }

    fn len(&self) -> usize {
        self.listed.len()
    }

    async fn commit(self, version: Version, epoch: Epoch) {
        let ListCollector { sender, scope, listed } = self;
        sender.enter(StreamMessage::Listed { scope, listed, version, epoch }).await;
    }
}

fn index(at: usize) -> u32 {
    u32::try_from(at).expect("four thousand million objects fit into no list")
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
    fn of_the_same_key_twice_in_a_list_the_last_wins_and_keeps_the_place() {
        let listed: ListedObjects = ["a/x@1", "a/y@2", "a/x@3"].map(object).into_iter().collect();
        assert_eq!(words(&listed), ["a/x@3", "a/y@2"]);
        assert!(listed.contains("a/x") && !listed.contains("a/z"));
    }

    #[test]
    fn a_retracted_object_is_gone_and_can_come_back() {
        let mut listed: ListedObjects = ["a/x@1", "a/y@2", "a/z@3"].map(object).into_iter().collect();
        listed.retract("a/x");
        listed.retract("a/x");
        listed.retract("a/unheard-of");
        assert_eq!(words(&listed), ["a/z@3", "a/y@2"]);
        listed.accept(object("a/x@4"));
        listed.retract("a/x");
        assert_eq!(words(&listed), ["a/z@3", "a/y@2"]);
        listed.retract("a/z");
        listed.retract("a/y");
        assert!(listed.is_empty() && listed.into_objects().is_empty());
    }

    proptest! {
        #[test]
        fn a_list_holds_what_a_map_would(steps in prop::collection::vec((any::<bool>(), 0..12_u8), 0..60)) {
            let mut listed = ListedObjects::default();
            let mut model = BTreeMap::new();
            for (version, (is_accept, name)) in steps.into_iter().enumerate() {
                let key = format!("a/{name}");
                if is_accept {
                    listed.accept(object(&format!("{key}@{version}")));
                    model.insert(key, version);
                } else {
                    listed.retract(&key);
                    model.remove(&key);
                }
            }
            for name in 0..12 {
                let key = format!("a/{name}");
                prop_assert_eq!(listed.contains(&key), model.contains_key(&key));
            }
            let found: BTreeSet<_> = words(&listed).into_iter().collect();
            prop_assert_eq!(found.len(), listed.len());
            prop_assert_eq!(found, model.iter().map(|(key, version)| format!("{key}@{version}")).collect());
        }
    }
}
