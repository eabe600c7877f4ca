//! A place in the per-object queue: an object with its deltas, or something that keeps its distance from them.

use std::sync::Arc;

use smallvec::SmallVec;
use tidings_object::{RawObject, Version};
use tidings_source::StreamScope;

use super::{Delta, Milestone, StreamId};

/// What leaves the queue at once.
pub(super) enum Place {
    /// The deltas of one object, at least one.
    Object {
        deltas: SmallVec<[(StreamId, Delta); 1]>,
        /// As counted on arrival: a body may be packed better while it waits.
        bytes: usize,
    },
    Reached {
        stream: StreamId,
        version: Version,
        by: Milestone,
    },
    Ended {
        stream: StreamId,
        scope: StreamScope,
    },
}

impl Place {
    /// How many deltas leave with it.
    pub(super) fn deltas(&self) -> usize {
        match self {
            Place::Object { deltas, .. } => deltas.len(),
            Place::Reached { .. } | Place::Ended { .. } => 1,
        }
    }

    /// The newest state of its object.
    pub(super) fn object(&self) -> &Arc<RawObject> {
        match self {
            Place::Object { deltas, .. } => object_of(newest(deltas)),
            Place::Reached { .. } | Place::Ended { .. } => unreachable!("only objects have keys"),
        }
    }

    /// Whether its last delta is a deletion that counts.
    pub(super) fn ends_deleted(&self, is_heard: impl FnOnce(&[(StreamId, Delta)]) -> bool) -> bool {
        matches!(self, Place::Object { deltas, .. } if newest(deltas).is_deletion() && is_heard(deltas))
    }
}

pub(super) fn newest(deltas: &[(StreamId, Delta)]) -> &Delta {
    &deltas.last().expect("a place has deltas").1
}

pub(super) fn object_of(delta: &Delta) -> &Arc<RawObject> {
    delta.object().expect("a place has deltas of one object")
}
