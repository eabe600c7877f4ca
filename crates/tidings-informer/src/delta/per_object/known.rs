//! The objects that the consumer knows, or will know after it has applied the batch in flight.

use std::sync::Arc;

use tidings_object::RawObject;
use tidings_source::StreamScope;

use super::super::fifo_entry::{FifoEntry, newest_state};
use super::super::in_flight::InFlightEffect;
use super::super::list_collector::ListedObjects;
use super::DeltaFifo;

impl DeltaFifo {
    /// The objects of the scope that exist for the consumer but are not in the list, with their last state: first the
    /// queued ones in the order of the queue, then those in flight, then the known ones.
    pub(super) fn missing_from(&self, listed: &ListedObjects, scope: &StreamScope) -> Vec<Arc<RawObject>> {
        let is_absent =
            |object: &RawObject| scope.contains(object.namespace()) && !listed.contains(object.key_bytes());
        let mut missing = Vec::new();
        for (number, entry) in (self.head..).zip(&self.entries) {
            if let FifoEntry::Object { deltas, .. } = entry
                && is_absent(entry.object())
                && self.open_entry(entry.object()).is_none_or(|open| open == number)
            {
                missing.push(Arc::clone(newest_state(self.applied_state(entry.object()).as_ref(), deltas)));
            }
        }
        let is_idle = |object: &RawObject| is_absent(object) && self.open_entry(object).is_none();
        let in_flight = self.in_flight.present_in(scope).into_iter().filter(|object| is_idle(object));
        missing.extend(in_flight.filter_map(|object| self.applied_state(object)));
        self.known.for_each_in(scope, &mut |object| {
            if is_idle(object)
                && matches!(
                    self.in_flight.effect_on(object),
                    InFlightEffect::Untouched | InFlightEffect::MaybeRemoved
                )
            {
                missing.push(Arc::clone(object));
            }
        });
        missing
    }

    /// The state of this key after the consumer has applied the batch in flight.
    pub(super) fn applied_state(&self, object: &RawObject) -> Option<Arc<RawObject>> {
        self.in_flight.applied_to(object, self.known.known(&object.key()))
    }

    /// Whether the consumer may have this key when it applies the next delta: a delta of it is queued or in flight, it
    /// is known, or its scope is ending.
    pub(super) fn may_exist(&self, object: &RawObject) -> bool {
        self.open_entry(object).is_some()
            || self.is_scope_ending(object)
            || match self.in_flight.effect_on(object) {
                InFlightEffect::Present => true,
                InFlightEffect::Removed => false,
                InFlightEffect::Untouched | InFlightEffect::MaybeRemoved => {
                    self.known.known(&object.key()).is_some()
                }
            }
    }

    /// Whether the cache has exactly this state, and nothing that is queued or in flight may change it.
    pub(super) fn is_known_unchanged(&self, object: &RawObject) -> bool {
        self.open_entry(object).is_none()
            && !self.is_scope_ending(object)
            && self.in_flight.effect_on(object) == InFlightEffect::Untouched
            && self.known.known(&object.key()).is_some_and(|known| known.is_unchanged(object))
    }
}
