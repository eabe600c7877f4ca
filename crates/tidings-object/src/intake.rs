//! Where frames become objects: identity is read, what is known is kept, the body is transformed and packed.
//! After it nobody holds a raw frame.

use std::sync::Arc;

use crate::body::{Body, Wire};
use crate::identity::{self, Identity, ScanError};
use crate::raw::Origin;
use crate::{Budget, RawObject, ResourceKind, Transform};

/// Turns the frames of one informer into objects.
#[derive(Debug)]
pub struct Intake {
    origin: Arc<Origin>,
    transform: Option<Transform>,
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
    #[error("expected a {expected}, got a {found}")]
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
        Intake { origin: Arc::new(Origin { resource, budget }), transform: None }
    }

    /// With a transform, which runs once for each version of an object.
    #[must_use]
    pub fn with_transform(mut self, transform: Transform) -> Intake {
        self.transform = Some(transform);
        self
    }

    /// What its objects share.
    pub fn origin(&self) -> &Arc<Origin> {
        &self.origin
    }

    /// Takes one JSON object in. An unchanged object is the cache's own `Arc`.
    pub fn json(&self, frame: &[u8], known: &dyn KnownObjects) -> Result<Arc<RawObject>, IntakeError> {
        let identity = identity::scan(frame)?;
        self.check(&identity)?;
        let bytes = match &self.transform {
            None => Ok(frame.to_vec()),
            Some(transform) => transform.apply(frame),
        };
        let body = match bytes {
            Ok(bytes) => Body::plain(Wire::Json, &bytes),
            Err(error) => Body::refused(Wire::Json, error),
        };
        let hash = twox_hash::XxHash3_64::oneshot(&frame[identity.rest_at..]);
        let object = RawObject::new(Arc::clone(&self.origin), &identity, hash, body);
        match known.known(&object.key()) {
            Some(same) if same.is_unchanged(&object) => Ok(same),
            _ => Ok(Arc::new(object)),
        }
    }

    fn check(&self, identity: &Identity<'_>) -> Result<(), IntakeError> {
        let resource = &self.origin.resource;
        let same_kind = identity.kind.as_ref().is_none_or(|kind| *kind == resource.kind);
        if !same_kind {
            return Err(IntakeError::WrongKind {
                expected: resource.kind.to_string(),
                found: identity.kind.as_deref().unwrap_or_default().to_owned(),
            });
        }
        match (identity.name.is_empty(), &identity.version) {
            (true, _) => Err(IntakeError::NoIdentity { missing: "metadata.name" }),
            (_, None) => Err(IntakeError::NoIdentity { missing: "metadata.resourceVersion" }),
            _ => Ok(()),
        }
    }
}
