//! What a WATCH yields.

use std::time::Duration;

use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tidings_object::{Version, Wire};
use tidings_source::{
    ChangeType, ErrorClass, ErrorKind, KubeSource, ListWatch as _, Skipped, WatchEvent, WatchOptions,
};
use tokio::time::Instant;

use crate::wire::body::{self, WIRES, envelope, field, framed};
use crate::wire::server::{Answer, Server};

fn event(wire: Wire, event_type: &str, name: &str, version: u64) -> Vec<u8> {
    let metadata = json!({"namespace":"a","name":name,"uid":name,"resourceVersion":version.to_string()});
    body::event(wire, event_type, &json!({"kind":"Pod","apiVersion":"v1","metadata":metadata}))
}

fn bookmark(wire: Wire, version: u64, annotations: Value) -> Vec<u8> {
    let metadata = json!({"resourceVersion":version.to_string(),"annotations":annotations});
    body::event(
        wire,
        "BOOKMARK",
        &json!({"kind":"Pod","apiVersion":"v1","metadata":metadata,"spec":{"containers":[]},"status":{}}),
    )
}

fn answer(wire: Wire, body: Vec<u8>) -> Answer {
    Answer::ok(body).on(wire)
}

/// Each event as one word.
async fn read(source: &KubeSource) -> Vec<String> {
    let mut events = source.watch(WatchOptions::default()).await.unwrap();
    let mut words = Vec::new();
    while let Some(event) = events.next().await {
        words.push(match event {
            Ok(WatchEvent::Changed(change, object)) => {
                format!("{change:?} {}@{}", object.name(), object.version())
            }
            Ok(WatchEvent::Bookmark { version, is_initial_events_end: true }) => format!("end@{version}"),
            Ok(WatchEvent::Bookmark { version, .. }) => format!("bookmark@{version}"),
            Ok(WatchEvent::Error(status)) => format!("error {}", status.code),
            Ok(WatchEvent::Skipped(Skipped::UnknownEvent { event_type })) => format!("unknown {event_type}"),
            Ok(WatchEvent::Skipped(Skipped::Object(error))) => format!("skipped: {error}"),
            Err(error) => error.to_string(),
        });
    }
    words
}

// holds: R43, R44
#[tokio::test]
async fn each_frame_is_an_event_in_chunks_of_any_size() {
    let gone = json!({"kind":"Status","apiVersion":"v1","code":410,"reason":"Expired"});
    let words = ["Added x@1", "Modified x@2", "bookmark@3", "Deleted x@4", "error 410"];
    for wire in WIRES {
        let body = [
            event(wire, "ADDED", "x", 1),
            event(wire, "MODIFIED", "x", 2),
            bookmark(wire, 3, json!({})),
            event(wire, "DELETED", "x", 4),
            body::event(wire, "ERROR", &gone),
        ]
        .concat();
        for size in 1..=body.len() {
            let server = Server::answering([Answer::cut(&body, size).on(wire)]);
            assert_eq!(read(&server.pods()).await, words, "{wire:?} in chunks of {size}");
        }
    }
}

// holds: R52
#[tokio::test]
async fn only_the_annotation_with_the_value_true_ends_the_initial_events() {
    for wire in WIRES {
        let body = [
            bookmark(wire, 1, json!({"k8s.io/initial-events-end":"false"})),
            bookmark(wire, 2, json!({"k8s.io/initial-events-end":"true"})),
            bookmark(wire, 3, json!({"other":"true"})),
        ];
        let server = Server::answering([answer(wire, body.concat())]);
        assert_eq!(read(&server.pods()).await, ["bookmark@1", "end@2", "bookmark@3"]);
    }
}

