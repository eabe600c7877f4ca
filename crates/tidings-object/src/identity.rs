//! Reads the identity of an object from its bytes, in one pass and without building anything else. Both wires give the
//! same identity. The caller decides whether it can use an object without a name or a version.

mod json;
mod protobuf;

use std::borrow::Cow;

use tidings_protobuf::wire::WireError;

use crate::Version;
use crate::field::PathWalk;
use crate::json::JsonError;

/// What is read of an object at arrival.
///
/// ```
/// use tidings_object::Identity;
///
/// let frame = br#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-0","namespace":"shop"}}"#;
/// let identity = Identity::from_json(frame)?;
/// assert_eq!((&*identity.namespace, &*identity.name), ("shop", "web-0"));
/// assert!(frame[identity.rest_at..].starts_with(br#""metadata""#));
/// # Ok::<(), tidings_object::ScanError>(())
/// ```
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity<'a> {
    /// `kind`, if the object has one. A protobuf message has none, but its envelope may.
    pub kind: Option<Cow<'a, str>>,
    /// `apiVersion`, if the object has one. A protobuf message has none, but its envelope may.
    pub api_version: Option<Cow<'a, str>>,
    /// `metadata.namespace`; empty for a cluster-scoped object.
    pub namespace: Cow<'a, str>,
    /// `metadata.name`.
    pub name: Cow<'a, str>,
    /// `metadata.uid`; may be empty.
    pub uid: Cow<'a, str>,
    /// `metadata.resourceVersion`.
    pub version: Option<Version>,
    /// `metadata.generation`.
    pub generation: Option<i64>,
    /// `metadata.deletionTimestamp`.
    pub deletion_timestamp: Option<Cow<'a, str>>,
    /// `metadata.labels`, sorted by key, without labels whose value is not a string.
    pub labels: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// The uids of `metadata.ownerReferences`, each with whether it is the controller.
    pub owners: Vec<(Cow<'a, str>, bool)>,
    /// Whether `metadata.annotations` has `k8s.io/initial-events-end: "true"`.
    pub is_initial_events_end: bool,
    /// The offset of the rest of the object, after a leading `kind` and `apiVersion`. List items of built-in kinds lack
    /// these two and watch frames have them, so only the rest is compared and stored. It is 0 for protobuf.
    pub rest_at: usize,
    /// Whether the rest has a `kind`.
    pub rest_has_kind: bool,
    /// Whether the rest has an `apiVersion`.
    pub rest_has_api_version: bool,
}

/// The bytes have no identity.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScanError {
    /// The bytes are not well-formed JSON.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// The bytes are not a protobuf message: they end before there is a key and a version.
    #[error("not well-formed protobuf: {0}")]
    Protobuf(WireError),
    /// The bytes are well-formed JSON, but not an object.
    #[error("the JSON value is not an object")]
    NoObject,
}

impl From<WireError> for ScanError {
    fn from(error: WireError) -> Self {
        ScanError::Protobuf(error)
    }
}

type Label<'a> = (Cow<'a, str>, Cow<'a, str>);

const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

impl<'a> Identity<'a> {
    /// Reads the identity of one JSON object. It checks the members of the object and of its metadata. Of other values it
    /// checks only that they end within the frame, so that a truncated frame is always an error.
    pub fn from_json(frame: &'a [u8]) -> Result<Identity<'a>, ScanError> {
        Identity::from_json_with_paths(frame, &mut PathWalk::new([]))
    }

    /// As [`from_json`](Self::from_json), and finds the values at some paths in the same pass.
    pub(crate) fn from_json_with_paths(
        frame: &'a [u8],
        walk: &mut PathWalk<'_, 'a>,
    ) -> Result<Identity<'a>, ScanError> {
        json::scan(frame, walk)
    }

    /// Reads the identity of one protobuf message, such as a `v1.Pod`, without an envelope.
    ///
    /// Every Kubernetes object has its metadata at the same field number, so that no table is needed. The bytes are
    /// checked as little as possible: they may end early if a key and a version come before; a text that is not UTF-8
    /// is [repaired](tidings_protobuf::repaired_utf8); a field of another type counts as absent. Errors elsewhere in
    /// the object are left to the reader of the body.
    pub fn from_protobuf(message: &'a [u8]) -> Result<Identity<'a>, ScanError> {
        protobuf::scan(message)
    }
}

/// Sorts by key, and keeps the last of equal keys. The server sorts maps, so that there is usually nothing to do.
fn sort_and_keep_last<T>(entries: &mut Vec<T>, key: impl Fn(&T) -> &Cow<'_, str>) {
    if entries.is_sorted_by(|a, b| key(a) < key(b)) {
        return;
    }
    entries.reverse();
    entries.sort_by(|a, b| key(a).cmp(key(b)));
    entries.dedup_by(|later, earlier| key(later) == key(earlier));
}

#[cfg(test)]
mod tests;
