//! Deletions whose consequences are left to a controller: garbage collection and the content of namespaces.

use http::Method;
use serde_json::json;
use tidings_apiserver::{ApiServer, GarbageCollection, Kubelet, NamespaceDeletion};

use crate::requests::http_calls::{call, config_map, delete, get, pod, post, put};

const MAPS: &str = "/api/v1/namespaces/t/configmaps";

#[tokio::test(start_paused = true)]
async fn an_external_garbage_collector_finds_dependents_and_finalizers() {
    for (policy, finalizer) in
        [("Background", None), ("Foreground", Some("foregroundDeletion")), ("Orphan", Some("orphan"))]
    {
        let server = ApiServer::builder().garbage_collection(GarbageCollection::External).start().await;
        let client = server.client();
        let owner = post(&client, MAPS, &config_map("t", "owner", "1")).await.json();
        let mut child = config_map("t", "child", "1");
        child["metadata"]["ownerReferences"] = json!([
            { "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"] },
        ]);
        post(&client, MAPS, &child).await;
        let options = json!({ "propagationPolicy": policy });
        call(Method::DELETE, &format!("{MAPS}/owner")).json(&options).send(&client).await;
        let left = server.object("configmaps", "t/owner");
        assert_eq!(left.is_some(), finalizer.is_some(), "{policy}");
        if let (Some(mut owner), Some(finalizer)) = (left, finalizer) {
            assert_eq!(owner["metadata"]["finalizers"], json!([finalizer]));
            assert!(owner["metadata"]["deletionTimestamp"].is_string());
            owner["metadata"]["finalizers"] = json!([]);
            assert_eq!(put(&client, &format!("{MAPS}/owner"), &owner).await.code, 200);
            assert_eq!(get(&client, &format!("{MAPS}/owner")).await.code, 404);
        }
        assert!(
            server.object("configmaps", "t/child").is_some(),
            "{policy} leaves dependents to the collector"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_namespace_is_terminating_until_its_spec_has_no_finalizers() {
    let server = ApiServer::builder().namespace_deletion(NamespaceDeletion::External).start().await;
    let client = server.client();
    post(&client, MAPS, &config_map("t", "m", "1")).await;
    let path = "/api/v1/namespaces/t";
    let marked = delete(&client, path).await.json();
    assert_eq!(marked["status"]["phase"], "Terminating");
    assert_eq!(
        delete(&client, path).await.json()["metadata"]["deletionTimestamp"],
        marked["metadata"]["deletionTimestamp"]
    );
    assert_eq!(post(&client, MAPS, &config_map("t", "late", "1")).await.code, 403);
    assert!(server.object("configmaps", "t/m").is_some());
    assert_eq!(delete(&client, &format!("{MAPS}/m")).await.code, 200);
    assert_eq!(get(&client, path).await.code, 200);
    let mut free = marked;
    free["metadata"]["resourceVersion"] = json!("");
    free["spec"]["finalizers"] = json!([]);
    assert_eq!(put(&client, &format!("{path}/finalize"), &free).await.code, 200);
    assert_eq!(get(&client, path).await.code, 404);
    assert_eq!(post(&client, MAPS, &config_map("t", "again", "1")).await.code, 201);
}

#[tokio::test(start_paused = true)]
async fn a_pod_in_its_grace_period_outlives_its_finalizers_and_an_ended_pod_has_none() {
    let server = ApiServer::builder().kubelet(Kubelet::Absent).start().await;
    let client = server.client();
    let path = "/api/v1/namespaces/t/pods/p";
    let mut held = pod("t", "p");
    held["spec"]["nodeName"] = json!("n");
    held["metadata"]["finalizers"] = json!(["example.com/hold"]);
    server.put("pods", held);
    let mut marked = delete(&client, path).await.json();
    marked["metadata"]["finalizers"] = json!([]);
    assert_eq!(put(&client, path, &marked).await.code, 200);
    assert_eq!(get(&client, path).await.code, 200, "a kubelet has not stopped it yet");
    let now = json!({ "gracePeriodSeconds": 0 });
    call(Method::DELETE, path).json(&now).send(&client).await;
    assert_eq!(get(&client, path).await.code, 404);

    let mut ended = pod("t", "p");
    ended["spec"]["nodeName"] = json!("n");
    ended["status"]["phase"] = json!("Succeeded");
    server.put("pods", ended);
    delete(&client, path).await;
    assert_eq!(get(&client, path).await.code, 404);
}