#[tokio::test(start_paused = true)]
async fn an_event_is_yielded_as_soon_as_its_frame_has_ended() {
    for wire in WIRES {
        let pause = Duration::from_secs(60);
        let first = answer(wire, event(wire, "ADDED", "x", 1));
        let server = Server::answering([first.wait(pause).chunk(event(wire, "ADDED", "y", 2)).hang()]);
        let start = Instant::now();
        let mut events = server.pods().watch(WatchOptions::default()).await.unwrap();
        assert!(matches!(events.next().await, Some(Ok(WatchEvent::Changed(ChangeType::Added, _)))));
        assert!(start.elapsed().is_zero());
        assert!(matches!(events.next().await, Some(Ok(WatchEvent::Changed(ChangeType::Added, _)))));
        assert_eq!(start.elapsed(), pause);
    }
}

// holds: R42, R47, X5
#[tokio::test]
async fn an_event_without_an_object_of_the_resource_is_skipped_and_the_watch_continues() {
    for wire in WIRES {
        let body = [
            (
                "ADDED",
                json!({"kind":"Service","apiVersion":"v1","metadata":{"name":"s","resourceVersion":"1"}}),
            ),
            ("ADDED", json!({"kind":"Pod","apiVersion":"v1","metadata":{"name":"x"}})),
            ("ADDED", json!({"kind":"Pod","apiVersion":"v1"})),
            ("BOOKMARK", json!({"kind":"Pod","apiVersion":"v1","metadata":{}})),
            ("BOOKMARK", json!({"kind":"Service","apiVersion":"v1","metadata":{"resourceVersion":"9"}})),
            (
                "PATCHED",
                json!({"kind":"Pod","apiVersion":"v1","metadata":{"name":"x","resourceVersion":"2"}}),
            ),
        ]
        .map(|(event_type, object)| body::event(wire, event_type, &object));
        let body = [body.concat(), event(wire, "ADDED", "y", 3)].concat();
        let words = read(&Server::answering([answer(wire, body)]).pods()).await;
        assert_eq!(words.len(), 7, "{words:?}");
        assert!(words[..5].iter().all(|word| word.starts_with("skipped: ")), "{words:?}");
        assert_eq!(words[5..], ["unknown PATCHED", "Added y@3"]);
    }
}

// holds: R42
#[tokio::test]
async fn a_table_in_place_of_an_object_is_skipped() {
    let body = r#"{"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[]}}"#;
    let words = read(&Server::answering([Answer::ok(body)]).pods()).await;
    assert!(words[0].starts_with("skipped: ") && words.len() == 1, "{words:?}");
}

#[tokio::test]
async fn a_frame_of_an_unusual_shape_is_still_an_event() {
    let body = concat!(
        r#"{ "object":{"metadata":{"name":"x","resourceVersion":"1"}}, "type" :"ADDED","more":{} } "#,
        "\n\r\n\n",
        r#"{"type":"ADDED","object":{"a":1},"object":{"metadata":{"name":"y","resourceVersion":"2"}}}"#,
        "\n"
    );
    assert_eq!(read(&Server::answering([Answer::ok(body)]).pods()).await, ["Added x@1", "Added y@2"]);
}

#[tokio::test]
async fn a_last_frame_needs_no_line_end() {
    let body = event(Wire::Json, "ADDED", "x", 1);
    let server = Server::answering([Answer::ok(body.trim_ascii_end().to_vec())]);
    assert_eq!(read(&server.pods()).await, ["Added x@1"]);
}

// holds: X5
#[tokio::test]
async fn a_watch_that_ends_in_the_middle_of_a_frame_yields_the_frames_before_it() {
    for wire in WIRES {
        let (first, second) = (event(wire, "ADDED", "x", 1), event(wire, "ADDED", "y", 2));
        let last = if wire == Wire::Json { second.len() - 1 } else { second.len() };
        for length in 1..last {
            let body = [&first, &second[..length]].concat();
            let server = Server::answering([answer(wire, body)]);
            let mut events = server.pods().watch(WatchOptions::default()).await.unwrap();
            assert!(matches!(events.next().await, Some(Ok(WatchEvent::Changed(..)))));
            let error = events.next().await.unwrap().unwrap_err();
            assert_eq!(error.class(), ErrorClass::Network);
            assert!(events.next().await.is_none());
        }
    }
}

