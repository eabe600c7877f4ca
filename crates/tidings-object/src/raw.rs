//! One version of one object, as the server sent it: its identity, which can be read at once, and its packed body.

mod identity_strings;
mod inline_key;
mod once_slots;
mod origin;
mod prefetched;
mod read;

use std::fmt;
use std::sync::{Arc, Weak};

use serde::de::DeserializeOwned;

use crate::body::{Body, Wire};
use crate::budget::decoded_cache::{Cacheable, DecodedSlot};
use crate::sync::AtomicBool;
use crate::{KeyRef, ResourceKind, Version};
use origin::ObjectBytes;

pub(crate) use identity_strings::{IdentityStrings, LabelKeyInterner};
pub use origin::{Origin, PackStats};
pub(crate) use origin::{TypePrefix, message_of};
pub(crate) use read::without_values;
pub use read::{ReadError, UnpackedObject};

/// One version of one object.
///
/// ```
/// use std::sync::Arc;
/// use k8s_openapi::api::core::v1::Pod;
/// use tidings_object::{Budget, Intake, Kind, NothingKnown};
///
/// let intake = Intake::new(Pod::resource(), Arc::new(Budget::default()));
/// let frame = br#"{"metadata":{"name":"web-0","namespace":"shop","resourceVersion":"7",
///     "labels":{"app":"web"}},"status":{"phase":"Running"}}"#;
/// let object = intake.json(frame, &NothingKnown)?;
/// assert_eq!(object.key().as_str(), "shop/web-0");
/// assert_eq!(object.labels().value("app"), Some("web"));
/// assert_eq!(object.field(".status.phase")?.text().as_deref(), Some("Running"));
/// let pod: Arc<Pod> = object.decoded()?;
/// assert_eq!(pod.metadata.name.as_deref(), Some("web-0"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
// `repr(C)` fixes the order of the fields in memory. A cache has many objects, and a reader waits for each cache line
// that it touches. The first line holds the counts of the `Arc`, all that a read of a decoded value needs, and the length
// of the key; the second line holds a short key. A lookup compares the length first, so that the processor waits for
// both lines at once: the count, which the lookup then increments, is in the first one.
#[repr(C)]
pub struct RawObject {
    decoded_slot: DecodedSlot,
    origin: Arc<Origin>,
    /// Whether its decoded value was read, for the queue of the budget.
    was_read: AtomicBool,
    /// Whether a decoding error was reported: once is enough.
    is_reported_unreadable: AtomicBool,
    type_prefix: TypePrefix,
    /// The wire that it arrived by. A transform may have converted a protobuf body to JSON.
    arrived_by: Wire,
    strings: IdentityStrings,
    body: Body,
    version: Version,
    body_hash: u64,
    /// For the queue of the budget, which must not keep the object alive.
    this: Weak<RawObject>,
}

impl RawObject {
    pub(crate) fn new(
        origin: Arc<Origin>,
        identity: StoredIdentity,
        type_prefix: TypePrefix,
        body: Body,
    ) -> Arc<RawObject> {
        let StoredIdentity { strings, version, wire, body_hash } = identity;
        let decoded_slot = DecodedSlot::default();
        let object = Arc::new_cyclic(|this| RawObject {
            decoded_slot,
            origin,
            was_read: AtomicBool::new(false),
            is_reported_unreadable: AtomicBool::new(false),
            type_prefix,
            arrived_by: wire,
            strings,
            body,
            version,
            body_hash,
            this: Weak::clone(this),
        });
        let bytes = object.object_bytes();
        object.origin.counters.add(bytes);
        object.origin.budget.cache().count_object(bytes.memory_bytes);
        object
    }

    /// The same version of the same object with a body that is packed in another way.
    pub(crate) fn with_body(&self, body: Body) -> Arc<RawObject> {
        let identity = StoredIdentity {
            strings: self.strings.clone(),
            version: self.version.clone(),
            wire: self.arrived_by,
            body_hash: self.body_hash,
        };
        RawObject::new(Arc::clone(&self.origin), identity, self.type_prefix, body)
    }

