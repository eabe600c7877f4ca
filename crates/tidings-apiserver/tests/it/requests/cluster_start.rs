//! What a strict server has at the start: bootstrap objects, service accounts and their tokens, reviews.

use std::time::Duration;

use serde_json::{Value, json};
use tidings_apiserver::{ADMIN_TOKEN, ApiServer, Bootstrap, GarbageCollection, Listen, READ_ONLY_TOKEN};

use crate::requests::http_calls::{call, config_map, delete, get, pod, post, put};
use crate::requests::transports::open;

const TOKEN: &str = "/api/v1/namespaces/default/serviceaccounts/default/token";
const TOKEN_REVIEWS: &str = "/apis/authentication.k8s.io/v1/tokenreviews";

async fn strict() -> ApiServer {
    ApiServer::builder().strict().start().await
}

#[tokio::test(start_paused = true)]
async fn a_strict_server_has_the_objects_of_a_new_cluster() {
    let server = strict().await;
    let client = server.client();
    for path in [
        "/api/v1/namespaces/default/services/kubernetes",
        "/api/v1/namespaces/default/endpoints/kubernetes",
        "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes",
        "/apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-admin",
        "/apis/rbac.authorization.k8s.io/v1/clusterroles/view",
        "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/cluster-admin",
        "/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/roles/extension-apiserver-authentication-reader",
        "/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical",
        "/api/v1/namespaces/kube-public/configmaps/kube-root-ca.crt",
        "/api/v1/namespaces/kube-system/serviceaccounts/default",
        "/api/v1/componentstatuses/scheduler",
    ] {
        let answer = get(&client, path).await;
        assert_eq!(answer.code, 200, "{path}");
        assert_eq!(answer.json()["metadata"]["uid"].as_str().map(str::len), Some(36), "{path}");
    }
    assert_eq!(
        get(&client, "/api/v1/componentstatuses").await.json()["items"].as_array().map(Vec::len),
        Some(3)
    );
}

#[tokio::test(start_paused = true)]
async fn a_new_namespace_gets_its_service_account_and_a_missing_one_is_refused() {
    let server = strict().await;
    let client = server.client();
    let refused = post(&client, "/api/v1/namespaces/a/pods", &pod("a", "p")).await;
    assert_eq!((refused.code, &refused.json()["message"]), (404, &json!("namespaces \"a\" not found")));
    assert_eq!(post(&client, "/api/v1/namespaces", &json!({"metadata": {"name": "a"}})).await.code, 201);
    assert!(server.object("serviceaccounts", "a/default").is_some());
    assert!(server.object("configmaps", "a/kube-root-ca.crt").is_some());
    assert_eq!(post(&client, "/api/v1/namespaces/a/pods", &pod("a", "p")).await.code, 201);
    assert_eq!(delete(&client, "/api/v1/namespaces/a").await.code, 200);
    assert!(server.object("namespaces", "a").is_none(), "what the server added does not keep the namespace");
}

