//! A typed view on an object: it decodes when someone looks, and not before.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::{RawObject, ReadError};

/// One version of one object, seen as a `K`. Identity, labels and [`field`](RawObject::field) reads need no
/// decoding; [`decoded`](Self::decoded) builds the whole.
pub struct Object<K> {
    raw: Arc<RawObject>,
    view: PhantomData<fn() -> K>,
}

impl<K> Object<K> {
    /// Looks at an object as a `K`.
    pub fn new(raw: Arc<RawObject>) -> Self {
        Object { raw, view: PhantomData }
    }

    /// The object without its view.
    pub fn raw(&self) -> &Arc<RawObject> {
        &self.raw
    }

    /// The same object, seen as another type.
    pub fn seen_as<T>(&self) -> Object<T> {
        Object::new(Arc::clone(&self.raw))
    }
}

impl<K: DeserializeOwned + Send + Sync + 'static> Object<K> {
    /// The whole object. It is decoded now, unless it still is, and kept within the factory's budget.
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

impl<K> fmt::Debug for Object<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.raw.fmt(f)
    }
}
