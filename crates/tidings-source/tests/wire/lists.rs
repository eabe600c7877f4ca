//! What comes back from a LIST.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::StreamExt as _;
use k8s_openapi::api::core::v1::Pod;
use serde_json::json;
use tidings_object::{KnownObjects, Projection, RawObject, Version};
use tidings_source::{KubeSource, ListOptions, ListPart, ListWatch as _, Skipped, WatchEvent, WatchOptions};
use tokio::time::Instant;

use crate::server::{Answer, Server};

fn list(names: &[&str]) -> String {
    let items: Vec<_> = names
        .iter()
        .map(|name| json!({"metadata":{"namespace":"a","name":name,"uid":name,"resourceVersion":"3"}}))
        .collect();
    json!({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":items}).to_string()
}

/// The names of what came, `?` for what was skipped, then how the page ended.
async fn read(source: &KubeSource) -> (Vec<String>, Result<ListPart, String>) {
    let mut names = Vec::new();
    let mut page = match source.list(ListOptions::default()).await {
        Ok(page) => page,
        Err(error) => return (names, Err(error.to_string())),
    };
    while let Some(part) = page.next().await {
        match part {
            Ok(ListPart::Object(object)) => names.push(object.name().to_owned()),
            Ok(ListPart::Skipped(_)) => names.push("?".to_owned()),
            end => {
                assert!(page.next().await.is_none(), "nothing comes after the end");
                return (names, end.map_err(|error| error.to_string()));
            }
        }
    }
    panic!("a page ends with its end or with an error");
}

async fn read_whole(source: &KubeSource) -> (Vec<String>, Version) {
    match read(source).await {
        (names, Ok(ListPart::End(end))) => (names, end.version),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn an_object_is_there_before_the_rest_of_its_list_has_come() {
    let body = list(&["x", "y"]);
    let (first, second) = body.split_at(body.find("\"y\"").unwrap());
    let pause = Duration::from_secs(60);
    let server = Server::answering([Answer::ok(first.to_owned()).wait(pause).chunk(second.to_owned())]);
    let start = Instant::now();
    let mut page = server.pods().list(ListOptions::default()).await.unwrap();
    assert!(matches!(page.next().await, Some(Ok(ListPart::Object(pod))) if pod.key().as_str() == "a/x"));
    assert!(start.elapsed().is_zero());
    assert!(matches!(page.next().await, Some(Ok(ListPart::Object(pod))) if pod.name() == "y"));
    assert_eq!(start.elapsed(), pause);
    assert!(matches!(page.next().await, Some(Ok(ListPart::End(_)))));
    assert!(page.next().await.is_none());
}

#[tokio::test]
async fn a_list_reads_the_same_in_chunks_of_any_size() {
    let body = list(&["x", "y", "z"]);
    for size in [1, 2, 7, 64, 1000] {
        let answer = body.as_bytes().chunks(size).fold(Answer::new(200), |a, chunk| a.chunk(chunk.to_vec()));
        let (names, version) = read_whole(&Server::answering([answer]).pods()).await;
        assert_eq!(
            (names.as_slice(), version),
            (&["x".into(), "y".into(), "z".into()][..], Version::from(5))
        );
    }
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn a_list_packed_with_gzip_is_unpacked_however_many_members_it_has() {
    let body = list(&["x", "y"]);
    let (first, second) = body.as_bytes().split_at(100);
    let packed = [gzip(first), gzip(second)].concat();
    let answer = packed.chunks(11).fold(Answer::new(200), |a, chunk| a.chunk(chunk.to_vec()));
    let server = Server::answering([answer.header("content-encoding", "gzip")]);
    let source = server.builder().gzip_lists().build().unwrap();
    assert_eq!(read_whole(&source).await.0, ["x", "y"]);
    assert_eq!(server.requests()[0].headers["accept-encoding"], "gzip");
}

#[tokio::test]
async fn a_packed_list_that_is_cut_off_or_corrupt_fails() {
    let packed = gzip(list(&["x"]).as_bytes());
    let cut = packed[..packed.len() - 4].to_vec();
    let mut corrupt = packed.clone();
    let middle = corrupt.len() / 2;
    corrupt[middle] ^= 0xff;
    for body in [cut, corrupt, b"no gzip".to_vec()] {
        let server = Server::answering([Answer::ok(body).header("content-encoding", "gzip")]);
        assert!(read(&server.pods()).await.1.is_err());
    }
    let server = Server::answering([Answer::ok(packed).header("content-encoding", "br")]);
    let error = read(&server.pods()).await.1.unwrap_err();
    assert_eq!(
        error,
        "list pods in all namespaces: the answer is malformed: a content encoding that was not asked for"
    );
}

struct OneKnown(Arc<RawObject>);

impl KnownObjects for OneKnown {
    fn known(&self, key: &str) -> Option<Arc<RawObject>> {
        (key == self.0.key().as_str()).then(|| Arc::clone(&self.0))
    }
}

// holds: X23
#[tokio::test]
async fn an_object_that_did_not_change_is_the_caches_own() {
    let server = Server::answering([Answer::ok(list(&["x"])), Answer::ok(list(&["x", "y"]))]);
    let mut page = server.pods().list(ListOptions::default()).await.unwrap();
    let Some(Ok(ListPart::Object(cached))) = page.next().await else { panic!() };
    let source = server.builder().known(Arc::new(OneKnown(Arc::clone(&cached)))).build().unwrap();
    let mut page = source.list(ListOptions::default()).await.unwrap();
    let Some(Ok(ListPart::Object(again))) = page.next().await else { panic!() };
    assert!(Arc::ptr_eq(&again, &cached));
}

// holds: R28, P7
#[tokio::test]
async fn an_object_of_a_list_is_no_slice_of_what_was_received() {
    let chunk = bytes::Bytes::from(list(&["x"]));
    let received = chunk.clone();
    let server = Server::answering([Answer::ok(chunk)]);
    let mut page = server.pods().list(ListOptions::default()).await.unwrap();
    let Some(Ok(ListPart::Object(object))) = page.next().await else { panic!() };
    drop(page);
    drop(server);
    tokio::task::yield_now().await;
    assert!(received.is_unique(), "the object holds nothing of the chunk");
    assert_eq!(object.decoded::<Pod>().unwrap().metadata.name.as_deref(), Some("x"));
}

// holds: X5
#[tokio::test]
async fn an_item_without_identity_is_skipped_and_the_list_goes_on() {
    let body = r#"{"items":[{"metadata":{}},{"metadata":{"name":"x","resourceVersion":"1"}},
        {"kind":"Service","metadata":{"name":"y","resourceVersion":"1"}},
        {"metadata":{"name":"z"}}],"metadata":{"resourceVersion":"5"}}"#;
    let server = Server::answering([Answer::ok(body), Answer::ok(body)]);
    assert_eq!(read_whole(&server.pods()).await.0, ["?", "x", "?", "?"]);
    let mut page = server.pods().list(ListOptions::default()).await.unwrap();
    let Some(Ok(ListPart::Skipped(Skipped::Object(error)))) = page.next().await else { panic!() };
    assert_eq!(error.to_string(), "an object without metadata.name");
}

#[tokio::test]
async fn the_same_object_twice_in_a_list_comes_twice_for_the_last_to_win() {
    let server = Server::answering([Answer::ok(list(&["x", "x"]))]);
    assert_eq!(read_whole(&server.pods()).await.0, ["x", "x"]);
}

// holds: D3
#[tokio::test]
async fn metadata_only_objects_are_objects_of_their_own_resource() {
    let partial = r#"{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"x","resourceVersion":"1"}}"#;
    let list = format!(
        r#"{{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{{"resourceVersion":"5"}},"items":[{partial}]}}"#
    );
    let bookmark = partial.replace(r#""name":"x","#, "");
    let events = format!(
        "{{\"type\":\"ADDED\",\"object\":{partial}}}\n{{\"type\":\"BOOKMARK\",\"object\":{bookmark}}}\n"
    );
    let server = Server::answering([Answer::ok(list), Answer::ok(events)]);
    let source = server.builder().projection(Projection::Metadata).build().unwrap();
    assert_eq!(read_whole(&source).await, (vec!["x".to_owned()], Version::from(5)));
    let mut events = source.watch(WatchOptions::default()).await.unwrap();
    let Some(Ok(WatchEvent::Changed(_, object))) = events.next().await else { panic!() };
    assert_eq!((object.name(), &*object.origin().resource.plural), ("x", "pods"));
    assert!(matches!(events.next().await, Some(Ok(WatchEvent::Bookmark { .. }))));
}
