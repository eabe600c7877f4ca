//! One version of one stored object: its JSON, with the offsets at which it is cut and spliced.
//!
//! The body is `{"metadata":{…},…}` without `kind` and `apiVersion`. The encoder of a response writes those, so that
//! all API versions of a kind share one body. A body is never decoded to be sent.
//!
//! ```text
//! {"metadata":{"name":"x","resourceVersion":"120","labels":{}},"spec":{}}
//!             ^ META_AT                      ^ version_at     ^ meta_end
//! ```
//!
//! A DELETED event carries the last state with the version of the deletion: `with_version` replaces the digits at
//! `version_at`.

use std::sync::Arc;

use serde_json::{Map, Value};
use tidings_protobuf::Message;

use super::protobuf_cache::{ProtobufCache, Retention};

/// The offset of the value of `metadata` in every body.
const META_AT: usize = br#"{"metadata":"#.len();

/// The order in which Kubernetes encodes the metadata of built-in kinds.
const METADATA_ORDER: [&str; 15] = [
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
];

/// One version of one stored object.
#[derive(Debug)]
pub(crate) struct StoredObject {
    key: Box<str>,
    version: u64,
    body: Box<[u8]>,
    /// Where the value of `metadata` ends.
    meta_end: u32,
    /// Where the digits of `metadata.resourceVersion` begin.
    version_at: u32,
    has_owners: bool,
    /// The protobuf encoding, while it is kept.
    protobuf: ProtobufCache,
}

/// An encoded object that has no version yet.
#[derive(Clone, Debug)]
pub(crate) struct UnversionedObject {
    key: Box<str>,
    bytes: Vec<u8>,
    meta_end: usize,
    version_at: usize,
    has_owners: bool,
}

/// The order of the keys in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyOrder {
    /// Metadata in the order of Kubernetes' Go structs. For built-in kinds.
    Struct,
    /// All keys sorted. For custom resources.
    Sorted,
}

impl UnversionedObject {
    /// Encodes an object without `kind`, `apiVersion` and `metadata.resourceVersion`.
    pub(crate) fn encode(key: impl Into<Box<str>>, object: &Map<String, Value>, order: KeyOrder) -> Self {
        let mut draft = Self {
            key: key.into(),
            bytes: br#"{"metadata":{"#.to_vec(),
            meta_end: 0,
            version_at: 0,
            has_owners: false,
        };
        let empty = Map::new();
        let metadata = object.get("metadata").and_then(Value::as_object).unwrap_or(&empty);
        draft.has_owners =
            metadata.get("ownerReferences").and_then(Value::as_array).is_some_and(|o| !o.is_empty());
        match order {
            KeyOrder::Struct => draft.metadata_in_struct_order(metadata),
            KeyOrder::Sorted => draft.metadata_sorted(metadata),
        }
        draft.bytes.push(b'}');
        draft.meta_end = draft.bytes.len();
        for (name, value) in object {
            if !matches!(name.as_str(), "metadata" | "kind" | "apiVersion") {
                draft.field(name, value);
            }
        }
        draft.bytes.push(b'}');
        draft
    }

    fn metadata_in_struct_order(&mut self, metadata: &Map<String, Value>) {
        for name in METADATA_ORDER {
            if name == "resourceVersion" {
                self.version_placeholder();
            } else if let Some(value) = metadata.get(name) {
                self.field(name, value);
            }
        }
        for (name, value) in metadata.iter().filter(|(name, _)| !METADATA_ORDER.contains(&name.as_str())) {
            self.field(name, value);
        }
    }

    fn metadata_sorted(&mut self, metadata: &Map<String, Value>) {
        for (name, value) in metadata.iter().filter(|(name, _)| name.as_str() < "resourceVersion") {
            self.field(name, value);
        }
        self.version_placeholder();
        for (name, value) in metadata.iter().filter(|(name, _)| name.as_str() > "resourceVersion") {
            self.field(name, value);
        }
    }

    fn comma(&mut self) {
        if self.bytes.last() != Some(&b'{') {
            self.bytes.push(b',');
        }
    }

    fn field(&mut self, name: &str, value: &Value) {
        self.comma();
        serde_json::to_writer(&mut self.bytes, name).expect("writing text to memory succeeds");
        self.bytes.push(b':');
        serde_json::to_writer(&mut self.bytes, value).expect("writing a value to memory succeeds");
    }

