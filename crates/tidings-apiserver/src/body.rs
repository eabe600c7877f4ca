//! Response bodies, complete or streamed.

use std::convert::Infallible;

use bytes::Bytes;
use futures_util::Stream;
use http::{HeaderValue, Response, StatusCode, header};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use tidings_object::Wire;

use crate::protobuf;
use crate::status::ApiError;
use crate::wire::protobuf_status;

/// The body of a response of the in-process transport.
pub type ResponseBody = UnsyncBoxBody<Bytes, ConnectionLost>;

/// The connection was lost in the middle of a response, because of an injected fault or because the server closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the connection was lost")]
#[non_exhaustive]
pub struct ConnectionLost;

pub(crate) fn full(bytes: impl Into<Bytes>) -> ResponseBody {
    Full::new(bytes.into()).map_err(|never: Infallible| match never {}).boxed_unsync()
}

pub(crate) fn streamed(
    chunks: impl Stream<Item = Result<Bytes, ConnectionLost>> + Send + 'static,
) -> ResponseBody {
    use futures_util::StreamExt;
    StreamBody::new(chunks.map(|chunk| chunk.map(Frame::data))).boxed_unsync()
}

/// The last item of a stream that ends with a lost connection.
///
/// It yields once first, so that the transport sends the chunks before it. Over a real network those arrive too.
pub(crate) async fn connection_lost<S>() -> Option<(Result<Bytes, ConnectionLost>, Option<S>)> {
    tokio::task::yield_now().await;
    Some((Err(ConnectionLost), None))
}

pub(crate) fn json(code: StatusCode, body: ResponseBody) -> Response<ResponseBody> {
    with_type(code, "application/json", body)
}

pub(crate) fn with_type(
    code: StatusCode,
    media_type: &'static str,
    body: ResponseBody,
) -> Response<ResponseBody> {
    let mut response = Response::new(body);
    *response.status_mut() = code;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    response
}

/// Adds a `Warning` header, which clients such as kubectl print.
pub(crate) fn warn(response: &mut Response<ResponseBody>, text: &str) {
    let quoted: String = text.chars().filter(|c| !c.is_control()).flat_map(escaped).collect();
    if let Ok(value) = HeaderValue::from_str(&format!("299 - \"{quoted}\"")) {
        response.headers_mut().append(header::WARNING, value);
    }
}

fn escaped(c: char) -> impl Iterator<Item = char> {
    let escape = matches!(c, '"' | '\\').then_some('\\');
    escape.into_iter().chain([c])
}

impl ApiError {
    /// The response that reports this error.
    pub(crate) fn into_response(self, wire: Wire) -> Response<ResponseBody> {
        let code = StatusCode::from_u16(self.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = match wire {
            Wire::Protobuf => with_type(code, protobuf::MEDIA_TYPE, full(protobuf_status(&self))),
            Wire::Json => {
                let mut json_line = self.to_json();
                json_line.push(b'\n');
                json(code, full(json_line))
            }
        };
        if let Some(seconds) = self.details.retry_after_seconds {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}
