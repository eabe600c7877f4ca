//! One entry of the per-object queue: an object with its deltas, or a marker of a stream.

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use foldhash::fast::RandomState;
use smallvec::SmallVec;
use tidings_object::{RawObject, Version};
use tidings_source::StreamScope;

use super::{Delta, ReachedBy, StreamId};

/// The deltas of one object in the order of their arrival, at least one.
pub(super) type Deltas = [(StreamId, Delta)];

/// What leaves the queue at once.
pub(super) enum FifoEntry {
    /// The deltas of one object, at least one.
    Object {
        deltas: SmallVec<[(StreamId, Delta); 1]>,
        /// As counted at arrival. A body may be packed better while its delta waits.
        bytes: usize,
    },
    Reached {
        stream: StreamId,
        version: Version,
        by: ReachedBy,
    },
    Ended {
        stream: StreamId,
        scope: StreamScope,
    },
}

impl FifoEntry {
    /// The number of its deltas.
    pub(super) fn deltas(&self) -> usize {
        match self {
            FifoEntry::Object { deltas, .. } => deltas.len(),
            FifoEntry::Reached { .. } | FifoEntry::Ended { .. } => 1,
        }
    }

    /// The object of its last delta. Must not be called on a marker.
    pub(super) fn object(&self) -> &Arc<RawObject> {
        match self {
            FifoEntry::Object { deltas, .. } => object_of(last(deltas)),
            FifoEntry::Reached { .. } | FifoEntry::Ended { .. } => unreachable!("a marker has no object"),
        }
    }
}

/// The last delta.
pub(super) fn last(deltas: &Deltas) -> &Delta {
    &deltas.last().expect("an entry has deltas").1
}

/// The last state that a consumer with the state `before` has after these deltas. It ignores a watch event that is
/// older than its state, but an item of a list is applied at any version.
pub(super) fn newest_state<'a>(before: Option<&'a Arc<RawObject>>, deltas: &'a Deltas) -> &'a Arc<RawObject> {
    let (_, first) = deltas.first().expect("an entry has deltas");
    deltas.iter().fold(before.unwrap_or(object_of(first)), |newest, (_, delta)| match delta {
        Delta::Changed(_, object) if object.version().is_older_than(newest.version()) => newest,
        applied => object_of(applied),
    })
}

/// The hash of a key, given by its bytes, for the tables of the queue.
pub(super) fn key_hash(hasher: &RandomState, key: &[u8]) -> u64 {
    let mut hasher = hasher.build_hasher();
    hasher.write(key);
    hasher.finish()
}

pub(super) fn object_of(delta: &Delta) -> &Arc<RawObject> {
    delta.object().expect("an entry has deltas of one object")
}
