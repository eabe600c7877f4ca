//! DELETE: preconditions, finalizers, grace periods, collections, owners, namespaces.

use http::Method;
use serde_json::{Value, json};
use tidings_apiserver::ApiServer;
use tidings_apiserver::Kubelet;

use crate::requests::http_calls::{HttpAnswer, call, config_map, delete, get, pod, post, put, watch};

const MAPS: &str = "/api/v1/namespaces/t/configmaps";

async fn delete_with(client: &kube_client::Client, path: &str, options: &Value) -> HttpAnswer {
    call(Method::DELETE, path).json(options).send(client).await
}

/// A ConfigMap with owners.
fn owned(name: &str, owners: &[&Value]) -> Value {
    let mut map = config_map("t", name, "1");
    let references = owners.iter().map(|owner| {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap", "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"],
            "blockOwnerDeletion": true,
        })
    });
    map["metadata"]["ownerReferences"] = references.collect();
    map
}

#[tokio::test(start_paused = true)]
async fn a_deletion_checks_its_preconditions_and_answers_with_success() {
    let server = ApiServer::start().await;
    let client = server.client();
    let made = post(&client, MAPS, &config_map("t", "m", "1")).await.json();
    let path = format!("{MAPS}/m");
    for preconditions in [json!({"uid": "another"}), json!({"resourceVersion": "1"})] {
        let answer = delete_with(&client, &path, &json!({"preconditions": preconditions})).await;
        assert_eq!(answer.code_and_reason(), (409, "Conflict".to_owned()));
    }
    assert_eq!(delete(&client, &format!("{path}?dryRun=All")).await.code, 200);
    let right = json!({"preconditions": {"uid": made["metadata"]["uid"]}});
    let gone = delete_with(&client, &path, &right).await.json();
    assert_eq!((&gone["status"], &gone["details"]["uid"]), (&json!("Success"), &made["metadata"]["uid"]));
    assert_eq!(delete(&client, &path).await.code_and_reason(), (404, "NotFound".to_owned()));
    assert_eq!(delete_with(&client, &path, &json!({"propagationPolicy": "Sideways"})).await.code, 422);
}

#[tokio::test(start_paused = true)]
async fn an_object_with_finalizers_is_removed_with_its_last_finalizer() {
    let server = ApiServer::start().await;
    let client = server.client();
    let mut map = config_map("t", "m", "1");
    map["metadata"]["finalizers"] = json!(["example.com/hold"]);
    post(&client, MAPS, &map).await;
    let path = format!("{MAPS}/m");
    let mut events = watch(&client, &format!("{MAPS}?watch=1&resourceVersion={}", server.version())).await;
    let marked = delete(&client, &path).await.json();
    assert!(marked["metadata"]["deletionTimestamp"].is_string());
    assert_eq!(events.type_and_name().await, "MODIFIED m");
    let again = delete(&client, &path).await.json();
    assert_eq!(again["metadata"]["resourceVersion"], marked["metadata"]["resourceVersion"]);
    let mut more = marked.clone();
    more["metadata"]["finalizers"] = json!(["example.com/hold", "example.com/more"]);
    assert_eq!(put(&client, &path, &more).await.code, 422);
    let mut free = marked;
    free["metadata"]["finalizers"] = json!([]);
    assert_eq!(put(&client, &path, &free).await.code, 200);
    assert_eq!(events.type_and_name().await, "DELETED m");
    assert_eq!(get(&client, &path).await.code, 404);
}

