//! The batch in flight: deltas that the consumer has taken and may not have applied yet. Their objects are neither
//! queued nor known, but the queue must take them into account.
//!
//! The race that this prevents:
//!
//! ```text
//! 1. the consumer takes the addition of X; X is not in the cache yet
//! 2. the deletion of X is pushed: X is neither queued nor known, so the deletion would be dropped
//! 3. the consumer applies the addition: X stays in the cache for ever
//! ```

use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use tidings_object::RawObject;
use tidings_source::StreamScope;

use super::Delta;
use super::fifo_entry::{Deltas, key_hash, newest_state};

/// The state of each object of the last batch after the batch is applied.
#[derive(Debug, Default)]
pub(super) struct InFlight {
    objects: HashTable<InFlightObject>,
    hasher: RandomState,
    /// The scopes that ended in this batch. The consumer may be about to remove their objects from the cache.
    ended: Vec<StreamScope>,
}

/// The effect of the batch in flight on an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InFlightEffect {
    /// The object exists after the batch.
    Present,
    /// The object is deleted after the batch.
    Removed,
    /// Its scope ends in the batch: a cached object is removed, unless another stream follows the same scope.
    MaybeRemoved,
    /// The batch does not concern it.
    Untouched,
}

#[derive(Debug)]
struct InFlightObject {
    /// Its newest state in the batch. The consumer ignores an older state that a watch replays after it.
    object: Arc<RawObject>,
    is_deletion: bool,
    /// Whether it is from a list. Then the consumer applies it even if the known state is newer.
    is_listed: bool,
}

impl InFlight {
    /// The consumer has applied the whole batch.
    pub(super) fn clear(&mut self) {
        self.objects.clear();
        self.ended.clear();
    }

    /// Records the deltas of an object that left the queue. `is_deletion`: the object is deleted after them.
    pub(super) fn record(&mut self, deltas: &Deltas, is_deletion: bool) {
        let object = newest_state(None, deltas);
        let is_listed = deltas.iter().any(|(_, delta)| !matches!(delta, Delta::Changed(..)));
        let hash = |object: &RawObject| key_hash(&self.hasher, object.key_bytes());
        let entry = self.objects.entry(
            hash(object),
            |other| other.object.key_bytes() == object.key_bytes(),
            |other| hash(&other.object),
        );
        match entry {
            Entry::Occupied(mut earlier) => {
                let earlier = earlier.get_mut();
                earlier.is_deletion = is_deletion;
                if is_listed || !object.version().is_older_than(earlier.object.version()) {
                    earlier.is_listed |= is_listed;
                    earlier.object = Arc::clone(object);
                }
            }
            Entry::Vacant(vacant) => {
                vacant.insert(InFlightObject { object: Arc::clone(object), is_deletion, is_listed });
            }
        }
    }

    /// Records the end of a scope that left the queue.
    pub(super) fn record_scope_end(&mut self, scope: StreamScope) {
        self.ended.push(scope);
    }

    /// The newest state of this key in the batch.
    pub(super) fn object(&self, object: &RawObject) -> Option<&Arc<RawObject>> {
        self.find(object).map(|taken| &taken.object)
    }

    /// The state of this key after the batch is applied to the `known` state; `None` if it is deleted then.
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

    pub(super) fn effect_on(&self, object: &RawObject) -> InFlightEffect {
        match self.find(object) {
            Some(InFlightObject { is_deletion: true, .. }) => InFlightEffect::Removed,
            Some(_) => InFlightEffect::Present,
            None if self.ended.iter().any(|scope| scope.contains(object.namespace())) => {
                InFlightEffect::MaybeRemoved
            }
            None => InFlightEffect::Untouched,
        }
    }

    /// The objects of `scope` that exist after the batch, sorted by key: the order of the hash table is random.
    pub(super) fn present_in(&self, scope: &StreamScope) -> Vec<&Arc<RawObject>> {
        let is_present =
            |taken: &&InFlightObject| !taken.is_deletion && scope.contains(taken.object.namespace());
        let mut present: Vec<_> = self.objects.iter().filter(is_present).map(|taken| &taken.object).collect();
        present.sort_unstable_by_key(|object| object.key_bytes());
        present
    }

    fn find(&self, object: &RawObject) -> Option<&InFlightObject> {
        if self.objects.is_empty() {
            return None;
        }
        let key = object.key_bytes();
        self.objects.find(key_hash(&self.hasher, key), |taken| taken.object.key_bytes() == key)
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

    /// An object is in one batch twice when the end of its scope is between.
    #[test]
    fn an_object_that_is_twice_in_a_batch_gets_its_newest_or_listed_state() {
        let cases = [
            (changed("a/x@5"), changed("a/x@7"), "7", "9"),
            (changed("a/x@5"), changed("a/x@3"), "5", "9"),
            (changed("a/x@5"), listed("a/x@3"), "3", "3"),
            (listed("a/x@5"), changed("a/x@7"), "7", "7"),
        ];
        for (first, second, newest, over_nine) in cases {
            let mut in_flight = InFlight::default();
            in_flight.record(&changed("a/w@1"), true);
            in_flight.record(&first, true);
            in_flight.record(&changed("a/y@2"), false);
            in_flight.record(&second, false);
            let x = object("a/x@1");
            let version = |object: Option<Arc<RawObject>>| object.map(|object| object.version().to_string());
            let case = format!("{first:?}, then {second:?}");
            assert_eq!(version(in_flight.object(&x).cloned()).as_deref(), Some(newest), "{case}");
            let applied = in_flight.applied_to(&x, Some(object("a/x@9")));
            assert_eq!(version(applied).as_deref(), Some(over_nine), "{case}");
            let present: Vec<_> = in_flight
                .present_in(&StreamScope::All)
                .iter()
                .map(|object| object.key().to_string())
                .collect();
            assert_eq!(present, ["a/x", "a/y"], "{case}");
        }
    }
}
