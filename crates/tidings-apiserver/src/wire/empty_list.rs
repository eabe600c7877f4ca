//! The empty list of metadata.

use bytes::Bytes;

use super::{ListEnvelope, ListMeta};

/// A list without items. They are null: Kubernetes appends metadata to a list that Go has not allocated.
pub(super) fn of_metadata(envelope: &ListEnvelope, meta: &ListMeta) -> Bytes {
    let ListEnvelope { kind, api_version, .. } = envelope;
    let metadata = meta.in_struct_order();
    format!("{{\"kind\":\"{kind}\",\"apiVersion\":\"{api_version}\",\"metadata\":{{{metadata}}},\"items\":null}}\n")
        .into()
}
