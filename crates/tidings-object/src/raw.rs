//! One version of one object, as the server sent it: its identity, readable at once, and its packed body.

mod identity_strings;
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
use crate::{KeyRef, Version};
use origin::ObjectBytes;

pub(crate) use identity_strings::{IdentityStrings, LabelKeyInterner};
pub use origin::{Origin, PackStats};
pub(crate) use origin::{TypePrefix, message_of};
pub(crate) use read::without_values;
pub use read::{DecodeError, ReadError};

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
// Fields stand in memory as they stand here. A cache has many objects, and whoever reads one waits for each line of
// memory: the key and what is kept decoded object_bytes the first one with the counts of the `Arc`, and the second has the
// rest of what such a read looks at.
#[repr(C)]
pub struct RawObject {
    strings: IdentityStrings,
    decoded_slot: DecodedSlot,
    origin: Arc<Origin>,
    /// Whether it was read decoded, for the budget's queue.
    was_read: AtomicBool,
    /// Whether it was told already that it can't be decoded: once is enough.
    is_reported_unreadable: AtomicBool,
    type_prefix: TypePrefix,
    /// The wire that it arrived by. A transform may have made JSON of a body that arrived as protobuf.
    arrived_by: Wire,
    /// Apart from the generation: an `Option` of it takes twice as much.
    has_generation: bool,
    body: Body,
    generation: i64,
    version: Version,
    body_hash: u64,
    /// For the budget's queue, which must not keep the object alive.
    this: Weak<RawObject>,
}

impl RawObject {
    pub(crate) fn new(
        origin: Arc<Origin>,
        arrival: StoredIdentity,
        type_prefix: TypePrefix,
        body: Body,
    ) -> Arc<RawObject> {
        let StoredIdentity { strings, version, generation, wire, body_hash } = arrival;
        let decoded_slot = DecodedSlot::default();
        let object = Arc::new_cyclic(|this| RawObject {
            strings,
            decoded_slot,
            origin,
            was_read: AtomicBool::new(false),
            is_reported_unreadable: AtomicBool::new(false),
            type_prefix,
            arrived_by: wire,
            has_generation: generation.is_some(),
            body,
            generation: generation.unwrap_or_default(),
            version,
            body_hash,
            this: Weak::clone(this),
        });
        let bytes = object.object_bytes();
        object.origin.counters.add(bytes);
        object.origin.budget.cache().count_object(bytes.memory_bytes);
        object
    }

    /// The same version of the same object, its body packed another way.
    pub(crate) fn with_body(&self, body: Body) -> Arc<RawObject> {
        let arrival = StoredIdentity {
            strings: self.strings.clone(),
            version: self.version.clone(),
            generation: self.generation(),
            wire: self.arrived_by,
            body_hash: self.body_hash,
        };
        RawObject::new(Arc::clone(&self.origin), arrival, self.type_prefix, body)
    }

