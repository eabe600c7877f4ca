//! Where streams write into the queue. Every push waits for room, in the order in which pushes came; dropped
//! while it waits, it leaves nothing behind.

use std::sync::Arc;

use tidings_object::{RawObject, Version};
use tidings_source::{ChangeType, StreamScope};

use super::StreamId;
use super::bounded::BoundedQueue;
use super::order::{DeltaOrder, QueueDepth, StreamMessage};
use super::replace::ListCollector;
use crate::reflector::Sink;

/// The end of a queue that streams write into. The queue closes when the last of its clones and streams goes.
#[derive(Debug, Clone)]
pub struct DeltaSender(Arc<Held>);

/// One stream's way into the queue: what a reflector writes into.
#[derive(Debug)]
pub struct StreamSender {
    sender: DeltaSender,
    stream: StreamId,
    scope: StreamScope,
}

/// Held by every writer; the last one closes the queue behind it.
#[derive(Debug)]
struct Held(Arc<BoundedQueue<Box<dyn DeltaOrder>>>);

impl DeltaSender {
    pub(super) fn new(bounded: Arc<BoundedQueue<Box<dyn DeltaOrder>>>) -> DeltaSender {
        DeltaSender(Arc::new(Held(bounded)))
    }

    /// A way in for one stream.
    pub fn stream(&self, stream: StreamId, scope: StreamScope) -> StreamSender {
        StreamSender { sender: self.clone(), stream, scope }
    }

    /// Tells the consumer that this stream has ended, so that it forgets what the stream brought. Stop the
    /// stream first: what it pushes after its end stays.
    pub async fn end_stream(&self, stream: StreamId, scope: StreamScope) {
        self.enter(stream, StreamMessage::Ended { scope }).await;
    }

    /// Closes the queue: what is queued still comes out, nothing more comes in. Whoever waits is woken: a push
    /// returns without having entered.
    pub fn close(&self) {
        self.bounded().close();
    }

    /// How full the queue is.
    pub fn depth(&self) -> QueueDepth {
        QueueDepth::new(Arc::clone(self.bounded()))
    }

    async fn enter(&self, stream: StreamId, arrival: StreamMessage) {
        self.bounded().enter(move |order| order.push(stream, arrival)).await;
    }

    fn bounded(&self) -> &Arc<BoundedQueue<Box<dyn DeltaOrder>>> {
        &self.0.0
    }
}

impl StreamSender {
    /// Which stream it is.
    pub fn stream(&self) -> StreamId {
        self.stream
    }

    /// Ends the stream: see [`DeltaSender::end_stream`].
    pub async fn end(self) {
        self.sender.end_stream(self.stream, self.scope.clone()).await;
    }

    pub(super) async fn enter(&mut self, arrival: StreamMessage) {
        self.sender.enter(self.stream, arrival).await;
    }
}

impl Sink for StreamSender {
    type Replacement<'a> = ListCollector<'a>;

    fn begin_replace(&mut self, scope: &StreamScope) -> ListCollector<'_> {
        ListCollector::new(self, scope.clone())
    }

    async fn change(&mut self, change: ChangeType, object: Arc<RawObject>) {
        self.enter(StreamMessage::Changed(change, object)).await;
    }

    async fn bookmark(&mut self, version: Version) {
        self.enter(StreamMessage::Bookmark(version)).await;
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.close();
    }
}
