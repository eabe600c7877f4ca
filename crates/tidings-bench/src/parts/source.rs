//! A list from the server: splitting it into objects; recognising objects that are cached already; and a relist through
//! to the cache.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::StreamBody;
use k8s_openapi::api::core::v1::Pod;
use kube_client::Client;
use kube_client::client::Body;
use tidings_informer::delta::{Delta, QueueOrder, StreamId, queue};
use tidings_informer::indexer::{Writer, indexer_with_seed};
use tidings_informer::reflector::{Epoch, Replacement, Sink};
use tidings_object::{Kind, NothingKnown, RawObject, Version, Wire};
use tidings_source::{KubeSource, ListOptions, ListPart, ListWatch, StreamScope};
use tokio::runtime::{Builder, Runtime};
use tower::service_fn;

use super::{frames, intake, measured, take_in};

/// The size of one read from a socket.
const CHUNK_BYTES: usize = 16 << 10;
const HASH_SEED: u64 = 42;

pub(crate) fn list_split(times: u64) {
    let body = list_of(&frames(times));
    let items = measured(|| tidings_source::fuzz::count_items(Wire::Json, &body, CHUNK_BYTES));
    assert_eq!(items as u64, times);
}

pub(crate) fn list_split_known(times: u64) {
    let cluster = Cluster::with(times);
    let listed = measured(|| cluster.runtime.block_on(listed(&cluster.source)));
    assert_eq!(listed.len() as u64, times);
}

pub(crate) fn relist_unchanged(times: u64) {
    let Cluster { runtime, source, mut writer } = Cluster::with(times);
    let (sender, mut receiver) = queue(QueueOrder::InOrder, 1_000, Arc::new(NothingKnown));
    let mut sink = sender.stream(StreamId(0), StreamScope::All);
    let relist = async {
        let mut replacement = sink.begin_replace(&StreamScope::All);
        for object in listed(&source).await {
            replacement.accept(object);
        }
        replacement.commit(Version::from(1), Epoch::Same).await;
        let mut unchanged = 0;
        for (_, delta) in receiver.next_batch().await.expect("the queue is open") {
            if let Delta::ReplacedAll { scope, objects } = delta {
                unchanged += writer.replace(&scope, objects).unchanged;
            }
        }
        writer.publish(None);
        unchanged
    };
    assert_eq!(measured(|| runtime.block_on(relist)) as u64, times);
}

/// A server with one list, and a cache that contains all of it.
struct Cluster {
    runtime: Runtime,
    source: KubeSource,
    writer: Writer,
}

impl Cluster {
    fn with(count: u64) -> Cluster {
        let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime can be built");
        let intake = Arc::new(intake());
        let (mut writer, reader) = indexer_with_seed(HASH_SEED);
        let frames = frames(count);
        for frame in &frames {
            writer.upsert(take_in(&intake, frame));
        }
        writer.publish(None);
        let client = {
            let _inside = runtime.enter();
            client_of(list_of(&frames))
        };
        let source = KubeSource::builder(client, Pod::resource()).intake(intake).known(Arc::new(reader));
        let source = source.build().expect("pods can be listed");
        Cluster { runtime, source, writer }
    }
}

fn list_of(frames: &[String]) -> Bytes {
    let items = frames.join(",");
    let head = r#"{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":["#;
    Bytes::from(format!("{head}{items}]}}"))
}

/// A client that receives `body` for every request.
fn client_of(body: Bytes) -> Client {
    let answer = service_fn(move |_: Request<Body>| {
        let body = body.clone();
        let starts = (0..body.len()).step_by(CHUNK_BYTES);
        let chunks = starts.map(move |at| body.slice(at..body.len().min(at + CHUNK_BYTES)));
        let chunks = stream::iter(chunks.map(|chunk| Ok::<_, Infallible>(Frame::data(chunk))));
        async { Ok::<_, Infallible>(Response::new(StreamBody::new(chunks))) }
    });
    Client::new(answer, "default")
}

async fn listed(source: &KubeSource) -> Vec<Arc<RawObject>> {
    let mut parts = source.list(ListOptions::default()).await.expect("the list is answered");
    let mut objects = Vec::new();
    while let Some(part) = parts.next().await {
        if let ListPart::Object(object) = part.expect("the list is well-formed") {
            objects.push(object);
        }
    }
    objects
}
