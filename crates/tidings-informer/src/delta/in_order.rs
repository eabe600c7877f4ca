//! Strict arrival order over all objects: every delta is its own entry, a list is one. Nothing is merged, and
//! nobody downstream is asked; what a list deletes is found by whoever applies it.

use std::collections::VecDeque;
use std::sync::Arc;

use tidings_object::{RawObject, Version};
use tidings_source::{Change, StreamScope};

use super::gate::{Load, Order};
use super::outlet::Batch;
use super::replace::Listed;
use super::{Delta, Milestone, StreamId};
use crate::reflector::Epoch;

/// Deltas as they came.
#[derive(Debug, Default)]
pub(super) struct InOrder {
    entries: VecDeque<Entry>,
    bytes: usize,
}

#[derive(Debug)]
struct Entry {
    stream: StreamId,
    delta: Delta,
    /// As counted on arrival: an object's body may be packed better while it waits.
    bytes: usize,
}

impl InOrder {
    fn push(&mut self, stream: StreamId, delta: Delta) {
        let bytes = delta.bytes_estimate();
        self.bytes += bytes;
        self.entries.push_back(Entry { stream, delta, bytes });
    }
}

impl Order for InOrder {
    fn change(&mut self, stream: StreamId, change: Change, object: Arc<RawObject>) {
        self.push(stream, Delta::Changed(change, object));
    }

    fn bookmark(&mut self, stream: StreamId, version: Version) {
        // A bookmark right behind another one of its stream says all that the other said.
        if let Some(Entry { stream: last, delta: Delta::Reached { version: reached, by }, .. }) =
            self.entries.back_mut()
            && *last == stream
            && *by == Milestone::Bookmark
        {
            *reached = version;
        } else {
            self.push(stream, Delta::Reached { version, by: Milestone::Bookmark });
        }
    }

    fn replace(
        &mut self,
        stream: StreamId,
        scope: StreamScope,
        listed: Listed,
        version: Version,
        epoch: Epoch,
    ) {
        self.push(stream, Delta::ReplacedAll { scope, objects: listed.into_objects() });
        self.push(stream, Delta::Reached { version, by: Milestone::List(epoch) });
    }

    fn end_stream(&mut self, stream: StreamId, scope: StreamScope) {
        self.push(stream, Delta::ScopeEnded { scope });
    }

    fn take(&mut self, deltas_max: usize) -> Batch {
        let mut batch = Batch::with_capacity(self.entries.len().min(deltas_max));
        while batch.len() < deltas_max
            && let Some(Entry { stream, delta, bytes }) = self.entries.pop_front()
        {
            self.bytes -= bytes;
            let is_list = matches!(delta, Delta::ReplacedAll { .. });
            batch.push((stream, delta));
            if is_list {
                break;
            }
        }
        batch
    }

    fn load(&self) -> Load {
        Load { deltas: self.entries.len(), bytes: self.bytes }
    }
}
