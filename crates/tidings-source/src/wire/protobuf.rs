//! Lists and watches as [Kubernetes' protobuf](https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding).

pub(crate) mod envelope;
pub(crate) mod frame_splitter;
pub(crate) mod list_splitter;
mod varint;
pub(crate) mod watch_frame;

use serde_json::Value;

use super::status;
use crate::StatusDetail;

/// Reads a `Status` outside of its envelope. Bytes that can't be read give an empty `Status`.
pub(crate) fn read_status(message: &[u8]) -> StatusDetail {
    let value = tidings_protobuf::message("", "v1", "Status").and_then(|status| {
        let nothing = tidings_protobuf::TypeMeta { api_version: None, kind: None };
        tidings_protobuf::from_slice::<Value>(status, nothing, message).ok()
    });
    status::from_json(&value.unwrap_or_default())
}
