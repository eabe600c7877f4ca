//! Reads from an informer's cache, typed. Nothing is decoded until someone looks into an object.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use tidings_object::{Key, LabelSelector, Object, RawObject, ResourceKind, Version};

use crate::indexer::{IndexError, Reader, Snapshot};
use crate::informer::{Lease, SharedInformer};

/// Reads the cache of one informer, seen as a `K`.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use tidings_informer::lister::Lister;
///
/// # fn example(pods: Lister<Pod>) -> Result<(), Box<dyn std::error::Error>> {
/// let web = pods.namespace("default").get("web-0")?; // nothing is decoded yet
/// let phase = web.field(".status.phase")?;           // one field, from the bytes
/// let pod = web.decoded()?;                          // an Arc<Pod>, kept within the budget
/// let frontends = pods.select(&"tier=frontend".parse()?);
/// # Ok(())
/// # }
/// ```
pub struct Lister<K> {
    reader: Reader,
    resource: ResourceKind,
    lease: Option<Arc<Lease>>,
    view: PhantomData<fn() -> K>,
}

/// Why an object was not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GetError {
    /// The cache has no such object; the API would answer 404.
    #[error("{resource} {name:?} not found")]
    NotFound {
        /// The plural with its group, such as `deployments.apps`.
        resource: String,
        /// The object's name, with its namespace if it has one.
        name: String,
    },
    /// A namespaced lister needs a namespace.
    #[error("listing {resource} in a namespace needs its name; for all namespaces use the lister itself")]
    EmptyNamespace {
        /// The plural with its group.
        resource: String,
    },
}

impl GetError {
    /// Whether the object is not there.
    pub fn is_not_found(&self) -> bool {
        matches!(self, GetError::NotFound { .. })
    }
}

/// Here and not beside the handle, which knows nothing of listers.
impl<K> SharedInformer<K> {
    /// Reads from the cache.
    pub fn lister(&self) -> Lister<K> {
        Lister::new(self.reader().clone(), self.resource().clone(), Some(Arc::clone(self.lease())))
    }
}

impl<K> Lister<K> {
    fn new(reader: Reader, resource: ResourceKind, lease: Option<Arc<Lease>>) -> Self {
        Lister { reader, resource, lease, view: PhantomData }
    }

    /// Reads an indexer that no informer stands behind.
    pub fn over(reader: Reader, resource: ResourceKind) -> Self {
        Lister::new(reader, resource, None)
    }

    /// The same cache, seen as another type.
    #[must_use]
    pub fn seen_as<T>(self) -> Lister<T> {
        Lister::new(self.reader, self.resource, self.lease)
    }

    /// The object with this key: `namespace/name`, or `name` in cluster scope.
    pub fn get(&self, key: &str) -> Result<Object<K>, GetError> {
        let found = self.reader.get(key).map(Object::new);
        found.ok_or_else(|| GetError::NotFound { resource: self.resource.to_string(), name: key.to_owned() })
    }

    /// Everything, in no particular order.
    pub fn list(&self) -> Vec<Object<K>> {
        seen(self.reader.list())
    }

    /// Everything whose labels match. Nothing is decoded.
    pub fn select(&self, selector: &LabelSelector) -> Vec<Object<K>> {
        seen(self.reader.select(None, selector))
    }

    /// The keys of everything, in no particular order.
    pub fn keys(&self) -> Vec<Key> {
        self.reader.keys()
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.reader.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The objects that an index has under a value.
    pub fn by_index(&self, index: &str, value: &str) -> Result<Vec<Object<K>>, IndexError> {
        self.reader.by_index(index, value).map(seen)
    }

    /// The objects that every one of these indexes has under its value.
    pub fn by_indexes(&self, all_of: &[(&str, &str)]) -> Result<Vec<Object<K>>, IndexError> {
        self.reader.by_indexes(all_of).map(seen)
    }

    /// The keys that an index has under a value, sorted.
    pub fn index_keys(&self, index: &str, value: &str) -> Result<Vec<Key>, IndexError> {
        self.reader.index_keys(index, value)
    }

    /// The values that an index has now.
    pub fn index_values(&self, index: &str) -> Result<Vec<String>, IndexError> {
        self.reader.index_values(index)
    }

    /// The version up to which every change can be read.
    pub fn version(&self) -> Option<Version> {
        self.reader.version()
    }

    /// One consistent view of all objects and indexes.
    pub fn snapshot(&self) -> Snapshot {
        self.reader.snapshot()
    }

    /// Reads one namespace.
    pub fn namespace<'a>(&'a self, namespace: &'a str) -> NamespaceLister<'a, K> {
        NamespaceLister { lister: self, namespace }
    }
}

/// Reads one namespace of an informer's cache.
pub struct NamespaceLister<'a, K> {
    lister: &'a Lister<K>,
    namespace: &'a str,
}

impl<K> NamespaceLister<'_, K> {
    /// The object with this name.
    pub fn get(&self, name: &str) -> Result<Object<K>, GetError> {
        self.check()?;
        self.lister.get(&[self.namespace, "/", name].concat())
    }

    /// Everything in the namespace.
    pub fn list(&self) -> Result<Vec<Object<K>>, GetError> {
        self.check()?;
        Ok(seen(self.lister.reader.namespace(self.namespace)))
    }

    /// Everything in the namespace whose labels match.
    pub fn select(&self, selector: &LabelSelector) -> Result<Vec<Object<K>>, GetError> {
        self.check()?;
        Ok(seen(self.lister.reader.select(Some(self.namespace), selector)))
    }

    fn check(&self) -> Result<(), GetError> {
        match self.namespace.is_empty() {
            true => Err(GetError::EmptyNamespace { resource: self.lister.resource.to_string() }),
            false => Ok(()),
        }
    }
}

fn seen<K>(objects: Vec<Arc<RawObject>>) -> Vec<Object<K>> {
    objects.into_iter().map(Object::new).collect()
}

impl<K> Clone for Lister<K> {
    fn clone(&self) -> Self {
        Lister::new(self.reader.clone(), self.resource.clone(), self.lease.clone())
    }
}

impl<K> fmt::Debug for Lister<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lister").field("resource", &self.resource).field("objects", &self.len()).finish()
    }
}
