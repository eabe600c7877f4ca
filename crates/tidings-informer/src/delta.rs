//! The queue between reflectors and the informer: bounded, so that a slow consumer is felt at the socket.
//!
//! Two orders are offered. [`QueueOrder::InOrder`] keeps strict arrival order over all objects and a list as
//! one entry; [`QueueOrder::PerObject`] is the classic `DeltaFifo`: one place in the queue an object, its deltas
//! taken out together. Several streams (one a namespace) write into one queue.

use std::sync::Arc;

use tidings_object::{RawObject, Version};
use tidings_source::{Change, StreamScope};

use crate::reflector::Epoch;

/// In which order deltas leave the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QueueOrder {
    /// Strictly as they arrived; a list is one entry and replaces its scope in one step.
    #[default]
    InOrder,
    /// By object, in the order in which objects first came in; the deltas of one object leave together.
    PerObject,
}

/// Which of an informer's streams a delta came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StreamId(pub u32);

/// One thing to apply.
#[derive(Debug, Clone)]
pub enum Delta {
    /// The server told a change.
    Changed(Change, Arc<RawObject>),
    /// In order: a whole list, which replaces everything in its scope. A key stands in it once.
    ReplacedAll {
        /// What it replaces.
        scope: StreamScope,
        /// What it consists of.
        objects: Vec<Arc<RawObject>>,
    },
    /// Per object: one item of a list.
    Replaced(Arc<RawObject>),
    /// Per object: absent from a list though we knew it. Its last known state may be stale.
    Vanished(Arc<RawObject>),
    /// Everything that this stream sent up to here has left the queue.
    Reached {
        /// Up to which version.
        version: Version,
        /// What brought us here.
        by: Milestone,
    },
}

/// What a [`Delta::Reached`] stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Milestone {
    /// A list was committed.
    List(Epoch),
    /// A bookmark, or the changes before it.
    Bookmark,
}