#[tokio::test(start_paused = true)]
async fn a_server_as_in_envtest_has_nothing_that_controllers_create() {
    let server = ApiServer::builder().strict().bootstrap(Bootstrap::ApiServer).start().await;
    let client = server.client();
    assert!(server.object("services", "default/kubernetes").is_some());
    assert!(server.object("clusterroles.rbac.authorization.k8s.io", "cluster-admin").is_some());
    assert_eq!(post(&client, "/api/v1/namespaces", &json!({"metadata": {"name": "a"}})).await.code, 201);
    for path in [
        "/api/v1/serviceaccounts",
        "/api/v1/namespaces/a/configmaps",
        "/api/v1/namespaces/default/configmaps",
    ] {
        assert_eq!(get(&client, path).await.json()["items"], json!([]), "{path}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_lenient_server_has_namespaces_only() {
    assert_eq!(ApiServer::start().await.size().objects, 4);
    let emptied = ApiServer::builder().strict().bootstrap(Bootstrap::Namespaces).start().await;
    assert_eq!(emptied.size().objects, 4);
}

#[tokio::test]
async fn the_certificate_authority_of_the_socket_is_in_every_namespace() {
    let server = strict().await;
    let tls = open(&server, Listen::tls()).await;
    let expected = tls.listening.certificate_authority().unwrap();
    server.put("namespaces", json!({"metadata": {"name": "later"}}));
    post(&server.client(), "/api/v1/namespaces", &json!({"metadata": {"name": "new"}})).await;
    for namespace in ["default", "new"] {
        let map = server.object("configmaps", &format!("{namespace}/kube-root-ca.crt")).unwrap();
        assert_eq!(map["data"]["ca.crt"], expected, "{namespace}");
    }
}

async fn token(server: &ApiServer, spec: Value) -> Value {
    let answer = post(&server.client(), TOKEN, &json!({"spec": spec})).await;
    assert_eq!(answer.code, 201, "{}", answer.json());
    answer.json()
}

async fn review(server: &ApiServer, token: &str) -> Value {
    let sent = json!({"spec": {"token": token}});
    post(&server.client(), TOKEN_REVIEWS, &sent).await.json()["status"].clone()
}

#[tokio::test(start_paused = true)]
async fn the_token_of_a_service_account_authenticates_until_it_expires() {
    let server = strict().await;
    let issued = token(&server, json!({"expirationSeconds": 600})).await;
    assert_eq!((&issued["kind"], &issued["metadata"]["name"]), (&json!("TokenRequest"), &json!("default")));
    let secret = issued["status"]["token"].as_str().unwrap();
    let status = review(&server, secret).await;
    assert_eq!(status["authenticated"], true);
    assert_eq!(status["user"]["username"], "system:serviceaccount:default:default");
    assert_eq!(
        status["user"]["groups"],
        json!(["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"])
    );
    let client = server.client_with_token(secret);
    let own = post(&client, "/apis/authentication.k8s.io/v1/selfsubjectreviews", &json!({})).await.json();
    assert_eq!(own["status"]["userInfo"]["username"], "system:serviceaccount:default:default");

    tokio::time::advance(Duration::from_secs(601)).await;
    assert_eq!(get(&client, "/api/v1/nodes").await.code, 401);
    assert!(review(&server, secret).await["error"].as_str().unwrap().contains("expired"));
}

#[tokio::test(start_paused = true)]
async fn a_token_is_valid_only_with_its_signature_its_audience_and_its_account() {
    let server = strict().await;
    let issued = token(&server, json!({"audiences": ["vault"]})).await;
    let secret = issued["status"]["token"].as_str().unwrap().to_owned();
    assert_eq!(get(&server.client_with_token(&secret), "/api/v1/nodes").await.code, 401, "another audience");
    let sent = json!({"spec": {"token": secret, "audiences": ["vault", "other"]}});
    let status = post(&server.client(), TOKEN_REVIEWS, &sent).await.json()["status"].clone();
    assert_eq!((&status["authenticated"], &status["audiences"]), (&json!(true), &json!(["vault"])));

    let secret = token(&server, json!({})).await["status"]["token"].as_str().unwrap().to_owned();
    let (content, _) = secret.rsplit_once('.').unwrap();
    assert_eq!(get(&server.client_with_token(&format!("{content}.AAAA")), "/api/v1/nodes").await.code, 401);
    assert_eq!(get(&server.client_with_token(&secret), "/api/v1/nodes").await.code, 200);
    delete(&server.client(), "/api/v1/namespaces/default/serviceaccounts/default").await;
    assert_eq!(get(&server.client_with_token(&secret), "/api/v1/nodes").await.code, 401);
}

#[tokio::test(start_paused = true)]
async fn a_token_request_is_validated() {
    let server = strict().await;
    let client = server.client();
    let short = post(&client, TOKEN, &json!({"spec": {"expirationSeconds": 60}})).await;
    assert_eq!(short.code, 422);
    assert_eq!(short.json()["details"]["causes"][0]["field"], "spec.expirationSeconds");
    let missing = "/api/v1/namespaces/default/serviceaccounts/missing/token";
    assert_eq!(post(&client, missing, &json!({})).await.code, 404);
    let bound = json!({"spec": {"boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": "missing"}}});
    assert_eq!(post(&client, TOKEN, &bound).await.code, 404);
}

#[tokio::test(start_paused = true)]
async fn reviews_know_the_users_of_the_server() {
    let server = strict().await;
    let status = review(&server, ADMIN_TOKEN).await;
    assert_eq!((&status["authenticated"], &status["user"]["username"]), (&json!(true), &json!("admin")));
    assert!(review(&server, "nonsense").await["authenticated"].is_null());
    let access = json!({"spec": {"resourceAttributes": {"verb": "delete", "resource": "pods"}}});
    let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    for (token, is_allowed) in [(ADMIN_TOKEN, true)] {
        let answer = post(&server.client_with_token(token), path, &access).await.json();
        assert_eq!(answer["status"]["allowed"], is_allowed, "{token}");
    }
    let mut access = access;
    access["spec"]["user"] = json!("reader");
    let path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    assert_eq!(post(&server.client(), path, &access).await.json()["status"]["allowed"], false);
}

#[tokio::test(start_paused = true)]
async fn dependents_stay_if_a_controller_is_to_delete_them() {
    let server = ApiServer::builder().garbage_collection(GarbageCollection::External).start().await;
    let client = server.client();
    let maps = "/api/v1/namespaces/t/configmaps";
    for (policy, finalizer) in
        [("Foreground", "foregroundDeletion"), ("Orphan", "orphan"), ("Background", "")]
    {
        let owner = post(&client, maps, &config_map("t", policy.to_lowercase().as_str(), "1")).await.json();
        let mut dependent = config_map("t", &format!("{}-child", policy.to_lowercase()), "1");
        dependent["metadata"]["ownerReferences"] = json!([{
            "apiVersion": "v1", "kind": "ConfigMap", "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"],
        }]);
        assert_eq!(post(&client, maps, &dependent).await.code, 201);
        let path = format!("{maps}/{}", policy.to_lowercase());
        let answer = delete(&client, &format!("{path}?propagationPolicy={policy}")).await;
        assert_eq!(answer.code, 200);
        let left = get(&client, &path).await;
        if finalizer.is_empty() {
            assert_eq!(left.code, 404);
        } else {
            assert_eq!(left.json()["metadata"]["finalizers"], json!([finalizer]));
            assert!(!left.json()["metadata"]["deletionTimestamp"].is_null());
        }
        let child = get(&client, &format!("{path}-child")).await.json();
        assert!(child["metadata"]["ownerReferences"].is_array(), "{policy}");
    }
}

