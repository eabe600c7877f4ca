//! The order of arrival over all objects. Every watch event is an entry, and so is every list. Only bookmarks that
//! follow each other are merged. The queue does not read the cache: the consumer finds the objects that a list no
//! longer contains.

use std::collections::VecDeque;

use tidings_object::Version;

use super::order::{DeltaOrder, QueueLoad, StreamMessage};
use super::receiver::Batch;
use super::{Delta, ReachedBy, StreamId};

/// Deltas in the order of arrival.
#[derive(Debug, Default)]
pub(super) struct InOrder {
    entries: VecDeque<InOrderEntry>,
    bytes: usize,
}

#[derive(Debug)]
struct InOrderEntry {
    stream: StreamId,
    delta: Delta,
    /// As counted at arrival. A body may be packed better while its delta waits.
    bytes: usize,
}

impl InOrder {
    fn append(&mut self, stream: StreamId, delta: Delta) {
        let bytes = delta.bytes_estimate();
        self.bytes += bytes;
        self.entries.push_back(InOrderEntry { stream, delta, bytes });
    }

    /// Queues a bookmark. It replaces the last entry if that is a bookmark of the same stream.
    fn bookmark(&mut self, stream: StreamId, version: Version) {
        let by = ReachedBy::Bookmark;
        match self.entries.back_mut() {
            Some(InOrderEntry {
                stream: last, delta: Delta::Reached { version: reached, by: why }, ..
            }) if *last == stream && *why == by => {
                *reached = version;
            }
            _ => self.append(stream, Delta::Reached { version, by }),
        }
    }
}

impl DeltaOrder for InOrder {
    fn push(&mut self, stream: StreamId, message: StreamMessage) {
        match message {
            StreamMessage::Changed(change, object) => self.append(stream, Delta::Changed(change, object)),
            StreamMessage::Bookmark(version) => self.bookmark(stream, version),
            StreamMessage::Listed { scope, listed, version, epoch } => {
                self.append(stream, Delta::ReplacedAll { scope, objects: listed.into_objects() });
                self.append(stream, Delta::Reached { version, by: ReachedBy::List(epoch) });
            }
            StreamMessage::Ended { scope } => self.append(stream, Delta::ScopeEnded { scope }),
        }
    }

    fn take(&mut self, deltas_max: usize) -> Batch {
        let mut batch = Batch::with_capacity(self.entries.len().min(deltas_max));
        while batch.len() < deltas_max
            && let Some(InOrderEntry { stream, delta, bytes }) = self.entries.pop_front()
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

    /// Does nothing: in this order the consumer resyncs from its own cache.
    fn resync(&mut self) -> usize {
        0
    }

    fn load(&self) -> QueueLoad {
        QueueLoad { deltas: self.entries.len(), bytes: self.bytes }
    }
}

#[cfg(test)]
mod tests {
    use crate::delta::QueueOrder::InOrder;
    use crate::delta::transcript::check;

    // holds: Q2, Q14
    #[test]
    fn every_change_is_its_own_entry_in_the_order_of_arrival() {
        check(
            InOrder,
            "+ a/x@1
             + a/y@2
             ~ a/x@3
             2> + b/z@1
             ~ a/x@4
             - a/y@5
             - a/y@6
             take: + a/x@1 | + a/y@2 | ~ a/x@3 | 2> + b/z@1 | ~ a/x@4 | - a/y@5 | - a/y@6
             take:",
        );
    }

    // holds: Q15
    #[test]
    fn a_deletion_of_an_unknown_object_is_queued() {
        check(
            InOrder,
            "- a/x@1
             take: - a/x@1",
        );
    }

    // holds: Q19, Q23
    #[test]
    fn a_list_is_one_entry_even_when_it_is_empty() {
        check(
            InOrder,
            "known a/x@1 a/y@1
             ~ a/y@2
             list * @9: a/x@1 a/z@3
             + a/w@10
             list a @11:
             take: ~ a/y@2 | all *: a/x@1 a/z@3
             take: listed 9 | + a/w@10 | all a:
             take: listed 11",
        );
    }

    // holds: X23
    #[test]
    fn a_list_has_its_scope_and_its_epoch() {
        check(
            InOrder,
            "list a @9: a/x@1
             2> relist b @5: b/x@2
             take: all a: a/x@1
             take: listed 9 | 2> all b: b/x@2
             take: 2> relisted 5",
        );
    }

    // holds: Q22
    #[test]
    fn a_bookmark_replaces_only_a_bookmark_of_its_stream_directly_before_it() {
        check(
            InOrder,
            "list * @1:
             mark @2
             mark @3
             2> mark @4
             mark @5
             + a/x@6
             mark @7
             mark @8
             take: all *:
             take: listed 1 | reached 3 | 2> reached 4 | reached 5 | + a/x@6 | reached 8
             mark @9
             take: reached 9",
        );
    }

    #[test]
    fn a_resync_queues_nothing() {
        check(
            InOrder,
            "known a/x@1
             sync: 0
             take:",
        );
    }

    #[test]
    fn the_end_of_a_stream_keeps_its_position() {
        check(
            InOrder,
            "+ a/x@1
             end a
             2> list a @5: a/x@1
             take: + a/x@1 | end a | 2> all a: a/x@1
             take: 2> listed 5",
        );
    }
}
