//! CustomResourceDefinitions and their resources.

use http::Method;
use serde_json::{Value, json};
use tidings_apiserver::ApiServer;

use crate::requests::http_calls::{StreamEnd, call, delete, get, post, put, watch};

pub(crate) const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const WIDGETS: &str = "/apis/example.com/v1/namespaces/t/widgets";

pub(crate) fn definition() -> Value {
    let schema = json!({
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "properties": {"size": {"type": "integer", "minimum": 1}, "color": {"type": "string", "default": "red"}},
            },
            "status": {"type": "object", "properties": {"replicas": {"type": "integer"}}},
        },
    });
    let version = |name: &str, is_storage: bool| {
        json!({
            "name": name, "served": true, "storage": is_storage,
            "schema": {"openAPIV3Schema": schema},
            "subresources": {
                "status": {},
                "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.replicas"},
            },
            "selectableFields": [{"jsonPath": ".spec.color"}],
        })
    };
    json!({
        "kind": "CustomResourceDefinition", "apiVersion": "apiextensions.k8s.io/v1",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget", "shortNames": ["wd"]},
            "versions": [version("v1", true), version("v1beta1", false)],
        },
    })
}

fn widget(name: &str, size: i64) -> Value {
    json!({"kind": "Widget", "apiVersion": "example.com/v1", "metadata": {"name": name}, "spec": {"size": size}})
}

#[tokio::test(start_paused = true)]
async fn a_definition_adds_its_resource_and_its_deletion_removes_it() {
    let server = ApiServer::start().await;
    let client = server.client();
    assert_eq!(get(&client, WIDGETS).await.code, 404);
    let made = post(&client, DEFINITIONS, &definition()).await;
    assert_eq!(made.code, 201, "{}", made.json());
    let conditions = made.json()["status"]["conditions"].clone();
    assert!(
        conditions.as_array().unwrap().iter().any(|c| c["type"] == "Established" && c["status"] == "True")
    );
    assert_eq!(get(&client, WIDGETS).await.code, 200);

    let one = post(&client, WIDGETS, &widget("a", 3)).await.json();
    assert_eq!((&one["spec"]["color"], &one["metadata"]["generation"]), (&json!("red"), &json!(1)));
    assert_eq!(post(&client, WIDGETS, &widget("b", 0)).await.code_and_reason(), (422, "Invalid".to_owned()));

    let mut events = watch(&client, &format!("{WIDGETS}?watch=1")).await;
    assert_eq!(events.type_and_name().await, "ADDED a");
    assert_eq!(delete(&client, &format!("{DEFINITIONS}/widgets.example.com")).await.code, 200);
    assert_eq!(events.type_and_name().await, "DELETED a");
    assert_eq!(events.frame().await, Err(StreamEnd::Clean));
    assert_eq!(get(&client, WIDGETS).await.code, 404);
    post(&client, DEFINITIONS, &definition()).await;
    assert_eq!(get(&client, WIDGETS).await.json()["items"], json!([]));
}

