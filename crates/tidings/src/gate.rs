//! Limits how many lists a factory asks for at the same time: a start with many informers is no stampede, and
//! only a few lists are on their way in memory.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt};
use tidings_object::ResourceKind;
use tidings_source::{
    ListOptions, ListPart, ListStream, ListWatch, SourceError, StreamScope, WatchEvent, WatchOptions,
    WatchStream,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A source that waits for its turn before it lists.
pub(crate) struct Gated<L> {
    pub(crate) source: L,
    pub(crate) lists: Arc<Semaphore>,
}

impl<L: ListWatch> Gated<L> {
    async fn turn(&self) -> OwnedSemaphorePermit {
        Arc::clone(&self.lists).acquire_owned().await.expect("the gate is never closed")
    }
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

    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>> {
        async move {
            let turn = self.turn().await;
            let page = self.source.list(options).await?;
            Ok(held_until(page, turn, |part| matches!(part, Ok(ListPart::End(_)) | Err(_))))
        }
        .boxed()
    }

    fn watch(&self, options: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>> {
        async move {
            if !options.send_initial_events {
                return self.source.watch(options).await;
            }
            let turn = self.turn().await;
            let events = self.source.watch(options).await?;
            let is_end = |event: &Result<WatchEvent, SourceError>| {
                matches!(event, Ok(WatchEvent::Bookmark { is_initial_events_end: true, .. }) | Err(_))
            };
            Ok(held_until(events, turn, is_end))
        }
        .boxed()
    }
}

/// The stream, which keeps its turn until an item says that the list is over, or until it is dropped.
fn held_until<T: Send + 'static>(
    stream: futures_util::stream::BoxStream<'static, T>,
    turn: OwnedSemaphorePermit,
    is_over: impl Fn(&T) -> bool + Send + 'static,
) -> futures_util::stream::BoxStream<'static, T> {
    let mut turn = Some(turn);
    stream
        .inspect(move |item| {
            if is_over(item) {
                drop(turn.take());
            }
        })
        .boxed()
}