#[tokio::test(start_paused = true)]
async fn approvals_of_certificate_requests_are_stored_and_only_by_their_subresource() {
    let server = strict().await;
    let client = server.client();
    let path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    let request = json!({"metadata": {"name": "r"}, "spec": {
        "request": "LS0t", "signerName": "example.com/x", "usages": ["client auth"], "username": "someone-else",
    }});
    let mut made = post(&client, path, &request).await.json();
    assert_eq!(made["spec"]["username"], "system:admin");
    made["status"]["conditions"] =
        json!([{"type": "Approved", "status": "True", "reason": "Ok", "message": "yes"}]);
    let plain = put(&client, &format!("{path}/r"), &made).await.json();
    assert!(plain["status"]["conditions"].is_null());
    made["metadata"]["resourceVersion"] = Value::Null;
    let approved = put(&client, &format!("{path}/r/approval"), &made).await;
    assert_eq!(approved.code, 200, "{}", approved.json());
    let condition = &approved.json()["status"]["conditions"][0];
    assert_eq!(condition["type"], "Approved");
    assert!(condition["lastUpdateTime"].is_string() && condition["lastTransitionTime"].is_string());
    let mut issued = approved.json();
    let mut removed = issued.clone();
    removed["status"] = json!({"certificate": "Y2VydA=="});
    assert_eq!(
        put(&client, &format!("{path}/r/status"), &removed).await.code,
        422,
        "an approval can't be removed"
    );
    issued["status"]["certificate"] = json!("Y2VydA==");
    let issued = put(&client, &format!("{path}/r/status"), &issued).await.json();
    assert_eq!(issued["status"]["certificate"], "Y2VydA==");
    assert_eq!(issued["status"]["conditions"][0]["type"], "Approved");
}

#[tokio::test(start_paused = true)]
async fn the_record_of_requests_is_served_to_administrators() {
    let server = strict().await;
    let client = server.client_with_token(ADMIN_TOKEN);
    call(http::Method::GET, "/api/v1/namespaces/default/pods/missing")
        .header("user-agent", "mytest/1 (linux)")
        .send(&client)
        .await;
    let report = get(&client, "/tidings/requests").await;
    let text = String::from_utf8(report.body.to_vec()).unwrap();
    let expected =
        "admin (mytest/1) GET /api/v1/namespaces/default/pods/missing -> 404 pods \"missing\" not found\n";
    assert!(text.ends_with(expected), "{text}");
    assert_eq!(server.request_report(), text);
    assert_eq!(get(&server.client_with_token(READ_ONLY_TOKEN), "/tidings/requests").await.code, 403);
}

#[tokio::test(start_paused = true)]
async fn ephemeral_containers_are_changed_only_by_their_subresource() {
    let server = ApiServer::start().await;
    let client = server.client();
    let path = "/api/v1/namespaces/t/pods";
    let mut made = post(&client, path, &pod("t", "p")).await.json();
    made["spec"]["ephemeralContainers"] = json!([{"name": "debug", "image": "busybox:1"}]);
    made["spec"]["nodeName"] = json!("elsewhere");
    let changed = put(&client, &format!("{path}/p/ephemeralcontainers"), &made).await;
    assert_eq!(changed.code, 200, "{}", changed.json());
    assert_eq!(changed.json()["spec"]["ephemeralContainers"][0]["name"], "debug");
    assert!(changed.json()["spec"]["nodeName"].is_null(), "nothing else changes");
}