#[tokio::test(start_paused = true)]
async fn lists_of_custom_resources_have_sorted_keys() {
    let server = ApiServer::start().await;
    let client = server.client();
    post(&client, DEFINITIONS, &definition()).await;
    post(&client, WIDGETS, &widget("a", 3)).await;
    let list = get(&client, WIDGETS).await;
    let text = std::str::from_utf8(&list.body).unwrap();
    assert!(text.starts_with(r#"{"apiVersion":"example.com/v1","items":[{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"creationTimestamp":"#), "{text}");
    let tail = format!(
        "],\"kind\":\"WidgetList\",\"metadata\":{{\"continue\":\"\",\"resourceVersion\":\"{}\"}}}}\n",
        server.version()
    );
    assert!(text.ends_with(&tail), "{text}");
    let one = get(&client, &format!("{WIDGETS}/a")).await;
    assert!(one.body.starts_with(br#"{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"#));
}

#[tokio::test(start_paused = true)]
async fn versions_of_one_definition_share_their_objects() {
    let server = ApiServer::start().await;
    let client = server.client();
    post(&client, DEFINITIONS, &definition()).await;
    post(&client, WIDGETS, &widget("a", 3)).await;
    let beta = "/apis/example.com/v1beta1/namespaces/t/widgets";
    assert_eq!(get(&client, &format!("{beta}/a")).await.json()["apiVersion"], "example.com/v1beta1");
    let mut events = watch(&client, &format!("{beta}?watch=1")).await;
    assert_eq!(events.event().await["object"]["apiVersion"], "example.com/v1beta1");
    let mut widget = get(&client, &format!("{WIDGETS}/a")).await.json();
    widget["spec"]["size"] = json!(4);
    put(&client, &format!("{WIDGETS}/a"), &widget).await;
    assert_eq!(events.event().await["object"]["apiVersion"], "example.com/v1beta1");
}

#[tokio::test(start_paused = true)]
async fn status_scale_and_selectable_fields_are_as_defined() {
    let server = ApiServer::start().await;
    let client = server.client();
    post(&client, DEFINITIONS, &definition()).await;
    let mut with_status = widget("a", 3);
    with_status["status"] = json!({"replicas": 9});
    let made = post(&client, WIDGETS, &with_status).await.json();
    assert!(made["status"].is_null());
    let mut status = made.clone();
    status["status"] = json!({"replicas": 2});
    status["spec"]["size"] = json!(100);
    let written = put(&client, &format!("{WIDGETS}/a/status"), &status).await.json();
    assert_eq!((&written["status"]["replicas"], &written["spec"]["size"]), (&json!(2), &json!(3)));
    assert_eq!(written["metadata"]["generation"], 1);
    let scale = get(&client, &format!("{WIDGETS}/a/scale")).await.json();
    assert_eq!((&scale["spec"]["replicas"], &scale["status"]["replicas"]), (&json!(3), &json!(2)));
    let selected = get(&client, &format!("{WIDGETS}?fieldSelector=spec.color%3Dred")).await.json();
    assert_eq!(selected["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(get(&client, &format!("{WIDGETS}?fieldSelector=spec.size%3D3")).await.code, 400);
    let unversioned = widget("a", 5);
    assert_eq!(put(&client, &format!("{WIDGETS}/a"), &unversioned).await.code, 422);
    let strategic = call(Method::PATCH, &format!("{WIDGETS}/a"))
        .bytes("{}")
        .header("content-type", "application/strategic-merge-patch+json");
    assert_eq!(strategic.send(&client).await.code, 415);
}

#[tokio::test(start_paused = true)]
async fn an_invalid_definition_is_refused() {
    let server = ApiServer::start().await;
    let mut wrong = definition();
    wrong["metadata"]["name"] = json!("other.example.com");
    assert_eq!(
        post(&server.client(), DEFINITIONS, &wrong).await.code_and_reason(),
        (422, "Invalid".to_owned())
    );
}

// holds: X46
#[tokio::test(start_paused = true)]
async fn a_finalizer_without_a_domain_causes_a_warning_on_custom_resources_and_an_error_on_others() {
    let server = ApiServer::start().await;
    let client = server.client();
    let mut made = definition();
    made["metadata"]["finalizers"] = json!(["customresourcecleanup.apiextensions.k8s.io"]);
    assert_eq!(post(&client, DEFINITIONS, &made).await.code, 201);
    let warnings = |answer: &crate::requests::http_calls::HttpAnswer| -> Vec<String> {
        answer.headers.get_all("warning").iter().map(|text| text.to_str().unwrap().to_owned()).collect()
    };
    let warning = |name: &str| {
        format!(
            "299 - \"metadata.finalizers: \\\"{name}\\\": prefer a domain-qualified finalizer name including a path \
             (/) to avoid accidental conflicts with other finalizer writers\""
        )
    };

    let mut one = widget("a", 3);
    one["metadata"]["finalizers"] = json!(["documents.kube.rs", "foregroundDeletion", "example.com/ours"]);
    let made = post(&client, WIDGETS, &one).await;
    assert_eq!((made.code, warnings(&made)), (201, vec![warning("documents.kube.rs")]));
    let mut one = made.json();
    assert_eq!(one["metadata"]["finalizers"][0], "documents.kube.rs");
    // The warning is only for finalizers that the write adds.
    one["metadata"]["finalizers"] = json!(["documents.kube.rs", "two", "one"]);
    let changed = put(&client, &format!("{WIDGETS}/a"), &one).await;
    assert_eq!((changed.code, warnings(&changed)), (200, vec![warning("one"), warning("two")]));
    let merge = call(Method::PATCH, &format!("{WIDGETS}/a")).bytes(r#"{"metadata": {"finalizers": []}}"#);
    let freed = merge.header("content-type", "application/merge-patch+json").send(&client).await;
    assert_eq!((freed.code, warnings(&freed)), (200, Vec::new()), "{freed:?}");

    for name in ["", "/ours", "example.com/", "a/b/c", "a b"] {
        let mut other = widget("b", 3);
        other["metadata"]["finalizers"] = json!([name]);
        assert_eq!(
            post(&client, WIDGETS, &other).await.code_and_reason(),
            (422, "Invalid".to_owned()),
            "{name:?}"
        );
    }
    let map = json!({"metadata": {"name": "a", "finalizers": ["documents.kube.rs"]}});
    let refused = post(&client, "/api/v1/namespaces/t/configmaps", &map).await;
    assert_eq!(refused.code_and_reason(), (422, "Invalid".to_owned()));
    let message = refused.json()["message"].as_str().unwrap().to_owned();
    assert!(message.contains("neither a standard finalizer name nor is it fully qualified"), "{message}");
}

#[tokio::test(start_paused = true)]
async fn defaults_of_a_changed_schema_show_in_stored_objects_without_a_new_version() {
    let server = ApiServer::start().await;
    let client = server.client();
    let mut stored = post(&client, DEFINITIONS, &definition()).await.json();
    let made = post(&client, WIDGETS, &widget("a", 1)).await.json();
    for version in [0, 1] {
        let schema = &mut stored["spec"]["versions"][version]["schema"]["openAPIV3Schema"];
        schema["properties"]["spec"]["properties"]["shape"] = json!({"type": "string", "default": "round"});
    }
    let changed = put(&client, &format!("{DEFINITIONS}/widgets.example.com"), &stored).await;
    assert_eq!(changed.code, 200, "{}", changed.json());
    let read = get(&client, &format!("{WIDGETS}/a")).await.json();
    assert_eq!(read["spec"]["shape"], "round");
    assert_eq!(read["metadata"]["resourceVersion"], made["metadata"]["resourceVersion"]);
}

#[tokio::test(start_paused = true)]
async fn the_status_of_a_definition_keeps_conditions_of_others() {
    let server = ApiServer::start().await;
    let client = server.client();
    let mut stored = post(&client, DEFINITIONS, &definition()).await.json();
    let condition = json!({"type": "Checked", "status": "True", "reason": "Ok", "message": "yes"});
    stored["status"]["conditions"].as_array_mut().unwrap().push(condition);
    let path = format!("{DEFINITIONS}/widgets.example.com");
    assert_eq!(put(&client, &format!("{path}/status"), &stored).await.code, 200);
    let conditions = get(&client, &path).await.json()["status"]["conditions"].clone();
    let types: Vec<_> =
        conditions.as_array().unwrap().iter().map(|condition| condition["type"].clone()).collect();
    assert_eq!(types, ["NamesAccepted", "Established", "Checked"]);
}
