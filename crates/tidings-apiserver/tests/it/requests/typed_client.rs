//! The server with kube's typed client, in paused time and without a socket.

use std::time::Duration;

use futures_util::{StreamExt, pin_mut};
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube_client::Api;
use kube_client::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use serde_json::json;
use tidings_apiserver::ApiServer;

use crate::requests::http_calls::{config_map, pod, watch};

fn typed<K: serde::de::DeserializeOwned>(value: serde_json::Value) -> K {
    serde_json::from_value(value).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_typed_client_creates_reads_changes_watches_and_deletes() {
    let server = ApiServer::start().await;
    let pods: Api<Pod> = Api::namespaced(server.client(), "shop");
    let made = pods.create(&PostParams::default(), &typed(pod("shop", "web"))).await.unwrap();
    assert!(made.metadata.uid.is_some() && made.metadata.creation_timestamp.is_some());
    assert_eq!(made.metadata.generation, Some(1));

    let list = pods.list(&ListParams::default()).await.unwrap();
    assert_eq!(list.items.len(), 1);
    let from = list.metadata.resource_version.unwrap();
    let events = pods.watch(&WatchParams::default(), &from).await.unwrap();
    pin_mut!(events);

    let patch = json!({"metadata": {"labels": {"tier": "front"}}});
    pods.patch("web", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
    match events.next().await.unwrap().unwrap() {
        WatchEvent::Modified(pod) => assert_eq!(pod.metadata.labels.unwrap()["tier"], "front"),
        other => panic!("{other:?}"),
    }
    pods.delete("web", &DeleteParams::default()).await.unwrap();
    assert!(matches!(events.next().await.unwrap().unwrap(), WatchEvent::Deleted(_)));
    assert!(pods.get_opt("web").await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_streaming_list_ends_with_its_marker_and_continues_as_a_watch() {
    let server = ApiServer::start().await;
    for name in ["a", "b"] {
        server.put("configmaps", config_map("n", name, "1"));
    }
    let path = "/api/v1/configmaps?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan\
                &allowWatchBookmarks=true";
    let mut events = watch(&server.client(), path).await;
    assert_eq!(events.types_and_names(2).await, ["ADDED a", "ADDED b"]);
    let marker = events.event().await;
    assert_eq!(marker["type"], "BOOKMARK");
    assert_eq!(marker["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"], "true");
    assert_eq!(marker["object"]["metadata"]["resourceVersion"], server.version().to_string());
    assert_eq!(marker["object"]["kind"], "ConfigMap");
    server.put("configmaps", config_map("n", "c", "1"));
    assert_eq!(events.type_and_name().await, "ADDED c");
}

#[tokio::test(start_paused = true)]
async fn a_watch_times_out_in_paused_time_without_a_task() {
    let server = ApiServer::start().await;
    let maps: Api<ConfigMap> = Api::all(server.client());
    let params = WatchParams::default().timeout(290);
    let events = maps.watch(&params, "0").await.unwrap();
    pin_mut!(events);
    let started = tokio::time::Instant::now();
    let _marker = events.next().await;
    assert!(events.next().await.is_none());
    assert_eq!(started.elapsed(), Duration::from_secs(290));
}
