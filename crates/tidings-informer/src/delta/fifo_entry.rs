//! A place in the per-object queue: an object with its deltas, or something that keeps its distance from them.

use std::sync::Arc;

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
        /// As counted on arrival: a body may be packed better while it waits.
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
    /// How many deltas leave with it.
    pub(super) fn deltas(&self) -> usize {
        match self {
            FifoEntry::Object { deltas, .. } => deltas.len(),
            FifoEntry::Reached { .. } | FifoEntry::Ended { .. } => 1,
        }
    }

    /// Its object, as it came last.
    pub(super) fn object(&self) -> &Arc<RawObject> {
        match self {
            FifoEntry::Object { deltas, .. } => object_of(last(deltas)),
            FifoEntry::Reached { .. } | FifoEntry::Ended { .. } => unreachable!("only objects have keys"),
        }
    }
}

/// What came last.
pub(super) fn last(deltas: &Deltas) -> &Delta {
    &deltas.last().expect("a place has deltas").1
}

/// The state that a consumer knows last if it had `before`: it ignores a change that is older than what it has, but an item of a
/// list counts whatever its version is.
pub(super) fn newest_state<'a>(before: Option<&'a Arc<RawObject>>, deltas: &'a Deltas) -> &'a Arc<RawObject> {
    let (_, first) = deltas.first().expect("a place has deltas");
    deltas.iter().fold(before.unwrap_or(object_of(first)), |newest, (_, delta)| match delta {
        Delta::Changed(_, object) if object.version().is_older_than(newest.version()) => newest,
        counts => object_of(counts),
    })
}

pub(super) fn object_of(delta: &Delta) -> &Arc<RawObject> {
    delta.object().expect("a place has deltas of one object")
}
