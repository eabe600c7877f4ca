//! Writes that a kind treats in its own way: bindings of pods, finalizers of namespaces, applies that change nothing.

use std::time::Duration;

use serde_json::json;
use tidings_apiserver::ApiServer;

use crate::requests::http_calls::{config_map, delete, patch, pod, post, put};

#[tokio::test(start_paused = true)]
async fn a_bound_pod_is_scheduled_and_keeps_generation_and_managers() {
    let server = ApiServer::start().await;
    let client = server.client();
    let created = post(&client, "/api/v1/namespaces/t/pods", &pod("t", "p")).await.json();
    let binding = json!({
        "metadata": {"annotations": {"why": "room"}, "labels": {"zone": "a"}},
        "target": {"kind": "Node", "name": "n1"},
    });
    assert_eq!(post(&client, "/api/v1/namespaces/t/pods/p/binding", &binding).await.code, 201);
    let bound = server.object("pods", "t/p").unwrap();
    assert_eq!(bound["spec"]["nodeName"], "n1");
    let condition = &bound["status"]["conditions"][0];
    assert_eq!((&condition["type"], &condition["status"]), (&json!("PodScheduled"), &json!("True")));
    assert!(condition["lastTransitionTime"].is_string());
    assert_eq!(bound["metadata"]["annotations"]["why"], "room");
    assert_eq!(bound["metadata"]["labels"]["zone"], "a");
    for kept in ["generation", "managedFields"] {
        assert!(!created["metadata"][kept].is_null());
        assert_eq!(created["metadata"][kept], bound["metadata"][kept], "{kept}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_binding_is_refused_for_gates_deleted_pods_and_other_pods_of_the_name() {
    let server = ApiServer::start().await;
    let client = server.client();
    let mut gated = pod("t", "gated");
    gated["spec"]["schedulingGates"] = json!([{"name": "example.com/wait"}]);
    let mut deleted = pod("t", "deleted");
    deleted["metadata"]["finalizers"] = json!(["example.com/hold"]);
    for object in [&gated, &deleted, &pod("t", "other")] {
        assert_eq!(post(&client, "/api/v1/namespaces/t/pods", object).await.code, 201);
    }
    delete(&client, "/api/v1/namespaces/t/pods/deleted").await;
    for (name, uid, why) in [
        ("gated", "", "schedulingGates"),
        ("deleted", "", "being deleted"),
        ("other", "11111111-2222-3333-4444-555555555555", "UID in precondition"),
    ] {
        let binding = json!({"metadata": {"uid": uid}, "target": {"kind": "Node", "name": "n1"}});
        let refused = post(&client, &format!("/api/v1/namespaces/t/pods/{name}/binding"), &binding).await;
        assert_eq!(refused.code, 409, "{name}");
        assert!(refused.json()["message"].as_str().unwrap().contains(why), "{}", refused.json());
        assert!(server.object("pods", &format!("t/{name}")).unwrap()["spec"]["nodeName"].is_null());
    }
}

#[tokio::test(start_paused = true)]
async fn only_finalize_changes_the_finalizers_of_a_namespace() {
    let server = ApiServer::start().await;
    let client = server.client();
    let path = "/api/v1/namespaces/n";
    let created = post(&client, "/api/v1/namespaces", &json!({"metadata": {"name": "n"}})).await.json();
    let mut wanted = created.clone();
    wanted["spec"]["finalizers"] = json!([]);
    wanted["metadata"]["labels"]["x"] = json!("y");
    let updated = put(&client, path, &wanted).await.json();
    assert_eq!(updated["spec"], created["spec"]);
    assert_eq!(updated["metadata"]["labels"]["x"], "y");
    let change = json!({"spec": {"finalizers": ["example.com/a"]}});
    assert_eq!(patch(&client, path, "merge-patch+json", &change).await.json()["spec"], created["spec"]);
    wanted["metadata"]["resourceVersion"] = json!("");
    wanted["spec"]["finalizers"] = json!(["kubernetes", "example.com/a"]);
    let finalized = put(&client, &format!("{path}/finalize"), &wanted).await.json();
    assert_eq!(finalized["spec"]["finalizers"], wanted["spec"]["finalizers"], "{finalized}");
}

#[tokio::test(start_paused = true)]
async fn an_empty_map_that_is_applied_again_makes_no_new_version() {
    let server = ApiServer::start().await;
    let client = server.client();
    let path = "/api/v1/namespaces/t/configmaps/m?fieldManager=me";
    let mut wanted = config_map("t", "m", "1");
    wanted["kind"] = json!("ConfigMap");
    wanted["apiVersion"] = json!("v1");
    wanted["data"] = json!({});
    let created = patch(&client, path, "apply-patch+yaml", &wanted).await.json();
    assert!(created["metadata"]["resourceVersion"].is_string(), "{created}");
    for _ in 0..2 {
        tokio::time::advance(Duration::from_secs(60)).await;
        assert_eq!(patch(&client, path, "apply-patch+yaml", &wanted).await.json(), created);
    }
    tokio::time::advance(Duration::from_secs(60)).await;
    wanted["data"] = json!({"k": "v"});
    let changed = patch(&client, path, "apply-patch+yaml", &wanted).await.json();
    assert_ne!(changed["metadata"]["resourceVersion"], created["metadata"]["resourceVersion"]);
    assert_ne!(changed["metadata"]["managedFields"], created["metadata"]["managedFields"]);
}