    /// `namespace/name`, or `name` for a cluster-scoped object.
    pub fn key(&self) -> KeyRef<'_> {
        KeyRef::trusted(self.strings.key())
    }

    /// The bytes of its key, for hashing and comparing. Cheaper than [`key`](Self::key), which checks the UTF-8 of a
    /// short key.
    #[doc(hidden)]
    #[inline]
    pub fn key_bytes(&self) -> &[u8] {
        self.strings.key_bytes()
    }

    /// The namespace; `None` for a cluster-scoped object.
    pub fn namespace(&self) -> Option<&str> {
        self.key().namespace()
    }

    /// The name.
    pub fn name(&self) -> &str {
        self.key().name()
    }

    /// The uid. It is empty if the server sent none.
    pub fn uid(&self) -> &str {
        self.strings.uid()
    }

    /// The resourceVersion.
    pub fn version(&self) -> &Version {
        &self.version
    }

    /// `metadata.generation`.
    pub fn generation(&self) -> Option<i64> {
        self.strings.generation()
    }

    /// `metadata.deletionTimestamp`, as the server sent it.
    pub fn deletion_timestamp(&self) -> Option<&str> {
        self.strings.deletion_timestamp()
    }

    /// The labels. They are part of the identity, so that nothing is decoded.
    pub fn labels(&self) -> Labels<'_> {
        Labels(self)
    }

    /// The uids of its owners.
    pub fn owner_uids(&self) -> impl Iterator<Item = &str> {
        self.strings.owners().map(|(uid, _)| uid)
    }

    /// The uid of the owner that controls it.
    pub fn controller_uid(&self) -> Option<&str> {
        self.strings.controller_uid()
    }

    /// A hash of the body as it arrived, without a leading kind and apiVersion. The other wire gives another hash.
    #[doc(hidden)]
    pub fn body_hash(&self) -> u64 {
        self.body_hash
    }

    /// Whether `other` is the same version of the same object with the same body: equal uid, version and hash of the
    /// body. Versions alone do not prove it, because a server that was restored from a backup assigns them again. An
    /// empty uid or version never counts as equal.
    ///
    /// The bytes of the two wires can't be compared. If the objects arrived by different wires, uid and version decide
    /// alone; otherwise all objects would count as changed when an informer falls back from protobuf to JSON. The
    /// limit: if a restored server reuses a version for another body, and the wire changes in the same list, the change
    /// is missed.
    #[doc(hidden)]
    pub fn is_unchanged(&self, other: &RawObject) -> bool {
        self.is_same(other.uid(), &other.version, other.arrived_by, other.body_hash)
    }

    pub(crate) fn has_identity(&self, identity: &StoredIdentity<String>) -> bool {
        self.is_same(identity.strings.uid(), &identity.version, identity.wire, identity.body_hash)
    }

    fn is_same(&self, uid: &str, version: &Version, wire: Wire, body_hash: u64) -> bool {
        // The version is first, because it differs most often, and the uid, which is in another allocation, is last.
        self.version == *version
            && (self.body_hash == body_hash || self.arrived_by != wire)
            && !version.is_empty()
            && !uid.is_empty()
            && self.uid() == uid
    }

    /// The resource that the object belongs to.
    pub fn resource(&self) -> &ResourceKind {
        &self.origin.resource
    }

    /// The state that all objects of its informer share.
    #[doc(hidden)]
    pub fn origin(&self) -> &Arc<Origin> {
        &self.origin
    }

    /// The encoding of its body.
    pub fn wire(&self) -> Wire {
        self.body.wire()
    }

    /// The whole object, decoded.
    ///
    /// The decoded value is kept within the [`Budget`](crate::Budget), one value per type. While the budget has room,
    /// it is kept from the first decoding on. Otherwise it is kept from the second decoding on, and other values are
    /// evicted.
    ///
    /// If several threads decode a value that is kept, it is decoded once. The size of each type is estimated as if it
    /// were the whole object, so that a small struct of your own counts for more than it takes.
    pub fn decoded<K: DeserializeOwned + Send + Sync + 'static>(&self) -> Result<Arc<K>, ReadError> {
        let decoded = self.origin.budget.cache().decoded(self, || self.try_decode());
        decoded.map_err(|error| self.reported(error))
    }

    /// The bytes of the body as the server sent it, without kind, apiVersion and envelope.
    pub fn wire_bytes(&self) -> usize {
        self.body.raw_len()
    }

    /// The bytes of the packed body.
    pub fn packed_bytes(&self) -> usize {
        self.body.packed_len()
    }

    /// All bytes that the object takes, without decoded values.
    pub fn memory_bytes(&self) -> usize {
        // The two counts that an `Arc` stores before its value.
        let counts = 2 * size_of::<usize>();
        counts + size_of::<Self>() + self.strings.memory_bytes() + self.packed_bytes()
    }

    /// An estimate of the bytes that the object takes as a `K`.
    pub fn decoded_bytes_estimate<K>(&self) -> u64 {
        self.bytes_estimate(size_of::<K>())
    }

    pub(crate) fn body(&self) -> &Body {
        &self.body
    }

    fn object_bytes(&self) -> ObjectBytes {
        ObjectBytes {
            raw_bytes: self.body.raw_len(),
            packed_bytes: self.packed_bytes(),
            memory_bytes: self.memory_bytes(),
        }
    }
}

