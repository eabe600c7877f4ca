//! Intake turns frames into objects: it reads the identity, reuses an unchanged object of the cache, and transforms and
//! packs the body. After intake, nothing refers to the frame.
//!
//! The order matters: an object that the cache already has costs a scan and a hash, and is neither transformed nor
//! packed again.
//!
//! An intake also decides when to train a dictionary, but it starts no thread. The task of the informer asks whether a
//! training is due, runs it where it may block, lets the intake adopt the result, and repacks the cache:
//!
//! ```
//! # use std::sync::Arc;
//! # use k8s_openapi::api::core::v1::ConfigMap;
//! # use tidings_object::{Budget, Intake, Kind, NothingKnown, RawObject};
//! let intake = Intake::new(ConfigMap::resource(), Arc::new(Budget::default()));
//! let mut cache: Vec<Arc<RawObject>> = Vec::new();
//! for n in 0..200 {
//!     let data = format!("listen 10.0.0.{n};\\n").repeat(400);
//!     let frame = format!(r#"{{"metadata":{{"name":"c-{n}","resourceVersion":"{n}"}},"data":{{"conf":"{data}"}}}}"#);
//!     cache.push(intake.json(frame.as_bytes(), &NothingKnown)?);
//! }
//! if let Some(training) = intake.training_due() {
//!     intake.adopt(training.run());
//!     for object in &mut cache {
//!         if let Some(repacked) = intake.repacked(object) {
//!             *object = repacked;
//!         }
//!     }
//! }
//! let stats = intake.pack_stats();
//! assert!(stats.packed_bytes * 10 < stats.raw_bytes);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod packer;
mod reference_pool;
mod reservoir;
mod unpacked_body;

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use tidings_protobuf::{TypeMeta, repaired_utf8};
use twox_hash::XxHash3_64;

use crate::body::{Body, DictionaryTraining, PackPool, TrainedDictionary, Wire};
use crate::field::PathWalk;
use crate::identity::{Identity, ScanError};
use crate::raw::{IdentityStrings, Origin, PackStats, StoredIdentity};
use crate::{Budget, Projection, RawObject, ReadError, ResourceKind, Transform};
use packer::Packer;
use reference_pool::ReferenceKey;
use unpacked_body::UnpackedBody;

/// Turns the frames of one informer into objects.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use tidings_object::{Intake, Kind, NothingKnown};
///
/// let intake = Intake::new(Pod::resource(), Default::default());
/// let frame = br#"{"metadata":{"name":"web-0","namespace":"shop","resourceVersion":"7"}}"#;
/// assert_eq!(intake.json(frame, &NothingKnown)?.key().as_str(), "shop/web-0");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Intake {
    origin: Arc<Origin>,
    transform: Option<Transform>,
    packer: Packer,
    on_training_due: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

/// Looks up cached objects. Intake reuses an object that did not change, so that a relist neither transforms nor packs
/// it again.
pub trait KnownObjects: Send + Sync {
    /// The object that is cached under this key.
    fn known(&self, key: &str) -> Option<Arc<RawObject>>;
}

/// A cache without objects.
#[derive(Debug, Clone, Copy, Default)]
pub struct NothingKnown;

impl KnownObjects for NothingKnown {
    fn known(&self, _: &str) -> Option<Arc<RawObject>> {
        None
    }
}

/// A frame is not an object of this intake.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IntakeError {
    /// The bytes are not well-formed, so that the bytes after them can't be trusted either.
    #[error("reading the identity of an object: {0}")]
    Malformed(ScanError),
    /// The object is well-formed, but has no usable identity. It is skipped. No cached object can have this identity,
    /// so that skipping it in a list deletes nothing.
    #[error("an object without {missing}")]
    NoIdentity {
        /// The missing field.
        missing: &'static str,
    },
    /// The object is of another kind. It is skipped.
    #[error("expected {expected}, got {found}")]
    WrongKind {
        /// `apiVersion/kind` of this intake.
        expected: String,
        /// `apiVersion/kind` of the object.
        found: String,
    },
    /// The table has no protobuf message for the type. The object is skipped.
    #[error("the protobuf message of {found} is not known")]
    UnknownMessage {
        /// `apiVersion/kind` of the message.
        found: String,
    },
}

impl Intake {
    /// An intake for one resource. Decoded objects are kept within `budget`.
    pub fn new(resource: ResourceKind, budget: Arc<Budget>) -> Intake {
        let packer = Packer::new(&resource, Arc::default());
        let origin = Arc::new(Origin::new(resource, Projection::Full, budget));
        Intake { origin, transform: None, packer, on_training_due: OnceLock::new() }
    }

