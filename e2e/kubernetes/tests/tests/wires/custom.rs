//! Custom resources have no protobuf. Metadata has it for every kind.

use std::time::Duration;

use http::Method;
use kube_client::Client;
use kubernetes_tests::Cluster;
use serde_json::{Value, json};
use tidings_protobuf::{TypeMeta, message};
use tokio::time::{sleep, timeout};

use crate::difference::{Difference, assert_none};
use crate::envelope::{Envelope, json_events, protobuf_events};
use crate::fixtures::NAMESPACE;
use crate::pair::Pair;
use crate::response::{JSON, PROTOBUF, TestRequest, first_events};
use crate::seeded_server::seeded_server;

const SHIPS: &str = "/apis/wires.example/v1/namespaces/wires/ships";

/// Prefers protobuf and accepts JSON.
const PROTOBUF_FIRST: &str = "application/vnd.kubernetes.protobuf, application/json";

/// The server needs a moment to serve a new definition.
const SERVED_MAX: Duration = Duration::from_secs(60);

/// Objects, lists and watches of a custom resource are JSON, even if the client prefers protobuf.
pub(crate) async fn comes_as_json(cluster: &Cluster) {
    let client = launched(cluster, "victory").await;
    let list = format!("{SHIPS}?fieldSelector=metadata.name%3Dvictory");
    // The two lists are of different moments, and other tests create ships. So only the items are compared.
    for (path, part) in [(list, "/items"), (format!("{SHIPS}/victory"), "")] {
        let plain = TestRequest::get(&path, JSON).answered(&client).await;
        let asked = TestRequest::get(&path, PROTOBUF_FIRST).answered(&client).await;
        assert_eq!((asked.code, asked.format.as_str()), (200, JSON), "GET {path}");
        assert_eq!(asked.json().pointer(part), plain.json().pointer(part), "GET {path}");
        assert_eq!(TestRequest::get(&path, PROTOBUF).answered(&client).await.code, 406, "GET {path}");
    }
    let path = format!("{SHIPS}?watch=true&fieldSelector=metadata.name%3Dvictory");
    let accept = format!("{PROTOBUF};stream=watch, {JSON};stream=watch");
    for accept in [PROTOBUF_FIRST, &accept] {
        let watched =
            TestRequest::get(&path, accept).watched(&client, |read| !json_events(read).is_empty()).await;
        assert_eq!(watched.code, 200, "{accept}");
        assert!(watched.format.starts_with(JSON), "{accept} came as {}", watched.format);
        assert_eq!(json_events(&watched.body)[0].object["metadata"]["name"], "victory");
    }
}

/// Metadata has protobuf for every kind.
pub(crate) async fn metadata_comes_as_protobuf(cluster: &Cluster) {
    let client = launched(cluster, "beagle").await;
    assert_none(&metadata_differences(&client, SHIPS, "beagle").await);
}

/// The same for a kind that has protobuf itself.
pub(crate) async fn metadata_of_pods(cluster: &Cluster) {
    seeded_server(cluster).await;
    let pods = format!("/api/v1/namespaces/{NAMESPACE}/pods");
    assert_none(&metadata_differences(&cluster.client().await, &pods, "rich").await);
}

async fn metadata_differences(client: &Client, path: &str, name: &str) -> Vec<Difference> {
    let partial = |format: &str, kind: &str| format!("{format};as={kind};g=meta.k8s.io;v=v1");
    let mut differences = Vec::new();
    let list = format!("{path}?fieldSelector=metadata.name%3D{name}");
    for (path, kind) in
        [(&list, "PartialObjectMetadataList"), (&format!("{path}/{name}"), "PartialObjectMetadata")]
    {
        let mut json = TestRequest::get(path, &partial(JSON, kind)).answered(client).await.json();
        let answer = TestRequest::get(path, &partial(PROTOBUF, kind)).answered(client).await;
        let protobuf = Envelope::of(answer.protobuf());
        if kind.ends_with("List") {
            assert_eq!(json["items"].as_array().map(Vec::len), Some(1), "{json}");
            // The two responses are of different moments.
            json["metadata"]["resourceVersion"] = protobuf.list_version().into();
            differences.extend(items_differences(&json["items"][0], protobuf.items()[0]));
        }
        differences.extend(Pair::of(format!("metadata of {path}"), json, protobuf).differences());
    }
    let list = format!("{list}&watch=true");
    let (json, protobuf) = first_events(client, &list, &partial("", "PartialObjectMetadata")).await;
    let (json, protobuf) =
        (json_events(&json.body).remove(0), protobuf_events(protobuf.protobuf()).remove(0));
    differences.extend(Pair::of(format!("metadata of {list}"), json.object, protobuf.object).differences());
    differences
}

/// An item of a metadata list has a kind in JSON, but not in protobuf.
fn items_differences(json: &Value, protobuf: &[u8]) -> Vec<Difference> {
    let type_meta = TypeMeta { api_version: json["apiVersion"].as_str(), kind: json["kind"].as_str() };
    let message = message("meta.k8s.io", "v1", "PartialObjectMetadata").expect("every kind has metadata");
    let what = "an item of metadata".to_owned();
    Pair::of_message(what, message, type_meta, (json.clone(), protobuf)).differences()
}

/// A client, after a ship of this name exists.
async fn launched(cluster: &Cluster, name: &str) -> Client {
    seeded_server(cluster).await;
    let client = cluster.client().await;
    let ship = json!({
        "apiVersion": "wires.example/v1", "kind": "Ship",
        "metadata": { "name": name, "labels": { "rig": "full" }, "annotations": { "built": "1765" } },
        "spec": { "replicas": 1, "either": { "a": "b" } },
    });
    let made = async {
        let request =
            TestRequest { method: &Method::POST, path: SHIPS, accept: JSON, body: Some((JSON, &ship)) };
        while request.answered(&client).await.code != 201 {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(SERVED_MAX, made).await.expect("what is defined is served");
    client
}
