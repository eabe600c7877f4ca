//! A second server that lags behind the first one.

use std::time::Duration;

use futures_util::StreamExt as _;
use k8s_openapi::api::core::v1::ConfigMap;
use kube_client::api::{Api, ListParams, PostParams, VersionMatch, WatchParams};
use kube_client::core::{ApiResource, DynamicObject, GroupVersionKind, WatchEvent};
use serde_json::json;
use tidings_apiserver::ApiServer;
use tokio::time::{Instant, timeout};

fn put(server: &ApiServer, name: &str) -> u64 {
    server.put("configmaps", json!({ "metadata": { "name": name } }))
}

async fn names(maps: &Api<ConfigMap>, params: &ListParams) -> Vec<String> {
    let list = maps.list(params).await.unwrap();
    list.items.into_iter().filter_map(|map| map.metadata.name).collect()
}

#[tokio::test(start_paused = true)]
async fn a_list_at_version_zero_is_stale_and_one_without_a_version_is_consistent() {
    let server = ApiServer::start().await;
    put(&server, "a");
    let lagging = server.lagging();
    let maps: Api<ConfigMap> = Api::default_namespaced(lagging.client());
    put(&server, "b");
    let any = ListParams::default().match_any();
    assert_eq!(names(&maps, &any).await, ["a"]);
    assert_eq!(names(&maps, &ListParams::default()).await, ["a", "b"]);
    assert_eq!(names(&maps, &any).await, ["a"], "a consistent read does not advance the lagging server");
    lagging.advance(1);
    assert_eq!(names(&maps, &any).await, ["a", "b"]);
    assert_eq!(lagging.behind(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_list_at_a_version_newer_than_the_servers_waits_and_fails() {
    let server = ApiServer::start().await;
    let lagging = server.lagging();
    let maps: Api<ConfigMap> = Api::default_namespaced(lagging.client());
    let version = put(&server, "a").to_string();
    let params = ListParams::default().at(&version);
    let params = params.matching(VersionMatch::NotOlderThan);
    let requested_at = Instant::now();
    let refused = maps.list(&params).await.unwrap_err();
    assert!(refused.to_string().contains("Too large resource version"), "{refused}");
    assert_eq!(requested_at.elapsed(), Duration::from_secs(3));
    lagging.catch_up();
    assert_eq!(names(&maps, &params).await, ["a"]);
}

#[tokio::test(start_paused = true)]
async fn a_watch_from_a_version_newer_than_the_servers_is_silent_until_it_is_passed() {
    let server = ApiServer::start().await;
    let lagging = server.lagging();
    let maps: Api<ConfigMap> = Api::default_namespaced(lagging.client());
    put(&server, "a");
    let version = put(&server, "b").to_string();
    let mut events = maps.watch(&WatchParams::default(), &version).await.unwrap().boxed();
    let newer = put(&server, "c");
    lagging.advance(2);
    assert!(timeout(Duration::from_secs(20), events.next()).await.is_err(), "older changes are not sent");
    lagging.catch_up();
    match events.next().await {
        Some(Ok(WatchEvent::Added(map))) => {
            assert_eq!(map.metadata.resource_version, Some(newer.to_string()))
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn writes_go_to_the_first_server_and_restore_and_expired_history_affect_both_at_once() {
    let server = ApiServer::start().await;
    let lagging = server.lagging();
    let maps: Api<ConfigMap> = Api::default_namespaced(lagging.client());
    let saved = server.save();
    let map = serde_json::from_value(json!({ "metadata": { "name": "a" } })).unwrap();
    maps.create(&PostParams::default(), &map).await.unwrap();
    assert!(server.object("configmaps", "default/a").is_some());
    assert_eq!(lagging.behind(), 1);
    server.restore(&saved);
    assert_eq!((lagging.behind(), lagging.version()), (0, server.version()));
    put(&server, "b");
    lagging.catch_up();
    assert_eq!(names(&maps, &ListParams::default().match_any()).await, ["b"]);
    let version = lagging.version().to_string();
    put(&server, "c");
    lagging.catch_up();
    server.expire_history();
    let mut events = maps.watch(&WatchParams::default(), &version).await.unwrap().boxed();
    match events.next().await {
        Some(Ok(WatchEvent::Error(status))) => assert_eq!(status.code, 410),
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn objects_of_custom_resources_lag_too() {
    let server = ApiServer::start().await;
    let lagging = server.lagging();
    let schema =
        json!({ "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } });
    server.put(
        "customresourcedefinitions.apiextensions.k8s.io",
        json!({
            "metadata": { "name": "widgets.example.com" },
            "spec": {
                "group": "example.com", "scope": "Namespaced",
                "names": { "plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList" },
                "versions": [{ "name": "v1", "served": true, "storage": true, "schema": schema }],
            },
        }),
    );
    lagging.catch_up();
    server.put("widgets.example.com", json!({ "metadata": { "name": "a" } }));
    let kind = GroupVersionKind::gvk("example.com", "v1", "Widget");
    let resource = ApiResource::from_gvk_with_plural(&kind, "widgets");
    let widgets: Api<DynamicObject> = Api::default_namespaced_with(lagging.client(), &resource);
    let any = ListParams::default().match_any();
    assert_eq!(widgets.list(&any).await.unwrap().items.len(), 0);
    lagging.catch_up();
    assert_eq!(widgets.list(&any).await.unwrap().items.len(), 1);
}
