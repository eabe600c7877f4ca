//! Tests that the documents have no dangling references and have what clients read.

use super::*;
use crate::crd;
use crate::resource::builtin::builtin_resources;

fn defs() -> Vec<Arc<ResourceDef>> {
    let custom = json!({"metadata": {"name": "widgets.example.com"}, "spec": {"group": "example.com",
        "scope": "Cluster", "names": {"plural": "widgets", "kind": "Widget"}, "versions": [{"name": "v1",
        "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object", "properties": {
            "spec": {"type": "object", "properties": {"color": {"type": "string"}}}}}}}]}});
    builtin_resources().into_iter().chain(crd::resources(&custom)).map(Arc::new).collect()
}

/// Checks that all references of a document have a target.
fn check_references(document: &Value, at: &Value) {
    match at {
        Value::Object(map) => {
            if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
                let pointer = reference.trim_start_matches('#');
                assert!(document.pointer(pointer).is_some_and(Value::is_object), "{reference} has no target");
            }
            map.values().for_each(|value| check_references(document, value));
        }
        Value::Array(items) => items.iter().for_each(|value| check_references(document, value)),
        _ => {}
    }
}

#[test]
fn every_group_version_of_the_index_has_a_document_without_dangling_references() {
    let defs = defs();
    let index = v3_index(&defs);
    let paths = index["paths"].as_object().expect("paths");
    assert!(paths.contains_key("api/v1") && paths.contains_key("apis/apps/v1"));
    for path in paths.keys() {
        let parts: Vec<_> = path.split('/').collect();
        let (group, version) = if parts.len() == 2 { ("", parts[1]) } else { (parts[1], parts[2]) };
        let document = v3(&defs, group, version).expect("the index lists only served versions");
        check_references(&document, &document);
    }
}

#[test]
fn kinds_are_found_by_their_path_with_their_fields() {
    let document = v3(&defs(), "apps", "v1").expect("apps is served");
    let patch = &document["paths"]["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]["patch"];
    assert_eq!(
        patch["x-kubernetes-group-version-kind"],
        json!({"group": "apps", "version": "v1", "kind": "Deployment"})
    );
    let parameters = patch["parameters"].as_array().expect("parameters");
    assert!(
        ["dryRun", "fieldValidation"]
            .iter()
            .all(|name| parameters.iter().any(|found| found["name"] == *name))
    );
    let schemas = &document["components"]["schemas"];
    let spec = &schemas["io.k8s.api.apps.v1.DeploymentSpec"]["properties"];
    assert_eq!(spec["replicas"], json!({"type": "integer", "format": "int32"}));
    let containers = &schemas["io.k8s.api.core.v1.PodSpec"]["properties"]["containers"];
    assert_eq!(containers["x-kubernetes-patch-merge-key"], "name");
    assert_eq!(containers["x-kubernetes-list-map-keys"], json!(["name"]));
}

#[test]
fn custom_resources_have_the_schema_of_their_definition() {
    let document = v3(&defs(), "example.com", "v1").expect("widgets are served");
    check_references(&document, &document);
    let widget = &document["components"]["schemas"]["com.example.v1.Widget"];
    assert_eq!(widget["properties"]["spec"]["properties"]["color"]["type"], "string");
    assert_eq!(widget["x-kubernetes-group-version-kind"][0]["kind"], "Widget");
    assert!(document["components"]["schemas"].get("com.example.v1.WidgetList").is_some());
}

#[test]
fn openapi_v2_is_sent_as_json_or_protobuf() {
    let document = v2(None, &defs()).expect("anything is accepted");
    assert_eq!(document.content_type, "application/json");
    let json: Value = serde_json::from_slice(&document.body).expect("JSON");
    check_references(&json, &json);
    let protobuf = v2(Some(V2_PROTOBUF_ACCEPTED), &defs()).expect("protobuf is known");
    assert_eq!(protobuf.content_type, V2_PROTOBUF);
    assert!(protobuf.body.starts_with(b"\x0a\x032.0"));
    assert_eq!(v2(Some("text/html"), &defs()), None);
}

#[test]
fn the_url_of_a_document_changes_with_its_content() {
    let mut fewer = defs();
    let before = v3_index(&fewer);
    fewer.retain(|def| def.kind != "Pod");
    let after = v3_index(&fewer);
    assert_ne!(before["paths"]["api/v1"], after["paths"]["api/v1"]);
    assert_eq!(before["paths"]["apis/batch/v1"], after["paths"]["apis/batch/v1"]);
}
