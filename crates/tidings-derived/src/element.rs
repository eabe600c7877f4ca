//! What a collection holds: values with a key.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use tidings_object::{Object, RawObject};

use crate::persistent_map::Named;

/// A value that knows its key. Keys are unique within a collection.
///
/// ```
/// use std::borrow::Cow;
/// use tidings_derived::Keyed;
///
/// #[derive(Clone, PartialEq, Eq)]
/// struct Workload { namespace: String, name: String, app: String }
///
/// impl Keyed for Workload {
///     fn key(&self) -> Cow<'_, str> {
///         format!("{}/{}", self.namespace, self.name).into()
///     }
///     fn label(&self, key: &str) -> Option<&str> {
///         (key == "app").then_some(&*self.app)        // `select` reads labels through this
///     }
/// }
/// ```
///
/// A pair of a text and a value has the text as its key: `(String, u64)` needs no implementation.
pub trait Keyed {
    /// The key. It must be the same on each call. `namespace/name` is the usual form; any text works.
    fn key(&self) -> Cow<'_, str>;

    /// The value of one label, for selectors. By default a value has no labels.
    fn label(&self, key: &str) -> Option<&str> {
        let _ = key;
        None
    }

    /// The object, if this is one. Dependencies by field need it.
    #[doc(hidden)]
    fn raw_object(&self) -> Option<&RawObject> {
        None
    }
}

/// What a collection may hold: any value with a key that can be cloned, compared and sent between threads. This is
/// implemented for all such types.
pub trait Element: Keyed + Clone + Eq + Send + Sync + 'static {}

impl<E: Keyed + Clone + Eq + Send + Sync + 'static> Element for E {}

impl<K> Keyed for Object<K> {
    fn key(&self) -> Cow<'_, str> {
        Cow::Borrowed(RawObject::key(self).as_str())
    }

    fn label(&self, key: &str) -> Option<&str> {
        self.labels().value(key)
    }

    fn raw_object(&self) -> Option<&RawObject> {
        Some(self.raw())
    }
}

impl<S: AsRef<str>, V> Keyed for (S, V) {
    fn key(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.0.as_ref())
    }
}

/// One value of a collection. A clone copies a pointer.
pub struct Value<E>(Repr<E>);

enum Repr<E> {
    /// A value that a function returned, with its key.
    Computed(Arc<(Arc<str>, E)>),
    /// An object of an informer's cache, which knows its key. Behind a pointer, so that a `Value` has the size of one,
    /// however large the values of other collections are.
    Cached(Arc<E>),
}

impl<E: Keyed> Value<E> {
    pub(crate) fn computed(value: E) -> Self {
        let key = value.key().into();
        Value(Repr::Computed(Arc::new((key, value))))
    }

    /// For elements whose key is borrowed from themselves.
    pub(crate) fn cached(value: E) -> Self {
        Value(Repr::Cached(Arc::new(value)))
    }

    /// Its key.
    pub fn key(&self) -> Cow<'_, str> {
        match &self.0 {
            Repr::Computed(entry) => Cow::Borrowed(&entry.0),
            Repr::Cached(value) => value.key(),
        }
    }

    /// Its key, shared where it is stored as such.
    pub(crate) fn shared_key(&self) -> Arc<str> {
        match &self.0 {
            Repr::Computed(entry) => Arc::clone(&entry.0),
            Repr::Cached(value) => value.key().into(),
        }
    }
}

impl<E> Value<E> {
    /// Whether both are the same allocation.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Repr::Computed(one), Repr::Computed(other)) => Arc::ptr_eq(one, other),
            (Repr::Cached(one), Repr::Cached(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl<E: Keyed> Named for Value<E> {
    fn name(&self) -> &str {
        match &self.0 {
            Repr::Computed(entry) => &entry.0,
            Repr::Cached(value) => match value.key() {
                Cow::Borrowed(key) => key,
                Cow::Owned(_) => "",
            },
        }
    }
}

impl<E> Deref for Value<E> {
    type Target = E;

    fn deref(&self) -> &E {
        match &self.0 {
            Repr::Computed(entry) => &entry.1,
            Repr::Cached(value) => value,
        }
    }
}

impl<E> Clone for Value<E> {
    fn clone(&self) -> Self {
        Value(match &self.0 {
            Repr::Computed(entry) => Repr::Computed(Arc::clone(entry)),
            Repr::Cached(value) => Repr::Cached(Arc::clone(value)),
        })
    }
}

impl<E: PartialEq> PartialEq for Value<E> {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || **self == **other
    }
}

impl<E: Eq> Eq for Value<E> {}

impl<E: fmt::Debug> fmt::Debug for Value<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
