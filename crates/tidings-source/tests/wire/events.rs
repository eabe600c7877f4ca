//! What comes back from a WATCH.

use std::time::Duration;

use futures_util::StreamExt as _;
use tidings_object::Version;
use tidings_source::{
    Change, ErrorClass, KubeSource, ListWatch as _, Skipped, Trouble, WatchEvent, WatchOptions,
};
use tokio::time::Instant;

use crate::server::{Answer, Server};

fn event(event_type: &str, name: &str, version: u64) -> String {
    format!(
        r#"{{"type":"{event_type}","object":{{"kind":"Pod","apiVersion":"v1","metadata":{{"namespace":"a","name":"{name}","uid":"{name}","resourceVersion":"{version}"}}}}}}"#
    ) + "\n"
}

fn bookmark(version: u64, annotations: &str) -> String {
    format!(
        r#"{{"type":"BOOKMARK","object":{{"kind":"Pod","apiVersion":"v1","metadata":{{"resourceVersion":"{version}","creationTimestamp":null{annotations}}},"spec":{{"containers":null}},"status":{{}}}}}}"#
    ) + "\n"
}

/// Each event in one word.
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
async fn each_line_is_an_event_in_chunks_of_any_size() {
    let body = [
        event("ADDED", "x", 1),
        event("MODIFIED", "x", 2),
        bookmark(3, ""),
        event("DELETED", "x", 4),
        r#"{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired"}}"#.to_owned(),
    ]
    .concat();
    let words = ["Added x@1", "Modified x@2", "bookmark@3", "Deleted x@4", "error 410"];
    for size in [1, 3, 50, 4096] {
        let answer = body.as_bytes().chunks(size).fold(Answer::new(200), |a, chunk| a.chunk(chunk.to_vec()));
        assert_eq!(read(&Server::answering([answer]).pods()).await, words, "chunks of {size}");
    }
}

// holds: R52
#[tokio::test]
async fn only_an_annotation_that_says_true_ends_the_initial_events() {
    let body = [
        bookmark(1, r#","annotations":{"k8s.io/initial-events-end":"false"}"#),
        bookmark(2, r#","annotations":{"k8s.io/initial-events-end":"true"}"#),
        bookmark(3, r#","annotations":{"other":"true"}"#),
    ]
    .concat();
    let server = Server::answering([Answer::ok(body)]);
    assert_eq!(read(&server.pods()).await, ["bookmark@1", "end@2", "bookmark@3"]);
}

#[tokio::test(start_paused = true)]
async fn an_event_is_there_as_soon_as_its_line_has_ended() {
    let pause = Duration::from_secs(60);
    let answer = Answer::ok(event("ADDED", "x", 1)).wait(pause).chunk(event("ADDED", "y", 2)).hang();
    let server = Server::answering([answer]);
    let start = Instant::now();
    let mut events = server.pods().watch(WatchOptions::default()).await.unwrap();
    assert!(matches!(events.next().await, Some(Ok(WatchEvent::Changed(Change::Added, _)))));
    assert!(start.elapsed().is_zero());
    assert!(matches!(events.next().await, Some(Ok(WatchEvent::Changed(Change::Added, _)))));
    assert_eq!(start.elapsed(), pause);
}

// holds: R42, R47, X5
#[tokio::test]
async fn what_is_no_object_of_the_resource_is_skipped_and_the_watch_goes_on() {
    let body = [
        "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Service\",\"metadata\":{\"name\":\"s\",\"resourceVersion\":\"1\"}}}\n",
        "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",\"rows\":[]}}\n",
        "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"x\"}}}\n",
        "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}}\n",
        "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"metadata\":{}}}\n",
        "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Service\",\"metadata\":{\"resourceVersion\":\"9\"}}}\n",
        "{\"type\":\"PATCHED\",\"object\":{\"kind\":\"Pod\",\"metadata\":{\"name\":\"x\",\"resourceVersion\":\"2\"}}}\n",
        &event("ADDED", "y", 3),
    ]
    .concat();
    let words = read(&Server::answering([Answer::ok(body)]).pods()).await;
    assert_eq!(words.len(), 8, "{words:?}");
    assert!(words[..6].iter().all(|word| word.starts_with("skipped: ")), "{words:?}");
    assert_eq!(words[6..], ["unknown PATCHED", "Added y@3"]);
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
    let server = Server::answering([Answer::ok(event("ADDED", "x", 1).trim_end().to_owned())]);
    assert_eq!(read(&server.pods()).await, ["Added x@1"]);
}

// holds: X5
#[tokio::test]
async fn a_watch_cut_in_the_middle_of_a_frame_loses_nothing_that_had_arrived() {
    let second = event("ADDED", "y", 2);
    for length in 1..second.trim_end().len() {
        let body = event("ADDED", "x", 1) + &second[..length];
        let mut events =
            Server::answering([Answer::ok(body)]).pods().watch(WatchOptions::default()).await.unwrap();
        assert!(matches!(events.next().await, Some(Ok(WatchEvent::Changed(..)))));
        let error = events.next().await.unwrap().unwrap_err();
        assert_eq!(error.class(), ErrorClass::Network);
        assert!(events.next().await.is_none());
    }
}

#[tokio::test]
async fn a_watch_whose_connection_breaks_ends_with_a_network_error() {
    let server = Server::answering([Answer::ok(event("ADDED", "x", 1)).reset()]);
    let words = read(&server.pods()).await;
    assert_eq!(words[0], "Added x@1");
    assert!(words[1].starts_with("watch pods in all namespaces: "), "{}", words[1]);
    assert_eq!(words.len(), 2);
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
        let body = event("ADDED", "x", 1) + broken + &event("ADDED", "y", 2);
        let mut events =
            Server::answering([Answer::ok(body)]).pods().watch(WatchOptions::default()).await.unwrap();
        assert!(events.next().await.unwrap().is_ok());
        let error = events.next().await.unwrap().unwrap_err();
        assert!(matches!(error.trouble, Trouble::Malformed(_)), "{broken} {error}");
        assert!(events.next().await.is_none(), "what follows can't be trusted: {broken}");
    }
}

#[tokio::test]
async fn a_version_that_is_no_number_is_kept_as_it_is() {
    let body = r#"{"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"a-1"}}}"#;
    let mut events =
        Server::answering([Answer::ok(body)]).pods().watch(WatchOptions::default()).await.unwrap();
    let Some(Ok(WatchEvent::Bookmark { version, .. })) = events.next().await else { panic!() };
    assert_eq!(version, Version::new("a-1"));
}

#[tokio::test]
async fn a_watch_that_is_packed_although_nobody_asked_is_unpacked() {
    use std::io::Write as _;
    let member = |text: String| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let answer = Answer::new(200)
        .header("content-encoding", "gzip")
        .chunk(member(event("ADDED", "x", 1)))
        .chunk(member(event("MODIFIED", "x", 2)));
    assert_eq!(read(&Server::answering([answer]).pods()).await, ["Added x@1", "Modified x@2"]);
}