    /// Sets a transform, which runs once for each version of an object.
    #[must_use]
    pub fn with_transform(mut self, transform: Transform) -> Intake {
        self.transform = Some(transform);
        self
    }

    /// Sets whether the server sends whole objects or only their metadata, as `PartialObjectMetadata`.
    #[must_use]
    pub fn with_projection(mut self, projection: Projection) -> Intake {
        let Origin { resource, budget, .. } = &*self.origin;
        self.origin = Arc::new(Origin::new(resource.clone(), projection, Arc::clone(budget)));
        self
    }

    /// Sets the compression contexts, which several intakes share.
    #[doc(hidden)]
    #[must_use]
    pub fn with_pool(mut self, pool: Arc<PackPool>) -> Intake {
        self.packer = Packer::new(&self.origin.resource, pool);
        self
    }

    /// The state that all its objects share.
    #[doc(hidden)]
    pub fn origin(&self) -> &Arc<Origin> {
        &self.origin
    }

    /// Takes in one JSON object. For an unchanged object it returns the `Arc` of the cache.
    ///
    /// The object must have a name and a version. If it has a kind and an apiVersion, kind and group must be those of
    /// this intake. Another version of the same group is accepted: its fields may differ, but the object is the
    /// requested one.
    ///
    /// Nothing else in an object is an error here: errors are left to the readers of the body. Bytes that are not UTF-8
    /// are [repaired](repaired_utf8), as in Go's decoder, because kube-apiserver copies JSON inside an object without
    /// checking it for UTF-8.
    pub fn json(&self, frame: &[u8], known: &dyn KnownObjects) -> Result<Arc<RawObject>, IntakeError> {
        match self.utf8_json(frame, known) {
            Err(IntakeError::Malformed(_)) if str::from_utf8(frame).is_err() => {
                self.utf8_json(repaired_utf8(frame).as_bytes(), known)
            }
            taken => taken,
        }
    }

    fn utf8_json(&self, frame: &[u8], known: &dyn KnownObjects) -> Result<Arc<RawObject>, IntakeError> {
        // A transform may change these fields: then they are read after it.
        let paths = self.origin.prefetched.iter().filter(|_| self.transform.is_none());
        let mut walk = PathWalk::new(paths);
        let identity = Identity::from_json_with_paths(frame, &mut walk)?;
        self.check_kind(&identity)?;
        let (prefix, rest) = self.prefix_and_rest(&identity, frame);
        let stored_identity = self.stored_identity(&identity, Wire::Json, XxHash3_64::oneshot(rest))?;
        Ok(self.known_or_new(stored_identity, known, || self.unpacked_json(prefix, rest, walk)))
    }

    /// Takes in one protobuf message, such as a `v1.Pod`, from an envelope, which has its type, or from a list. The
    /// rules are those of [`json`](Self::json). [`Identity::from_protobuf`] documents which bytes are checked.
    pub fn protobuf(
        &self,
        type_meta: TypeMeta<'_>,
        message: &[u8],
        known: &dyn KnownObjects,
    ) -> Result<Arc<RawObject>, IntakeError> {
        let identity = Identity {
            kind: type_meta.kind.filter(|kind| !kind.is_empty()).map(Cow::Borrowed),
            api_version: type_meta.api_version.filter(|version| !version.is_empty()).map(Cow::Borrowed),
            ..Identity::from_protobuf(message)?
        };
        self.check_kind(&identity)?;
        let message_type = self.message_type(&identity)?;
        let stored_identity =
            self.stored_identity(&identity, Wire::Protobuf, XxHash3_64::oneshot(message))?;
        Ok(self.known_or_new(stored_identity, known, || self.unpacked_protobuf(message_type, message)))
    }

    /// Whether it accepts protobuf: the table has the message of its kind, or it takes only metadata.
    pub fn accepts_protobuf(&self) -> bool {
        self.origin.message().is_some()
    }

