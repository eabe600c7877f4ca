//! The trait in which the two orders of the queue differ: what is merged, and what leaves first.

use std::sync::Arc;

use tidings_object::{RawObject, Version};
use tidings_source::{ChangeType, StreamScope};

use super::StreamId;
use super::bounded::{BoundedQueue, QueueContents};
use super::list_collector::ListedObjects;
use super::receiver::{BATCH_DELTAS_MAX, Batch};
use crate::reflector::Epoch;

/// The fill level of a queue. A clone copies a pointer; it may outlive both ends of the queue.
#[derive(Debug, Clone)]
pub(crate) struct QueueDepth(Arc<BoundedQueue<Box<dyn DeltaOrder>>>);

/// What a stream pushes.
pub(super) enum StreamMessage {
    Changed(ChangeType, Arc<RawObject>),
    Bookmark(Version),
    Listed { scope: StreamScope, listed: ListedObjects, version: Version, epoch: Epoch },
    Ended { scope: StreamScope },
}

/// Queued deltas in one of the orders.
pub(super) trait DeltaOrder: Send {
    fn push(&mut self, stream: StreamId, message: StreamMessage);

    /// Takes a batch, which is empty if nothing is queued. The consumer has applied the batch before.
    fn take(&mut self, deltas_max: usize) -> Batch;

    /// Queues a [`Delta::Sync`](super::Delta::Sync) for each known object without queued deltas. Returns their number.
    fn resync(&mut self) -> usize;

    fn load(&self) -> QueueLoad;
}

/// The contents of a queue in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct QueueLoad {
    pub(super) deltas: usize,
    /// An estimate.
    pub(super) bytes: usize,
}

impl QueueDepth {
    pub(super) fn new(queue: Arc<BoundedQueue<Box<dyn DeltaOrder>>>) -> QueueDepth {
        QueueDepth(queue)
    }

    /// The number of queued deltas.
    pub(crate) fn deltas(&self) -> usize {
        self.load().deltas
    }

    /// An estimate of the bytes of the queued objects. It includes objects that are also cached.
    pub(crate) fn bytes_estimate(&self) -> usize {
        self.load().bytes
    }

    fn load(&self) -> QueueLoad {
        self.0.inspect(|order| order.load()).unwrap_or_default()
    }
}

impl QueueContents for Box<dyn DeltaOrder> {
    type Batch = Batch;

    fn len(&self) -> usize {
        self.load().deltas
    }

    fn take(&mut self) -> Option<Batch> {
        Some(DeltaOrder::take(&mut **self, BATCH_DELTAS_MAX)).filter(|batch| !batch.is_empty())
    }
}
