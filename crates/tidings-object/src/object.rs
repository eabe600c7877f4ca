//! A typed view on an object, which decodes the object only on request.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::{RawObject, ReadError};

/// One version of one object, viewed as a `K`. Identity, labels and [`field`](RawObject::field) reads need no decoding;
/// [`decoded`](Self::decoded) decodes the whole object.
///
/// ```
/// # use std::sync::Arc;
/// # use k8s_openapi::api::core::v1::Pod;
/// # use tidings_object::{Budget, Intake, Kind, NothingKnown, Object, ResourceKind};
/// #[derive(serde::Deserialize)]
/// struct PodPhase { status: Status }
/// #[derive(serde::Deserialize)]
/// struct Status { phase: String }
///
/// # let intake = Intake::new(Pod::resource(), Arc::new(Budget::default()));
/// # let frame = br#"{"metadata":{"name":"a","resourceVersion":"1"},"status":{"phase":"Running"}}"#;
/// # let raw = intake.json(frame, &NothingKnown)?;
/// let pod: Object<Pod> = Object::new(raw);
/// let slim = pod.cast::<PodPhase>().decoded()?; // another view on the same bytes
/// assert_eq!(slim.status.phase, "Running");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Object<K> {
    raw: Arc<RawObject>,
    view: PhantomData<fn() -> K>,
}

impl<K> Object<K> {
    /// A view on an object as a `K`.
    pub fn new(raw: Arc<RawObject>) -> Self {
        Object { raw, view: PhantomData }
    }

    /// The object without a type.
    pub fn raw(&self) -> &Arc<RawObject> {
        &self.raw
    }

    /// The object without a type. No reference count changes.
    pub fn into_raw(self) -> Arc<RawObject> {
        self.raw
    }

    /// A view on the same object as another type.
    pub fn cast<T>(&self) -> Object<T> {
        Object::new(Arc::clone(&self.raw))
    }
}

impl<K: DeserializeOwned + Send + Sync + 'static> Object<K> {
    /// The whole object, decoded now or kept from before. See [`RawObject::decoded`].
    pub fn decoded(&self) -> Result<Arc<K>, ReadError> {
        self.raw.decoded()
    }
}

impl<K> Deref for Object<K> {
    type Target = RawObject;
    fn deref(&self) -> &RawObject {
        &self.raw
    }
}

impl<K> Clone for Object<K> {
    fn clone(&self) -> Self {
        Object::new(Arc::clone(&self.raw))
    }
}

/// Two views are equal if they show the same version of the same object: the same uid, version and body. An object
/// without a uid or a version is equal only to its clones.
impl<K> PartialEq for Object<K> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.raw, &other.raw) || self.raw.is_unchanged(&other.raw)
    }
}

impl<K> Eq for Object<K> {}

impl<K> fmt::Debug for Object<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.raw.fmt(f)
    }
}
