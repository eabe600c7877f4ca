//! Discovery documents: the groups, versions and resources of the server, and its version.
//!
//! [`document`] answers every path that is neither a resource nor a health check, also OpenAPI. Discovery has two
//! forms: one document per group and version, and aggregated discovery (KEP-3352). The `Accept` header chooses.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::crd::version_priority;
use crate::openapi;
use crate::request::accept::ranges;
use crate::resource::{CowStr, ResourceDef, Subresource, Verb};

/// The version of Kubernetes that the server imitates: major, minor, and the full version.
pub(crate) const VERSION: (&str, &str, &str) = ("1", "37", "v1.37.1");

/// The media type of aggregated discovery.
const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// A document in its encoded form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Document {
    pub content_type: String,
    pub body: Vec<u8>,
}

impl Document {
    pub(crate) fn json(value: &Value) -> Self {
        Self { content_type: "application/json".to_owned(), body: value.to_string().into_bytes() }
    }
}

/// The document at a path; `None` if there is none.
pub(crate) fn document(path: &str, accept: Option<&str>, defs: &[Arc<ResourceDef>]) -> Option<Document> {
    let parts: Vec<_> = path.split('/').filter(|part| !part.is_empty()).collect();
    let value = match parts.as_slice() {
        [] => root_paths(defs),
        ["version"] => version(),
        ["api"] | ["apis"] => return Some(groups_document(parts[0], accept, defs)),
        ["api", version] => resource_list(defs, "", version)?,
        ["apis", group] => group_of(defs, group)?,
        ["apis", group, version] => resource_list(defs, group, version)?,
        ["openapi", "v2"] => return openapi::v2(accept, defs),
        ["openapi", "v3"] => openapi::v3_index(defs),
        ["openapi", "v3", "api", version] => openapi::v3(defs, "", version)?,
        ["openapi", "v3", "apis", group, version] => openapi::v3(defs, group, version)?,
        _ => return None,
    };
    Some(Document::json(&value))
}

fn groups_document(root: &str, accept: Option<&str>, defs: &[Arc<ResourceDef>]) -> Document {
    let is_core = root == "api";
    for range in ranges(accept.unwrap_or_default()).iter().filter(|range| range.takes_json()) {
        let is_aggregated = range.as_kind == "APIGroupDiscoveryList" && range.group == "apidiscovery.k8s.io";
        if is_aggregated && range.version == "v2" {
            let mut document = Document::json(&aggregated(defs, is_core));
            document.content_type = AGGREGATED.to_owned();
            return document;
        }
        if range.as_kind.is_empty() {
            break;
        }
    }
    Document::json(&if is_core { core_versions() } else { group_list(defs) })
}

/// All groups, each with its versions. The preferred version comes first.
pub(crate) fn groups(defs: &[Arc<ResourceDef>]) -> Vec<(&str, Vec<&str>)> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for def in defs {
        match groups.iter_mut().find(|(group, _)| *group == def.group) {
            None => groups.push((&def.group, vec![&def.version])),
            Some((_, versions)) if versions.contains(&def.version.as_ref()) => {}
            Some((_, versions)) => versions.push(&def.version),
        }
    }
    for (_, versions) in &mut groups {
        versions.sort_by_key(|version| std::cmp::Reverse(version_priority(version)));
    }
    groups
}