#[tokio::test(start_paused = true)]
async fn a_deleted_pod_on_a_node_stays_if_no_kubelet_is_imitated() {
    for (kubelet, remains) in [(Kubelet::Imitated, false), (Kubelet::Absent, true)] {
        let server = ApiServer::builder().kubelet(kubelet).start().await;
        let client = server.client();
        let mut pod = pod("t", "p");
        pod["spec"]["nodeName"] = json!("n");
        server.put("pods", pod);
        let path = "/api/v1/namespaces/t/pods/p";
        let answer = delete(&client, path).await.json();
        assert_eq!(answer["kind"], "Pod");
        assert_eq!(server.object("pods", "t/p").is_some(), remains);
        if remains {
            assert_eq!(answer["metadata"]["deletionGracePeriodSeconds"], 30);
            delete_with(&client, path, &json!({"gracePeriodSeconds": 0})).await;
            assert!(server.object("pods", "t/p").is_none());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_collection_is_deleted_by_selector() {
    let server = ApiServer::start().await;
    for (namespace, name, value) in [("t", "a", "x"), ("t", "b", "y"), ("t", "c", "x"), ("u", "a", "x")] {
        server.put("configmaps", config_map(namespace, name, value));
    }
    let deleted = delete(&server.client(), &format!("{MAPS}?labelSelector=value%3Dx")).await.json();
    assert_eq!(deleted["items"].as_array().map(Vec::len), Some(2));
    let left: Vec<_> = server.list_versions("configmaps").into_keys().collect();
    assert_eq!(left, ["t/b", "u/a"]);
}

#[tokio::test(start_paused = true)]
async fn dependents_are_deleted_or_orphaned_by_propagation_policy() {
    for (policy, left) in
        [("Background", vec![]), ("Foreground", vec![]), ("Orphan", vec!["t/child", "t/grandchild"])]
    {
        let server = ApiServer::start().await;
        let client = server.client();
        let owner = post(&client, MAPS, &config_map("t", "owner", "1")).await.json();
        let child = post(&client, MAPS, &owned("child", &[&owner])).await.json();
        post(&client, MAPS, &owned("grandchild", &[&child])).await;
        delete_with(&client, &format!("{MAPS}/owner"), &json!({"propagationPolicy": policy})).await;
        let found: Vec<_> = server.list_versions("configmaps").into_keys().collect();
        assert_eq!(found, left, "{policy}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_dependent_with_another_owner_stays_and_loses_the_deleted_owner() {
    let server = ApiServer::start().await;
    let client = server.client();
    let one = post(&client, MAPS, &config_map("t", "one", "1")).await.json();
    let two = post(&client, MAPS, &config_map("t", "two", "1")).await.json();
    post(&client, MAPS, &owned("child", &[&one, &two])).await;
    delete(&client, &format!("{MAPS}/one")).await;
    let child = server.object("configmaps", "t/child").unwrap();
    assert_eq!(child["metadata"]["ownerReferences"].as_array().map(Vec::len), Some(1));
    delete(&client, &format!("{MAPS}/two")).await;
    assert!(server.object("configmaps", "t/child").is_none());
}

#[tokio::test(start_paused = true)]
async fn a_foreground_deletion_waits_for_dependents_with_finalizers() {
    let server = ApiServer::start().await;
    let client = server.client();
    let owner = post(&client, MAPS, &config_map("t", "owner", "1")).await.json();
    let mut child = owned("child", &[&owner]);
    child["metadata"]["finalizers"] = json!(["example.com/hold"]);
    post(&client, MAPS, &child).await;
    delete_with(&client, &format!("{MAPS}/owner"), &json!({"propagationPolicy": "Foreground"})).await;
    let waiting = server.object("configmaps", "t/owner").unwrap();
    assert_eq!(waiting["metadata"]["finalizers"], json!(["foregroundDeletion"]));
    let mut child = server.object("configmaps", "t/child").unwrap();
    assert!(child["metadata"]["deletionTimestamp"].is_string());
    child["metadata"]["finalizers"] = json!([]);
    put(&client, &format!("{MAPS}/child"), &child).await;
    assert!(server.list_versions("configmaps").is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_long_chain_of_owners_is_deleted_without_a_stack_overflow() {
    let server = ApiServer::start().await;
    let mut owner = config_map("t", "m0", "1");
    owner["metadata"]["uid"] = json!("u0");
    server.put("configmaps", owner);
    for number in 1..400 {
        let above =
            json!({"metadata": {"name": format!("m{}", number - 1), "uid": format!("u{}", number - 1)}});
        let mut map = owned(&format!("m{number}"), &[&above]);
        map["metadata"]["uid"] = json!(format!("u{number}"));
        server.put("configmaps", map);
    }
    delete(&server.client(), &format!("{MAPS}/m0")).await;
    assert!(server.list_versions("configmaps").is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_deleted_namespace_deletes_its_content_and_waits_for_finalizers() {
    let server = ApiServer::start().await;
    let client = server.client();
    let mut waits = config_map("t", "waits", "1");
    waits["metadata"]["finalizers"] = json!(["example.com/hold"]);
    post(&client, MAPS, &waits).await;
    post(&client, MAPS, &config_map("t", "free", "1")).await;
    let terminating = delete(&client, "/api/v1/namespaces/t").await.json();
    assert_eq!(terminating["status"]["phase"], "Terminating");
    assert!(server.object("configmaps", "t/free").is_none());
    assert_eq!(
        post(&client, MAPS, &config_map("t", "late", "1")).await.code_and_reason(),
        (403, "Forbidden".to_owned())
    );
    let mut waits = server.object("configmaps", "t/waits").unwrap();
    waits["metadata"]["finalizers"] = json!([]);
    put(&client, &format!("{MAPS}/waits"), &waits).await;
    assert_eq!(get(&client, "/api/v1/namespaces/t").await.code, 404);
    assert_eq!(post(&client, MAPS, &config_map("t", "again", "1")).await.code, 201);
}

#[tokio::test(start_paused = true)]
async fn an_evicted_pod_is_removed() {
    let server = ApiServer::start().await;
    server.put("pods", pod("t", "p"));
    let eviction = json!({"kind": "Eviction", "apiVersion": "policy/v1", "metadata": {"name": "p"}});
    let path = "/api/v1/namespaces/t/pods/p/eviction";
    assert_eq!(post(&server.client(), path, &eviction).await.code, 201);
    assert!(server.object("pods", "t/p").is_none());
}
