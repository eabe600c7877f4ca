//! Which wire is requested, and how each response is read.

use futures_util::StreamExt as _;
use k8s_openapi::api::core::v1::Pod;
use serde_json::json;
use tidings_object::{Kind as _, Projection, ResourceKind, Scope, Wire};
use tidings_source::{
    ErrorClass, KubeSource, ListOptions, ListPart, ListWatch as _, WatchOptions, WirePreference,
};

use crate::wire::body::{self, WIRES};
use crate::wire::server::{Answer, Server};

const PROTOBUF_FIRST: &str = "application/vnd.kubernetes.protobuf,application/json";
const JSON_ONLY: &str = "application/json";

fn empty(wire: Wire) -> Answer {
    let list = json!({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[]});
    Answer::ok(body::list(wire, &list)).on(wire)
}

async fn list(source: &KubeSource) {
    let page = source.list(ListOptions::default()).await.unwrap();
    let parts: Vec<_> = page.map(Result::unwrap).collect().await;
    assert!(matches!(parts[..], [ListPart::End(_)]), "{parts:?}");
}

async fn watch(source: &KubeSource) {
    drop(source.watch(WatchOptions::default()).await.unwrap());
}

fn accepted(server: &Server) -> Vec<String> {
    server.requests().iter().map(|request| request.headers["accept"].to_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn the_content_type_decides_the_wire_and_the_source_reports_it() {
    for wire in WIRES {
        let server = Server::answering([empty(wire), Answer::new(200).on(wire)]);
        let source = server.pods();
        assert_eq!(source.wire(), None);
        list(&source).await;
        assert_eq!(source.clone().wire(), Some(wire), "an empty list is enough, and clones share it");
        watch(&source).await;
        assert_eq!(accepted(&server), [PROTOBUF_FIRST, PROTOBUF_FIRST]);
    }
}

// holds: D3
#[tokio::test]
async fn metadata_is_requested_with_its_own_accept_header_for_every_kind() {
    let list =
        json!({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{},"items":[]});
    let of_list = "as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    let of_watch = "as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    for resource in [Pod::resource(), widgets()] {
        let server = Server::answering([
            Answer::ok(body::list(Wire::Json, &list)),
            Answer::new(200),
            Answer::ok(body::list(Wire::Json, &list)),
        ]);
        let builder = || {
            let builder = KubeSource::builder(server.client(), resource.clone());
            builder.projection(Projection::Metadata)
        };
        let source = builder().build().unwrap();
        drop(source.list(ListOptions::default()).await.unwrap());
        watch(&source).await;
        let json_only = builder().wire(WirePreference::JsonOnly).build().unwrap();
        drop(json_only.list(ListOptions::default()).await.unwrap());
        let both = |what| format!("application/vnd.kubernetes.protobuf;{what},application/json;{what}");
        assert_eq!(accepted(&server), [both(of_list), both(of_watch), format!("application/json;{of_list}")]);
    }
}

fn widgets() -> ResourceKind {
    ResourceKind {
        group: "example.com".into(),
        version: "v1".into(),
        kind: "Widget".into(),
        plural: "widgets".into(),
        scope: Scope::Namespaced,
    }
}

#[tokio::test]
async fn protobuf_is_not_requested_for_kinds_that_can_not_be_read_from_it() {
    let answers = [Answer::new(200), Answer::new(200).on(Wire::Protobuf)];
    let server = Server::answering(answers);
    let source = KubeSource::builder(server.client(), widgets()).build().unwrap();
    watch(&source).await;
    let error = source.watch(WatchOptions::default()).await.map(drop).unwrap_err();
    assert!(error.to_string().ends_with("expected a watch, got application/vnd.kubernetes.protobuf, empty"));
    assert_eq!(accepted(&server), [JSON_ONLY, JSON_ONLY]);
}

#[tokio::test]
async fn with_json_only_a_protobuf_response_is_still_read() {
    let server = Server::answering([empty(Wire::Json), empty(Wire::Protobuf)]);
    let source = server.builder().wire(WirePreference::JsonOnly).build().unwrap();
    list(&source).await;
    list(&source).await;
    assert_eq!(source.wire(), Some(Wire::Protobuf));
    assert_eq!(accepted(&server), [JSON_ONLY, JSON_ONLY]);
}

#[tokio::test]
async fn a_server_that_refuses_protobuf_gets_json_requests_from_then_on() {
    for code in [406, 415] {
        let server =
            Server::answering([Answer::new(code), empty(Wire::Json), Answer::new(200), empty(Wire::Json)]);
        let source = server.pods();
        let clone = source.clone();
        list(&source).await;
        watch(&clone).await;
        list(&source).await;
        assert_eq!(accepted(&server), [PROTOBUF_FIRST, JSON_ONLY, JSON_ONLY, JSON_ONLY], "{code}");
        assert_eq!(source.wire(), Some(Wire::Json));
        let requests = server.requests();
        assert_eq!(requests[0].uri, requests[1].uri, "it is the same request");
    }
}

#[tokio::test]
async fn a_watch_that_is_refused_as_protobuf_is_opened_as_json() {
    let added = json!({"kind":"Pod","apiVersion":"v1","metadata":{"name":"x","resourceVersion":"1"}});
    let body = body::event(Wire::Json, "ADDED", &added);
    let server = Server::answering([Answer::new(406), Answer::ok(body)]);
    let events = server.pods().watch(WatchOptions::default()).await.unwrap();
    assert!(events.map(Result::unwrap).count().await == 1);
    assert_eq!(accepted(&server), [PROTOBUF_FIRST, JSON_ONLY]);
}

#[tokio::test]
async fn a_server_that_refuses_json_as_well_is_an_error() {
    let server = Server::answering([Answer::new(406), Answer::new(406)]);
    let error = server.pods().list(ListOptions::default()).await.map(drop).unwrap_err();
    assert_eq!(error.class(), ErrorClass::Server, "{error}");
    assert_eq!(server.requests().len(), 2, "the request is not repeated for ever");
}

#[tokio::test]
async fn a_response_of_an_unknown_content_type_is_an_error() {
    for kind in ["application/yaml", "application/cbor", "text/plain"] {
        let server = Server::answering([empty(Wire::Json).header("content-type", kind)]);
        let error = server.pods().list(ListOptions::default()).await.map(drop).unwrap_err();
        assert_eq!(error.class(), ErrorClass::Malformed);
        assert!(error.to_string().contains(&format!("expected a list, got {kind} of ")), "{error}");
        assert_eq!(server.pods().wire(), None);
    }
}
