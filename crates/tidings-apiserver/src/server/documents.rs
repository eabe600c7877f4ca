//! What is not a resource: discovery, health, version, OpenAPI.

use http::{Method, Response, StatusCode};
use serde_json::json;

use super::Core;
use crate::body::{self, Body};
use crate::status::ApiError;

/// Answers with a document.
pub(super) fn answer(
    core: &Core,
    method: &Method,
    path: &str,
    accept: Option<&str>,
) -> Result<Response<Body>, ApiError> {
    let _ = (core, accept);
    if *method != Method::GET && *method != Method::HEAD {
        return Err(ApiError::method_not_allowed());
    }
    match path {
        "/version" => Ok(json_document(&version())),
        "/healthz" | "/livez" | "/readyz" => {
            Ok(body::with_type(StatusCode::OK, "text/plain", body::whole("ok")))
        }
        _ => Err(ApiError::unknown_path()),
    }
}

fn json_document(document: &serde_json::Value) -> Response<Body> {
    body::json(StatusCode::OK, body::whole(document.to_string()))
}

fn version() -> serde_json::Value {
    json!({
        "major": "1",
        "minor": "36",
        "gitVersion": concat!("v1.36.0+tidings-", env!("CARGO_PKG_VERSION")),
        "gitCommit": "",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "none",
        "compiler": "rustc",
        "platform": format!("{}/{}", std::env::consts::OS, std::env::consts::ARCH),
    })
}
