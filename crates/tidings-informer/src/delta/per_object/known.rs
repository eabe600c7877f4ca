//! What the consumer knows of an object, or will know once it has applied what was taken last.

use std::sync::Arc;

use tidings_object::RawObject;
use tidings_source::StreamScope;

use super::super::fifo_entry::{FifoEntry, newest_state};
use super::super::in_flight::InFlightEffect;
use super::super::replace::ListedObjects;
use super::DeltaFifo;

impl DeltaFifo {
    /// Every object of the scope that will be there and is not on the list, with its last state: of what is
    /// queued in the order of the queue, then of what is in flight, then of what is known.
    pub(super) fn absent(&self, scope: &StreamScope, listed: &ListedObjects) -> Vec<Arc<RawObject>> {
        let is_absent =
            |object: &RawObject| scope.contains(object.namespace()) && !listed.contains(&object.key());
        let mut absent = Vec::new();
        for (number, place) in (self.left..).zip(&self.places) {
            if let FifoEntry::Object { deltas, .. } = place
                && is_absent(place.object())
                && self.place_of(place.object()).is_none_or(|open| open == number)
            {
                absent.push(Arc::clone(newest_state(self.settled(place.object()).as_ref(), deltas)));
            }
        }
        let is_idle = |object: &RawObject| is_absent(object) && self.place_of(object).is_none();
        let in_flight = self.in_flight.staying_in(scope).into_iter().filter(|object| is_idle(object));
        absent.extend(in_flight.filter_map(|object| self.settled(object)));
        self.known.for_each_in(scope, &mut |object| {
            if is_idle(object)
                && matches!(
                    self.in_flight.fate(object),
                    InFlightEffect::Untouched | InFlightEffect::MaybeRemoved
                )
            {
                absent.push(Arc::clone(object));
            }
        });
        absent
    }

    /// The state of this key that the consumer has once it has applied what was taken.
    pub(super) fn settled(&self, object: &RawObject) -> Option<Arc<RawObject>> {
        self.in_flight.applied_to(object, self.known.known(&object.key()))
    }

    /// Whether anything is queued for this key, or it may be there once what was taken is applied.
    pub(super) fn is_anywhere(&self, object: &RawObject) -> bool {
        self.place_of(object).is_some()
            || self.ends(object)
            || match self.in_flight.fate(object) {
                InFlightEffect::Present => true,
                InFlightEffect::Removed => false,
                InFlightEffect::Untouched | InFlightEffect::MaybeRemoved => {
                    self.known.known(&object.key()).is_some()
                }
            }
    }

    /// Whether the cache holds this very state, and nothing is under way that might change it.
    pub(super) fn is_known_just_so(&self, object: &RawObject) -> bool {
        self.place_of(object).is_none()
            && !self.ends(object)
            && self.in_flight.fate(object) == InFlightEffect::Untouched
            && self.known.known(&object.key()).is_some_and(|known| known.is_unchanged(object))
    }
}
