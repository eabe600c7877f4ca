//! The queue used directly, without streams, with client-go's method names.

use std::sync::Arc;

use tidings_object::RawObject;
use tidings_source::{ChangeType, StreamScope};

use super::super::list_collector::ListedObjects;
use super::super::receiver::Batch;
use super::super::{Delta, StreamId};
use super::DeltaFifo;

/// The stream number of deltas that are queued by a direct call.
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

    /// Queues a deletion, with the final state. A deletion of an object that is neither queued nor known is dropped.
    pub fn delete(&mut self, object: Arc<RawObject>) {
        if self.may_exist(&object) {
            self.queue(MANUAL, Delta::Changed(ChangeType::Deleted, object));
        }
    }

    /// Queues a complete list: [`Delta::Replaced`] for each object, unless it is known in exactly this state, then
    /// [`Delta::MissingFromList`] for each queued or known object that the list does not contain, with its newest known
    /// state.
    pub fn replace(&mut self, objects: impl IntoIterator<Item = Arc<RawObject>>) {
        let listed: ListedObjects = objects.into_iter().collect();
        self.queue_list(MANUAL, &StreamScope::All, &listed);
    }

    /// Queues a [`Delta::Sync`] for each known object without queued deltas, and returns their number. An object with
    /// queued deltas needs none, because the consumer gets it anyway. Objects of a scope that is ending are skipped.
    ///
    /// As with [`pop`](Self::pop), the consumer has applied what it popped before.
    pub fn resync(&mut self) -> usize {
        self.in_flight.clear();
        let mut idle = Vec::new();
        self.known.for_each_in(&StreamScope::All, &mut |object| {
            if self.open_entry(object).is_none() && !self.is_scope_ending(object) {
                idle.push(Arc::clone(object));
            }
        });
        let queued = idle.len();
        idle.into_iter().for_each(|object| self.queue(MANUAL, Delta::Sync(object)));
        queued
    }

    /// Takes the first object: its deltas, oldest first, at least one. `None` if no object is queued.
    ///
    /// The consumer has applied what it popped before, and it is known. Markers of streams are skipped; a queue that is
    /// filled by direct calls has none.
    pub fn pop(&mut self) -> Option<Vec<Delta>> {
        self.in_flight.clear();
        let mut taken = Batch::new();
        while !self.entries.is_empty() {
            self.take_first(&mut taken);
            if taken.first().is_some_and(|(_, delta)| delta.object().is_some()) {
                return Some(taken.into_iter().map(|(_, delta)| delta).collect());
            }
            taken.clear();
        }
        None
    }
}
