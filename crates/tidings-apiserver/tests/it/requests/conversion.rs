//! Conversion of custom resources by webhooks.

use http::Method;
use serde_json::{Value, json};
use tidings_apiserver::ApiServer;

use crate::requests::custom_resources::{DEFINITIONS, definition};
use crate::requests::http_calls::{call, get, post, put, watch};
use crate::requests::webhook_server::WebhookServer;

const STORED: &str = "/apis/example.com/v1/namespaces/t/widgets";
const OTHER: &str = "/apis/example.com/v1beta1/namespaces/t/widgets";

/// A webhook that keeps the size in `spec.size` for v1, and ten times as much for v1beta1.
async fn converter() -> WebhookServer {
    WebhookServer::start("apiextensions.k8s.io/v1", |request| {
        let desired = request["desiredAPIVersion"].as_str().unwrap();
        let objects: Vec<Value> = request["objects"]
            .as_array()
            .unwrap()
            .iter()
            .map(|object| {
                let mut object = object.clone();
                let size = object["spec"]["size"].as_i64().unwrap();
                object["spec"]["size"] = json!(if desired.ends_with("v1") { size / 10 } else { size * 10 });
                object["apiVersion"] = json!(desired);
                object
            })
            .collect();
        json!({"convertedObjects": objects, "result": {"status": "Success"}})
    })
    .await
}

async fn serve(webhook: Value) -> ApiServer {
    let server = ApiServer::start().await;
    let mut definition = definition();
    definition["spec"]["conversion"] = json!({
        "strategy": "Webhook", "webhook": {"clientConfig": webhook, "conversionReviewVersions": ["v1"]},
    });
    let made = post(&server.client(), DEFINITIONS, &definition).await;
    assert_eq!(made.code, 201, "{}", made.json());
    server
}

fn widget(version: &str, name: &str, size: i64) -> Value {
    let api_version = format!("example.com/{version}");
    json!({"kind": "Widget", "apiVersion": api_version, "metadata": {"name": name}, "spec": {"size": size}})
}

#[tokio::test]
async fn reads_and_writes_of_another_version_are_converted() {
    let webhook = converter().await;
    let server = serve(webhook.by_url()).await;
    let client = server.client();
    assert_eq!(post(&client, STORED, &widget("v1", "a", 2)).await.code, 201);
    assert!(webhook.reviews().is_empty(), "the stored version needs no conversion");
    let made = post(&client, OTHER, &widget("v1beta1", "b", 30)).await;
    assert_eq!((made.code, &made.json()["spec"]["size"]), (201, &json!(30)), "{}", made.json());
    assert_eq!(made.json()["apiVersion"], "example.com/v1beta1");
    assert_eq!(server.object("widgets.example.com", "t/b").unwrap()["spec"]["size"], 3);

    let list = get(&client, OTHER).await.json();
    let sizes: Vec<_> =
        list["items"].as_array().unwrap().iter().map(|item| item["spec"]["size"].clone()).collect();
    assert_eq!(sizes, [20, 30]);
    assert_eq!(get(&client, &format!("{STORED}/b")).await.json()["spec"]["size"], 3);

    let patch = json!({"spec": {"size": 50}}).to_string();
    let patched = call(Method::PATCH, &format!("{OTHER}/a"))
        .bytes(patch)
        .header("content-type", "application/merge-patch+json")
        .send(&client)
        .await;
    assert_eq!((patched.code, &patched.json()["spec"]["size"]), (200, &json!(50)), "{}", patched.json());
    let mut changed = patched.json();
    changed["spec"]["size"] = json!(70);
    assert_eq!(put(&client, &format!("{OTHER}/a"), &changed).await.json()["spec"]["size"], 70);
    assert_eq!(server.object("widgets.example.com", "t/a").unwrap()["spec"]["size"], 7);
}

#[tokio::test]
async fn the_events_of_a_watch_are_converted() {
    let webhook = converter().await;
    let server = serve(webhook.by_url()).await;
    let client = server.client();
    let mut events = watch(&client, &format!("{OTHER}?watch=1")).await;
    post(&client, STORED, &widget("v1", "a", 2)).await;
    let event = events.event().await;
    assert_eq!((&event["type"], &event["object"]["spec"]["size"]), (&json!("ADDED"), &json!(20)));
    assert_eq!(event["object"]["apiVersion"], "example.com/v1beta1");
}

#[tokio::test]
async fn a_failed_conversion_is_an_error() {
    let webhook = WebhookServer::start("apiextensions.k8s.io/v1", |_| Value::Null).await;
    let server = serve(webhook.by_url()).await;
    let client = server.client();
    post(&client, STORED, &widget("v1", "a", 2)).await;
    let answer = get(&client, &format!("{OTHER}/a")).await;
    assert_eq!(answer.code_and_reason(), (500, "InternalError".to_owned()));
    let message = answer.json()["message"].as_str().unwrap().to_owned();
    assert!(message.contains("conversion webhook for example.com/v1beta1, Kind=Widget failed"), "{message}");
    assert_eq!(get(&client, &format!("{STORED}/a")).await.code, 200);
}

#[tokio::test(start_paused = true)]
async fn rules_of_a_definition_are_evaluated() {
    let server = ApiServer::start().await;
    let client = server.client();
    let mut definition = definition();
    let schema = &mut definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    schema["properties"]["spec"]["x-kubernetes-validations"] = json!([
        {"rule": "self.size <= 10", "message": "too large"},
        {"rule": "self.size >= oldSelf.size", "message": "may not shrink"},
    ]);
    let made = post(&client, DEFINITIONS, &definition).await;
    assert_eq!(made.code, 201, "{}", made.json());
    let refused = post(&client, STORED, &widget("v1", "a", 11)).await;
    assert_eq!(refused.code_and_reason(), (422, "Invalid".to_owned()), "{}", refused.json());
    let cause = refused.json()["details"]["causes"][0].clone();
    assert_eq!((&cause["field"], &cause["reason"]), (&json!("spec"), &json!("FieldValueInvalid")));
    assert_eq!(cause["message"], "Invalid value: \"object\": too large");
    let mut made = post(&client, STORED, &widget("v1", "a", 5)).await.json();
    made["spec"]["size"] = json!(4);
    let refused = put(&client, &format!("{STORED}/a"), &made).await;
    assert_eq!(refused.code, 422);
    assert!(refused.json()["message"].as_str().unwrap().contains("may not shrink"));

    definition["metadata"]["name"] = json!("widgets.example.com");
    for rule in ["self.size <=", "self.items.sortBy(i, i).size() > 0"] {
        let schema = &mut definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
        schema["properties"]["spec"]["x-kubernetes-validations"] = json!([{"rule": rule}]);
        let other = ApiServer::start().await;
        let refused = post(&other.client(), DEFINITIONS, &definition).await;
        assert_eq!(refused.code, 422, "{rule}");
        assert!(refused.json()["message"].as_str().unwrap().contains("compilation failed"), "{rule}");
    }
}
