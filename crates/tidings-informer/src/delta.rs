//! The queue between reflectors and the informer. It is bounded, so that a slow consumer slows the server down
//! (backpressure): a push waits while the queue is full, the reflector does not read meanwhile, and the socket fills.
//!
//! There are two orders. [`QueueOrder::InOrder`] keeps the order of arrival over all objects, and a list is one entry.
//! [`QueueOrder::PerObject`] is client-go's [`DeltaFifo`]: one entry per object, and the deltas of one object leave
//! together. Several streams (one per namespace) write into one queue. Example, with `x` and `y` updated twice:
//!
//! ```text
//! pushed:      x@1  y@2  x@3  y@4
//! InOrder:     x@1, y@2, x@3, y@4
//! PerObject:   x@1 x@3, y@2 y@4
//! ```
//!
//! Nothing here changes an object or sends a request. A delta leaves the queue, or is merged with an equal deletion, or
//! is a deletion of an unknown object and is dropped.
//!
//! An informer put together by hand: a reflector writes into the queue, a loop applies the deltas to a cache.
//!
//! ```
//! use std::sync::Arc;
//! use tidings_informer::delta::{Delta, QueueOrder, StreamId, queue};
//! use tidings_informer::indexer::indexer;
//! use tidings_informer::reflector::{Reflector, ReflectorConfig};
//! use tidings_source::{ChangeType, StreamScope};
//! use tokio_util::sync::CancellationToken;
//!
//! # use k8s_openapi::api::core::v1::Pod;
//! # use tidings_object::Kind;
//! # use tidings_source::scripted::{ScriptedSource, WatchResponse, object};
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! # let source = ScriptedSource::new(Pod::resource(), StreamScope::All);
//! # let web = object(&Pod::resource(), Some("default"), "web", 3, "uid-1", serde_json::json!({}));
//! # source.will_watch(WatchResponse::open().added(&web).initial_events_end(5).hang());
//! # let source = Arc::new(source);
//! // `source` lists and watches pods; it can be any `ListWatch`.
//! let (mut writer, reader) = indexer();
//! let (sender, mut receiver) = queue(QueueOrder::InOrder, 1_000, Arc::new(reader.clone()));
//! let sink = sender.stream(StreamId(1), StreamScope::All);
//! let reflector = Reflector::new(source, sink, ReflectorConfig::default(), Arc::new(()), 42);
//!
//! let apply = async {
//!     while let Some(batch) = receiver.next_batch().await {
//!         for (_, delta) in batch {
//!             match delta {
//!                 Delta::Changed(ChangeType::Deleted, object) => drop(writer.remove(&object.key())),
//!                 Delta::Changed(_, object) => drop(writer.upsert(object)),
//!                 Delta::ReplacedAll { scope, objects } => drop(writer.replace(&scope, objects)),
//!                 _ => {}
//!             }
//!         }
//!         writer.publish(None);
//! #       if !reader.is_empty() { break; }
//!     }
//! };
//! tokio::select! {
//!     _ = reflector.run(CancellationToken::new()) => {}
//!     () = apply => {}
//! }
//! assert!(reader.get("default/web").is_some());
//! # }
//! ```

use std::sync::Arc;

use tidings_object::{KnownObjects, NothingKnown, RawObject, Version};
use tidings_source::{ChangeType, StreamScope};

use crate::reflector::Epoch;

mod bounded;
mod fifo_entry;
mod in_flight;
mod in_order;
mod list_collector;
mod order;
mod per_object;
mod receiver;

mod sender;

pub(crate) use order::QueueDepth;
pub use per_object::DeltaFifo;
pub use receiver::{Batch, DeltaReceiver};
pub use sender::{DeltaSender, StreamSender};

/// The order in which deltas leave the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum QueueOrder {
    /// In the order of arrival. A list is one entry and replaces its scope in one step.
    #[default]
    InOrder,
    /// By object, in the order of each object's first delta. The deltas of one object leave together.
    PerObject,
}

/// The number of a stream of an informer. It says which stream a delta came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StreamId(pub u32);

/// An entry of the queue: one thing to apply to the cache.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Delta {
    /// The server sent a watch event.
    Changed(ChangeType, Arc<RawObject>),
    /// `InOrder` only: a whole list, which replaces everything in its scope. It contains each key once.
    ReplacedAll {
        /// The scope that it replaces.
        scope: StreamScope,
        /// The objects of the list.
        objects: Vec<Arc<RawObject>>,
    },
    /// `PerObject` only: one item of a list. It is applied even if its version is older than the cached one.
    Replaced(Arc<RawObject>),
    /// `PerObject` only: an object that is known but absent from a list. This is its last known state, which may be
    /// stale (client-go's `DeletedFinalStateUnknown`).
    MissingFromList(Arc<RawObject>),
    /// `PerObject` only: a known object again, by a [resync](DeltaFifo::resync). Nothing has changed.
    Sync(Arc<RawObject>),
    /// This stream has ended: its scope is no longer listed or watched, and its objects are to be removed. If another
    /// stream follows the same scope by now, they stay: the list of that stream says which of them no longer exist.
    ScopeEnded {
        /// The scope that it listed and watched.
        scope: StreamScope,
    },
    /// Everything that this stream sent up to this version has left the queue.
    Reached {
        /// The version.
        version: Version,
        /// What the stream sent at this version.
        by: ReachedBy,
    },
}

/// The kinds of deltas of one object, with client-go's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeltaKind {
    /// The server sent an addition.
    Added,
    /// The server sent another version.
    Updated,
    /// The object no longer exists: the server sent its deletion, or it is absent from a list
    /// ([`Delta::MissingFromList`]).
    Deleted,
    /// One item of a list.
    Replaced,
    /// A resync: nothing has changed.
    Sync,
}

/// What a stream sent when it reached the version of a [`Delta::Reached`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReachedBy {
    /// A complete list.
    List(Epoch),
    /// A bookmark, or watch events.
    Bookmark,
}

/// The objects that the consumer has applied, by scope: so the per-object order finds the objects that a list no longer
/// contains. The [`Reader`](crate::indexer::Reader) of a cache implements it.
///
/// The queue calls it while it is locked, so it must never call into the queue.
pub trait KnownInScope: KnownObjects {
    /// Calls `visit` with every known object of `scope`.
    fn for_each_in(&self, scope: &StreamScope, visit: &mut dyn FnMut(&Arc<RawObject>));
}

/// Creates a queue. A push waits while `deltas_max` deltas (at least one) are queued, and then enters as a whole: a
/// list of many objects may exceed the bound. The memory of its objects was allocated before the push.
///
/// `known` is what the consumer has applied. Only [`QueueOrder::PerObject`] uses it.
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
    /// Its object, unless it is about many objects or none.
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

    /// Whether its object no longer exists after it.
    pub fn is_deletion(&self) -> bool {
        matches!(self, Delta::Changed(ChangeType::Deleted, _) | Delta::MissingFromList(_))
    }

    /// An estimate of the bytes that it keeps in memory. It includes objects that are also cached.
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
pub(crate) mod transcript;

#[cfg(test)]
mod tests;
