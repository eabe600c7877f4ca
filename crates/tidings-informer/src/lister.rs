//! Typed reads from the cache of an informer. Nothing is decoded until [`Object::decoded`] is called.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use tidings_object::{Key, LabelSelector, Object, RawObject, ReadError, ResourceKind, Version};

use crate::indexer::{IndexError, Reader, Snapshot};
use crate::informer::{KeepAlive, SharedInformer};

/// Reads the cache of one informer, seen as a `K`. Reads never wait for the informer, and never make a request.
///
/// ```
/// use k8s_openapi::api::core::v1::Pod;
/// use tidings_informer::Lister;
///
/// # fn example(pods: Lister<Pod>) -> Result<(), Box<dyn std::error::Error>> {
/// if let Some(web) = pods.get("default/web-0") {       // nothing is decoded yet
///     let phase = web.field(".status.phase")?;         // one field, from the bytes
///     let pod = web.decoded()?;                        // an Arc<Pod>, kept within the budget
/// }
/// let db = pods.require("default/db-0")?;              // an error if there is none
/// let frontends = pods.namespace("default").select(&"tier=frontend".parse()?);
/// # Ok(())
/// # }
/// ```
pub struct Lister<K> {
    reader: Reader,
    resource: ResourceKind,
    keep_alive: Option<Arc<KeepAlive>>,
    view: PhantomData<fn() -> K>,
}

/// In this module, because the informer must not depend on listers.
impl<K> SharedInformer<K> {
    /// Reads from the cache. A lister keeps the informer running.
    pub fn lister(&self) -> Lister<K> {
        Lister::new(self.reader().clone(), self.resource().clone(), Some(Arc::clone(self.keep_alive())))
    }
}

impl<K> Lister<K> {
    fn new(reader: Reader, resource: ResourceKind, keep_alive: Option<Arc<KeepAlive>>) -> Self {
        Lister { reader, resource, keep_alive, view: PhantomData }
    }

    /// Reads an indexer that belongs to no informer.
    pub fn over(reader: Reader, resource: ResourceKind) -> Self {
        Lister::new(reader, resource, None)
    }

    /// The same cache, viewed as another type.
    #[must_use]
    pub fn cast<T>(self) -> Lister<T> {
        Lister::new(self.reader, self.resource, self.keep_alive)
    }

    /// The object with this key: `namespace/name`, or `name` in cluster scope.
    pub fn get(&self, key: &str) -> Option<Object<K>> {
        self.reader.get(key).map(Object::new)
    }

    /// The object with this key, or an error that names it.
    pub fn require(&self, key: &str) -> Result<Object<K>, ReadError> {
        self.get(key)
            .ok_or_else(|| ReadError::NotFound { resource: self.resource.to_string(), key: key.to_owned() })
    }

    /// All objects, in no particular order.
    pub fn list(&self) -> Vec<Object<K>> {
        typed(self.reader.list())
    }

    /// All objects whose labels match. Nothing is decoded.
    pub fn select(&self, selector: &LabelSelector) -> Vec<Object<K>> {
        typed(self.reader.select(None, selector))
    }

    /// The keys of all objects, in no particular order.
    pub fn keys(&self) -> Vec<Key> {
        self.reader.keys()
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.reader.len()
    }

    /// Whether there are no objects.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The objects that an index has under a value.
    pub fn by_index(&self, index: &str, value: &str) -> Result<Vec<Object<K>>, IndexError> {
        self.reader.by_index(index, value).map(typed)
    }

    /// The objects that every one of these indexes has under its value.
    pub fn by_indexes(&self, all_of: &[(&str, &str)]) -> Result<Vec<Object<K>>, IndexError> {
        self.reader.by_indexes(all_of).map(typed)
    }

    /// The keys that an index has under a value, sorted.
    pub fn index_keys(&self, index: &str, value: &str) -> Result<Vec<Key>, IndexError> {
        self.reader.index_keys(index, value)
    }

    /// All values that an index has.
    pub fn index_values(&self, index: &str) -> Result<Vec<String>, IndexError> {
        self.reader.index_values(index)
    }

    /// The version up to which the cache contains every change.
    pub fn version(&self) -> Option<Version> {
        self.reader.version()
    }

    /// One consistent view of all objects and indexes.
    pub fn snapshot(&self) -> Snapshot {
        self.reader.snapshot()
    }

    /// Reads one namespace. The empty namespace means all namespaces.
    pub fn namespace<'a>(&'a self, namespace: &'a str) -> NamespaceLister<'a, K> {
        NamespaceLister { lister: self, namespace }
    }
}

/// Reads one namespace of the cache, or all of it if the namespace is empty.
pub struct NamespaceLister<'a, K> {
    lister: &'a Lister<K>,
    namespace: &'a str,
}

impl<K> NamespaceLister<'_, K> {
    /// The object with this name. If the namespace is empty, this finds objects in cluster scope only.
    pub fn get(&self, name: &str) -> Option<Object<K>> {
        match self.namespace {
            "" => self.lister.get(name),
            namespace => self.lister.get(&[namespace, "/", name].concat()),
        }
    }

    /// All objects in the namespace.
    pub fn list(&self) -> Vec<Object<K>> {
        match self.namespace {
            "" => self.lister.list(),
            namespace => typed(self.lister.reader.namespace(namespace)),
        }
    }

    /// All objects in the namespace whose labels match.
    pub fn select(&self, selector: &LabelSelector) -> Vec<Object<K>> {
        let namespace = Some(self.namespace).filter(|namespace| !namespace.is_empty());
        typed(self.lister.reader.select(namespace, selector))
    }
}

fn typed<K>(objects: Vec<Arc<RawObject>>) -> Vec<Object<K>> {
    objects.into_iter().map(Object::new).collect()
}

impl<K> Clone for Lister<K> {
    fn clone(&self) -> Self {
        Lister::new(self.reader.clone(), self.resource.clone(), self.keep_alive.clone())
    }
}

impl<K> fmt::Debug for Lister<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lister").field("resource", &self.resource).field("objects", &self.len()).finish()
    }
}
