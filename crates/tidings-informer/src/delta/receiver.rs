//! Where the informer takes deltas out, a batch at a time.

use std::future::{Future, poll_fn};
use std::sync::Arc;

use super::bounded::BoundedQueue;
use super::order::{DeltaOrder, QueueDepth};
use super::{Delta, StreamId};

/// How many deltas a batch has at most.
pub const BATCH_DELTAS_MAX: usize = 1_000;

/// Deltas in the order in which they are to be applied. A [`Delta::ReplacedAll`] is the last of its batch. The
/// deltas of one object are never torn apart per object, so an object with more than [`BATCH_DELTAS_MAX`] of
/// them makes a longer batch.
pub type Batch = Vec<(StreamId, Delta)>;

/// The end of a queue that the one consumer takes deltas from. Once dropped, nobody waits to push any more.
#[derive(Debug)]
pub struct DeltaReceiver(Arc<BoundedQueue<Box<dyn DeltaOrder>>>);

impl DeltaReceiver {
    pub(super) fn new(bounded: Arc<BoundedQueue<Box<dyn DeltaOrder>>>) -> DeltaReceiver {
        DeltaReceiver(bounded)
    }

    /// Waits for deltas and takes them; `None` once the queue is closed and empty. Dropped while it waits, it
    /// has taken nothing.
    ///
    /// Asking says that the batch before has been applied and can be read through [`KnownInScope`]; until then
    /// the queue remembers what it handed out. Otherwise the deletion of an object that is just being applied
    /// would pass for one of an object that nobody has.
    ///
    /// [`KnownInScope`]: super::KnownInScope
    pub fn next_batch(&mut self) -> impl Future<Output = Option<Batch>> + Send + '_ {
        poll_fn(|cx| self.0.poll_take(cx))
    }

    /// Queues a [`Delta::Sync`] for each known object of which nothing is queued, and says how many. In order it queues nothing:
    /// there the consumer reads what it knows.
    ///
    /// As with [`next_batch`](Self::next_batch), asking says that the batch before has been applied. It does not wait for room: the one who takes would wait for itself. Pushes wait until enough was taken.
    pub fn resync(&mut self) -> usize {
        self.0.put(|order| order.resync()).unwrap_or(0)
    }

    /// How full the queue is.
    pub fn depth(&self) -> QueueDepth {
        QueueDepth::new(Arc::clone(&self.0))
    }
}

impl Drop for DeltaReceiver {
    fn drop(&mut self) {
        self.0.abandon();
    }
}
