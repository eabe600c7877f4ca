//! Writes: create, update, patch, subresources.

use std::time::Duration;

use serde_json::{Value, json};
use tidings_apiserver::ADMIN_TOKEN;
use tidings_apiserver::Namespaces;
use tidings_apiserver::{ApiServer, Listen};

use crate::requests::http_calls::{HttpAnswer, config_map, get, patch, pod, post, put};
use crate::requests::transports::{client, open};

const MAPS: &str = "/api/v1/namespaces/t/configmaps";
const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/t/deployments";

fn deployment(name: &str) -> Value {
    let labels = json!({"app": name});
    json!({
        "kind": "Deployment", "apiVersion": "apps/v1",
        "metadata": {"name": name},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "c", "image": "i:1"}]},
            },
        },
    })
}

#[tokio::test]
async fn a_created_object_gets_uid_times_and_namespace_over_every_transport() {
    let server = ApiServer::builder().time("2026-01-02T03:04:05Z".parse().unwrap()).start().await;
    let tls = open(&server, Listen::tls()).await;
    for (number, client) in [server.client(), client(&tls, ADMIN_TOKEN)].into_iter().enumerate() {
        let map = json!({"metadata": {"name": format!("m{number}")}, "data": {"a": "b"}});
        let made = post(&client, MAPS, &map).await;
        assert_eq!(made.code, 201);
        let metadata = &made.json()["metadata"];
        assert_eq!(metadata["namespace"], "t");
        assert_eq!(metadata["uid"].as_str().map(str::len), Some(36));
        assert!(metadata["creationTimestamp"].as_str().unwrap().starts_with("2026-01-02T03:04:"));
        assert_eq!(metadata["resourceVersion"], server.version().to_string());
        assert!(metadata["generation"].is_null());
        assert_eq!(metadata["managedFields"][0]["operation"], "Update");
        assert_eq!(post(&client, MAPS, &map).await.code_and_reason(), (409, "AlreadyExists".to_owned()));
        let generated = json!({"metadata": {"generateName": "g-"}});
        let name =
            post(&client, MAPS, &generated).await.json()["metadata"]["name"].as_str().unwrap().to_owned();
        assert!(name.starts_with("g-") && name.len() == 7, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_failed_create_changes_nothing() {
    let server = ApiServer::start().await;
    let client = server.client();
    post(&client, MAPS, &config_map("t", "there", "1")).await;
    let before = server.version();
    for (path, body, code) in [
        (MAPS, json!({"metadata": {}}), 422),
        (MAPS, json!({"metadata": {"name": "Not_A_Name"}}), 422),
        (MAPS, json!({"metadata": {"name": "a", "namespace": "other"}}), 400),
        (MAPS, json!({"metadata": {"name": "a", "resourceVersion": "7"}}), 500),
        (MAPS, json!({"metadata": {"name": "a"}, "kind": "Pod"}), 400),
        (MAPS, json!({"metadata": {"name": "a"}, "apiVersion": "v2"}), 400),
        (MAPS, json!([1, 2]), 400),
        ("/api/v1/configmaps", config_map("t", "a", "1"), 405),
        ("/api/v1/namespaces/t/nothings", json!({}), 404),
        ("/api/v1/namespaces/t/nodes", json!({"metadata": {"name": "n"}}), 404),
    ] {
        let answer = post(&client, path, &body).await;
        assert_eq!((answer.code, &answer.json()["kind"]), (code, &json!("Status")), "{path} {body}");
    }
    let dry = format!("{MAPS}?dryRun=All");
    assert_eq!(post(&client, &dry, &config_map("t", "tried", "1")).await.code, 201);
    assert_eq!(post(&client, &format!("{MAPS}?dryRun=Some"), &config_map("t", "tried", "1")).await.code, 422);
    assert_eq!(get(&client, &format!("{MAPS}/tried")).await.code, 404);
    assert_eq!(server.version(), before);
}

#[tokio::test(start_paused = true)]
async fn a_stale_update_conflicts_and_an_equal_one_keeps_the_version() {
    let server = ApiServer::start().await;
    let client = server.client();
    let mut map = post(&client, MAPS, &config_map("t", "m", "1")).await.json();
    let path = format!("{MAPS}/m");
    let same = put(&client, &path, &map).await.json();
    assert_eq!(same["metadata"]["resourceVersion"], map["metadata"]["resourceVersion"]);
    map["data"]["value"] = json!("2");
    assert_eq!(put(&client, &path, &map).await.code, 200);
    map["data"]["value"] = json!("3");
    assert_eq!(put(&client, &path, &map).await.code_and_reason(), (409, "Conflict".to_owned()));
    map["metadata"]["resourceVersion"] = json!("");
    assert_eq!(put(&client, &path, &map).await.code, 200);
    map["metadata"]["uid"] = json!("another");
    assert_eq!(put(&client, &path, &map).await.code, 409);
    assert_eq!(put(&client, &format!("{MAPS}/other"), &map).await.code, 400);
    assert_eq!(put(&client, &format!("{MAPS}/none"), &config_map("t", "none", "1")).await.code, 404);
}

#[tokio::test(start_paused = true)]
async fn generation_counts_only_changes_of_the_spec() {
    let server = ApiServer::start().await;
    let client = server.client();
    let path = format!("{DEPLOYMENTS}/d");
    let generation = |answer: HttpAnswer| answer.json()["metadata"]["generation"].as_i64().unwrap();
    assert_eq!(generation(post(&client, DEPLOYMENTS, &deployment("d")).await), 1);
    let labels = json!({"metadata": {"labels": {"a": "b"}}});
    assert_eq!(generation(patch(&client, &path, "merge-patch+json", &labels).await), 1);
    let spec = json!({"spec": {"replicas": 5}});
    assert_eq!(generation(patch(&client, &path, "merge-patch+json", &spec).await), 2);
    let status = json!({"status": {"replicas": 5}, "spec": {"replicas": 9}});
    let updated = patch(&client, &format!("{path}/status"), "merge-patch+json", &status).await;
    assert_eq!(updated.json()["status"]["replicas"], 5);
    assert_eq!(updated.json()["spec"]["replicas"], 5);
    assert_eq!(generation(updated), 2);
    let mut whole = get(&client, &path).await.json();
    whole["status"]["replicas"] = json!(77);
    assert_eq!(put(&client, &path, &whole).await.json()["status"]["replicas"], 5);
}

#[tokio::test(start_paused = true)]
async fn all_four_patches_work() {
    let server = ApiServer::start().await;
    let client = server.client();
    post(&client, DEPLOYMENTS, &deployment("d")).await;
    let path = format!("{DEPLOYMENTS}/d");
    let json_patch = json!([{"op": "replace", "path": "/spec/replicas", "value": 3}]);
    assert_eq!(patch(&client, &path, "json-patch+json", &json_patch).await.json()["spec"]["replicas"], 3);
    let merge = json!({"metadata": {"annotations": {"x": "y"}}});
    let merged = patch(&client, &path, "merge-patch+json", &merge).await.json();
    assert_eq!(merged["metadata"]["annotations"]["x"], "y");
    let containers = json!([{"name": "side", "image": "s:1"}]);
    let strategic = json!({"spec": {"template": {"spec": {"containers": containers}}}});
    let patched = patch(&client, &path, "strategic-merge-patch+json", &strategic).await.json();
    assert_eq!(patched["spec"]["template"]["spec"]["containers"].as_array().map(Vec::len), Some(2));
    let applied =
        json!({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "m"}, "data": {"a": "1"}});
    let made = patch(&client, &format!("{MAPS}/m?fieldManager=one"), "apply-patch+yaml", &applied).await;
    assert_eq!((made.code, &made.json()["data"]["a"]), (201, &json!("1")));
    let other =
        json!({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "m"}, "data": {"a": "2"}});
    let refused = patch(&client, &format!("{MAPS}/m?fieldManager=two"), "apply-patch+yaml", &other).await;
    assert_eq!(refused.code_and_reason(), (409, "Conflict".to_owned()));
    let forced = format!("{MAPS}/m?fieldManager=two&force=true");
    assert_eq!(patch(&client, &forced, "apply-patch+yaml", &other).await.json()["data"]["a"], "2");
    assert_eq!(patch(&client, &path, "unknown+json", &merge).await.code, 415);
    let stale = json!({"metadata": {"resourceVersion": "1"}, "data": {"a": "3"}});
    assert_eq!(patch(&client, &format!("{MAPS}/m"), "merge-patch+json", &stale).await.code, 409);
    let test = json!([{"op": "test", "path": "/data/a", "value": "no"}]);
    assert_eq!(patch(&client, &format!("{MAPS}/m"), "json-patch+json", &test).await.code, 422);
}

#[tokio::test(start_paused = true)]
async fn a_scale_is_read_and_written_independently_of_the_kind() {
    let server = ApiServer::start().await;
    let client = server.client();
    post(&client, DEPLOYMENTS, &deployment("d")).await;
    let path = format!("{DEPLOYMENTS}/d/scale");
    let mut scale = get(&client, &path).await.json();
    assert_eq!((&scale["kind"], &scale["spec"]["replicas"]), (&json!("Scale"), &json!(2)));
    assert_eq!(scale["status"]["selector"], "app=d");
    scale["spec"]["replicas"] = json!(7);
    assert_eq!(put(&client, &path, &scale).await.code, 200);
    assert_eq!(put(&client, &path, &scale).await.code, 409);
    let patched = patch(&client, &path, "merge-patch+json", &json!({"spec": {"replicas": 8}})).await.json();
    assert_eq!(patched["spec"]["replicas"], 8);
    let deployment = server.object("deployments.apps", "t/d").unwrap();
    assert_eq!(
        (&deployment["spec"]["replicas"], &deployment["metadata"]["generation"]),
        (&json!(8), &json!(3))
    );
    let negative = json!({"spec": {"replicas": -1}});
    assert_eq!(patch(&client, &path, "merge-patch+json", &negative).await.code, 422);
}

#[tokio::test(start_paused = true)]
async fn namespaces_are_created_on_demand_or_must_exist() {
    for (namespaces, code) in [(Namespaces::OnDemand, 201), (Namespaces::Strict, 404)] {
        let server = ApiServer::builder().namespaces(namespaces).start().await;
        let client = server.client();
        assert_eq!(post(&client, MAPS, &config_map("t", "m", "1")).await.code, code);
        let expected = if code == 201 { 200 } else { 404 };
        assert_eq!(get(&client, "/api/v1/namespaces/t").await.code, expected);
        let default = "/api/v1/namespaces/default/configmaps";
        assert_eq!(post(&client, default, &config_map("default", "m", "1")).await.code, 201);
    }
}

#[tokio::test(start_paused = true)]
async fn a_pod_is_bound_to_a_node_once() {
    let server = ApiServer::start().await;
    let client = server.client();
    post(&client, "/api/v1/namespaces/t/pods", &pod("t", "p")).await;
    let binding = json!({"kind": "Binding", "apiVersion": "v1", "target": {"kind": "Node", "name": "n1"}});
    let path = "/api/v1/namespaces/t/pods/p/binding";
    assert_eq!(post(&client, path, &binding).await.code, 201);
    assert_eq!(server.object("pods", "t/p").unwrap()["spec"]["nodeName"], "n1");
    assert_eq!(post(&client, path, &binding).await.code, 409);
}

#[tokio::test(start_paused = true)]
async fn an_event_is_the_same_object_in_both_of_its_groups() {
    let server = ApiServer::start().await;
    let client = server.client();
    let event = json!({
        "metadata": {"name": "e"}, "note": "hello", "reason": "Started", "type": "Normal", "action": "Start",
        "eventTime": "2026-01-01T00:00:00.000000Z", "reportingController": "c", "reportingInstance": "i",
        "regarding": {"kind": "Pod", "name": "p", "namespace": "t"},
    });
    let made = post(&client, "/apis/events.k8s.io/v1/namespaces/t/events", &event).await;
    assert_eq!((made.code, &made.json()["note"]), (201, &json!("hello")), "{}", made.json());
    let selected = "/api/v1/namespaces/t/events?fieldSelector=involvedObject.name%3Dp";
    let item = &get(&client, selected).await.json()["items"][0];
    assert_eq!((&item["message"], &item["note"]), (&json!("hello"), &Value::Null));
    let newer = "/apis/events.k8s.io/v1/events?fieldSelector=regarding.name%3Dp";
    assert_eq!(get(&client, newer).await.json()["items"][0]["regarding"]["kind"], "Pod");
}

#[tokio::test(start_paused = true)]
async fn the_same_seed_gives_the_same_names_and_uids() {
    let mut names = Vec::new();
    for _ in 0..2 {
        let server = ApiServer::builder().seed(7).start().await;
        let made = post(&server.client(), MAPS, &json!({"metadata": {"generateName": "g-"}})).await.json();
        names.push((made["metadata"]["name"].clone(), made["metadata"]["uid"].clone()));
    }
    assert_eq!(names[0], names[1]);
}

#[tokio::test(start_paused = true)]
async fn concurrent_patches_without_a_version_are_all_applied() {
    let server = ApiServer::start().await;
    let client = server.client();
    post(&client, MAPS, &config_map("t", "m", "1")).await;
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..20 {
        let client = client.clone();
        tasks.spawn(async move {
            let change = json!({"data": {format!("k{number}"): "v"}});
            patch(&client, &format!("{MAPS}/m"), "merge-patch+json", &change).await.code
        });
    }
    assert!(tasks.join_all().await.iter().all(|code| *code == 200));
    assert_eq!(server.object("configmaps", "t/m").unwrap()["data"].as_object().unwrap().len(), 21);
}

#[tokio::test(start_paused = true)]
async fn a_second_direct_put_keeps_uid_and_creation_time() {
    let server = ApiServer::start().await;
    let put_as = |value| {
        server.put("configmaps", config_map("t", "m", value));
        server.object("configmaps", "t/m").unwrap()["metadata"].clone()
    };
    let first = put_as("1");
    tokio::time::advance(Duration::from_secs(60)).await;
    let second = put_as("2");
    for kept in ["uid", "creationTimestamp"] {
        assert!(first[kept].is_string());
        assert_eq!(first[kept], second[kept], "{kept}");
    }
    assert_ne!(first["resourceVersion"], second["resourceVersion"]);
}
