//! A source of one shard, over servers that know shards and servers that do not.

use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tidings_source::{
    Change, ListOptions, ListPart, ListWatch as _, ShardRange, Sharded, WatchEvent, WatchOptions,
};

use crate::server::{Answer, Server};

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

/// The names of what came, and who chose them.
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
async fn a_shard_is_asked_for_and_never_as_a_streaming_list() {
    let server = Server::answering([Answer::ok(list(None)), Answer::ok("")]);
    drop(read(&server).await);
    let source = server.builder().shard(half()).build().unwrap();
    drop(source.watch(WatchOptions::default()).await.unwrap());
    let selector = "shardSelector=shardRange%28object.metadata.uid%2C%20%270x0000000000000000%27%2C%20%270x8000000000000000%27%29";
    for asked in server.requests() {
        assert!(asked.uri.contains(selector), "{}", asked.uri);
    }
    assert!(!source.may_stream_lists(), "a streaming list would not say who chose its objects");
}

#[tokio::test]
async fn a_server_that_ignores_the_shard_is_made_good() {
    assert!((1..6).contains(&of_half().len()), "some of each");
    let (names, sharded) = read(&Server::answering([Answer::ok(list(None))])).await;
    assert_eq!(names, of_half());
    assert_eq!(sharded, Ok(Some(Sharded::ByClient)));
}

#[tokio::test]
async fn a_server_that_knows_the_shard_says_so() {
    let selector = half().to_string();
    let (_, sharded) = read(&Server::answering([Answer::ok(list(Some(selector.clone())))])).await;
    assert_eq!(sharded, Ok(Some(Sharded::ByServer(selector))));
}

#[tokio::test]
async fn another_shard_than_asked_for_is_an_error() {
    let other = ShardRange::part(1, 2).unwrap().to_string();
    let (_, sharded) = read(&Server::answering([Answer::ok(list(Some(other)))])).await;
    let error = sharded.unwrap_err();
    assert!(error.contains("asked for shardRange("), "{error}");
}

#[tokio::test]
async fn of_an_object_of_another_shard_a_watch_tells_the_version_only() {
    let events = UIDS
        .iter()
        .enumerate()
        .map(|(i, uid)| json!({"type":"MODIFIED","object":pod(uid, 10 + i)}).to_string() + "\n");
    let server = Server::answering([Answer::ok(events.collect::<String>())]);
    let source = server.builder().shard(half()).build().unwrap();
    let events: Vec<_> = source.watch(WatchOptions::default()).await.unwrap().collect().await;
    assert_eq!(events.len(), UIDS.len());
    for (i, (event, uid)) in events.into_iter().zip(UIDS).enumerate() {
        let told = match event.unwrap() {
            WatchEvent::Changed(Change::Modified, object) => {
                (Some(object.uid().to_owned()), object.version().clone())
            }
            WatchEvent::Bookmark { version, is_initial_events_end: false } => (None, version),
            other => panic!("{other:?}"),
        };
        let is_ours = of_half().contains(&uid);
        assert_eq!(told, (is_ours.then(|| uid.to_owned()), (10 + i as u64).into()));
    }
}
