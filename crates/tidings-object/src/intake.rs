//! Where frames become objects: identity is read, what is known is kept, the body is transformed and packed.
//! After it nobody holds a raw frame.
//!
//! The order matters: an object that the cache already has costs a scan and a hash, and neither its transform
//! nor its packing a second time.

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
use crate::identity::{self, Identity, ScanError};
use crate::raw::{IdentityStrings, Origin, PackStats, StoredIdentity};
use crate::{Budget, Projection, RawObject, ReadError, ResourceKind, Transform};
use packer::Packer;
use reference_pool::ReferenceKey;
use unpacked_body::UnpackedBody;

/// Turns the frames of one informer into objects.
///
/// It also keeps the life of the informer's dictionary, but starts nothing itself. Whoever drives the informer
/// asks now and then whether a [training is due](Self::training_due), runs it where a core may be kept busy,
/// has the intake [adopt](Self::adopt) what came out, and then [repacks](Self::repacked) what is cached:
///
/// ```
/// # use std::sync::Arc;
/// # use k8s_openapi::api::core::v1::ConfigMap;
/// # use tidings_object::{Budget, Intake, Kind, NothingKnown, RawObject};
/// let intake = Intake::new(ConfigMap::resource(), Arc::new(Budget::default()));
/// let mut cache: Vec<Arc<RawObject>> = Vec::new();
/// for n in 0..200 {
///     let data = format!("listen 10.0.0.{n};\\n").repeat(400);
///     let frame = format!(r#"{{"metadata":{{"name":"c-{n}","resourceVersion":"{n}"}},"data":{{"conf":"{data}"}}}}"#);
///     cache.push(intake.json(frame.as_bytes(), &NothingKnown)?);
/// }
/// if let Some(training) = intake.training_due() {
///     intake.adopt(training.run());
///     for object in &mut cache {
///         if let Some(repacked) = intake.repacked(object) {
///             *object = repacked;
///         }
///     }
/// }
/// let stats = intake.pack_stats();
/// assert!(stats.packed_bytes * 10 < stats.raw_bytes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Intake {
    origin: Arc<Origin>,
    transform: Option<Transform>,
    packer: Packer,
    wake: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

/// The one look downstream: what the cache already holds. An object that did not change is reused, so that a
/// relist neither transforms nor packs it again.
pub trait KnownObjects: Send + Sync {
    /// The object now cached under this key.
    fn known(&self, key: &str) -> Option<Arc<RawObject>>;
}

/// For use without a cache.
#[derive(Debug, Clone, Copy, Default)]
pub struct NothingKnown;

impl KnownObjects for NothingKnown {
    fn known(&self, _: &str) -> Option<Arc<RawObject>> {
        None
    }
}

/// Why a frame became no object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IntakeError {
    /// The bytes are not well-formed: what follows them can't be trusted either.
    #[error("reading an object's identity: {0}")]
    Malformed(ScanError),
    /// Well-formed, but without a usable identity: it is skipped, what follows is fine. No object that has a key now
    /// could be told by it, so that leaving it out of a list deletes nothing.
    #[error("an object without {missing}")]
    NoIdentity {
        /// The missing field.
        missing: &'static str,
    },
    /// An object of another kind: it is skipped, what follows is fine.
    #[error("expected {expected}, got {found}")]
    WrongKind {
        /// `apiVersion/kind` of this intake.
        expected: String,
        /// What the object equals it is.
        found: String,
    },
    /// A protobuf message whose fields nobody told us: it is skipped, what follows is fine.
    #[error("the protobuf of {found} is not known")]
    UnknownMessage {
        /// What the message is, as `apiVersion/kind`.
        found: String,
    },
}

impl Intake {
    /// An intake for one resource; decoded objects are kept within `budget`.
    pub fn new(resource: ResourceKind, budget: Arc<Budget>) -> Intake {
        let packer = Packer::new(&resource, Arc::default());
        let origin = Arc::new(Origin::new(resource, Projection::Full, budget));
        Intake { origin, transform: None, packer, wake: OnceLock::new() }
    }

