//! The resources of the server, from its discovery.

use kube_client::Client;
use serde_json::Value;
use tidings_object::{ResourceKind, Scope};

use crate::response::TestRequest;

#[derive(Debug, Clone)]
pub(crate) struct ServedResource {
    pub(crate) resource: ResourceKind,
    pub(crate) verbs: Vec<String>,
}

const DISCOVERY: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// Every resource that the server itself serves, without subresources.
pub(crate) async fn served(client: &Client) -> Vec<ServedResource> {
    let mut served = Vec::new();
    for path in ["/api", "/apis"] {
        let groups = TestRequest::get(path, DISCOVERY).answered(client).await.json();
        for group in list(&groups["items"]) {
            for version in list(&group["versions"]) {
                let name = (text(&group["metadata"]["name"]), text(&version["version"]));
                served.extend(list(&version["resources"]).iter().map(|resource| one(&name, resource)));
            }
        }
    }
    served
}

fn one((group, version): &(String, String), resource: &Value) -> ServedResource {
    let scope = if resource["scope"] == "Namespaced" { Scope::Namespaced } else { Scope::Cluster };
    let kind = ResourceKind {
        group: group.clone().into(),
        version: version.clone().into(),
        kind: text(&resource["responseKind"]["kind"]).into(),
        plural: text(&resource["resource"]).into(),
        scope,
    };
    ServedResource { resource: kind, verbs: list(&resource["verbs"]).iter().map(text).collect() }
}

impl ServedResource {
    /// Whether its objects can be created and listed.
    pub(crate) fn can_be_created_and_listed(&self) -> bool {
        ["create", "list"].iter().all(|verb| self.verbs.iter().any(|known| known == verb))
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
