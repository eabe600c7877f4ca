//! The receiving end of the queue: the informer takes batches of deltas.

use std::future::{Future, poll_fn};
use std::sync::Arc;

use super::bounded::BoundedQueue;
use super::order::DeltaOrder;
use super::{Delta, StreamId};

/// The largest number of deltas in a batch; see [`Batch`] for the exception.
pub(super) const BATCH_DELTAS_MAX: usize = 1_000;

/// Up to 1,000 deltas in the order in which they are to be applied. A [`Delta::ReplacedAll`] is the last of its batch.
/// In the per-object order the deltas of one object stay together, so an object with more deltas makes a longer batch.
pub type Batch = Vec<(StreamId, Delta)>;

/// The receiving end of a queue, for one consumer. When it is dropped, the queue is freed and no push waits any more.
#[derive(Debug)]
pub struct DeltaReceiver(Arc<BoundedQueue<Box<dyn DeltaOrder>>>);

impl DeltaReceiver {
    pub(super) fn new(queue: Arc<BoundedQueue<Box<dyn DeltaOrder>>>) -> DeltaReceiver {
        DeltaReceiver(queue)
    }

    /// Waits for deltas and takes a batch; `None` once the queue is closed and empty. Dropped while it waits, it has
    /// taken nothing.
    ///
    /// Call it only after the batch before has been applied and is visible through [`KnownInScope`]. Until this call
    /// the queue remembers the batch before: without that, the deletion of an object whose addition is being applied
    /// would look like the deletion of an unknown object and be dropped.
    ///
    /// [`KnownInScope`]: super::KnownInScope
    pub fn next_batch(&mut self) -> impl Future<Output = Option<Batch>> + Send + '_ {
        poll_fn(|cx| self.0.poll_take(cx))
    }

    /// Queues a [`Delta::Sync`] for each known object without queued deltas, and returns their number. In the order of
    /// arrival it queues nothing: there the consumer reads its own cache.
    ///
    /// As with [`next_batch`](Self::next_batch), the batch before has been applied. It does not wait for room, because
    /// the consumer would wait for itself. Pushes wait until the queue is below its bound again.
    pub fn resync(&mut self) -> usize {
        self.0.push_above_bound(|order| order.resync()).unwrap_or(0)
    }
}

impl Drop for DeltaReceiver {
    fn drop(&mut self) {
        self.0.close_and_clear();
    }
}
