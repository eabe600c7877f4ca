//! The one thing in which queues differ: in which order deltas come out, and what is merged.

use std::sync::Arc;

use tidings_object::{RawObject, Version};
use tidings_source::{ChangeType, StreamScope};

use super::StreamId;
use super::bounded::{BoundedQueue, QueueContents};
use super::receiver::{BATCH_DELTAS_MAX, Batch};
use super::replace::ListedObjects;
use crate::reflector::Epoch;

/// How full a queue is. Cloning it copies a pointer; it may outlive both ends.
#[derive(Debug, Clone)]
pub struct QueueDepth(Arc<BoundedQueue<Box<dyn DeltaOrder>>>);

/// What a stream brings.
pub(super) enum StreamMessage {
    Changed(ChangeType, Arc<RawObject>),
    Bookmark(Version),
    Listed { scope: StreamScope, listed: ListedObjects, version: Version, epoch: Epoch },
    Ended { scope: StreamScope },
}

/// What is queued, in some order.
pub(super) trait DeltaOrder: Send {
    fn push(&mut self, stream: StreamId, arrival: StreamMessage);

    /// Takes a batch, empty when nothing is queued. What was taken before has been applied.
    fn take(&mut self, deltas_max: usize) -> Batch;

    /// Queues a [`Delta::Sync`](super::Delta::Sync) for each known object of which nothing is queued, and says how many.
    fn resync(&mut self) -> usize;

    fn load(&self) -> QueueLoad;
}

/// How much is queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct QueueLoad {
    pub(super) deltas: usize,
    /// An estimate.
    pub(super) bytes: usize,
}

impl QueueDepth {
    pub(super) fn new(bounded: Arc<BoundedQueue<Box<dyn DeltaOrder>>>) -> QueueDepth {
        QueueDepth(bounded)
    }

    /// How many deltas are queued.
    pub fn deltas(&self) -> usize {
        self.load().deltas
    }

    /// From how many queued deltas on a push waits.
    pub fn deltas_max(&self) -> usize {
        self.0.bound()
    }

    /// An estimate of the bytes that the queued objects keep; what is also cached counts all the same.
    pub fn bytes_estimate(&self) -> usize {
        self.load().bytes
    }

    fn load(&self) -> QueueLoad {
        self.0.look(|order| order.load()).unwrap_or_default()
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