/// What intake reads of an object at arrival, without its body.
pub(crate) struct StoredIdentity<T = Box<str>> {
    pub(crate) strings: IdentityStrings<T>,
    pub(crate) version: Version,
    pub(crate) wire: Wire,
    pub(crate) body_hash: u64,
}

impl StoredIdentity<String> {
    /// The same in as little memory as possible.
    pub(crate) fn without_spare_capacity(self) -> StoredIdentity {
        let StoredIdentity { strings, version, wire, body_hash } = self;
        StoredIdentity { strings: strings.without_spare_capacity(), version, wire, body_hash }
    }
}

impl Cacheable for RawObject {
    fn decoded_slot(&self) -> &DecodedSlot {
        &self.decoded_slot
    }

    fn was_read(&self) -> &AtomicBool {
        &self.was_read
    }

    fn this(&self) -> &Weak<RawObject> {
        &self.this
    }

    fn bytes_estimate(&self, type_bytes: usize) -> u64 {
        let grown = self.body.raw_len() as u64 * self.origin.growth.percent(self.wire()) / 100;
        grown + type_bytes as u64
    }

    /// The uid is the same for all versions of an object, so that the queue recognises the object after a change.
    fn fingerprint(&self) -> u64 {
        let name = if self.uid().is_empty() { self.strings.key() } else { self.uid() };
        twox_hash::XxHash3_64::oneshot(name.as_bytes())
    }
}

impl Drop for RawObject {
    fn drop(&mut self) {
        let bytes = self.object_bytes();
        self.origin.counters.remove(bytes);
        self.origin.budget.cache().uncount_object(bytes.memory_bytes);
        if let Some(values) = self.decoded_slot.take() {
            self.origin.budget.cache().release(self, values);
        }
    }
}

/// The labels of an object.
#[derive(Clone, Copy)]
pub struct Labels<'a>(&'a RawObject);

impl<'a> Labels<'a> {
    /// The value of one label.
    pub fn value(self, key: &str) -> Option<&'a str> {
        self.0.strings.label(&self.0.origin.label_keys, key)
    }

    /// All labels with their values, sorted by key.
    pub fn iter(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.0.strings.labels(&self.0.origin.label_keys)
    }
}

/// Only the identity: a body may hold secrets.
impl fmt::Debug for RawObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawObject")
            .field("resource", &format_args!("{}", self.origin.resource))
            .field("key", &self.key().as_str())
            .field("uid", &self.uid())
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    #[test]
    fn the_fields_of_a_read_share_one_cache_line_the_key_has_the_next_one_and_an_object_has_three() {
        let counts = 2 * size_of::<usize>();
        assert_eq!(offset_of!(RawObject, decoded_slot), 0);
        assert_eq!(counts + offset_of!(RawObject, strings.inline_key), 64);
        // A size class of allocators, and a multiple of a cache line: so each object begins with a line.
        assert_eq!(counts + size_of::<RawObject>(), 3 * 64);
    }
}
