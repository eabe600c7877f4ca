//! The paths of OpenAPI documents. Clients read the kind and the parameters of each path from them.

use serde_json::{Map, Value, json};

use super::schemas::{OpenApiVersion, definition_name, kind_extension, reference};
use crate::resource::{ResourceDef, Verb};

/// Adds the paths of a resource and of its objects.
pub(super) fn insert(def: &ResourceDef, version: OpenApiVersion, paths: &mut Map<String, Value>) {
    let prefix = if def.group.is_empty() {
        format!("/api/{}", def.version)
    } else {
        format!("/apis/{}/{}", def.group, def.version)
    };
    let all = if def.is_namespaced() {
        format!("{prefix}/namespaces/{{namespace}}/{}", def.plural)
    } else {
        format!("{prefix}/{}", def.plural)
    };
    let one = format!("{all}/{{name}}");
    let mut of_all = Map::new();
    let mut of_one = Map::new();
    for (verb, method, action) in [(Verb::List, "get", "list"), (Verb::Create, "post", "post")] {
        if def.allows(verb) {
            of_all.insert(method.to_owned(), operation(def, version, action));
        }
    }
    for (verb, method) in
        [(Verb::Get, "get"), (Verb::Update, "put"), (Verb::Patch, "patch"), (Verb::Delete, "delete")]
    {
        if def.allows(verb) {
            of_one.insert(method.to_owned(), operation(def, version, method));
        }
    }
    paths.insert(all, Value::Object(of_all));
    if !of_one.is_empty() {
        paths.insert(one, Value::Object(of_one));
    }
}

fn operation(def: &ResourceDef, version: OpenApiVersion, action: &str) -> Value {
    let names: &[&str] = match action {
        "post" | "put" => &["dryRun", "fieldManager", "fieldValidation"],
        "patch" => &["dryRun", "fieldManager", "fieldValidation", "force"],
        "delete" => &["dryRun", "gracePeriodSeconds", "propagationPolicy"],
        "list" => &["continue", "fieldSelector", "labelSelector", "limit", "resourceVersion", "watch"],
        _ => &[],
    };
    let parameters: Vec<_> = names.iter().map(|name| parameter(name, version)).collect();
    let schema = reference(version, &definition_name(def));
    let response = match version {
        OpenApiVersion::V2 => json!({"description": "OK", "schema": schema}),
        OpenApiVersion::V3 => {
            json!({"description": "OK", "content": {"application/json": {"schema": schema}}})
        }
    };
    json!({
        "operationId": format!("{action}{}{}{}", def.group, def.version, def.kind),
        "parameters": parameters,
        "responses": {"200": response},
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": kind_extension(&def.group, &def.version, &def.kind),
    })
}

fn parameter(name: &str, version: OpenApiVersion) -> Value {
    let kind = match name {
        "limit" | "gracePeriodSeconds" => "integer",
        "force" | "watch" => "boolean",
        _ => "string",
    };
    match version {
        OpenApiVersion::V2 => json!({"name": name, "in": "query", "type": kind, "uniqueItems": true}),
        OpenApiVersion::V3 => {
            json!({"name": name, "in": "query", "schema": {"type": kind, "uniqueItems": true}})
        }
    }
}
