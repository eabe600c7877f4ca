//! The requests that a source sends.

use k8s_openapi::api::core::v1::{Node, Pod};
use kube_client::Client;
use tidings_object::{Budget, Intake, Kind as _, LabelSelector, ResourceKind, Scope, Version};
use tidings_source::{
    ClientError, KubeSource, ListOptions, ListWatch as _, StreamScope, VersionMatch, WatchOptions,
};

use crate::wire::server::{Answer, Server};

const EMPTY: &str = r#"{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]}"#;

fn list_at_five() -> ListOptions {
    ListOptions {
        version: Some(Version::from(5)),
        version_match: Some(VersionMatch::NotOlderThan),
        limit: Some(500),
        continue_token: None,
    }
}

#[tokio::test]
async fn a_list_sends_its_namespace_its_selectors_and_its_options() {
    let server = Server::answering([Answer::ok(EMPTY)]);
    let source = server
        .builder()
        .namespace("kube-system")
        .label_selector(LabelSelector::parse("app=web").unwrap())
        .field_selector("spec.nodeName=node-1")
        .build()
        .unwrap();
    assert_eq!(source.scope(), &StreamScope::Namespace("kube-system".into()));
    drop(source.list(list_at_five()).await.unwrap());
    let request = &server.requests()[0];
    assert_eq!(
        request.uri,
        "/api/v1/namespaces/kube-system/pods?limit=500&resourceVersion=5&resourceVersionMatch=NotOlderThan\
         &labelSelector=app%3Dweb&fieldSelector=spec.nodeName%3Dnode-1"
    );
    assert_eq!(request.headers["accept"], "application/vnd.kubernetes.protobuf,application/json");
    assert_eq!(request.headers["accept-encoding"], "identity");
}

// holds: R31, R50
#[tokio::test]
async fn a_watch_sends_its_version_its_timeout_and_its_bookmarks_and_accepts_no_gzip() {
    let server = Server::answering([Answer::new(200)]);
    let source = server.builder().build().unwrap();
    let options = WatchOptions {
        version: Some(Version::new("a1")),
        timeout_seconds: Some(301),
        allow_bookmarks: true,
        send_initial_events: true,
    };
    drop(source.watch(options).await.unwrap());
    let request = &server.requests()[0];
    assert_eq!(
        request.uri,
        "/api/v1/pods?watch=true&resourceVersion=a1&timeoutSeconds=301&allowWatchBookmarks=true\
         &sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
    );
    assert_eq!(request.headers["accept-encoding"], "identity");
}

#[tokio::test]
async fn only_lists_and_streaming_lists_accept_gzip_and_only_if_it_is_requested() {
    let server = Server::answering([Answer::ok(EMPTY), Answer::new(200), Answer::new(200)]);
    let source = server.builder().gzip_lists().build().unwrap();
    drop(source.list(ListOptions::default()).await.unwrap());
    for send_initial_events in [true, false] {
        let options = WatchOptions { send_initial_events, ..WatchOptions::default() };
        drop(source.watch(options).await.unwrap());
    }
    let accepted: Vec<_> =
        server.requests().iter().map(|request| request.headers["accept-encoding"].clone()).collect();
    assert_eq!(accepted, ["gzip", "gzip", "identity"]);
}

// holds: F4
#[tokio::test]
async fn a_tweak_runs_last_on_every_list_and_watch_and_can_change_everything() {
    let server = Server::answering([Answer::ok(EMPTY), Answer::ok(EMPTY), Answer::new(200)]);
    let source = server
        .builder()
        .tweak(|query| {
            query.set("shardSelector", "x");
            query.remove("resourceVersionMatch");
            if query.is_watch() {
                query.set("timeoutSeconds", "7");
            } else {
                assert_eq!(query.value("limit"), Some("500"), "each time a new copy of the options");
                query.set("limit", "3");
            }
        })
        .build()
        .unwrap();
    drop(source.list(list_at_five()).await.unwrap());
    drop(source.list(list_at_five()).await.unwrap());
    drop(source.watch(WatchOptions { timeout_seconds: Some(300), ..WatchOptions::default() }).await.unwrap());
    let uris: Vec<_> = server.requests().into_iter().map(|request| request.uri).collect();
    let list = "/api/v1/pods?resourceVersion=5&shardSelector=x&limit=3";
    assert_eq!(uris, [list, list, "/api/v1/pods?watch=true&shardSelector=x&timeoutSeconds=7"]);
}

fn resource(group: &'static str, version: &'static str, plural: &'static str) -> ResourceKind {
    ResourceKind {
        group: group.into(),
        version: version.into(),
        kind: "Widget".into(),
        plural: plural.into(),
        scope: Scope::Namespaced,
    }
}

#[tokio::test]
async fn a_source_with_an_invalid_path_is_not_built() {
    let client = || -> Client { Server::default().client() };
    let pods = || KubeSource::builder(client(), Pod::resource());
    for namespace in ["", "a/b", "..", "a?watch=true", "a#b", "a b", "a%2fb", "ä"] {
        assert!(matches!(
            pods().namespace(namespace).build().unwrap_err(),
            ClientError::InvalidNamespace { .. }
        ));
    }
    assert!(pods().namespace("a").all_namespaces().build().is_ok());
    for (group, version, plural) in
        [("a/b", "v1", "pods"), ("", "", "pods"), ("", "v1", "../nodes"), ("", "v1", "")]
    {
        let error = KubeSource::builder(client(), resource(group, version, plural)).build().unwrap_err();
        assert!(matches!(error, ClientError::InvalidResource { .. }), "{error}");
    }
    let nodes = KubeSource::builder(client(), Node::resource()).namespace("a");
    assert!(matches!(nodes.build().unwrap_err(), ClientError::NotNamespaced { .. }));
    let intake = Intake::new(Node::resource(), Budget::default().into());
    assert!(matches!(pods().intake(intake.into()).build().unwrap_err(), ClientError::WrongIntake { .. }));
}

#[tokio::test]
async fn the_debug_output_of_a_source_has_no_secrets() {
    let source = Server::default().builder().namespace("a").build().unwrap();
    assert_eq!(
        format!("{source:?}"),
        "KubeSource { path: \"/api/v1/namespaces/a/pods\", label_selector: , field_selector: \"\", \
         projection: Full, .. }"
    );
}