fn core_versions() -> Value {
    let addresses = json!([{"clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1"}]);
    json!({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": addresses})
}

fn group_list(defs: &[Arc<ResourceDef>]) -> Value {
    let groups: Vec<_> = groups(defs)
        .into_iter()
        .filter(|(group, _)| !group.is_empty())
        .map(|(group, versions)| group_json(group, &versions))
        .collect();
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}

fn group_of(defs: &[Arc<ResourceDef>], requested: &str) -> Option<Value> {
    let (group, versions) = groups(defs).into_iter().find(|(group, _)| *group == requested)?;
    let mut json = group_json(group, &versions);
    json["kind"] = json!("APIGroup");
    json["apiVersion"] = json!("v1");
    Some(json)
}

fn group_json(group: &str, versions: &[&str]) -> Value {
    let versions: Vec<_> = versions
        .iter()
        .map(|version| json!({"groupVersion": format!("{group}/{version}"), "version": version}))
        .collect();
    json!({"name": group, "preferredVersion": versions[0], "versions": versions})
}

fn resource_list(defs: &[Arc<ResourceDef>], group: &str, version: &str) -> Option<Value> {
    let mut resources = Vec::new();
    for def in defs.iter().filter(|def| def.group == group && def.version == version) {
        let mut json = json!({
            "name": def.plural, "singularName": def.singular, "namespaced": def.is_namespaced(), "kind": def.kind,
            "verbs": verbs(&def.verbs),
        });
        insert_names(&mut json, def);
        if def.allows(Verb::Watch) {
            json["storageVersionHash"] = json!(storage_version_hash(defs, def));
        }
        resources.push(json);
        for sub in &def.subresources {
            let mut json = json!({
                "name": format!("{}/{}", def.plural, sub.name), "singularName": "",
                "namespaced": def.is_namespaced(), "kind": sub.kind, "verbs": verbs(&sub.verbs),
            });
            if !sub.version.is_empty() {
                json["group"] = json!(sub.group);
                json["version"] = json!(sub.version);
            }
            resources.push(json);
        }
    }
    if resources.is_empty() {
        return None;
    }
    let is_custom = defs.iter().any(|def| def.group == group && def.version == version && def.is_custom());
    if !is_custom {
        resources.sort_by(|a, b| a["name"].as_str().cmp(&b["name"].as_str()));
    }
    let group_version = if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    let mut list = json!({"kind": "APIResourceList", "groupVersion": group_version, "resources": resources});
    if !group.is_empty() {
        list["apiVersion"] = json!("v1");
    }
    Some(list)
}

/// The hash by which clients see that the stored version has changed, as Kubernetes computes it.
fn storage_version_hash(defs: &[Arc<ResourceDef>], def: &ResourceDef) -> String {
    // The first version of a built-in kind in the table is the stored one.
    let stored = defs.iter().find(|other| other.storage == def.storage).map_or(def, |stored| stored);
    let version = def.custom().map_or(stored.version.as_ref(), |origin| origin.storage_version.as_str());
    let name = format!("{}/{version}/{}", stored.group, def.kind);
    let hash = ring::digest::digest(&ring::digest::SHA256, name.as_bytes());
    STANDARD.encode(&hash.as_ref()[..8])
}

fn insert_names(json: &mut Value, def: &ResourceDef) {
    if !def.short_names.is_empty() {
        json["shortNames"] = json!(def.short_names);
    }
    if !def.categories.is_empty() {
        json["categories"] = json!(def.categories);
    }
}

fn verbs(verbs: &[Verb]) -> Vec<&'static str> {
    verbs.iter().map(|verb| verb.as_str()).collect()
}

fn aggregated(defs: &[Arc<ResourceDef>], is_core: bool) -> Value {
    let items: Vec<_> = groups(defs)
        .into_iter()
        .filter(|(group, _)| group.is_empty() == is_core)
        .map(|(group, versions)| {
            let versions: Vec<_> = versions
                .into_iter()
                .map(|version| {
                    let mut resources: Vec<_> = defs
                        .iter()
                        .filter(|def| def.group == group && def.version == version)
                        .map(|def| aggregated_resource(def))
                        .collect();
                    resources.sort_by(|a, b| a["resource"].as_str().cmp(&b["resource"].as_str()));
                    json!({"version": version, "resources": resources, "freshness": "Current"})
                })
                .collect();
            let mut metadata = Map::new();
            if !is_core {
                metadata.insert("name".to_owned(), json!(group));
            }
            json!({"metadata": metadata, "versions": versions})
        })
        .collect();
    let api_version = "apidiscovery.k8s.io/v2";
    json!({"kind": "APIGroupDiscoveryList", "apiVersion": api_version, "metadata": {}, "items": items})
}

fn aggregated_resource(def: &ResourceDef) -> Value {
    let mut json = json!({
        "resource": def.plural,
        "responseKind": {"group": def.group, "version": response_version(def), "kind": def.kind},
        "scope": if def.is_namespaced() { "Namespaced" } else { "Cluster" },
        "singularResource": def.singular,
        "verbs": verbs(&def.verbs),
    });
    insert_names(&mut json, def);
    if !def.subresources.is_empty() {
        let subresources: Vec<_> =
            def.subresources.iter().map(|sub| aggregated_subresource(def, sub)).collect();
        json["subresources"] = json!(subresources);
    }
    json
}

fn aggregated_subresource(def: &ResourceDef, sub: &Subresource) -> Value {
    let (group, version) =
        if sub.version.is_empty() { (&def.group, response_version(def)) } else { (&sub.group, &sub.version) };
    json!({
        "subresource": sub.name,
        "responseKind": {"group": group, "version": version, "kind": sub.kind},
        "verbs": verbs(&sub.verbs),
    })
}

/// The version in `responseKind`. It is empty for the core group, as on a real server.
fn response_version(def: &ResourceDef) -> &CowStr {
    const NONE: &CowStr = &CowStr::Borrowed("");
    if def.group.is_empty() { NONE } else { &def.version }
}

fn version() -> Value {
    let (major, minor, git_version) = VERSION;
    json!({
        "major": major, "minor": minor, "emulationMajor": major, "emulationMinor": minor,
        "minCompatibilityMajor": major, "minCompatibilityMinor": "35", "gitVersion": git_version,
        "gitCommit": "", "gitTreeState": "clean", "buildDate": "2026-01-01T00:00:00Z", "goVersion": "",
        "compiler": "rustc", "platform": "linux/amd64",
    })
}

fn root_paths(defs: &[Arc<ResourceDef>]) -> Value {
    let mut paths: Vec<String> = ["/api", "/api/v1", "/apis", "/apis/"].map(str::to_owned).to_vec();
    for (group, versions) in groups(defs).into_iter().filter(|(group, _)| !group.is_empty()) {
        paths.push(format!("/apis/{group}"));
        paths.extend(versions.into_iter().map(|version| format!("/apis/{group}/{version}")));
    }
    paths.sort();
    let others = ["/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/openapi/v3/", "/readyz", "/version"];
    paths.extend(others.map(str::to_owned));
    json!({"paths": paths})
}

#[cfg(test)]
mod tests;
