//! A source of one shard, with servers that support shards and servers that do not.

use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tidings_source::{
    ChangeType, ListOptions, ListPart, ListWatch as _, ShardRange, Sharded, WatchEvent, WatchOptions,
};

use crate::wire::server::{Answer, Server};

const UIDS: [&str; 6] = ["0-pod", "1-pod", "2-pod", "3-pod", "4-pod", "5-pod"];

fn half() -> ShardRange {
    ShardRange::part(0, 2).unwrap()
}

fn of_half() -> Vec<&'static str> {
    UIDS.into_iter().filter(|uid| half().contains(uid)).collect()
}

fn pod(uid: &str, version: usize) -> Value {
    json!({"kind":"Pod","apiVersion":"v1",
        "metadata":{"namespace":"a","name":uid,"uid":uid,"resourceVersion":version.to_string()}})
}

fn list(shard_info: Option<String>) -> String {
    let mut metadata = json!({"resourceVersion":"9"});
    if let Some(selector) = shard_info {
        metadata["shardInfo"] = json!({ "selector": selector });
    }
    let items: Vec<_> = UIDS.iter().map(|uid| pod(uid, 3)).collect();
    json!({"kind":"PodList","apiVersion":"v1","metadata":metadata,"items":items}).to_string()
}

/// The names of the objects, and who selected them.
async fn read(server: &Server) -> (Vec<String>, Result<Option<Sharded>, String>) {
    let source = server.builder().shard(half()).build().unwrap();
    let mut page = source.list(ListOptions::default()).await.unwrap();
    let mut names = Vec::new();
    loop {
        match page.next().await.expect("a page ends with its end or with an error") {
            Ok(ListPart::Object(object)) => names.push(object.name().to_owned()),
            Ok(ListPart::End(end)) => return (names, Ok(end.sharded)),
            Ok(ListPart::Skipped(skipped)) => panic!("{skipped:?}"),
            Err(error) => return (names, Err(error.to_string())),
        }
    }
}

#[tokio::test]
async fn a_shard_is_requested_and_never_as_a_streaming_list() {
    let server = Server::answering([Answer::ok(list(None)), Answer::ok("")]);
    drop(read(&server).await);
    let source = server.builder().shard(half()).build().unwrap();
    drop(source.watch(WatchOptions::default()).await.unwrap());
    let selector = "shardSelector=shardRange%28object.metadata.uid%2C%20%270x0000000000000000%27%2C%20%270x8000000000000000%27%29";
    for request in server.requests() {
        assert!(request.uri.contains(selector), "{}", request.uri);
    }
    assert!(!source.may_stream_lists(), "a streaming list would not say who chose its objects");
}

#[tokio::test]
async fn if_the_server_ignores_the_shard_the_source_filters() {
    assert!((1..6).contains(&of_half().len()), "some of each");
    let (names, sharded) = read(&Server::answering([Answer::ok(list(None))])).await;
    assert_eq!(names, of_half());
    assert_eq!(sharded, Ok(Some(Sharded::ByClient)));
}

#[tokio::test]
async fn a_server_that_applies_the_shard_reports_it() {
    let selector = half().to_string();
    let (_, sharded) = read(&Server::answering([Answer::ok(list(Some(selector.clone())))])).await;
    assert_eq!(sharded, Ok(Some(Sharded::ByServer(selector))));
}

#[tokio::test]
async fn another_shard_than_the_requested_one_is_an_error() {
    let other = ShardRange::part(1, 2).unwrap().to_string();
    let (_, sharded) = read(&Server::answering([Answer::ok(list(Some(other)))])).await;
    let error = sharded.unwrap_err();
    assert!(error.contains("expected the shard shardRange("), "{error}");
}

#[tokio::test]
async fn an_event_of_another_shard_becomes_a_bookmark() {
    let events = UIDS
        .iter()
        .enumerate()
        .map(|(i, uid)| json!({"type":"MODIFIED","object":pod(uid, 10 + i)}).to_string() + "\n");
    let server = Server::answering([Answer::ok(events.collect::<String>())]);
    let source = server.builder().shard(half()).build().unwrap();
    let events: Vec<_> = source.watch(WatchOptions::default()).await.unwrap().collect().await;
    assert_eq!(events.len(), UIDS.len());
    for (i, (event, uid)) in events.into_iter().zip(UIDS).enumerate() {
        let found = match event.unwrap() {
            WatchEvent::Changed(ChangeType::Modified, object) => {
                (Some(object.uid().to_owned()), object.version().clone())
            }
            WatchEvent::Bookmark { version, is_initial_events_end: false } => (None, version),
            other => panic!("{other:?}"),
        };
        let is_ours = of_half().contains(&uid);
        assert_eq!(found, (is_ours.then(|| uid.to_owned()), (10 + i as u64).into()));
    }
}
