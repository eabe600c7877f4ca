//! What a server answers before its body is read: a refusal, or a body on a wire that is known.

use http::Response;
use http::header::HeaderMap;
use kube_client::client::Body;
use tidings_object::Wire;

use super::chunks::{self, Chunks};
use crate::wire::{self, Asked};
use crate::{Trouble, excerpt, status};

/// A body to be read.
pub(super) struct Answer {
    pub(super) headers: HeaderMap,
    pub(super) wire: Wire,
    pub(super) chunks: Chunks,
}

impl Answer {
    pub(super) async fn of(
        response: Response<Body>,
        asked: Asked,
        speaks_protobuf: bool,
    ) -> Result<Answer, Trouble> {
        let (parts, body) = response.into_parts();
        let headers = parts.headers;
        if !parts.status.is_success() {
            let body = chunks::beginning(body, &headers).await;
            return Err(Trouble::Status(status::from_answer(parts.status.as_u16(), &headers, &body)));
        }
        let chunks = Chunks::new(body, &headers)?;
        match wire::of_answer(&headers) {
            Some(wire) if wire == Wire::Json || speaks_protobuf => Ok(Answer { headers, wire, chunks }),
            _ => {
                let first = chunks.first().await;
                let got = excerpt::of_body(&headers, &first);
                Err(Trouble::Malformed(format!("expected {}, got {got}", asked.wanted())))
            }
        }
    }
}