    /// `namespace/name`, or `name` in cluster scope.
    pub fn key(&self) -> KeyRef<'_> {
        KeyRef::trusted(self.strings.key())
    }

    /// The namespace, unless in cluster scope.
    pub fn namespace(&self) -> Option<&str> {
        self.key().namespace()
    }

    /// The name.
    pub fn name(&self) -> &str {
        self.key().name()
    }

    /// The uid; empty where the server gives none.
    pub fn uid(&self) -> &str {
        self.strings.uid()
    }

    /// The resourceVersion.
    pub fn version(&self) -> &Version {
        &self.version
    }

    /// `metadata.generation`.
    pub fn generation(&self) -> Option<i64> {
        self.has_generation.then_some(self.generation)
    }

    /// `metadata.deletionTimestamp`, as sent.
    pub fn deletion_timestamp(&self) -> Option<&str> {
        self.strings.deletion_timestamp()
    }

    /// The labels, read from identity: nothing is decoded.
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

    /// A hash of the body as it arrived, after a leading kind and apiVersion. The same object has another one on
    /// another wire.
    pub fn body_hash(&self) -> u64 {
        self.body_hash
    }

    /// Whether `other` is the same version of the same object with the same body. Versions alone do not prove
    /// it: a restored server gives them out again. An empty uid or version is never the same.
    ///
    /// The bytes of the two wires can't be compared. If one arrived by another wire than the other, uid and version
    /// decide alone: otherwise every object would be reported as changed when an informer falls back from protobuf
    /// to JSON. The limit: an object that a restored server changed under a version that was given out before is not
    /// noticed in the one list in which the wire changes as well.
    pub fn is_unchanged(&self, other: &RawObject) -> bool {
        self.is_same(other.uid(), &other.version, other.arrived_by, other.body_hash)
    }

    pub(crate) fn is_what_arrived(&self, arrival: &StoredIdentity) -> bool {
        self.is_same(arrival.strings.uid(), &arrival.version, arrival.wire, arrival.body_hash)
    }

    fn is_same(&self, uid: &str, version: &Version, wire: Wire, body_hash: u64) -> bool {
        !uid.is_empty()
            && !version.is_empty()
            && self.uid() == uid
            && self.version == *version
            && (self.body_hash == body_hash || self.arrived_by != wire)
    }

    /// What it shares with the other objects of its informer.
    pub fn origin(&self) -> &Arc<Origin> {
        &self.origin
    }

    /// The wire format of its body.
    pub fn wire(&self) -> Wire {
        self.body.wire()
    }

    /// The whole object, decoded. It is kept decoded within the budget, for each type that was asked for: at once while
    /// there is room, otherwise from the second time on, when it takes the place of others.
    ///
    /// Threads that ask at the same time for what is kept object_bytes one decoding. What a second type takes is estimated as if it
    /// were the whole object, so that a slim struct of your own counts for more than it takes.
    pub fn decoded<K: DeserializeOwned + Send + Sync + 'static>(&self) -> Result<Arc<K>, ReadError> {
        let decoded = self.origin.budget.cache().decoded(self, || self.try_decode());
        decoded.map_err(|error| self.reported(error))
    }

    /// How many bytes its body had as the server sent it, kind, apiVersion and envelope apart.
    pub fn wire_bytes(&self) -> usize {
        self.body.raw_len()
    }

    /// How many bytes its packed body takes.
    pub fn packed_bytes(&self) -> usize {
        self.body.packed_len()
    }

    /// How many bytes it takes in all, nothing decoded.
    pub fn memory_bytes(&self) -> usize {
        // What an `Arc` puts before its value.
        let counts = 2 * size_of::<usize>();
        counts + size_of::<Self>() + self.strings.memory_bytes() + self.packed_bytes()
    }

    /// About how many bytes it takes as a `K`.
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

/// What intake read of an object, apart from its body.
pub(crate) struct StoredIdentity {
    pub(crate) strings: IdentityStrings,
    pub(crate) version: Version,
    pub(crate) generation: Option<i64>,
    pub(crate) wire: Wire,
    pub(crate) body_hash: u64,
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

    /// So that an object that was often read is known again after a change.
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
        if let Some(kept) = self.decoded_slot.take() {
            self.origin.budget.cache().release(self, kept);
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

    /// Every label with its value, sorted by key.
    pub fn iter(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.0.strings.labels(&self.0.origin.label_keys)
    }
}

/// Identity only: a body may hold secrets.
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
    fn what_a_read_of_a_kept_object_looks_at_stands_together_and_an_object_takes_little() {
        let counts = 2 * size_of::<usize>();
        assert_eq!(offset_of!(RawObject, strings), 0);
        assert!(counts + offset_of!(RawObject, decoded_slot) + size_of::<DecodedSlot>() <= 64);
        assert!(counts + offset_of!(RawObject, body) + size_of::<Body>() <= 128);
        // Allocators that hand out blocks in steps give the next one 32 bytes more.
        assert!(counts + size_of::<RawObject>() <= 160, "{}", size_of::<RawObject>());
    }
}