    /// With a transform, which runs once for each version of an object.
    #[must_use]
    pub fn with_transform(mut self, transform: Transform) -> Intake {
        self.transform = Some(transform);
        self
    }

    /// For whole objects or their metadata only, which the server sends as `PartialObjectMetadata`.
    #[must_use]
    pub fn with_projection(mut self, projection: Projection) -> Intake {
        let Origin { resource, budget, .. } = &*self.origin;
        self.origin = Arc::new(Origin::new(resource.clone(), projection, Arc::clone(budget)));
        self
    }

    /// With contexts for packing that are shared with other intakes.
    #[must_use]
    pub fn with_pool(mut self, pool: Arc<PackPool>) -> Intake {
        self.packer = Packer::new(&self.origin.resource, pool);
        self
    }

    /// What its objects share.
    pub fn origin(&self) -> &Arc<Origin> {
        &self.origin
    }

    /// Takes one JSON object in. An unchanged object is the cache's own `Arc`.
    ///
    /// An object must have a name and a version, and if it equals what it is, its kind and group must be this
    /// intake's. Another version of the same group is taken: its fields may read differently, but the object is
    /// the one that was asked for.
    ///
    /// Nothing else that an object contains keeps it out: what is wrong is the error of its reader. Bytes that are no
    /// UTF-8 are [repaired](repaired_utf8), as Go's decoder does it: kube-apiserver passes JSON inside an object on as
    /// it came, and does not check it for UTF-8.
    pub fn json(&self, frame: &[u8], known: &dyn KnownObjects) -> Result<Arc<RawObject>, IntakeError> {
        match self.utf8_json(frame, known) {
            Err(IntakeError::Malformed(_)) if str::from_utf8(frame).is_err() => {
                self.utf8_json(repaired_utf8(frame).as_bytes(), known)
            }
            taken => taken,
        }
    }

    fn utf8_json(&self, frame: &[u8], known: &dyn KnownObjects) -> Result<Arc<RawObject>, IntakeError> {
        // A transform may change what stands there: then it is read afterwards.
        let paths = self.origin.prefetched.iter().filter(|_| self.transform.is_none());
        let mut walk = PathWalk::new(paths);
        let identity = identity::scan_with_paths(frame, &mut walk)?;
        self.check_kind(&identity)?;
        let (prefix, rest) = self.prefix_and_rest(&identity, frame);
        let identity_record = self.identity_record(&identity, Wire::Json, XxHash3_64::oneshot(rest))?;
        Ok(self.known_or_new(identity_record, known, || self.unpacked_json(prefix, rest, walk)))
    }

    /// Takes one protobuf message in, such as a `v1.Pod`, which came in an envelope that equals what it is, or in a
    /// list. The rules are those of [`json`](Self::json); what is checked of the bytes tells
    /// [`scan_protobuf`](identity::scan_protobuf).
    pub fn protobuf(
        &self,
        type_meta: TypeMeta<'_>,
        message: &[u8],
        known: &dyn KnownObjects,
    ) -> Result<Arc<RawObject>, IntakeError> {
        let identity = Identity {
            kind: type_meta.kind.filter(|kind| !kind.is_empty()).map(Cow::Borrowed),
            api_version: type_meta.api_version.filter(|version| !version.is_empty()).map(Cow::Borrowed),
            ..identity::scan_protobuf(message)?
        };
        self.check_kind(&identity)?;
        let message_type = self.message_type(&identity)?;
        let identity_record =
            self.identity_record(&identity, Wire::Protobuf, XxHash3_64::oneshot(message))?;
        Ok(self.known_or_new(identity_record, known, || self.unpacked_protobuf(message_type, message)))
    }

    /// Whether it can take protobuf in: its kind's messages are known, or it takes metadata only, which every kind
    /// has.
    pub fn speaks_protobuf(&self) -> bool {
        self.origin.message().is_some()
    }

