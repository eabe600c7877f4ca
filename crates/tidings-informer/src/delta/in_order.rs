//! Strict arrival order over all objects: every delta is its own entry, a list is one. Nothing is merged, and
//! nobody downstream is asked; what a list deletes is found by whoever applies it.

use std::collections::VecDeque;

use tidings_object::Version;

use super::order::{Arrival, Load, Order};
use super::outlet::Batch;
use super::{Delta, Milestone, StreamId};

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
    fn append(&mut self, stream: StreamId, delta: Delta) {
        let bytes = delta.bytes_estimate();
        self.bytes += bytes;
        self.entries.push_back(Entry { stream, delta, bytes });
    }

    /// A bookmark right behind another one of its stream says all that the other said.
    fn bookmark(&mut self, stream: StreamId, version: Version) {
        let by = Milestone::Bookmark;
        match self.entries.back_mut() {
            Some(Entry { stream: last, delta: Delta::Reached { version: reached, by: why }, .. })
                if *last == stream && *why == by =>
            {
                *reached = version;
            }
            _ => self.append(stream, Delta::Reached { version, by }),
        }
    }
}

impl Order for InOrder {
    fn push(&mut self, stream: StreamId, arrival: Arrival) {
        match arrival {
            Arrival::Changed(change, object) => self.append(stream, Delta::Changed(change, object)),
            Arrival::Bookmark(version) => self.bookmark(stream, version),
            Arrival::Listed { scope, listed, version, epoch } => {
                self.append(stream, Delta::ReplacedAll { scope, objects: listed.into_objects() });
                self.append(stream, Delta::Reached { version, by: Milestone::List(epoch) });
            }
            Arrival::Ended { scope } => self.append(stream, Delta::ScopeEnded { scope }),
        }
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
