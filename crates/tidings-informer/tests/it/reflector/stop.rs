//! Stopping: at once, whatever is going on, with nothing left open.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt as _};
use k8s_openapi::api::core::v1::Pod;
use tidings_informer::reflector::{Reflector, ReflectorConfig};
use tidings_object::{Kind, ResourceKind};
use tidings_source::scripted::{ListAnswer, WatchAnswer};
use tidings_source::{
    ChangeType, ErrorKind, ListOptions, ListPart, ListStream, ListWatch, SourceError, StreamScope,
    WatchEvent, WatchOptions, WatchStream,
};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::reflector::scene::*;

async fn check(what: &str, mut scene: Scene, requests: usize) {
    scene.asked(requests).await;
    assert!(scene.stopped().await.is_zero(), "{what}: a stop waits for nothing");
    assert_eq!(scene.source.open_streams(), 0, "{what}");
    assert_eq!(scene.told.all().last().unwrap(), "stopped Cancelled", "{what}");
}

// holds: R40, R41, X6
#[tokio::test(start_paused = true)]
async fn a_stop_ends_it_at_once_wherever_it_is() {
    let scene = Scene::new(chunked());
    scene.source.will_list(ListAnswer::hanging());
    check("a list that is not answered", scene, 1).await;

    let scene = Scene::new(chunked());
    scene.source.will_list(ListAnswer::page(5).object(&pod("a", 1)).hang());
    check("a list that hangs", scene, 1).await;

    let scene = Scene::new(chunked());
    scene.source.will_list(ListAnswer::status(500, "Other"));
    check("backing off", scene, 1).await;

    let scene = Scene::new(chunked());
    scene.source.will_list(ListAnswer::refused(ErrorKind::Status(busy(seconds(250)))));
    check("waiting as the server asked", scene, 1).await;

    let scene = Scene::new(chunked());
    scene.source.will_list(ListAnswer::page(5).next_page("t"));
    scene.source.will_list(ListAnswer::status(500, "Other"));
    check("waiting for another try of a page", scene, 2).await;

    let scene = Scene::new(ReflectorConfig::default());
    scene.source.will_watch(WatchAnswer::hanging());
    check("a streaming list that is not answered", scene, 1).await;

    let scene = Scene::new(ReflectorConfig::default());
    scene.source.will_watch(WatchAnswer::open().added(&pod("a", 1)).hang());
    check("a streaming list that hangs", scene, 1).await;

    let scene = Scene::new(chunked());
    scene.source.will_list(ListAnswer::page(5));
    scene.source.will_watch(WatchAnswer::hanging());
    check("a watch that is not answered", scene, 2).await;

    let scene = Scene::new(chunked());
    scene.source.will_list(ListAnswer::page(5));
    scene.source.will_watch(WatchAnswer::open().hang());
    check("a watch that is silent", scene, 2).await;

    let scene = Scene::new(chunked());
    scene.sunk.block();
    scene.source.will_list(ListAnswer::page(5));
    check("a sink that makes a list wait", scene, 1).await;

    let scene = Scene::new(chunked());
    scene.sunk.block();
    scene.sunk.admit(1);
    scene.source.will_list(ListAnswer::page(5));
    scene.source.will_watch(WatchAnswer::open().added(&pod("a", 6)));
    check("a sink that makes an event wait", scene, 2).await;
}

// holds: R40
#[tokio::test(start_paused = true)]
async fn a_reflector_that_was_stopped_before_asks_nothing() {
    let mut scene = Scene::new(chunked());
    scene.stop.cancel();
    scene.start();
    scene.ended().await;
    assert_eq!(scene.source.requests(), [""; 0]);
}

/// A server that has always more to say, without a pause.
struct Torrent(ResourceKind);

impl ListWatch for Torrent {
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

/// A torrent that nobody stops ends in a panic: a test shall fail, not hang.
fn endless<T: Clone + Send + 'static>(item: T) -> BoxStream<'static, Result<T, SourceError>> {
    const UNSEEN: usize = 1_000_000;
    let items =
        stream::repeat(item).enumerate().inspect(|(sent, _)| assert!(*sent < UNSEEN, "a stop went unseen"));
    items.map(|(_, item)| Ok(item)).boxed()
}

/// The same, after a list that ends.
struct Flood(Torrent);

impl ListWatch for Flood {
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
async fn a_server_that_never_pauses_does_not_keep_a_stop_from_being_seen() {
    let torrent = || Torrent(Pod::resource());
    let sources: [(Arc<dyn ListWatch>, ReflectorConfig); 3] = [
        (Arc::new(torrent()), chunked()),
        (Arc::new(torrent()), ReflectorConfig::default()),
        (Arc::new(Flood(torrent())), ReflectorConfig::default()),
    ];
    for (source, config) in sources {
        let stop = CancellationToken::new();
        let reflector = Reflector::new(source, Forgetful, config, Arc::new(()), 42);
        let mut running = JoinSet::new();
        running.spawn(reflector.run(stop.clone()));
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        stop.cancel();
        running.join_next().await.unwrap().unwrap();
    }
}
