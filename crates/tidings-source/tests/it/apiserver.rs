//! The source with the in-process API server, over each of its transports.

use std::collections::BTreeSet;

use futures_util::StreamExt as _;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::Client;
use serde_json::json;
use tidings_apiserver::ADMIN_TOKEN;
use tidings_apiserver::{ApiServer, Fault, Listen};
use tidings_object::{Kind as _, LabelSelector, Projection, Version};
use tidings_source::{
    ChangeType, ErrorClass, KubeSource, ListOptions, ListWatch, PagedPart, WatchEvent, WatchOptions,
    client_from_config, http2_client, list_all,
};
use tokio::task::JoinSet;

fn put(server: &ApiServer, name: &str) -> u64 {
    server.put("configmaps", json!({"metadata": {"namespace": "a", "name": name, "labels": {"name": name}}}))
}

fn maps(client: Client) -> KubeSource {
    KubeSource::builder(client, ConfigMap::resource()).namespace("a").build().unwrap()
}

/// The names of a whole list, and its version.
async fn list(source: &dyn ListWatch, page_size: Option<u32>) -> (BTreeSet<String>, Version) {
    let mut parts = list_all(source, ListOptions::default(), page_size);
    let mut names = BTreeSet::new();
    while let Some(part) = parts.next().await {
        match part.unwrap() {
            PagedPart::Object(object) => drop(names.insert(object.name().to_owned())),
            PagedPart::Restarted => names.clear(),
            PagedPart::Skipped(skipped) => panic!("{skipped:?}"),
            PagedPart::End(end) => return (names, end.version),
        }
    }
    panic!("a list ends with its end");
}

fn names(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Lists in pages, then watches the event of a write.
async fn check(server: &ApiServer, client: Client) {
    for name in ["u", "v", "w", "x", "y"] {
        put(server, name);
    }
    let source = maps(client);
    let (found, version) = list(&source, Some(2)).await;
    assert_eq!(found, names(&["u", "v", "w", "x", "y"]));
    let options = WatchOptions { version: Some(version), allow_bookmarks: true, ..WatchOptions::default() };
    let mut events = source.watch(options).await.unwrap();
    let written = put(server, "z");
    let Some(Ok(WatchEvent::Changed(ChangeType::Added, object))) = events.next().await else { panic!() };
    assert_eq!((object.key().as_str(), object.version()), ("a/z", &Version::from(written)));
    server.remove("configmaps", "a/z");
    let Some(Ok(WatchEvent::Changed(ChangeType::Deleted, object))) = events.next().await else { panic!() };
    assert_eq!(object.key().as_str(), "a/z");
}

#[tokio::test]
async fn a_source_lists_and_watches_over_every_transport() {
    let server = ApiServer::start().await;
    check(&server, server.client()).await;
    for listen in [Listen::plain(), Listen::tls()] {
        let (listening, task) = server.listen(listen).await.unwrap();
        let mut tasks = JoinSet::new();
        tasks.spawn(task);
        check(&server, client_from_config(listening.client_config(ADMIN_TOKEN)).unwrap()).await;
        check(&server, http2_client(listening.client_config(ADMIN_TOKEN)).unwrap()).await;
    }
}

// holds: R50, R52
#[tokio::test(start_paused = true)]
async fn a_streaming_list_ends_with_its_bookmark() {
    let server = ApiServer::start().await;
    put(&server, "x");
    put(&server, "y");
    let options =
        WatchOptions { send_initial_events: true, allow_bookmarks: true, ..WatchOptions::default() };
    let mut events = maps(server.client()).watch(options.clone()).await.unwrap();
    let mut found = BTreeSet::new();
    loop {
        match events.next().await.unwrap().unwrap() {
            WatchEvent::Changed(ChangeType::Added, object) => drop(found.insert(object.name().to_owned())),
            WatchEvent::Bookmark { is_initial_events_end: true, .. } => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(found, names(&["x", "y"]));

    server.faults().inject(Fault::RefuseStreamingList.once());
    let refused = maps(server.client()).watch(options).await.map(drop).unwrap_err();
    assert_eq!(refused.class(), ErrorClass::StreamingListRefused);
}

#[tokio::test(start_paused = true)]
async fn selectors_and_projections_reach_the_server() {
    let server = ApiServer::start().await;
    put(&server, "x");
    put(&server, "y");
    let builder = || KubeSource::builder(server.client(), ConfigMap::resource());
    let by_label = builder().label_selector(LabelSelector::parse("name=x").unwrap()).build().unwrap();
    assert_eq!(list(&by_label, None).await.0, names(&["x"]));
    let by_field = builder().field_selector("metadata.name=y").build().unwrap();
    assert_eq!(list(&by_field, None).await.0, names(&["y"]));
    let metadata = builder().projection(Projection::Metadata).gzip_lists().build().unwrap();
    assert_eq!(list(&metadata, Some(1)).await.0, names(&["x", "y"]));
    let mut events = metadata.watch(WatchOptions::default()).await.unwrap();
    assert!(matches!(events.next().await, Some(Ok(WatchEvent::Changed(ChangeType::Added, _)))));
}

// holds: R23, X26
#[tokio::test(start_paused = true)]
async fn an_expired_version_has_one_class_as_an_event_and_as_a_response() {
    let server = ApiServer::start().await;
    let old = put(&server, "x");
    put(&server, "y");
    server.expire_history();
    let options = || WatchOptions { version: Some(Version::from(old)), ..WatchOptions::default() };
    let source = maps(server.client());
    let mut events = source.watch(options()).await.unwrap();
    let Some(Ok(WatchEvent::Error(status))) = events.next().await else { panic!() };
    assert_eq!(status.class(), ErrorClass::Expired);
    server.faults().inject(Fault::ExpireOnOpen.once());
    assert_eq!(source.watch(options()).await.map(drop).unwrap_err().class(), ErrorClass::Expired);
}

// holds: P4
#[tokio::test(start_paused = true)]
async fn after_a_page_expired_the_list_is_repeated_without_pages() {
    let server = ApiServer::start().await;
    for name in ["u", "v", "w"] {
        put(&server, name);
    }
    let source = maps(server.client());
    let mut parts = list_all(&source, ListOptions::default(), Some(1));
    assert!(matches!(parts.next().await, Some(Ok(PagedPart::Object(_)))));
    put(&server, "x");
    server.expire_history();
    let rest: Vec<_> = parts.map(Result::unwrap).collect().await;
    assert!(matches!(rest[0], PagedPart::Restarted), "{rest:?}");
    assert_eq!(rest.len(), 6, "four objects and the end: {rest:?}");
}

// holds: R32
#[tokio::test(start_paused = true)]
async fn a_refused_connection_has_its_class() {
    let server = ApiServer::start().await;
    server.faults().inject(Fault::Refused.once());
    let error = maps(server.client()).list(ListOptions::default()).await.map(drop).unwrap_err();
    assert_eq!(error.class(), ErrorClass::ConnectionRefused, "{error}");
}
