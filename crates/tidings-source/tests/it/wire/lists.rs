//! What a LIST yields.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::StreamExt as _;
use k8s_openapi::api::core::v1::Pod;
use serde_json::json;
use tidings_object::{KnownObjects, Projection, RawObject, Version, Wire};
use tidings_source::{KubeSource, ListOptions, ListPart, ListWatch as _, Skipped, WatchEvent, WatchOptions};
use tokio::time::Instant;

use crate::wire::body::{self, WIRES};
use crate::wire::server::{Answer, Server};

fn list(wire: Wire, names: &[&str]) -> Vec<u8> {
    let items: Vec<_> = names
        .iter()
        .map(|name| json!({"metadata":{"namespace":"a","name":name,"uid":name,"resourceVersion":"3"}}))
        .collect();
    body::list(
        wire,
        &json!({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":items}),
    )
}

/// The names of the objects, `?` for a skipped item, then the end of the page or the error.
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
async fn an_object_is_yielded_before_the_rest_of_its_list_has_arrived() {
    for wire in WIRES {
        let body = list(wire, &["x", "yyy"]);
        let (first, second) = body.split_at(body.windows(3).position(|bytes| bytes == b"yyy").unwrap());
        let pause = Duration::from_secs(60);
        let answer = Answer::ok(first.to_vec()).wait(pause).chunk(second.to_vec()).on(wire);
        let server = Server::answering([answer]);
        let start = Instant::now();
        let mut page = server.pods().list(ListOptions::default()).await.unwrap();
        assert!(matches!(page.next().await, Some(Ok(ListPart::Object(pod))) if pod.key().as_str() == "a/x"));
        assert!(start.elapsed().is_zero());
        assert!(matches!(page.next().await, Some(Ok(ListPart::Object(pod))) if pod.name() == "yyy"));
        assert_eq!(start.elapsed(), pause);
        assert!(matches!(page.next().await, Some(Ok(ListPart::End(_)))));
        assert!(page.next().await.is_none());
    }
}

#[tokio::test]
async fn a_list_reads_the_same_on_each_wire_and_in_chunks_of_any_size() {
    for wire in WIRES {
        let body = list(wire, &["x", "y", "z"]);
        for size in 1..=body.len() {
            let (names, version) =
                read_whole(&Server::answering([Answer::cut(&body, size).on(wire)]).pods()).await;
            assert_eq!(
                (names.as_slice(), version),
                (&["x".into(), "y".into(), "z".into()][..], Version::from(5)),
                "{wire:?} in chunks of {size}"
            );
        }
    }
}

#[tokio::test]
async fn the_metadata_of_a_page_is_the_same_on_each_wire() {
    let metadata = json!({"resourceVersion":"5","continue":"t","remainingItemCount":7,
        "shardInfo":{"selector":"s"}});
    let list = json!({"kind":"PodList","apiVersion":"v1","metadata":metadata,"items":[]});
    let mut ends = Vec::new();
    for wire in WIRES {
        let server = Server::answering([Answer::ok(body::list(wire, &list)).on(wire)]);
        let (_, Ok(ListPart::End(end))) = read(&server.pods()).await else { panic!() };
        ends.push(end);
    }
    assert_eq!((ends[0].continue_token.as_deref(), ends[0].remaining_items), (Some("t"), Some(7)));
    assert_eq!(ends[0], ends[1]);
}

// holds: X5
#[tokio::test]
async fn a_list_that_is_truncated_anywhere_is_an_error() {
    for wire in WIRES {
        let body = list(wire, &["x", "y"]);
        // After a protobuf list there are two empty fields, which may be missing.
        let whole = body.len() - if wire == Wire::Protobuf { 4 } else { 0 };
        for length in 0..whole {
            let server = Server::answering([Answer::ok(body[..length].to_vec()).on(wire)]);
            let (names, end) = read(&server.pods()).await;
            let expected = format!("the list was truncated after {} objects", names.len());
            assert!(end.unwrap_err().ends_with(&expected), "{wire:?} of {length} bytes");
        }
    }
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn a_gzip_list_is_decompressed_however_many_members_it_has() {
    for wire in WIRES {
        let body = list(wire, &["x", "y"]);
        let (first, second) = body.split_at(50);
        let packed = [gzip(first), gzip(second)].concat();
        let answer = Answer::cut(&packed, 11).on(wire).header("content-encoding", "gzip");
        let server = Server::answering([answer]);
        let source = server.builder().gzip_lists().build().unwrap();
        assert_eq!(read_whole(&source).await.0, ["x", "y"]);
        assert_eq!(server.requests()[0].headers["accept-encoding"], "gzip");
    }
}

#[tokio::test]
async fn a_gzip_list_that_is_truncated_or_corrupt_fails() {
    let packed = gzip(&list(Wire::Json, &["x"]));
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
        "list pods in all namespaces: the response is malformed: a content encoding that was not requested"
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
async fn an_object_that_did_not_change_is_the_arc_of_the_cache() {
    for wire in WIRES {
        let answers = [list(wire, &["x"]), list(wire, &["x", "y"])];
        let server = Server::answering(answers.map(|body| Answer::ok(body).on(wire)));
        let mut page = server.pods().list(ListOptions::default()).await.unwrap();
        let Some(Ok(ListPart::Object(cached))) = page.next().await else { panic!() };
        assert_eq!(cached.wire(), wire);
        let source = server.builder().known(Arc::new(OneKnown(Arc::clone(&cached)))).build().unwrap();
        let mut page = source.list(ListOptions::default()).await.unwrap();
        let Some(Ok(ListPart::Object(again))) = page.next().await else { panic!() };
        assert!(Arc::ptr_eq(&again, &cached));
    }
}

// holds: R28, P7
#[tokio::test]
async fn an_object_of_a_list_does_not_borrow_from_the_response() {
    for wire in WIRES {
        let chunk = bytes::Bytes::from(list(wire, &["x"]));
        let received = chunk.clone();
        let server = Server::answering([Answer::ok(chunk).on(wire)]);
        let mut page = server.pods().list(ListOptions::default()).await.unwrap();
        let Some(Ok(ListPart::Object(object))) = page.next().await else { panic!() };
        drop(page);
        drop(server);
        tokio::task::yield_now().await;
        assert!(received.is_unique(), "the object holds nothing of the chunk");
        assert_eq!(object.decoded::<Pod>().unwrap().metadata.name.as_deref(), Some("x"));
    }
}

// holds: X5
#[tokio::test]
async fn an_item_without_identity_is_skipped_and_the_list_continues() {
    let body = r#"{"items":[{"metadata":{}},{"metadata":{"name":"x","resourceVersion":"1"}},
        {"kind":"Service","metadata":{"name":"y","resourceVersion":"1"}},
        {"metadata":{"name":"z"}}],"metadata":{"resourceVersion":"5"}}"#;
    let server = Server::answering([Answer::ok(body), Answer::ok(body)]);
    assert_eq!(read_whole(&server.pods()).await.0, ["?", "x", "?", "?"]);
    let mut page = server.pods().list(ListOptions::default()).await.unwrap();
    let Some(Ok(ListPart::Skipped(Skipped::Object(error)))) = page.next().await else { panic!() };
    assert_eq!(error.to_string(), "an object without metadata.name");
    let list = json!({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[
        {"metadata":{}}, {"metadata":{"name":"x","resourceVersion":"1"}}, {"metadata":{"name":"z"}}]});
    for wire in WIRES {
        let server = Server::answering([Answer::ok(body::list(wire, &list)).on(wire)]);
        assert_eq!(read_whole(&server.pods()).await.0, ["?", "x", "?"]);
    }
}

#[tokio::test]
async fn an_object_that_is_twice_in_a_list_is_yielded_twice() {
    for wire in WIRES {
        let server = Server::answering([Answer::ok(list(wire, &["x", "x"])).on(wire)]);
        assert_eq!(read_whole(&server.pods()).await.0, ["x", "x"]);
    }
}

// holds: D3
#[tokio::test]
async fn metadata_only_objects_are_objects_of_their_own_resource() {
    let partial = json!({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",
        "metadata":{"name":"x","resourceVersion":"1"}});
    let list = json!({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1",
        "metadata":{"resourceVersion":"5"},"items":[partial]});
    let bookmark = json!({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",
        "metadata":{"resourceVersion":"2"}});
    for wire in WIRES {
        let events =
            [body::event(wire, "ADDED", &partial), body::event(wire, "BOOKMARK", &bookmark)].concat();
        let answers = [body::list(wire, &list), events].map(|body| Answer::ok(body).on(wire));
        let server = Server::answering(answers);
        let source = server.builder().projection(Projection::Metadata).build().unwrap();
        assert_eq!(read_whole(&source).await, (vec!["x".to_owned()], Version::from(5)));
        let mut events = source.watch(WatchOptions::default()).await.unwrap();
        let Some(Ok(WatchEvent::Changed(_, object))) = events.next().await else { panic!() };
        assert_eq!((object.name(), &*object.origin().resource.plural), ("x", "pods"));
        assert!(matches!(events.next().await, Some(Ok(WatchEvent::Bookmark { .. }))));
    }
}
