//! Which effects are tracked, and where objects are written.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube_core::params::Preconditions;
use serde_json::json;
use tidings_apiserver::ApiServer;
use tidings_object::Kind;

use super::*;
use crate::request::Request;
use crate::writes::ReadScope;

fn map(namespace: Option<&str>, name: &str) -> ConfigMap {
    let metadata = ObjectMeta {
        name: Some(name.to_owned()),
        namespace: namespace.map(str::to_owned),
        ..ObjectMeta::default()
    };
    ConfigMap { metadata, ..ConfigMap::default() }
}

/// The API of a reconcile of `default/owner`, whose cache has the map `cached`.
async fn maps(server: &ApiServer) -> TrackedApi<ConfigMap> {
    let request = Request::new(Some("default"), "owner").unwrap();
    let context = Context::for_test(server.client()).object(&map(None, "cached")).build(&request).await;
    context.api::<ConfigMap>()
}

/// The tracked effects, each with its key.
fn tracked(api: &TrackedApi<ConfigMap>) -> Vec<String> {
    let cache = api.context.caches().showing(&ConfigMap::resource()).next().unwrap();
    let mut shown: Vec<_> = cache
        .writes
        .unseen(ReadScope::All)
        .iter()
        .map(|effect| match effect {
            WriteEffect::Written { meta, .. } => {
                format!("written {}/{}", meta.namespace.as_deref().unwrap(), meta.name.as_deref().unwrap())
            }
            WriteEffect::Deleted { key, uid } => format!("deleted {key} {uid}"),
        })
        .collect();
    shown.sort_unstable();
    shown
}

#[tokio::test(start_paused = true)]
async fn a_patch_that_removes_the_last_finalizer_of_a_deleted_object_is_tracked_as_its_deletion() {
    let server = ApiServer::start().await;
    let deleted_at = Some(Time(Timestamp::UNIX_EPOCH));
    let finalizers = Some(vec!["example.com/a".to_owned()]);
    for (deletion_timestamp, finalizers, expected) in [
        (None, None, "written default/a"),
        (None, finalizers.clone(), "written default/a"),
        (deleted_at.clone(), finalizers, "written default/a"),
        (deleted_at, None, "deleted default/a u"),
    ] {
        let api = maps(&server).await;
        let case = format!("{deletion_timestamp:?} {finalizers:?}");
        api.record_patched(&ObjectMeta {
            uid: Some("u".to_owned()),
            resource_version: Some("7".to_owned()),
            deletion_timestamp,
            finalizers,
            ..map(Some("default"), "a").metadata
        });
        assert_eq!(tracked(&api), [expected], "{case}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_uid_of_a_deletion_is_the_required_one_or_the_cached_one() {
    let server = ApiServer::start().await;
    let api = maps(&server).await;
    let required = DeleteParams {
        preconditions: Some(Preconditions { uid: Some("u".to_owned()), resource_version: None }),
        ..DeleteParams::default()
    };
    assert_eq!(api.known_uid("cached", &required).as_deref(), Some("u"));
    let default = DeleteParams::default();
    assert_eq!(api.known_uid("cached", &default).as_deref(), Some("test-uid-configmaps-0"));
    assert_eq!(api.known_uid("unknown", &default), None);
    assert_eq!(api.namespace("other").known_uid("cached", &default), None);
}

#[tokio::test(start_paused = true)]
async fn a_deletion_is_tracked_unless_it_is_a_dry_run() {
    let server = ApiServer::start().await;
    server.put("configmaps", json!({ "metadata": { "name": "a", "uid": "u" } }));
    let api = maps(&server).await;
    let dry_run = DeleteParams { dry_run: true, ..DeleteParams::default() };
    assert!(api.delete_with("a", &dry_run).await.unwrap().is_none());
    assert!(tracked(&api).is_empty());
    assert!(api.delete("a").await.unwrap().is_none());
    let deleted = tracked(&api);
    assert!(deleted.len() == 1 && deleted[0].starts_with("deleted default/a "), "{deleted:?}");
}

#[tokio::test(start_paused = true)]
async fn an_object_is_written_in_the_namespace_of_the_api_or_its_own_or_that_of_the_request() {
    let server = ApiServer::start().await;
    let api = maps(&server).await;
    for (of_api, own, expected) in [
        (None, None, "default"),
        (None, Some("own"), "own"),
        (Some("own"), Some("own"), "own"),
        (Some("api"), None, "api"),
    ] {
        let api = of_api.map_or_else(|| api.clone(), |namespace| api.clone().namespace(namespace));
        let name = format!("{}-{}", of_api.unwrap_or("none"), own.unwrap_or("none"));
        let written = api.create(&map(own, &name)).await.unwrap();
        assert_eq!(written.namespace(), Some(expected), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_write_if_unchanged_requires_the_uid_that_was_read() {
    let server = ApiServer::start().await;
    let api = maps(&server).await;
    let created = api.create(&map(None, "a")).await.unwrap().decoded().unwrap();
    let uid = json!(created.metadata.uid.clone().unwrap());
    let last_sent = || server.requests().pop().unwrap().body_json().unwrap();
    let patch = Patch::Merge(json!({ "data": { "seen": "true" } }));
    let patched = api.context.if_unchanged(&created).patch(&PatchParams::default(), &patch).await.unwrap();
    let sent = last_sent();
    assert_eq!(sent["metadata"]["uid"], uid);
    assert_eq!(sent["metadata"]["resourceVersion"], json!(created.metadata.resource_version));
    api.context.if_unchanged(&patched.decoded().unwrap()).delete().await.unwrap();
    let sent = last_sent();
    assert_eq!(sent["preconditions"]["uid"], uid);
    assert_eq!(sent["preconditions"]["resourceVersion"], json!(patched.version()));
}

#[tokio::test(start_paused = true)]
async fn debug_output_shows_the_target_of_writes() {
    let server = ApiServer::start().await;
    let api = maps(&server).await.namespace("other");
    assert!(format!("{api:?}").contains("namespace: Some(\"other\")"), "{api:?}");
    let read = api.context.if_unchanged(&map(None, "a"));
    assert!(format!("{read:?}").contains("name: \"a\""), "{read:?}");
}
