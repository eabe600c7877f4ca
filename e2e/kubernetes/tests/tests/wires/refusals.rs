//! Error responses, and error events that end watches: a Status on both wires.

use http::Method;
use kube_client::Client;
use kubernetes_tests::{Cluster, User};
use serde_json::{Value, json};
use tidings_protobuf::from_slice;

use crate::difference::{Difference, assert_none};
use crate::envelope::{Envelope, json_events, protobuf_events};
use crate::pair::Pair;
use crate::response::{JSON, PROTOBUF, TestRequest, first_events};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// All error responses that a client must handle. The watch cache would hide an expired version.
pub(crate) async fn say_the_same(cluster: &mut Cluster) {
    let client = cluster.client().await;
    let map = json!({ "metadata": { "name": "map" }, "data": { "a": "b" } });
    let (invalid, unreadable) =
        (json!({ "metadata": { "name": "NOT VALID", "labels": { "": "-" } } }), json!({ "data": 1 }));
    let made = request(&Method::POST, MAPS, Some(&map)).answered(&client).await;
    assert_eq!(made.code, 201);
    let version = made.json()["metadata"]["resourceVersion"].as_str().expect("it has a version").to_owned();
    // A compaction keeps the version at which it is done.
    let other = json!({ "metadata": { "name": "other" } });
    assert_eq!(request(&Method::POST, MAPS, Some(&other)).answered(&client).await.code, 201);
    cluster.compact().await.expect("etcd compacts");

    let limited = cluster.client_of(User::Limited).await;
    let expired = format!("{MAPS}?resourceVersion={version}&resourceVersionMatch=Exact");
    let ahead = format!("{MAPS}?watch=true&sendInitialEvents=true");
    let refused = [
        (&client, 404, request(&Method::GET, "/api/v1/namespaces/default/pods/nobody", None)),
        (&client, 404, request(&Method::GET, "/apis/nothing.example/v1/things", None)),
        (&client, 409, request(&Method::POST, MAPS, Some(&map))),
        (&client, 422, request(&Method::POST, MAPS, Some(&invalid))),
        (&client, 422, request(&Method::GET, &ahead, None)),
        (&client, 400, request(&Method::POST, MAPS, Some(&unreadable))),
        (&client, 410, request(&Method::GET, &expired, None)),
        (&client, 405, request(&Method::DELETE, "/api/v1/namespaces", None)),
        (&limited, 403, request(&Method::GET, MAPS, None)),
    ];
    let mut differences = Vec::new();
    for (client, code, request) in refused {
        differences.extend(refusal(client, code, request).await);
    }
    differences.extend(ended(&client, &format!("{MAPS}?watch=true&resourceVersion=1")).await);
    assert_none(&differences);
}

fn request<'a>(method: &'a Method, path: &'a str, body: Option<&'a Value>) -> TestRequest<'a> {
    TestRequest { method, path, accept: JSON, body: body.map(|body| (JSON, body)) }
}

async fn refusal(client: &Client, code: u16, request: TestRequest<'_>) -> Vec<Difference> {
    let json = request.answered(client).await;
    let protobuf = TestRequest { accept: PROTOBUF, ..request }.answered(client).await;
    let what = format!("{} {}", request.method, request.path);
    assert_eq!((json.code, protobuf.code), (code, code), "{what}: {}", String::from_utf8_lossy(&json.body));
    if !protobuf.format.starts_with(PROTOBUF) {
        assert_eq!(json.body, protobuf.body, "{what} as {}", protobuf.format);
        return Vec::new();
    }
    differences(what, json.json(), Envelope::of(protobuf.protobuf()))
}

/// A watch that ends with an error event.
async fn ended(client: &Client, path: &str) -> Vec<Difference> {
    let (json, protobuf) = first_events(client, path, "").await;
    let (json, protobuf) =
        (json_events(&json.body).remove(0), protobuf_events(protobuf.protobuf()).remove(0));
    assert_eq!((json.event_type.as_str(), protobuf.event_type.as_str()), ("ERROR", "ERROR"));
    assert_eq!(json.object["code"], 410);
    differences(format!("WATCH {path}"), json.object, protobuf.object)
}

fn differences(what: String, json: Value, protobuf: Envelope<'_>) -> Vec<Difference> {
    type Status = k8s_openapi::apimachinery::pkg::apis::meta::v1::Status;
    let pair = Pair::of(what, json, protobuf);
    let decoded: Status =
        from_slice(pair.message, pair.type_meta, pair.protobuf).expect("a status is decoded");
    assert_eq!(
        decoded,
        serde_json::from_value(pair.json.clone()).expect("a status is decoded"),
        "{}",
        pair.what
    );
    pair.differences()
}
