//! What was taken out last and may not be applied yet: neither queued nor known, and yet it counts.
//!
//! Without it: the consumer takes the addition of X; before X can be read from the cache, X's deletion comes
//! in, finds X neither queued nor known, and is dropped; then the addition is applied, and X stays for ever.

use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use tidings_object::RawObject;
use tidings_source::StreamScope;

use super::place::{Deltas, newest_state};

/// The state that each object of the last batch will have once it is applied.
#[derive(Debug, Default)]
pub(super) struct InFlight {
    taken: HashTable<Taken>,
    hasher: RandomState,
    /// Scopes that ended in this batch: what the cache shows of them may be about to go.
    ended: Vec<StreamScope>,
}

/// What becomes of an object by what is in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It will be there.
    Stays,
    /// It will be gone.
    Goes,
    /// If it is there, it goes with its scope, unless the consumer keeps it for another stream of that scope.
    MayGo,
    /// Nothing in flight touches it.
    Untouched,
}

#[derive(Debug)]
struct Taken {
    /// Its newest state in the batch: the consumer takes no notice of an older one that a watch replays after it.
    object: Arc<RawObject>,
    is_deletion: bool,
}

impl InFlight {
    /// All of it has been applied.
    pub(super) fn clear(&mut self) {
        self.taken.clear();
        self.ended.clear();
    }

    /// The deltas of an object left, the last of which does or does not leave it deleted.
    pub(super) fn took(&mut self, deltas: &Deltas, is_deletion: bool) {
        let object = newest_state(deltas);
        let hash = |object: &RawObject| self.hasher.hash_one(object.key().as_str());
        let place = self.taken.entry(
            hash(object),
            |other| other.object.key() == object.key(),
            |other| hash(&other.object),
        );
        match place {
            Entry::Occupied(mut earlier) => {
                let earlier = earlier.get_mut();
                earlier.is_deletion = is_deletion;
                if !object.version().is_older_than(earlier.object.version()) {
                    earlier.object = Arc::clone(object);
                }
            }
            Entry::Vacant(place) => {
                place.insert(Taken { object: Arc::clone(object), is_deletion });
            }
        }
    }

    /// The end of a scope left.
    pub(super) fn took_end(&mut self, scope: StreamScope) {
        self.ended.push(scope);
    }

    /// The newest state of this key that was taken.
    pub(super) fn object(&self, object: &RawObject) -> Option<&Arc<RawObject>> {
        self.find(object).map(|taken| &taken.object)
    }

    pub(super) fn fate(&self, object: &RawObject) -> Fate {
        match self.find(object) {
            Some(Taken { is_deletion: true, .. }) => Fate::Goes,
            Some(_) => Fate::Stays,
            None if self.ended.iter().any(|scope| scope.contains(object.namespace())) => Fate::MayGo,
            None => Fate::Untouched,
        }
    }

    /// The objects of `scope` that will be there.
    pub(super) fn staying_in(&self, scope: &StreamScope) -> impl Iterator<Item = &Arc<RawObject>> {
        self.taken
            .iter()
            .filter(|taken| !taken.is_deletion && scope.contains(taken.object.namespace()))
            .map(|taken| &taken.object)
    }

    fn find(&self, object: &RawObject) -> Option<&Taken> {
        let key = object.key();
        self.taken.find(self.hasher.hash_one(key.as_str()), |taken| taken.object.key() == key)
    }
}
