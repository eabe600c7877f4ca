//! Limits how many lists a factory asks for at the same time: a start with many informers is no stampede, and
//! only a few lists are on their way in memory.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tidings_object::{ResourceKind, Wire};
use tidings_source::{
    ListOptions, ListPermit, ListStream, ListWatch, SourceError, StreamScope, WatchOptions, WatchStream,
};
use tokio::sync::Semaphore;

/// A source that lists when it is its turn.
pub(crate) struct Gated<L> {
    pub(crate) source: L,
    pub(crate) lists: Arc<Semaphore>,
}

impl<L: ListWatch> ListWatch for Gated<L> {
    fn resource(&self) -> &ResourceKind {
        self.source.resource()
    }

    fn scope(&self) -> &StreamScope {
        self.source.scope()
    }

    fn may_stream_lists(&self) -> bool {
        self.source.may_stream_lists()
    }

    fn wire(&self) -> Option<Wire> {
        self.source.wire()
    }

    fn list_permit(&self) -> BoxFuture<'_, ListPermit> {
        let turn = Arc::clone(&self.lists).acquire_owned();
        turn.map(|turn| ListPermit::new(turn.expect("the gate is never closed"))).boxed()
    }

    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>> {
        self.source.list(options)
    }

    fn watch(&self, options: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>> {
        self.source.watch(options)
    }
}
