//! Lists and watches as Kubernetes' protobuf: <https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding>.

pub(crate) mod envelope;
pub(crate) mod frames;
pub(crate) mod list_split;
mod varint;
pub(crate) mod watch_frame;