    fn version_placeholder(&mut self) {
        self.comma();
        self.bytes.extend_from_slice(br#""resourceVersion":""#);
        self.version_at = self.bytes.len();
        self.bytes.push(b'"');
    }

    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// Whether `stored` has the same content, apart from the version.
    pub(crate) fn equals_ignoring_version(&self, stored: &StoredObject) -> bool {
        let at = stored.version_at as usize;
        let after = at + digits(stored.version);
        at == self.version_at
            && stored.body.len() - (after - at) == self.bytes.len()
            && stored.body[..at] == self.bytes[..at]
            && stored.body[after..] == self.bytes[at..]
    }

    /// The object as the answer to a dry run shows it: with the version that the client sent, or without any.
    pub(crate) fn for_dry_run(mut self, version: Option<u64>) -> StoredObject {
        if let Some(version) = version {
            return self.at(version);
        }
        const FIELD: &[u8] = br#""resourceVersion":"""#;
        // From the name to the closing quote, with one of the commas around it.
        let mut from = self.version_at + 1 - FIELD.len();
        let mut to = self.version_at + 1;
        if self.bytes.get(to) == Some(&b',') {
            to += 1;
        } else if self.bytes[from - 1] == b',' {
            from -= 1;
        }
        self.bytes.drain(from..to);
        StoredObject {
            key: self.key,
            version: 0,
            body: self.bytes.into_boxed_slice(),
            meta_end: offset_u32(self.meta_end - (to - from)),
            version_at: 0,
            has_owners: self.has_owners,
            protobuf: ProtobufCache::default(),
        }
    }

    /// Inserts the version.
    pub(crate) fn at(self, version: u64) -> StoredObject {
        let number = version.to_string();
        let mut body = Vec::with_capacity(self.bytes.len() + number.len());
        body.extend_from_slice(&self.bytes[..self.version_at]);
        body.extend_from_slice(number.as_bytes());
        body.extend_from_slice(&self.bytes[self.version_at..]);
        StoredObject {
            key: self.key,
            version,
            body: body.into_boxed_slice(),
            meta_end: offset_u32(self.meta_end + number.len()),
            version_at: offset_u32(self.version_at),
            has_owners: self.has_owners,
            protobuf: ProtobufCache::default(),
        }
    }
}

impl StoredObject {
    /// `namespace/name`, or the name alone for cluster-wide objects.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// The namespace; empty for cluster-wide objects.
    pub(crate) fn namespace(&self) -> &str {
        self.key.split_once('/').map_or("", |(namespace, _)| namespace)
    }

    pub(crate) fn name(&self) -> &str {
        self.key.split_once('/').map_or(&self.key, |(_, name)| name)
    }

    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// The whole body, which begins with `{"metadata":`.
    pub(crate) fn body(&self) -> &[u8] {
        &self.body
    }

    /// The body without its opening brace, to follow `{"kind":…,"apiVersion":…,`.
    pub(crate) fn after_brace(&self) -> &[u8] {
        &self.body[1..]
    }

    /// The JSON of `metadata`.
    pub(crate) fn metadata(&self) -> &[u8] {
        &self.body[META_AT..self.meta_end as usize]
    }

    /// A body with `metadata` alone.
    pub(crate) fn metadata_body(&self) -> Vec<u8> {
        let mut body = self.body[..self.meta_end as usize].to_vec();
        body.push(b'}');
        body
    }

    /// Whether `metadata.ownerReferences` is not empty.
    pub(crate) fn has_owners(&self) -> bool {
        self.has_owners
    }

    /// The same content with another version, as DELETED events need it.
    pub(crate) fn with_version(&self, version: u64) -> Self {
        let at = self.version_at as usize;
        let after = at + digits(self.version);
        let number = version.to_string();
        let mut body = Vec::with_capacity(self.body.len() + number.len());
        body.extend_from_slice(&self.body[..at]);
        body.extend_from_slice(number.as_bytes());
        body.extend_from_slice(&self.body[after..]);
        Self {
            key: self.key.clone(),
            version,
            body: body.into_boxed_slice(),
            meta_end: offset_u32(self.meta_end as usize + number.len() - (after - at)),
            version_at: self.version_at,
            has_owners: self.has_owners,
            protobuf: ProtobufCache::default(),
        }
    }

