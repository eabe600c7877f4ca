//! Answers requests for documents, which are not resources: discovery, health, version, OpenAPI.

use http::{HeaderValue, Method, Response, StatusCode, header};

use super::Core;
use crate::body::{self, ResponseBody};
use crate::discovery;
use crate::request::accept::{MediaRange, ranges};
use crate::status::ApiError;

/// The paths that only this server has. Requests for them are not recorded.
pub(super) const OWN_PATHS: &str = "/tidings/";
/// The record of all requests, as text.
pub(super) const REQUESTS: &str = "/tidings/requests";

/// The response with the document at this path; `None` if there is no document.
pub(super) fn answer(
    core: &Core,
    method: &Method,
    path: &str,
    accept: Option<&str>,
) -> Result<Option<Response<ResponseBody>>, ApiError> {
    if *method != Method::GET && *method != Method::HEAD {
        return Err(ApiError::method_not_allowed());
    }
    if matches!(path, "/healthz" | "/livez" | "/readyz") {
        let ok = body::with_type(StatusCode::OK, "text/plain; charset=utf-8", body::full("ok"));
        return Ok(Some(ok));
    }
    let ranges = ranges(accept.unwrap_or_default());
    let is_taken = |range: &MediaRange| range.takes_json() || range.media_type.contains("protobuf");
    if matches!(path, "/api" | "/apis") && !ranges.iter().any(is_taken) {
        return Err(ApiError::not_acceptable_as("discovery"));
    }
    let Some(document) = discovery::document(path, accept, &core.registry.all()) else {
        return Ok(None);
    };
    let mut response = body::json(StatusCode::OK, body::full(document.body));
    if let Ok(media_type) = HeaderValue::from_str(&document.content_type) {
        response.headers_mut().insert(header::CONTENT_TYPE, media_type);
    }
    Ok(Some(response))
}
