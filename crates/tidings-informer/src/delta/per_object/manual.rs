//! The queue used by hand, without streams: one object, one list or one resync at a time goes in, and what happened to one object
//! comes out. The names are client-go's.

use std::sync::Arc;

use tidings_object::RawObject;
use tidings_source::{ChangeType, StreamScope};

use super::super::receiver::Batch;
use super::super::replace::ListedObjects;
use super::super::{Delta, StreamId};
use super::DeltaFifo;

/// What is put in by hand comes from no stream.
const MANUAL: StreamId = StreamId(0);

impl DeltaFifo {
    /// Queues an addition.
    pub fn add(&mut self, object: Arc<RawObject>) {
        self.queue(MANUAL, Delta::Changed(ChangeType::Added, object));
    }

    /// Queues another version of an object.
    pub fn update(&mut self, object: Arc<RawObject>) {
        self.queue(MANUAL, Delta::Changed(ChangeType::Modified, object));
    }

    /// Queues a deletion, with the final state. The deletion of an object that is neither queued nor known is dropped.
    pub fn delete(&mut self, object: Arc<RawObject>) {
        if self.is_anywhere(&object) {
            self.queue(MANUAL, Delta::Changed(ChangeType::Deleted, object));
        }
    }

    /// Queues a whole list: [`Delta::Replaced`] for each object that is not known just so, then [`Delta::MissingFromList`] for each
    /// object that is queued or known and absent from the list, with its newest known state.
    pub fn replace(&mut self, objects: impl IntoIterator<Item = Arc<RawObject>>) {
        let listed: ListedObjects = objects.into_iter().collect();
        self.queue_list(MANUAL, &StreamScope::All, &listed);
    }

    /// Queues a [`Delta::Sync`] for each known object of which nothing is queued, and returns how many. An object with queued
    /// deltas needs none: its consumer is about to see it anyway. Objects of a scope that is ending are left out.
    ///
    /// As with [`pop`](Self::pop), asking says that what was popped before has been applied, and is known.
    pub fn resync(&mut self) -> usize {
        self.in_flight.clear();
        let mut idle = Vec::new();
        self.known.for_each_in(&StreamScope::All, &mut |object| {
            if self.place_of(object).is_none() && !self.ends(object) {
                idle.push(Arc::clone(object));
            }
        });
        let queued = idle.len();
        idle.into_iter().for_each(|object| self.queue(MANUAL, Delta::Sync(object)));
        queued
    }

    /// Takes the first object out: its deltas, oldest first, at least one. `None` if no object is queued.
    ///
    /// Popping says that what was popped before has been applied, and is known. The markers of streams, which are not there if the
    /// queue is filled by hand, are passed over.
    pub fn pop(&mut self) -> Option<Vec<Delta>> {
        self.in_flight.clear();
        let mut taken = Batch::new();
        while !self.places.is_empty() {
            self.take_first(&mut taken);
            if taken.first().is_some_and(|(_, delta)| delta.object().is_some()) {
                return Some(taken.into_iter().map(|(_, delta)| delta).collect());
            }
            taken.clear();
        }
        None
    }
}
