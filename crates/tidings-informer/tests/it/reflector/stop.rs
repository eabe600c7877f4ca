//! Cancellation: it ends the reflector at once in every phase, and no stream stays open.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use k8s_openapi::api::core::v1::Pod;
use tidings_informer::reflector::{Reflector, ReflectorConfig};
use tidings_object::{Kind, ResourceKind};
use tidings_source::scripted::{ListResponse, WatchResponse};
use tidings_source::{
    ChangeType, ErrorKind, ListOptions, ListPart, ListStream, ListWatch, SourceError, StreamScope,
    WatchEvent, WatchOptions, WatchStream,
};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::reflector::harness::*;

async fn check(what: &str, mut harness: ReflectorHarness, requests: usize) {
    harness.requests(requests).await;
    assert!(harness.stopped().await.is_zero(), "{what}: the end takes no time");
    assert_eq!(harness.source.open_streams(), 0, "{what}");
    assert_eq!(harness.observed.all().last().unwrap(), "stopped Cancelled", "{what}");
}

// holds: R40, R41, X6
#[tokio::test(start_paused = true)]
async fn a_cancellation_ends_the_reflector_at_once_in_every_phase() {
    let harness = ReflectorHarness::new(chunked());
    harness.source.will_list(ListResponse::hanging());
    check("a list that is not answered", harness, 1).await;

    let harness = ReflectorHarness::new(chunked());
    harness.source.will_list(ListResponse::page(5).object(&pod("a", 1)).hang());
    check("a list that hangs", harness, 1).await;

    let harness = ReflectorHarness::new(chunked());
    harness.source.will_list(ListResponse::status(500, "Other"));
    check("backing off", harness, 1).await;

    let harness = ReflectorHarness::new(chunked());
    harness.source.will_list(ListResponse::refused(ErrorKind::Status(busy(seconds(250)))));
    check("waiting for a Retry-After", harness, 1).await;

    let harness = ReflectorHarness::new(chunked());
    harness.source.will_list(ListResponse::page(5).next_page("t"));
    harness.source.will_list(ListResponse::status(500, "Other"));
    check("waiting for another try of a page", harness, 2).await;

    let harness = ReflectorHarness::new(ReflectorConfig::default());
    harness.source.will_watch(WatchResponse::hanging());
    check("a streaming list that is not answered", harness, 1).await;

    let harness = ReflectorHarness::new(ReflectorConfig::default());
    harness.source.will_watch(WatchResponse::open().added(&pod("a", 1)).hang());
    check("a streaming list that hangs", harness, 1).await;

    let harness = ReflectorHarness::new(chunked());
    harness.source.will_list(ListResponse::page(5));
    harness.source.will_watch(WatchResponse::hanging());
    check("a watch that is not answered", harness, 2).await;

    let harness = ReflectorHarness::new(chunked());
    harness.source.will_list(ListResponse::page(5));
    harness.source.will_watch(WatchResponse::open().hang());
    check("a watch that is silent", harness, 2).await;

    let harness = ReflectorHarness::new(chunked());
    harness.sink.block();
    harness.source.will_list(ListResponse::page(5));
    check("a sink that makes a list wait", harness, 1).await;

    let harness = ReflectorHarness::new(chunked());
    harness.sink.block();
    harness.sink.admit(1);
    harness.source.will_list(ListResponse::page(5));
    harness.source.will_watch(WatchResponse::open().added(&pod("a", 6)));
    check("a sink that makes an event wait", harness, 2).await;
}

// holds: R40
#[tokio::test(start_paused = true)]
async fn a_reflector_that_is_cancelled_before_it_starts_sends_no_request() {
    let mut harness = ReflectorHarness::new(chunked());
    harness.stop.cancel();
    harness.start();
    harness.ended().await;
    assert_eq!(harness.source.requests(), [""; 0]);
}

/// A source whose list and watch never end and are never pending.
struct EndlessSource(ResourceKind);

impl ListWatch for EndlessSource {
    fn resource(&self) -> &ResourceKind {
        &self.0
    }

    fn scope(&self) -> &StreamScope {
        &StreamScope::All
    }

    fn list(&self, _: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>> {
        Box::pin(async { Ok(endless(ListPart::Object(pod("a", 1)))) })
    }

    fn watch(&self, _: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>> {
        Box::pin(async { Ok(endless(WatchEvent::Changed(ChangeType::Modified, pod("a", 1)))) })
    }
}

/// Panics after many items: without a cancellation the test must fail and not hang.
fn endless<T: Clone + Send + 'static>(item: T) -> BoxStream<'static, Result<T, SourceError>> {
    const ITEMS_MAX: usize = 1_000_000;
    let items = stream::repeat(item)
        .enumerate()
        .inspect(|(sent, _)| assert!(*sent < ITEMS_MAX, "the cancellation was not seen"));
    items.map(|(_, item)| Ok(item)).boxed()
}

/// A source with a streaming list that ends, and a watch that does not.
struct EndlessWatch(EndlessSource);

impl ListWatch for EndlessWatch {
    fn resource(&self) -> &ResourceKind {
        self.0.resource()
    }

    fn scope(&self) -> &StreamScope {
        self.0.scope()
    }

    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>> {
        self.0.list(options)
    }

    fn watch(&self, options: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>> {
        let version = pod("a", 1).version().clone();
        let marker = WatchEvent::Bookmark { version, is_initial_events_end: true };
        Box::pin(async { Ok(stream::iter([Ok(marker)]).chain(self.0.watch(options).await?).boxed()) })
    }
}

// holds: X6
#[tokio::test]
async fn a_stream_that_is_never_pending_does_not_block_a_cancellation() {
    let endless_source = || EndlessSource(Pod::resource());
    let sources: [(Arc<dyn ListWatch>, ReflectorConfig); 3] = [
        (Arc::new(endless_source()), chunked()),
        (Arc::new(endless_source()), ReflectorConfig::default()),
        (Arc::new(EndlessWatch(endless_source())), ReflectorConfig::default()),
    ];
    for (source, config) in sources {
        let stop = CancellationToken::new();
        let reflector = Reflector::new(source, DiscardingSink, config, Arc::new(()), 42);
        let mut running = JoinSet::new();
        running.spawn(reflector.run(stop.clone()));
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        stop.cancel();
        running.join_next().await.unwrap().unwrap();
    }
}