    fn known_or_new<'f>(
        &self,
        mut identity_record: StoredIdentity,
        known: &dyn KnownObjects,
        unpacked: impl FnOnce() -> UnpackedBody<'f>,
    ) -> Arc<RawObject> {
        if let Some(same) = known.known(identity_record.strings.key())
            && same.is_what_arrived(&identity_record)
        {
            return same;
        }
        let UnpackedBody { prefix, wire, raw, prefetched } = unpacked();
        let body = match raw {
            Ok(raw) => {
                let family = ReferenceKey::new(wire, identity_record.strings.controller_uid());
                self.packer.pack(family, &raw, self.origin.stats())
            }
            Err(error) => Body::refused(wire, error),
        };
        identity_record.strings.add_prefetched(prefetched.into_iter());
        let object = RawObject::new(Arc::clone(&self.origin), identity_record, prefix, body);
        self.packer.offer_sample(&object);
        if let Some(wake) = self.wake.get()
            && self.packer.is_training_due(self.origin.stats())
        {
            wake();
        }
        object
    }

    /// Calls this once for each object that someone could not decode. Only the first call of this counts.
    pub fn on_unreadable(&self, tell: impl Fn(&ReadError) + Send + Sync + 'static) {
        self.origin.on_unreadable(Box::new(tell));
    }

    /// Calls this whenever an object arrives and a training is due: long lists arrive before anybody would think
    /// of asking. Only the first call of this counts.
    pub fn on_training_due(&self, wake: impl Fn() + Send + Sync + 'static) {
        let _ = self.wake.set(Box::new(wake));
    }

    /// A training that would now pay, if none is under way. Asking is cheap.
    pub fn training_due(&self) -> Option<DictionaryTraining> {
        self.packer.training_due(self.origin.stats())
    }

    /// Packs what arrives from now on with what a training gave. A training of another intake changes nothing.
    pub fn adopt(&self, trained: TrainedDictionary) {
        self.packer.adopt(trained);
    }

    /// The same object, packed with the dictionary of now; `None` if it is already, or gains nothing by it.
    /// What was decoded of the old one stays with the old one.
    pub fn repacked(&self, object: &RawObject) -> Option<Arc<RawObject>> {
        self.packer.repack(object.body()).map(|body| object.with_body(body))
    }

    /// What its living objects take.
    pub fn pack_stats(&self) -> PackStats {
        PackStats { dictionary_bytes: self.packer.dictionary_bytes(), ..self.origin.stats() }
    }

    fn check_kind(&self, identity: &Identity<'_>) -> Result<(), IntakeError> {
        let resource = &self.origin.resource;
        let said_kind = identity.kind.as_deref();
        let said_group = identity.api_version.as_deref().map(group_of);
        let is_kind = |kind: &str, group: &str| {
            said_kind.is_none_or(|said| said == kind) && said_group.is_none_or(|said| said == group)
        };
        // A server that knows no partial metadata sends whole objects instead.
        if is_kind(&resource.kind, &resource.group)
            || is_kind(self.origin.sent_kind(), group_of(self.origin.sent_api_version()))
        {
            return Ok(());
        }
        Err(IntakeError::WrongKind {
            expected: format!("{}/{}", self.origin.sent_api_version(), self.origin.sent_kind()),
            found: type_name(TypeMeta { api_version: identity.api_version.as_deref(), kind: said_kind }),
        })
    }

    fn identity_record(
        &self,
        identity: &Identity<'_>,
        wire: Wire,
        body_hash: u64,
    ) -> Result<StoredIdentity, IntakeError> {
        let no_identity = |missing| IntakeError::NoIdentity { missing };
        if identity.name.is_empty() {
            return Err(no_identity("metadata.name"));
        }
        // A slash would make another object's key of it.
        if identity.name.contains('/') || identity.namespace.contains('/') {
            return Err(no_identity("a name that can be a key"));
        }
        Ok(StoredIdentity {
            version: identity.version.clone().ok_or_else(|| no_identity("metadata.resourceVersion"))?,
            strings: IdentityStrings::new(identity, &self.origin.label_keys),
            generation: identity.generation,
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

/// `apiVersion/kind`, as far as it is said.
fn type_name(said: TypeMeta<'_>) -> String {
    [said.api_version, said.kind].into_iter().flatten().collect::<Vec<_>>().join("/")
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
