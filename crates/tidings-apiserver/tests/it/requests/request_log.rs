//! The record of requests: options, outcome, and the bodies that clients sent.

use http::Method;
use serde_json::json;
use tidings_apiserver::{ApiServer, Fault, Verb};

use crate::requests::http_calls::{call, config_map, get, post};

const MAPS: &str = "/api/v1/configmaps";
const MAPS_OF_T: &str = "/api/v1/namespaces/t/configmaps";

#[tokio::test(start_paused = true)]
async fn requests_are_recorded_with_their_options_and_outcome() {
    let server = ApiServer::start().await;
    server.put("configmaps", config_map("t", "m0", "1"));
    let client = server.client();
    get(&client, &format!("{MAPS}?limit=500&resourceVersion=0")).await;
    get(&client, "/api/v1/namespaces/t/configmaps/none").await;
    server.faults().inject(Fault::Refused.once());
    call(Method::GET, &format!("{MAPS}?watch=1&resourceVersion=5&allowWatchBookmarks=true"))
        .fails(&client)
        .await;
    let requests = server.requests();
    let outcomes: Vec<_> =
        requests.iter().map(|r| (r.verb, r.code, r.options.resource_version.as_str())).collect();
    assert_eq!(
        outcomes,
        [
            (Some(Verb::List), Some(200), "0"),
            (Some(Verb::Get), Some(404), ""),
            (Some(Verb::Watch), None, "5"),
        ]
    );
    assert_eq!((requests[0].options.limit, requests[0].plural.as_str()), (500, "configmaps"));
    assert!(requests[2].options.allows_bookmarks);
    server.clear_requests();
    assert!(server.requests().is_empty());
}

#[tokio::test(start_paused = true)]
async fn bodies_of_writes_are_recorded_as_sent_and_read_as_json() {
    let server = ApiServer::start().await;
    let client = server.client();
    let map = config_map("t", "m", "1");
    post(&client, MAPS_OF_T, &map).await;
    let patch = json!({"data": {"value": "2"}});
    let merge = call(Method::PATCH, &format!("{MAPS_OF_T}/m")).bytes(patch.to_string());
    merge.header("content-type", "application/merge-patch+json").send(&client).await;
    let yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: n}\n";
    call(Method::POST, MAPS_OF_T).bytes(yaml).header("content-type", "application/yaml").send(&client).await;
    call(Method::POST, MAPS_OF_T).bytes("{").header("content-type", "application/json").send(&client).await;
    get(&client, MAPS).await;

    let requests = server.requests();
    let codes: Vec<_> = requests.iter().map(|request| request.code).collect();
    assert_eq!(codes, [Some(201), Some(200), Some(201), Some(400), Some(200)]);
    assert_eq!(requests[0].body.as_deref(), Some(map.to_string().as_bytes()));
    assert_eq!(requests[0].body_json(), Some(map));
    assert_eq!(requests[1].body_json(), Some(patch));
    assert_eq!(requests[2].body_json().unwrap()["metadata"]["name"], "n");
    assert_eq!((requests[3].body.as_deref(), requests[3].body_json()), (Some(&b"{"[..]), None));
    assert_eq!(requests[4].body, None, "a read has no body");
}

#[tokio::test(start_paused = true)]
async fn bodies_in_protobuf_read_as_json() {
    let server = ApiServer::start().await;
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/protobuf/configmap.protobuf");
    let body = std::fs::read(corpus).unwrap();
    let create = call(Method::POST, MAPS_OF_T).bytes(body.clone());
    create.header("content-type", "application/vnd.kubernetes.protobuf").send(&server.client()).await;
    let request = server.requests().pop().unwrap();
    assert_eq!(request.body.as_deref(), Some(&body[..]));
    assert_eq!(request.body_json().unwrap()["kind"], "ConfigMap");
}

#[tokio::test(start_paused = true)]
async fn bodies_of_secrets_and_of_requests_that_a_fault_answers_are_not_recorded() {
    let server = ApiServer::start().await;
    let client = server.client();
    let secret = json!({"metadata": {"name": "s"}, "stringData": {"password": "hunter2"}});
    assert_eq!(post(&client, "/api/v1/namespaces/t/secrets", &secret).await.code, 201);
    server.faults().inject(Fault::Status { code: 503, retry_after_seconds: None }.once());
    assert_eq!(post(&client, MAPS_OF_T, &config_map("t", "m", "1")).await.code, 503);
    let bodies: Vec<_> = server.requests().into_iter().map(|request| request.body).collect();
    assert_eq!(bodies, [None, None]);
}

#[tokio::test(start_paused = true)]
async fn recorded_bodies_are_bounded_in_bytes_and_requests_in_number() {
    let server = ApiServer::builder().recorded_requests_max(5).recorded_body_bytes_max(1_000).start().await;
    let client = server.client();
    for number in 0..20 {
        let mut map = config_map("t", &format!("m{number}"), "1");
        map["data"]["padding"] = json!("x".repeat(300));
        assert_eq!(post(&client, MAPS_OF_T, &map).await.code, 201);
    }
    let requests = server.requests();
    let recorded: Vec<_> = requests.iter().map(|request| request.body.is_some()).collect();
    assert_eq!(recorded, [false, false, false, true, true]);
    assert!(!format!("{requests:?}").contains("xxx"), "bodies are not printed");
    let off = ApiServer::builder().recorded_body_bytes_max(0).start().await;
    post(&off.client(), MAPS_OF_T, &config_map("t", "m", "1")).await;
    assert_eq!(off.requests()[0].body, None);
}
