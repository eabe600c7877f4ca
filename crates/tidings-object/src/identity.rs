//! Reads who an object is from its bytes, in one pass and without building anything else: the same identity
//! from either wire. Whether an object is usable without what it lacks is the caller's question.

mod json;
mod protobuf;

use std::borrow::Cow;

use tidings_protobuf::wire::WireError;

use crate::Version;
use crate::field::PathWalk;

pub use crate::json::JsonError;

/// What is read of an object at arrival.
///
/// ```
/// use tidings_object::identity;
///
/// let frame = br#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-0","namespace":"shop"}}"#;
/// let identity = identity::scan(frame)?;
/// assert_eq!((&*identity.namespace, &*identity.name), ("shop", "web-0"));
/// assert!(frame[identity.rest_at..].starts_with(br#""metadata""#));
/// # Ok::<(), identity::ScanError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity<'a> {
    /// `kind`, if the object equals it. A protobuf message does not: its envelope may.
    pub kind: Option<Cow<'a, str>>,
    /// `apiVersion`, if the object equals it. A protobuf message does not: its envelope may.
    pub api_version: Option<Cow<'a, str>>,
    /// `metadata.namespace`; empty in cluster scope.
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
    /// `metadata.labels`, sorted by key; a label whose value is no string is left out.
    pub labels: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// The uids of `metadata.ownerReferences`, each with whether it is the controller.
    pub owners: Vec<(Cow<'a, str>, bool)>,
    /// Whether `metadata.annotations` has `k8s.io/initial-events-end: "true"`.
    pub is_initial_events_end: bool,
    /// Where the object begins after a leading `kind` and `apiVersion`: list items of built-in kinds lack
    /// them and watch frames have them, so comparing and storing starts here. A protobuf message is its own rest.
    pub rest_at: usize,
    /// Whether a `kind` stands at or after [`rest_at`](Self::rest_at).
    pub rest_has_kind: bool,
    /// Whether an `apiVersion` stands at or after [`rest_at`](Self::rest_at).
    pub rest_has_api_version: bool,
}

/// Why bytes have no identity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScanError {
    /// The bytes are no JSON object.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// The bytes are no protobuf message: they break off before there is a key and a version.
    #[error("not well-formed protobuf: {0}")]
    Protobuf(WireError),
    /// Well-formed JSON, but a value of another type than an object.
    #[error("a JSON value that is no object")]
    NoObject,
}

impl From<WireError> for ScanError {
    fn from(error: WireError) -> Self {
        ScanError::Protobuf(error)
    }
}

type Label<'a> = (Cow<'a, str>, Cow<'a, str>);

const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

/// Reads the identity of one JSON object. The whole frame is checked.
pub fn scan(frame: &[u8]) -> Result<Identity<'_>, ScanError> {
    scan_with_paths(frame, &mut PathWalk::new([]))
}

/// As [`scan`], and finds what stands at some paths in the same pass.
pub(crate) fn scan_with_paths<'a>(
    frame: &'a [u8],
    walk: &mut PathWalk<'_, 'a>,
) -> Result<Identity<'a>, ScanError> {
    json::scan(frame, walk)
}

/// Reads the identity of one protobuf message, such as a `v1.Pod`, without an envelope.
///
/// Every Kubernetes object has its metadata in the same place, so that no table is needed. Nothing is checked but
/// that there is a key and a version if the bytes break off: a text that is no UTF-8 is
/// [repaired](tidings_protobuf::repaired_utf8), a field of another type counts as absent, and what is wrong further
/// down is the error of its reader.
pub fn scan_protobuf(message: &[u8]) -> Result<Identity<'_>, ScanError> {
    protobuf::scan(message)
}

/// Sorts by key. The server writes maps sorted, so that there is mostly nothing to do.
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
