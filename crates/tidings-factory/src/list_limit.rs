//! Limits how many lists of a factory run at the same time. A start with many informers then neither overloads the server
//! nor holds many lists in memory at once.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tidings_object::{ResourceKind, Wire};
use tidings_source::{
    ListOptions, ListPermit, ListStream, ListWatch, SourceError, StreamScope, WatchOptions, WatchStream,
};
use tokio::sync::Semaphore;

/// A source whose lists need a permit of a semaphore.
pub(crate) struct LimitedSource<L> {
    pub(crate) source: L,
    pub(crate) list_limit: Arc<Semaphore>,
}

impl<L: ListWatch> ListWatch for LimitedSource<L> {
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
        let permit = Arc::clone(&self.list_limit).acquire_owned();
        permit.map(|permit| ListPermit::new(permit.expect("the semaphore is never closed"))).boxed()
    }

    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>> {
        self.source.list(options)
    }

    fn watch(&self, options: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>> {
        self.source.watch(options)
    }
}
