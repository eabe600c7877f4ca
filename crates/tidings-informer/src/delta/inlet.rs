//! Where streams write into the queue. Every push waits for room, in the order in which pushes came; dropped
//! while it waits, it leaves nothing behind.

use std::sync::Arc;

use tidings_object::{RawObject, Version};
use tidings_source::{Change, StreamScope};

use super::StreamId;
use super::gate::{Depth, Gate};
use super::replace::{Collecting, Listed};
use crate::reflector::{Epoch, Sink};

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
struct Held(Arc<Gate>);

impl Inlet {
    pub(super) fn new(gate: Arc<Gate>) -> Inlet {
        Inlet(Arc::new(Held(gate)))
    }

    /// A way in for one stream.
    pub fn stream(&self, stream: StreamId, scope: StreamScope) -> StreamInlet {
        StreamInlet { inlet: self.clone(), stream, scope }
    }

    /// Tells the consumer that this stream has ended, so that it forgets what the stream brought. Stop the
    /// stream first: what it pushes after its end stays.
    pub async fn end_stream(&self, stream: StreamId, scope: StreamScope) {
        self.gate().enter(move |order| order.end_stream(stream, scope)).await;
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

    fn gate(&self) -> &Arc<Gate> {
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

    pub(super) async fn replace(
        &mut self,
        scope: StreamScope,
        listed: Listed,
        version: Version,
        epoch: Epoch,
    ) {
        let stream = self.stream;
        let push = move |order: &mut dyn super::gate::Order| {
            order.replace(stream, scope, listed, version, epoch);
        };
        self.inlet.gate().enter(push).await;
    }
}

impl Sink for StreamInlet {
    type Replacement<'a> = Collecting<'a>;

    fn begin_replace(&mut self, scope: &StreamScope) -> Collecting<'_> {
        Collecting::new(self, scope.clone())
    }

    async fn change(&mut self, change: Change, object: Arc<RawObject>) {
        let stream = self.stream;
        self.inlet.gate().enter(move |order| order.change(stream, change, object)).await;
    }

    async fn bookmark(&mut self, version: Version) {
        let stream = self.stream;
        self.inlet.gate().enter(move |order| order.bookmark(stream, version)).await;
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.close();
    }
}