    fn known_or_new<'f>(
        &self,
        mut stored_identity: StoredIdentity<String>,
        known: &dyn KnownObjects,
        unpacked: impl FnOnce() -> UnpackedBody<'f>,
    ) -> Arc<RawObject> {
        if let Some(same) = known.known(stored_identity.strings.key())
            && same.has_identity(&stored_identity)
        {
            return same;
        }
        let UnpackedBody { prefix, wire, raw, prefetched } = unpacked();
        let body = match raw {
            Ok(raw) => {
                let family = ReferenceKey::new(wire, stored_identity.strings.controller_uid());
                self.packer.pack(family, &raw, self.origin.stats())
            }
            Err(error) => Body::refused(wire, error),
        };
        stored_identity.strings.add_prefetched(prefetched.into_iter());
        let identity = stored_identity.without_spare_capacity();
        let object = RawObject::new(Arc::clone(&self.origin), identity, prefix, body);
        self.packer.offer_sample(&object);
        if let Some(wake) = self.on_training_due.get()
            && self.packer.is_training_due(self.origin.stats())
        {
            wake();
        }
        object
    }

    /// Sets a hook that is called for the first decoding error of each object. The first hook stays.
    #[doc(hidden)]
    pub fn on_unreadable(&self, report: impl Fn(&ReadError) + Send + Sync + 'static) {
        self.origin.on_unreadable(Box::new(report));
    }

    /// Sets a hook that is called when an object arrives and a training is due. A long first list needs it: it arrives
    /// before the informer would ask. The first hook stays.
    #[doc(hidden)]
    pub fn on_training_due(&self, wake: impl Fn() + Send + Sync + 'static) {
        let _ = self.on_training_due.set(Box::new(wake));
    }

    /// A training that pays off now, if none is running. The call is cheap.
    #[doc(hidden)]
    pub fn training_due(&self) -> Option<DictionaryTraining> {
        self.packer.training_due(self.origin.stats())
    }

    /// Packs new bodies with the result of a training. The result of another intake is ignored.
    #[doc(hidden)]
    pub fn adopt(&self, trained: TrainedDictionary) {
        self.packer.adopt(trained);
    }

    /// The same object, packed with the current dictionary; `None` if it already is, or if that saves nothing. Decoded
    /// values stay with the old object.
    #[doc(hidden)]
    pub fn repacked(&self, object: &RawObject) -> Option<Arc<RawObject>> {
        self.packer.repack(object.body()).map(|body| object.with_body(body))
    }

    /// The memory of its live objects.
    #[doc(hidden)]
    pub fn pack_stats(&self) -> PackStats {
        PackStats { dictionary_bytes: self.packer.dictionary_bytes(), ..self.origin.stats() }
    }

    fn check_kind(&self, identity: &Identity<'_>) -> Result<(), IntakeError> {
        let resource = &self.origin.resource;
        let found_kind = identity.kind.as_deref();
        let found_group = identity.api_version.as_deref().map(group_of);
        let is_kind = |kind: &str, group: &str| {
            found_kind.is_none_or(|found| found == kind) && found_group.is_none_or(|found| found == group)
        };
        // A server without partial metadata sends whole objects instead.
        if is_kind(&resource.kind, &resource.group)
            || is_kind(self.origin.sent_kind(), group_of(self.origin.sent_api_version()))
        {
            return Ok(());
        }
        Err(IntakeError::WrongKind {
            expected: format!("{}/{}", self.origin.sent_api_version(), self.origin.sent_kind()),
            found: type_name(TypeMeta { api_version: identity.api_version.as_deref(), kind: found_kind }),
        })
    }

    fn stored_identity(
        &self,
        identity: &Identity<'_>,
        wire: Wire,
        body_hash: u64,
    ) -> Result<StoredIdentity<String>, IntakeError> {
        let no_identity = |missing| IntakeError::NoIdentity { missing };
        if identity.name.is_empty() {
            return Err(no_identity("metadata.name"));
        }
        // With a slash, the key could be that of another object.
        if identity.name.contains('/') || identity.namespace.contains('/') {
            return Err(no_identity("a name that can be a key"));
        }
        Ok(StoredIdentity {
            version: identity.version.clone().ok_or_else(|| no_identity("metadata.resourceVersion"))?,
            strings: IdentityStrings::new(identity, &self.origin.label_keys),
            wire,
            body_hash,
        })
    }
}

impl From<ScanError> for IntakeError {
    fn from(error: ScanError) -> Self {
        match error {
            ScanError::NoObject => IntakeError::NoIdentity { missing: "metadata" },
            error @ (ScanError::Json(_) | ScanError::Protobuf(_)) => IntakeError::Malformed(error),
        }
    }
}

/// `apiVersion/kind`, as far as they are known.
fn type_name(type_meta: TypeMeta<'_>) -> String {
    [type_meta.api_version, type_meta.kind].into_iter().flatten().collect::<Vec<_>>().join("/")
}

fn group_of(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

impl fmt::Debug for Intake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Intake")
            .field("resource", &self.origin.resource)
            .field("transform", &self.transform)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
