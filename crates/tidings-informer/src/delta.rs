//! The queue between reflectors and the informer: bounded, so that a slow consumer is felt at the socket.
//!
//! Two orders are offered. [`QueueOrder::InOrder`] keeps strict arrival order over all objects and a list as
//! one entry; [`QueueOrder::PerObject`] is the classic [`DeltaFifo`]: one place in the queue an object, its
//! deltas taken out together. Several streams (one a namespace) write into one queue. [`DeltaFifo`] can be used by hand too,
//! without streams: that page has the example.
//!
//! Nothing here changes an object, runs a transform or asks the server: what comes in goes out, is merged with
//! its twin, or was never known.

use std::sync::Arc;

use tidings_object::{KnownObjects, NothingKnown, RawObject, Version};
use tidings_source::{ChangeType, StreamScope};

use crate::reflector::Epoch;

mod replace;

mod bounded;

mod order;

mod in_order;

mod in_flight;

mod fifo_entry;

pub mod per_object;

mod sender;

mod receiver;

pub use order::QueueDepth;
pub use per_object::DeltaFifo;
pub use receiver::{BATCH_DELTAS_MAX, Batch, DeltaReceiver};
pub use replace::{ListCollector, ListedObjects};
pub use sender::{DeltaSender, StreamSender};

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
    Changed(ChangeType, Arc<RawObject>),
    /// In order: a whole list, which replaces everything in its scope. A key stands in it once.
    ReplacedAll {
        /// What it replaces.
        scope: StreamScope,
        /// What it consists of.
        objects: Vec<Arc<RawObject>>,
    },
    /// Per object: one item of a list. It counts whatever its version is.
    Replaced(Arc<RawObject>),
    /// Per object: absent from a list though we knew it. Its last known state may be stale.
    MissingFromList(Arc<RawObject>),
    /// Per object: a known object once more, by a [resync](DeltaFifo::resync). Nothing has changed.
    Sync(Arc<RawObject>),
    /// This stream has ended: its scope is no longer listed or watched, and what it brought goes (unless another
    /// stream follows the same scope by now: then the list of that one tells what goes).
    ScopeEnded {
        /// What it had listed and watched.
        scope: StreamScope,
    },
    /// Everything that this stream sent up to here has left the queue.
    Reached {
        /// Up to which version.
        version: Version,
        /// What brought us here.
        by: ReachedBy,
    },
}

/// The kinds of deltas of one object, with client-go's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeltaKind {
    /// The server sent an addition.
    Added,
    /// The server sent another version.
    Updated,
    /// The object is gone: the server sent its deletion, or it is absent from a list ([`Delta::MissingFromList`]).
    Deleted,
    /// One item of a list.
    Replaced,
    /// A resync: nothing has changed.
    Sync,
}

/// What a [`Delta::Reached`] stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReachedBy {
    /// A list was committed.
    List(Epoch),
    /// A bookmark, or the changes before it.
    Bookmark,
}

/// What is known downstream, by scope: how the per-object order finds what a list no longer has.
///
/// It is asked while the queue is locked, so it must never call into the queue.
pub trait KnownInScope: KnownObjects {
    /// Shows every cached object of `scope`.
    fn for_each_in(&self, scope: &StreamScope, show: &mut dyn FnMut(&Arc<RawObject>));
}

/// Makes a queue. A push waits while `deltas_max` deltas (at least one) are queued; then it enters whole, so a
/// list of many objects may stand above the bound, in memory that it took before.
///
/// `known` is what the consumer has applied; only [`QueueOrder::PerObject`] asks it.
pub fn queue(
    order: QueueOrder,
    deltas_max: usize,
    known: Arc<dyn KnownInScope>,
) -> (DeltaSender, DeltaReceiver) {
    let order: Box<dyn order::DeltaOrder> = match order {
        QueueOrder::InOrder => Box::new(in_order::InOrder::default()),
        QueueOrder::PerObject => Box::new(DeltaFifo::new(known)),
    };
    let bounded = Arc::new(bounded::BoundedQueue::new(order, deltas_max.max(1)));
    (DeltaSender::new(Arc::clone(&bounded)), DeltaReceiver::new(bounded))
}

impl Delta {
    /// The object it is about, unless it is about many or none.
    pub fn object(&self) -> Option<&Arc<RawObject>> {
        match self {
            Delta::Changed(_, object)
            | Delta::Replaced(object)
            | Delta::MissingFromList(object)
            | Delta::Sync(object) => Some(object),
            Delta::ReplacedAll { .. } | Delta::ScopeEnded { .. } | Delta::Reached { .. } => None,
        }
    }

    /// Its kind, unless it is about many objects or none.
    pub fn kind(&self) -> Option<DeltaKind> {
        match self {
            Delta::Changed(ChangeType::Added, _) => Some(DeltaKind::Added),
            Delta::Changed(ChangeType::Modified, _) => Some(DeltaKind::Updated),
            Delta::Changed(ChangeType::Deleted, _) | Delta::MissingFromList(_) => Some(DeltaKind::Deleted),
            Delta::Replaced(_) => Some(DeltaKind::Replaced),
            Delta::Sync(_) => Some(DeltaKind::Sync),
            Delta::ReplacedAll { .. } | Delta::ScopeEnded { .. } | Delta::Reached { .. } => None,
        }
    }

    /// Whether its object no longer exists.
    pub fn is_deletion(&self) -> bool {
        matches!(self, Delta::Changed(ChangeType::Deleted, _) | Delta::MissingFromList(_))
    }

    /// An estimate of the bytes that it keeps in memory; an object that is cached too counts all the same.
    fn bytes_estimate(&self) -> usize {
        match self {
            Delta::ReplacedAll { objects, .. } => objects.iter().map(|object| object.packed_bytes()).sum(),
            one => one.object().map_or(0, |object| object.packed_bytes()),
        }
    }
}

impl KnownInScope for NothingKnown {
    fn for_each_in(&self, _: &StreamScope, _: &mut dyn FnMut(&Arc<RawObject>)) {}
}

#[cfg(test)]
mod transcript;

#[cfg(test)]
mod tests;
