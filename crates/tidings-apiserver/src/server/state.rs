//! Loads objects from YAML into a server: the state that a test or a demo starts from.

use http::{Request, header};
use http_body_util::BodyExt;
use serde::Deserialize;
use serde_json::Value;
use tower::ServiceExt;

use super::ApiServer;
use crate::resource::ResourceDef;

/// Why a state could not be loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The text is not valid YAML.
    #[error("reading document {number} of the state: {cause}")]
    Yaml {
        /// The number of the document, from 1.
        number: usize,
        /// The cause.
        cause: serde_yaml::Error,
    },
    /// The server has no such resource.
    #[error(
        "document {number} of the state: the server has no kind {kind:?} in {api_version:?}; \
             does its CustomResourceDefinition come with the state?"
    )]
    UnknownKind {
        /// The number of the document, from 1.
        number: usize,
        /// The kind.
        kind: String,
        /// The API version.
        api_version: String,
    },
    /// The server refused the object.
    #[error("document {number} of the state: {kind} {name:?} was refused: {reason}")]
    Refused {
        /// The number of the document, from 1.
        number: usize,
        /// The kind.
        kind: String,
        /// The name.
        name: String,
        /// The server's message.
        reason: String,
    },
}

impl ApiServer {
    /// Creates or changes the objects of a YAML text with several documents, as `kubectl apply --server-side` does,
    /// with validation. Returns how many there were.
    ///
    /// Lists are unpacked. CustomResourceDefinitions come first, then Namespaces, then the rest in its order. The
    /// `status` of an object is applied too.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = tidings_apiserver::ApiServer::start().await;
    /// let state = "
    /// apiVersion: v1
    /// kind: Node
    /// metadata: {name: n1}
    /// status: {conditions: [{type: Ready, status: 'True'}]}
    /// ";
    /// assert_eq!(server.load_state(state).await?, 1);
    /// assert_eq!(server.object("nodes", "n1").unwrap()["status"]["conditions"][0]["type"], "Ready");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn load_state(&self, yaml: &str) -> Result<usize, StateError> {
        let mut objects = Vec::new();
        for (number, document) in (1..).zip(serde_yaml::Deserializer::from_str(yaml)) {
            let value = Value::deserialize(document).map_err(|cause| StateError::Yaml { number, cause })?;
            match value {
                Value::Null => {}
                Value::Object(mut list) if list.get("items").is_some_and(Value::is_array) => {
                    let items = list.remove("items");
                    objects.extend(items.into_iter().flat_map(into_items).map(|item| (number, item)));
                }
                object => objects.push((number, object)),
            }
        }
        objects.sort_by_key(|(_, object)| match object["kind"].as_str() {
            Some("CustomResourceDefinition") => 0,
            Some("Namespace") => 1,
            _ => 2,
        });
        let count = objects.len();
        for (number, object) in objects {
            self.apply_state(number, object).await?;
        }
        Ok(count)
    }

    async fn apply_state(&self, number: usize, object: Value) -> Result<(), StateError> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (kind, api_version) = (text(&object["kind"]), text(&object["apiVersion"]));
        let all = self.core().registry.all();
        let found = all.iter().find(|def| def.kind == kind && def.api_version() == api_version);
        let Some(def) = found else { return Err(StateError::UnknownKind { number, kind, api_version }) };
        let name = text(&object["metadata"]["name"]);
        let path = path(def, object["metadata"]["namespace"].as_str(), &name);
        let refused =
            |reason: String| StateError::Refused { number, kind: kind.clone(), name: name.clone(), reason };
        self.apply(&path, &object).await.map_err(refused)?;
        if !object["status"].is_null() && def.has_status() {
            self.apply(&format!("{path}/status"), &object).await.map_err(refused)?;
        }
        Ok(())
    }

    /// Applies an object. The error is the server's message.
    async fn apply(&self, path: &str, object: &Value) -> Result<(), String> {
        let request = Request::patch(format!("{path}?fieldManager=state&force=true"))
            .header(header::CONTENT_TYPE, "application/apply-patch+yaml")
            .body(crate::body::full(object.to_string()))
            .map_err(|error| error.to_string())?;
        let answer = self.service().oneshot(request).await.map_err(|error| error.to_string())?;
        if answer.status().is_success() {
            return Ok(());
        }
        let body = answer.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
        let status: Value = serde_json::from_slice(&body).unwrap_or_default();
        Err(status["message"].as_str().unwrap_or("no message").to_owned())
    }
}

fn into_items(value: Value) -> Vec<Value> {
    match value {
        Value::Array(items) => items,
        _ => Vec::new(),
    }
}

fn path(def: &ResourceDef, namespace: Option<&str>, name: &str) -> String {
    let root = if def.group.is_empty() { "/api".to_owned() } else { format!("/apis/{}", def.group) };
    let within = if def.is_namespaced() {
        format!("/namespaces/{}", namespace.unwrap_or("default"))
    } else {
        String::new()
    };
    format!("{root}/{}{within}/{}/{name}", def.version, def.plural)
}
