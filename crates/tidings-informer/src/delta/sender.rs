//! The sending end of the queue. Every push waits for room, first in, first out. A push that is dropped while it waits
//! has pushed nothing.

use std::sync::Arc;

use tidings_object::{RawObject, Version};
use tidings_source::{ChangeType, StreamScope};

use super::StreamId;
use super::bounded::BoundedQueue;
use super::list_collector::ListCollector;
use super::order::{DeltaOrder, QueueDepth, StreamMessage};
use crate::reflector::Sink;

/// The sending end of a queue. The queue closes when its last clone and its last stream are dropped.
#[derive(Debug, Clone)]
pub struct DeltaSender(Arc<ClosesQueue>);

/// The sending end of one stream: the [`Sink`] of its reflector.
#[derive(Debug)]
pub struct StreamSender {
    sender: DeltaSender,
    stream: StreamId,
    scope: StreamScope,
}

/// Closes the queue when the last sender drops it.
#[derive(Debug)]
struct ClosesQueue(Arc<BoundedQueue<Box<dyn DeltaOrder>>>);

impl DeltaSender {
    pub(super) fn new(queue: Arc<BoundedQueue<Box<dyn DeltaOrder>>>) -> DeltaSender {
        DeltaSender(Arc::new(ClosesQueue(queue)))
    }

    /// The sending end of one stream.
    pub fn stream(&self, stream: StreamId, scope: StreamScope) -> StreamSender {
        StreamSender { sender: self.clone(), stream, scope }
    }

    /// Queues the end of a stream, so that the consumer removes its objects. Stop the stream first: the objects that it
    /// pushes later stay.
    pub async fn end_stream(&self, stream: StreamId, scope: StreamScope) {
        self.push(stream, StreamMessage::Ended { scope }).await;
    }

    /// Closes the queue. The receiver still gets what is queued. A push that waits returns without having pushed.
    pub fn close(&self) {
        self.queue().close();
    }

    /// The fill level of the queue.
    pub(crate) fn depth(&self) -> QueueDepth {
        QueueDepth::new(Arc::clone(self.queue()))
    }

    async fn push(&self, stream: StreamId, message: StreamMessage) {
        self.queue().push(move |order| order.push(stream, message)).await;
    }

    fn queue(&self) -> &Arc<BoundedQueue<Box<dyn DeltaOrder>>> {
        &self.0.0
    }
}

impl StreamSender {
    /// The number of the stream.
    pub fn stream(&self) -> StreamId {
        self.stream
    }

    /// Ends the stream: see [`DeltaSender::end_stream`].
    pub async fn end(self) {
        self.sender.end_stream(self.stream, self.scope.clone()).await;
    }

    pub(super) async fn push(&mut self, message: StreamMessage) {
        self.sender.push(self.stream, message).await;
    }
}

impl Sink for StreamSender {
    type Replacement<'a> = ListCollector<'a>;

    fn begin_replace(&mut self, scope: &StreamScope) -> ListCollector<'_> {
        ListCollector::new(self, scope.clone())
    }

    async fn change(&mut self, change: ChangeType, object: Arc<RawObject>) {
        self.push(StreamMessage::Changed(change, object)).await;
    }

    async fn bookmark(&mut self, version: Version) {
        self.push(StreamMessage::Bookmark(version)).await;
    }
}

impl Drop for ClosesQueue {
    fn drop(&mut self) {
        self.0.close();
    }
}