#[tokio::test]
async fn a_watch_whose_connection_breaks_ends_with_a_network_error() {
    for wire in WIRES {
        let server = Server::answering([answer(wire, event(wire, "ADDED", "x", 1)).reset()]);
        let words = read(&server.pods()).await;
        assert_eq!(words[0], "Added x@1");
        assert!(words[1].starts_with("watch pods in all namespaces: "), "{}", words[1]);
        assert_eq!(words.len(), 2);
    }
}

// holds: X5
#[tokio::test]
async fn a_frame_that_is_not_well_formed_ends_the_watch() {
    for broken in [
        "{\"type\":\"ADDED\",\"object\":{]}\n",
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"\u{1}\"}}}\n",
        "{\"type\":\"ADDED\"}\n",
        "{\"type\":\"BOOKMARK\",\"object\":{{}}\n",
        "{\"type\":\"ADDED\",\"object\":{}}{\"type\":\"ADDED\",\"object\":{}}\n",
        "}\n",
    ] {
        check_broken(Wire::Json, broken.as_bytes()).await;
    }
    let added = |object: &[u8]| framed(&[field(1, b"ADDED"), field(2, &field(1, object))].concat());
    let pod = json!({"kind":"Pod","apiVersion":"v1"});
    for broken in [
        vec![0; 4],
        framed(b"\xff"),
        framed(&field(1, b"ADDED")),
        framed(&field(2, &field(1, &envelope(&pod, b"")))),
        framed(&[field(1, b"\xff"), field(2, &field(1, &envelope(&pod, b"")))].concat()),
        added(b""),
        added(b"{}"),
        added(&envelope(&pod, b"\x0a\x09")),
        added(&[envelope(&pod, b""), field(3, b"gzip")].concat()),
        framed(&[field(1, b"ADDED"), field(2, b"\x0a")].concat()),
    ] {
        check_broken(Wire::Protobuf, &broken).await;
    }
}

async fn check_broken(wire: Wire, broken: &[u8]) {
    let body = [&event(wire, "ADDED", "x", 1), broken, &event(wire, "ADDED", "y", 2)].concat();
    let server = Server::answering([answer(wire, body)]);
    let mut events = server.pods().watch(WatchOptions::default()).await.unwrap();
    assert!(events.next().await.unwrap().is_ok());
    let error = events.next().await.unwrap().unwrap_err();
    assert!(matches!(error.kind, ErrorKind::Malformed(_)), "{broken:?} {error}");
    assert!(events.next().await.is_none(), "what follows can't be trusted: {broken:?}");
}

#[tokio::test]
async fn a_version_that_is_not_a_number_is_kept() {
    let body = r#"{"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"a-1"}}}"#;
    let mut events =
        Server::answering([Answer::ok(body)]).pods().watch(WatchOptions::default()).await.unwrap();
    let Some(Ok(WatchEvent::Bookmark { version, .. })) = events.next().await else { panic!() };
    assert_eq!(version, Version::new("a-1"));
}

#[tokio::test]
async fn a_gzip_watch_that_was_not_requested_is_decompressed() {
    use std::io::Write as _;
    let member = |frame: Vec<u8>| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&frame).unwrap();
        encoder.finish().unwrap()
    };
    for wire in WIRES {
        let answer = Answer::new(200)
            .on(wire)
            .header("content-encoding", "gzip")
            .chunk(member(event(wire, "ADDED", "x", 1)))
            .chunk(member(event(wire, "MODIFIED", "x", 2)));
        assert_eq!(read(&Server::answering([answer]).pods()).await, ["Added x@1", "Modified x@2"]);
    }
}
