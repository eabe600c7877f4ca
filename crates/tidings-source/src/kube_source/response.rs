//! The response to a request before its body is read: a failure, or a body whose wire is known.

use http::Response;
use http::header::HeaderMap;
use kube_client::client::Body;
use tidings_object::Wire;

use super::body_chunks::{self, BodyChunks};
use crate::ErrorKind;
use crate::wire::{self, RequestKind, excerpt, status};

/// A response whose body is a list or a watch.
pub(super) struct OpenResponse {
    pub(super) headers: HeaderMap,
    pub(super) wire: Wire,
    pub(super) chunks: BodyChunks,
}

impl OpenResponse {
    pub(super) async fn new(
        response: Response<Body>,
        request: RequestKind,
        has_protobuf: bool,
    ) -> Result<OpenResponse, ErrorKind> {
        let (parts, body) = response.into_parts();
        let headers = parts.headers;
        if !parts.status.is_success() {
            let body = body_chunks::read_error_body(body, &headers).await;
            return Err(ErrorKind::Status(status::from_response(parts.status.as_u16(), &headers, &body)));
        }
        let chunks = BodyChunks::new(body, &headers)?;
        match wire::of_response(&headers) {
            Some(wire) if wire == Wire::Json || has_protobuf => Ok(OpenResponse { headers, wire, chunks }),
            _ => {
                let first = chunks.first().await;
                let found = excerpt::of_body(&headers, &first);
                Err(ErrorKind::Malformed(format!("expected {}, got {found}", request.response_name())))
            }
        }
    }
}
