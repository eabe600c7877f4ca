//! Tests of both forms of discovery.

use super::*;
use crate::resource::builtin::builtin_resources;

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,\
                          application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

fn defs() -> Vec<Arc<ResourceDef>> {
    builtin_resources().into_iter().map(Arc::new).collect()
}

fn document_json(path: &str, accept: Option<&str>) -> Value {
    let document = document(path, accept, &defs()).unwrap_or_else(|| panic!("nothing at {path}"));
    serde_json::from_slice(&document.body).expect("a document is JSON")
}

fn find<'a>(list: &'a Value, field: &str, value: &str) -> &'a Value {
    let mut items = list.as_array().expect("a list").iter();
    items.find(|item| item[field] == value).unwrap_or_else(|| panic!("no {field} {value} in {list}"))
}

#[test]
fn every_group_version_lists_its_resources() {
    let groups = document_json("/apis", None);
    assert_eq!(groups["kind"], "APIGroupList");
    for group in groups["groups"].as_array().expect("groups") {
        assert!(
            document_json(&format!("/apis/{}", group["name"].as_str().expect("a name")), None)["kind"]
                == "APIGroup"
        );
        for version in group["versions"].as_array().expect("versions") {
            let list =
                document_json(&format!("/apis/{}", version["groupVersion"].as_str().expect("text")), None);
            assert_eq!(list["kind"], "APIResourceList");
            assert_eq!(list["groupVersion"], version["groupVersion"]);
        }
    }
    assert_eq!(find(&groups["groups"], "name", "autoscaling")["preferredVersion"]["version"], "v2");
}

#[test]
fn pods_and_scales_are_described_as_in_kubernetes() {
    let core = document_json("/api/v1", None);
    let pods = find(&core["resources"], "name", "pods");
    assert_eq!(
        *pods,
        json!({"name": "pods", "singularName": "pod", "namespaced": true, "kind": "Pod", "shortNames": ["po"],
            "storageVersionHash": "xPOwRZ+Yhw8=", "categories": ["all"], "verbs": ["create", "delete", "deletecollection", "get", "list", "patch", "update",
            "watch"]})
    );
    let apps = document_json("/apis/apps/v1", None);
    let scale = find(&apps["resources"], "name", "deployments/scale");
    assert_eq!((&scale["group"], &scale["kind"]), (&json!("autoscaling"), &json!("Scale")));
}

#[test]
fn aggregated_discovery_is_sent_if_the_client_accepts_it() {
    let core = document_json("/api", Some(AGGREGATED));
    assert_eq!(
        (&core["kind"], &core["apiVersion"]),
        (&json!("APIGroupDiscoveryList"), &json!("apidiscovery.k8s.io/v2"))
    );
    assert_eq!(core["items"].as_array().map(Vec::len), Some(1));
    let groups = document_json("/apis", Some(AGGREGATED));
    let apps =
        groups["items"].as_array().expect("items").iter().find(|item| item["metadata"]["name"] == "apps");
    let resources = &apps.expect("apps is served")["versions"][0]["resources"];
    let deployments = find(resources, "resource", "deployments");
    assert_eq!(deployments["responseKind"], json!({"group": "apps", "version": "v1", "kind": "Deployment"}));
    let scale = find(&deployments["subresources"], "subresource", "scale");
    assert_eq!(scale["responseKind"], json!({"group": "autoscaling", "version": "v1", "kind": "Scale"}));
    assert_eq!(document_json("/apis", Some("application/json"))["kind"], "APIGroupList");
    assert_eq!(document_json("/api", Some("*/*"))["kind"], "APIVersions");
}

#[test]
fn unknown_paths_have_no_document() {
    for path in
        ["/nothing", "/apis/none", "/apis/apps/v9", "/api/v9", "/openapi/v3/apis/apps/v9", "/version/x"]
    {
        assert_eq!(document(path, None, &defs()), None, "{path}");
    }
    assert!(
        document_json("/", None)["paths"]
            .as_array()
            .is_some_and(|paths| paths.contains(&json!("/apis/apps/v1")))
    );
    assert_eq!(document_json("/version", None)["minor"], "37");
}
