//! Whether the paths of references exist in the schema of the controller's kind, which the server publishes as
//! OpenAPI v3.
//!
//! A wrong path finds no references, and nothing else would show the mistake. A path counts as wrong only if the schema is published
//! and excludes it: fields that the schema leaves open are accepted, and so is everything if the schema can't be read.

use std::time::Duration;

use kube_client::Client;
use serde_json::Value;
use tidings_object::{FieldPath, ResourceKind};

use crate::error::ControllerError;

/// A server publishes the schema of a changed definition with a delay. A path is wrong if it is missing this often.
const ATTEMPTS: usize = 3;
const PAUSE: Duration = Duration::from_secs(3);

/// References of a schema to others are followed this deep.
const DEPTH_MAX: usize = 32;

pub(super) struct SchemaCheck {
    pub(super) client: Client,
    pub(super) controller: String,
    pub(super) owner: ResourceKind,
    pub(super) paths: Vec<FieldPath>,
}

impl SchemaCheck {
    /// Completes with the error of a path that the schema excludes. Never, if there is none.
    pub(super) async fn wrong_path(self) -> ControllerError {
        let mut wrong = None;
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                tokio::time::sleep(PAUSE).await;
            }
            wrong = self.first_missing().await;
            if wrong.is_none() {
                break;
            }
        }
        match wrong {
            None => std::future::pending().await,
            Some(path) => ControllerError::Reference {
                controller: self.controller.clone(),
                path: path.to_string(),
                reason: format!(
                    "it is not in the schema of {}: correct the path, or the schema in the definition of the resource",
                    self.owner
                ),
            },
        }
    }

    async fn first_missing(&self) -> Option<&FieldPath> {
        if self.paths.is_empty() {
            return None;
        }
        let root = if self.owner.group.is_empty() { "api" } else { "apis" };
        let url = format!("/openapi/v3/{root}/{}", self.owner.api_version());
        let request =
            http::Request::get(url).header(http::header::ACCEPT, "application/json").body(Vec::new());
        let document = match self.client.request::<Value>(request.ok()?).await {
            Ok(document) => document,
            Err(error) => {
                tracing::debug!(%error, resource = %self.owner, "the paths of references are not checked");
                return None;
            }
        };
        let schema = schema_of(&document, &self.owner)?;
        self.paths.iter().find(|path| !has_path(&document, schema, path))
    }
}

/// The schema of a kind.
fn schema_of<'a>(document: &'a Value, owner: &ResourceKind) -> Option<&'a Value> {
    let schemas = document.pointer("/components/schemas")?.as_object()?.values();
    let is_owner = |schema: &&Value| {
        let kinds = schema.get("x-kubernetes-group-version-kind").and_then(Value::as_array);
        kinds.into_iter().flatten().any(|kind| {
            let is =
                |field: &str, wanted: &str| kind.get(field).and_then(Value::as_str).unwrap_or("") == wanted;
            is("group", &owner.group) && is("version", &owner.version) && is("kind", &owner.kind)
        })
    };
    schemas.into_iter().find(is_owner)
}

/// Whether a schema allows a path.
fn has_path(document: &Value, schema: &Value, path: &FieldPath) -> bool {
    let mut schema = schema;
    for step in path.members() {
        let Some(resolved) = resolved(document, schema) else { return true };
        schema = resolved;
        if schema.get("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(true)) {
            return true;
        }
        let below = match step {
            Some(name) => match schema.get("properties") {
                Some(properties) => properties.get(name).or_else(|| schema.get("additionalProperties")),
                None => schema.get("additionalProperties"),
            },
            None => schema.get("items"),
        };
        match below {
            Some(below) => schema = below,
            // A type without members is open.
            None => {
                let is_open = schema.get("properties").is_none() && schema.get("items").is_none();
                let kind = schema.get("type").and_then(Value::as_str);
                return is_open && matches!(kind, None | Some("object")) && step.is_some();
            }
        }
    }
    true
}

/// Follows `$ref`, and `allOf` with one member.
fn resolved<'a>(document: &'a Value, schema: &'a Value) -> Option<&'a Value> {
    let mut schema = schema;
    for _ in 0..DEPTH_MAX {
        let reference = schema.get("$ref").and_then(Value::as_str);
        if let Some(name) = reference.and_then(|reference| reference.strip_prefix("#/components/schemas/")) {
            schema = document.pointer("/components/schemas")?.get(name)?;
        } else if let Some([one]) = schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
            schema = one;
        } else {
            return Some(schema);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tidings_object::Scope;

    use super::*;

    #[test]
    fn a_path_is_wrong_only_if_the_schema_excludes_it() {
        let spec = json!({ "type": "object", "properties": {
            "ref": { "allOf": [{ "$ref": "#/components/schemas/Ref" }] },
            "refs": { "type": "array", "items": { "$ref": "#/components/schemas/Ref" } },
            "labels": { "type": "object", "additionalProperties": { "type": "string" } },
            "open": { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
            "object": { "type": "object" },
            "text": { "type": "string" },
        } });
        let kind = json!([{ "group": "example.com", "version": "v1", "kind": "Widget" }]);
        let widget = json!({ "x-kubernetes-group-version-kind": kind, "properties": { "spec": spec } });
        let referenced = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
        let document = json!({ "components": { "schemas": { "Widget": widget, "Ref": referenced } } });
        let owner = ResourceKind {
            group: "example.com".into(),
            version: "v1".into(),
            kind: "Widget".into(),
            plural: "widgets".into(),
            scope: Scope::Namespaced,
        };
        let schema = schema_of(&document, &owner).expect("it is there");
        for (path, is_right) in [
            (".spec.ref.name", true),
            (".spec.refs[*].name", true),
            (".spec.refs[0].name", true),
            (".spec.labels.any", true),
            (".spec.open.any.thing", true),
            (".spec.object.any", true),
            (".spec.ref.nam", false),
            (".spec.refs.name", false),
            (".spec.ref[*].name", false),
            (".spec.text.name", false),
            (".sepc.ref.name", false),
        ] {
            assert_eq!(has_path(&document, schema, &FieldPath::parse(path).unwrap()), is_right, "{path}");
        }
    }
}
