//! What is not a resource: discovery, health, version, OpenAPI.

use http::{HeaderValue, Method, Response, StatusCode, header};

use super::Core;
use crate::body::{self, Body};
use crate::discovery;
use crate::status::ApiError;

/// Answers with a document.
pub(super) fn answer(
    core: &Core,
    method: &Method,
    path: &str,
    accept: Option<&str>,
) -> Result<Response<Body>, ApiError> {
    if *method != Method::GET && *method != Method::HEAD {
        return Err(ApiError::method_not_allowed());
    }
    if matches!(path, "/healthz" | "/livez" | "/readyz") {
        return Ok(body::with_type(StatusCode::OK, "text/plain; charset=utf-8", body::whole("ok")));
    }
    let found = discovery::document(path, accept, &core.registry.all());
    let document = found.ok_or_else(ApiError::unknown_path)?;
    let mut response = body::json(StatusCode::OK, body::whole(document.body));
    if let Ok(media_type) = HeaderValue::from_str(&document.content_type) {
        response.headers_mut().insert(header::CONTENT_TYPE, media_type);
    }
    Ok(response)
}
