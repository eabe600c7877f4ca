//! Where streams write into the queue. Every push waits for room, in the order in which pushes came; dropped
//! while it waits, it leaves nothing behind.

use std::sync::Arc;

use tidings_object::{RawObject, Version};
use tidings_source::{Change, StreamScope};

use super::StreamId;
use super::gate::Gate;
use super::order::{Arrival, Depth, Order};
use super::replace::Collecting;
use crate::reflector::Sink;

/// The end of a queue that streams write into. The queue closes when the last of its clones and streams goes.
#[derive(Debug, Clone)]
pub struct Inlet(Arc<Held>);

/// One stream's way into the queue: what a reflector writes into.
#[derive(Debug)]
pub struct StreamInlet {
    inlet: Inlet,
    stream: StreamId,
    scope: StreamScope,
}

/// Held by every writer; the last one closes the queue behind it.
#[derive(Debug)]
struct Held(Arc<Gate<Box<dyn Order>>>);

impl Inlet {
    pub(super) fn new(gate: Arc<Gate<Box<dyn Order>>>) -> Inlet {
        Inlet(Arc::new(Held(gate)))
    }

    /// A way in for one stream.
    pub fn stream(&self, stream: StreamId, scope: StreamScope) -> StreamInlet {
        StreamInlet { inlet: self.clone(), stream, scope }
    }

    /// Tells the consumer that this stream has ended, so that it forgets what the stream brought. Stop the
    /// stream first: what it pushes after its end stays.
    pub async fn end_stream(&self, stream: StreamId, scope: StreamScope) {
        self.enter(stream, Arrival::Ended { scope }).await;
    }

    /// Closes the queue: what is queued still comes out, nothing more comes in. Whoever waits is woken: a push
    /// returns without having entered.
    pub fn close(&self) {
        self.gate().close();
    }

    /// How full the queue is.
    pub fn depth(&self) -> Depth {
        Depth::new(Arc::clone(self.gate()))
    }

    async fn enter(&self, stream: StreamId, arrival: Arrival) {
        self.gate().enter(move |order| order.push(stream, arrival)).await;
    }

    fn gate(&self) -> &Arc<Gate<Box<dyn Order>>> {
        &self.0.0
    }
}

impl StreamInlet {
    /// Which stream it is.
    pub fn stream(&self) -> StreamId {
        self.stream
    }

    /// Ends the stream: see [`Inlet::end_stream`].
    pub async fn end(self) {
        self.inlet.end_stream(self.stream, self.scope.clone()).await;
    }

    pub(super) async fn enter(&mut self, arrival: Arrival) {
        self.inlet.enter(self.stream, arrival).await;
    }
}

impl Sink for StreamInlet {
    type Replacement<'a> = Collecting<'a>;

    fn begin_replace(&mut self, scope: &StreamScope) -> Collecting<'_> {
        Collecting::new(self, scope.clone())
    }

    async fn change(&mut self, change: Change, object: Arc<RawObject>) {
        self.enter(Arrival::Changed(change, object)).await;
    }

    async fn bookmark(&mut self, version: Version) {
        self.enter(Arrival::Bookmark(version)).await;
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.close();
    }
}