    /// The protobuf encoding. Calls `encode` if it is not cached.
    pub(crate) fn protobuf<E>(
        &self,
        message: &'static Message,
        encode: impl FnOnce() -> Result<Vec<u8>, E>,
    ) -> Result<Arc<[u8]>, E> {
        self.protobuf.bytes(message, encode)
    }

    pub(crate) fn set_protobuf_retention(&self, retention: Retention) {
        self.protobuf.set_retention(retention);
    }

    /// The last change of the object is no longer recent.
    pub(super) fn mark_old(&self) {
        self.protobuf.mark_old();
    }

    /// The decoded object, without `kind` and `apiVersion`. Only writes need it: responses send the bytes.
    pub(crate) fn decoded(&self) -> Map<String, Value> {
        serde_json::from_slice(&self.body).expect("a body is valid JSON")
    }

    pub(crate) fn decoded_metadata(&self) -> Map<String, Value> {
        serde_json::from_slice(self.metadata()).expect("metadata is valid JSON")
    }
}

/// Compares the content. The protobuf cache does not count.
impl PartialEq for StoredObject {
    fn eq(&self, other: &Self) -> bool {
        (&self.key, self.version, &self.body) == (&other.key, other.version, &other.body)
    }
}

impl Eq for StoredObject {}

fn digits(version: u64) -> usize {
    version.checked_ilog10().map_or(1, |log| log as usize + 1)
}

/// The limit on request bodies bounds objects far below 4 GiB.
fn offset_u32(at: usize) -> u32 {
    u32::try_from(at).expect("a body is shorter than 4 GiB")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn draft(order: KeyOrder) -> UnversionedObject {
        let value = json!({
            "kind": "Pod", "apiVersion": "v1", "spec": {"a": 1},
            "metadata": {"namespace": "n", "name": "x", "labels": {"l": "v"}, "uid": "u", "resourceVersion": "7"},
        });
        UnversionedObject::encode("n/x", value.as_object().unwrap(), order)
    }

    #[test]
    fn a_body_holds_its_own_version_and_no_kind() {
        let stored = draft(KeyOrder::Struct).at(120);
        let text = std::str::from_utf8(stored.body()).unwrap();
        assert_eq!(
            text,
            r#"{"metadata":{"name":"x","namespace":"n","uid":"u","resourceVersion":"120","labels":{"l":"v"}},"spec":{"a":1}}"#
        );
        assert_eq!(stored.decoded_metadata()["resourceVersion"], "120");
    }

    #[test]
    fn custom_resources_keep_their_keys_sorted() {
        let stored = draft(KeyOrder::Sorted).at(1);
        let text = std::str::from_utf8(stored.metadata()).unwrap();
        assert_eq!(
            text,
            r#"{"labels":{"l":"v"},"name":"x","namespace":"n","resourceVersion":"1","uid":"u"}"#
        );
    }

    #[test]
    fn the_object_of_a_dry_run_has_no_version_or_the_one_that_was_sent() {
        for order in [KeyOrder::Struct, KeyOrder::Sorted] {
            let object = draft(order).for_dry_run(None);
            let mut expected = draft(order).at(7).decoded_metadata();
            expected.remove("resourceVersion");
            assert_eq!(object.decoded_metadata(), expected);
            assert_eq!(object.decoded()["spec"]["a"], 1);
            assert_eq!(draft(order).for_dry_run(Some(7)), draft(order).at(7));
        }
    }

    #[test]
    fn restamping_changes_the_version_alone() {
        let stored = draft(KeyOrder::Struct).at(99);
        let again = stored.with_version(1000);
        assert_eq!(again, draft(KeyOrder::Struct).at(1000));
        assert_eq!(again.with_version(99), stored);
    }

    #[test]
    fn an_unchanged_object_is_recognised_whatever_its_version() {
        let stored = draft(KeyOrder::Struct).at(12345);
        assert!(draft(KeyOrder::Struct).equals_ignoring_version(&stored));
        let mut other = json!({"metadata": {"namespace": "n", "name": "x"}}).as_object().unwrap().clone();
        assert!(!UnversionedObject::encode("n/x", &other, KeyOrder::Struct).equals_ignoring_version(&stored));
        other.insert("spec".to_owned(), json!({"a": 1}));
        assert!(!UnversionedObject::encode("n/x", &other, KeyOrder::Struct).equals_ignoring_version(&stored));
    }
}
