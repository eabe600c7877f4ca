//! Where frames become objects: identity is read, what is known is kept, the body is transformed and packed.
//! After it nobody holds a raw frame.
//!
//! The order matters: an object that the cache already has costs a scan and a hash, and neither its transform
//! nor its packing a second time.

mod packer;
mod reservoir;

use std::fmt;
use std::sync::{Arc, OnceLock};

use twox_hash::XxHash3_64;

use crate::body::{Body, PackPool, Trained, Training, Wire};
use crate::identity::{self, Identity, ScanError};
use crate::raw::{Arrival, Head, Origin, PackStats, Strings};
use crate::{Budget, Projection, RawObject, ReadError, ResourceKind, Transform, TransformError};
use packer::Packer;

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
    #[error("reading an object's identity")]
    Malformed(#[from] ScanError),
    /// Well-formed, but without a usable identity: it is skipped, what follows is fine.
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
        /// What the object says it is.
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
    /// An object must have a name and a version, and if it says what it is, its kind and group must be this
    /// intake's. Another version of the same group is taken: its fields may read differently, but the object is
    /// the one that was asked for.
    pub fn json(&self, frame: &[u8], known: &dyn KnownObjects) -> Result<Arc<RawObject>, IntakeError> {
        let identity = identity::scan(frame)?;
        self.check_kind(&identity)?;
        let (head, rest) = self.head_and_rest(&identity, frame);
        let arrival = arrival(&identity, XxHash3_64::oneshot(rest))?;
        if let Some(same) = known.known(arrival.strings.key())
            && same.is_what_arrived(arrival.strings.uid(), &arrival.version, arrival.body_hash)
        {
            return Ok(same);
        }
        let (head, body) = match &self.transform {
            None => (head, self.packer.pack(Wire::Json, rest)),
            Some(transform) => self.transformed(transform, head, rest),
        };
        let object = RawObject::new(Arc::clone(&self.origin), arrival, head, body);
        self.packer.offer_sample(&object);
        if let Some(wake) = self.wake.get()
            && self.packer.is_training_due(self.origin.stats())
        {
            wake();
        }
        Ok(object)
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
    pub fn training_due(&self) -> Option<Training> {
        self.packer.training_due(self.origin.stats())
    }

    /// Packs what arrives from now on with what a training gave. A training of another intake changes nothing.
    pub fn adopt(&self, trained: Trained) {
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

    /// The transform sees the same bytes whether the object came from a list or a watch.
    fn transformed(&self, transform: &Transform, head: Head, rest: &[u8]) -> (Head, Body) {
        let whole = [self.origin.head(head, rest.len()).as_bytes(), rest].concat();
        let transformed = transform.apply(&whole).and_then(|json| {
            let identity = identity::scan(&json)
                .map_err(|e| TransformError { message: format!("what came out is {e}") })?;
            let (head, rest) = self.head_and_rest(&identity, &json);
            Ok((head, self.packer.pack(Wire::Json, rest)))
        });
        transformed.unwrap_or_else(|error| (head, Body::refused(Wire::Json, error)))
    }

    /// What is stored of a frame: all of it after a kind and apiVersion that can be supplied again.
    fn head_and_rest<'f>(&self, identity: &Identity<'_>, frame: &'f [u8]) -> (Head, &'f [u8]) {
        let is_ours = |said: &Option<_>, ours: &str| said.as_deref().is_none_or(|said: &str| said == ours);
        if is_ours(&identity.kind, self.origin.sent_kind())
            && is_ours(&identity.api_version, &self.origin.sent_api_version())
        {
            let head = Head { kind: !identity.rest_has_kind, api_version: !identity.rest_has_api_version };
            (head, frame[identity.rest_at..].trim_ascii_end())
        } else {
            let head = Head { kind: identity.kind.is_none(), api_version: identity.api_version.is_none() };
            let members = frame.trim_ascii().strip_prefix(b"{").unwrap_or_default();
            (head, members.trim_ascii_start())
        }
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
            || is_kind(self.origin.sent_kind(), group_of(&self.origin.sent_api_version()))
        {
            return Ok(());
        }
        let found = [identity.api_version.as_deref(), said_kind];
        Err(IntakeError::WrongKind {
            expected: format!("{}/{}", self.origin.sent_api_version(), self.origin.sent_kind()),
            found: found.into_iter().flatten().collect::<Vec<_>>().join("/"),
        })
    }
}

fn group_of(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

fn arrival(identity: &Identity<'_>, body_hash: u64) -> Result<Arrival, IntakeError> {
    let no_identity = |missing| IntakeError::NoIdentity { missing };
    if identity.name.is_empty() {
        return Err(no_identity("metadata.name"));
    }
    // A slash would make another object's key of it.
    if identity.name.contains('/') || identity.namespace.contains('/') {
        return Err(no_identity("a name that can be a key"));
    }
    Ok(Arrival {
        version: identity.version.clone().ok_or_else(|| no_identity("metadata.resourceVersion"))?,
        strings: Strings::new(identity).ok_or_else(|| no_identity("a key of sensible length"))?,
        generation: identity.generation,
        body_hash,
    })
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
