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

use super::Delta;
use super::fifo_entry::{Deltas, newest_state};

/// The state that each object of the last batch will have once it is applied.
#[derive(Debug, Default)]
pub(super) struct InFlight {
    taken: HashTable<InFlightObject>,
    hasher: RandomState,
    /// Scopes that ended in this batch: what the cache shows of them may be about to go.
    ended: Vec<StreamScope>,
}

/// What becomes of an object by what is in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InFlightEffect {
    /// It will be there.
    Present,
    /// It will be gone.
    Removed,
    /// If it is there, it goes with its scope, unless the consumer keeps it for another stream of that scope.
    MaybeRemoved,
    /// Nothing in flight touches it.
    Untouched,
}

#[derive(Debug)]
struct InFlightObject {
    /// Its newest state in the batch: the consumer takes no notice of an older one that a watch replays after it.
    object: Arc<RawObject>,
    is_deletion: bool,
    /// Whether it counts even if what is known is newer.
    is_listed: bool,
}

impl InFlight {
    /// All of it has been applied.
    pub(super) fn clear(&mut self) {
        self.taken.clear();
        self.ended.clear();
    }

    /// The deltas of an object left, the last of which does or does not leave it deleted.
    pub(super) fn took(&mut self, deltas: &Deltas, is_deletion: bool) {
        let object = newest_state(None, deltas);
        let is_listed = deltas.iter().any(|(_, delta)| !matches!(delta, Delta::Changed(..)));
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
                if is_listed || !object.version().is_older_than(earlier.object.version()) {
                    earlier.is_listed |= is_listed;
                    earlier.object = Arc::clone(object);
                }
            }
            Entry::Vacant(place) => {
                place.insert(InFlightObject { object: Arc::clone(object), is_deletion, is_listed });
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

    /// The state of this key once all of it is applied to what is `known`, unless it is gone then.
    pub(super) fn applied_to(
        &self,
        object: &RawObject,
        known: Option<Arc<RawObject>>,
    ) -> Option<Arc<RawObject>> {
        let Some(taken) = self.find(object) else { return known };
        if taken.is_deletion {
            return None;
        }
        let is_ignored = |known: &Arc<RawObject>| {
            !taken.is_listed && taken.object.version().is_older_than(known.version())
        };
        Some(known.filter(is_ignored).unwrap_or_else(|| Arc::clone(&taken.object)))
    }

    pub(super) fn fate(&self, object: &RawObject) -> InFlightEffect {
        match self.find(object) {
            Some(InFlightObject { is_deletion: true, .. }) => InFlightEffect::Removed,
            Some(_) => InFlightEffect::Present,
            None if self.ended.iter().any(|scope| scope.contains(object.namespace())) => {
                InFlightEffect::MaybeRemoved
            }
            None => InFlightEffect::Untouched,
        }
    }

    /// The objects of `scope` that will be there, in the order of their keys: that of the table is chance.
    pub(super) fn staying_in(&self, scope: &StreamScope) -> Vec<&Arc<RawObject>> {
        let stays = |taken: &&InFlightObject| !taken.is_deletion && scope.contains(taken.object.namespace());
        let mut staying: Vec<_> = self.taken.iter().filter(stays).map(|taken| &taken.object).collect();
        staying.sort_unstable_by_key(|object| object.key());
        staying
    }

    fn find(&self, object: &RawObject) -> Option<&InFlightObject> {
        let key = object.key();
        self.taken.find(self.hasher.hash_one(key.as_str()), |taken| taken.object.key() == key)
    }
}

#[cfg(test)]
mod tests {
    use tidings_source::ChangeType;

    use super::*;
    use crate::delta::StreamId;
    use crate::delta::transcript::object;

    fn changed(word: &str) -> [(StreamId, Delta); 1] {
        [(StreamId(1), Delta::Changed(ChangeType::Modified, object(word)))]
    }

    fn listed(word: &str) -> [(StreamId, Delta); 1] {
        [(StreamId(1), Delta::Replaced(object(word)))]
    }

    /// An object leaves twice in one batch when the end of its scope is between.
    #[test]
    fn of_an_object_that_was_taken_twice_the_newest_state_counts_or_the_one_that_was_listed() {
        let cases = [
            (changed("a/x@5"), changed("a/x@7"), "7", "9"),
            (changed("a/x@5"), changed("a/x@3"), "5", "9"),
            (changed("a/x@5"), listed("a/x@3"), "3", "3"),
            (listed("a/x@5"), changed("a/x@7"), "7", "7"),
        ];
        for (first, second, newest, over_nine) in cases {
            let mut in_flight = InFlight::default();
            in_flight.took(&changed("a/w@1"), true);
            in_flight.took(&first, true);
            in_flight.took(&changed("a/y@2"), false);
            in_flight.took(&second, false);
            let x = object("a/x@1");
            let version = |object: Option<Arc<RawObject>>| object.map(|object| object.version().to_string());
            let case = format!("{first:?}, then {second:?}");
            assert_eq!(version(in_flight.object(&x).cloned()).as_deref(), Some(newest), "{case}");
            let applied = in_flight.applied_to(&x, Some(object("a/x@9")));
            assert_eq!(version(applied).as_deref(), Some(over_nine), "{case}");
            let staying: Vec<_> = in_flight
                .staying_in(&StreamScope::All)
                .iter()
                .map(|object| object.key().to_string())
                .collect();
            assert_eq!(staying, ["a/x", "a/y"], "{case}");
        }
    }
}
