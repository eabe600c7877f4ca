//! Writing and reading past HTTP: for tests and benches that set a scene, or change it behind a client's back.
//!
//! Nothing is validated here, and nothing is added but a version and, where they are missing, uid and creation time: those
//! that the object has, or new ones.

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::ApiServer;
use crate::resource::ResourceDef;
use crate::store::{KeyRange, Precondition, WatchVisibility};
use crate::write::{self, encoded, whole};

/// How much was loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadResult {
    /// Objects written.
    pub objects: usize,
    /// The version of the last one.
    pub version: u64,
}

impl ApiServer {
    /// The definition of a resource, by a name such as `pods` or `deployments.apps`.
    ///
    /// # Panics
    ///
    /// If no such resource is served: that is a mistake in the test.
    fn resource(&self, name: &str) -> Arc<ResourceDef> {
        let found = self.core().registry.named(name);
        found.unwrap_or_else(|| panic!("no resource {name:?} is served"))
    }

    /// Writes an object as it is, new or not; returns its version.
    pub fn put(&self, resource: &str, object: Value) -> u64 {
        self.put_with_visibility(resource, object, WatchVisibility::Visible)
    }

    /// Writes an object behind the watchers' backs: no watch tells of it, though the state has changed.
    pub fn put_silently(&self, resource: &str, object: Value) -> u64 {
        self.put_with_visibility(resource, object, WatchVisibility::Hidden)
    }

    fn put_with_visibility(&self, resource: &str, object: Value, visibility: WatchVisibility) -> u64 {
        self.put_defined(&self.resource(resource), object, visibility)
    }

    fn put_defined(&self, def: &ResourceDef, mut object: Value, visibility: WatchVisibility) -> u64 {
        let core = self.core();
        let metadata = &mut object["metadata"];
        let name = metadata["name"].as_str().unwrap_or_default().to_owned();
        let key = if def.is_namespaced() {
            let namespace = metadata["namespace"].as_str().unwrap_or("default").to_owned();
            metadata["namespace"] = json!(namespace);
            format!("{namespace}/{name}")
        } else {
            name
        };
        let known = LazyCell::new(|| Some(core.store.object(&def.storage, &key)?.decoded_metadata()));
        let mut keep_or = |name: &str, new: &dyn Fn() -> String| {
            if metadata[name].is_null() {
                let kept = known.as_ref().and_then(|known| known.get(name).cloned());
                metadata[name] = kept.unwrap_or_else(|| json!(new()));
            }
        };
        keep_or("uid", &|| core.new_uid());
        keep_or("creationTimestamp", &|| core.clock.seconds());
        let draft = encoded(def, &key, &object);
        let put = core.store.put(&def.storage, Precondition::None, draft, visibility);
        let version = put.expect("anything is expected").version();
        write::defined(core, def, &object);
        version
    }

    /// Writes many objects, each made by its number.
    pub fn load(&self, resource: &str, count: usize, make: impl Fn(usize) -> Value) -> LoadResult {
        let def = self.resource(resource);
        let mut version = self.version();
        for number in 0..count {
            version = self.put_defined(&def, make(number), WatchVisibility::Visible);
        }
        LoadResult { objects: count, version }
    }

    /// Removes an object, whatever its finalizers; its key is `namespace/name`, or the name alone. False if there was none.
    pub fn remove(&self, resource: &str, key: &str) -> bool {
        let removed = write::remove(self.core(), &self.resource(resource), key, Precondition::None);
        removed.expect("anything is expected").is_some()
    }

    /// Removes an object behind the watchers' backs.
    pub fn remove_silently(&self, resource: &str, key: &str) -> bool {
        let storage = &self.resource(resource).storage;
        let removed = self.core().store.remove(storage, key, Precondition::None, WatchVisibility::Hidden);
        removed.expect("anything is expected").is_some()
    }

    /// An object as it is stored, with its `kind` and `apiVersion`.
    pub fn object(&self, resource: &str, key: &str) -> Option<Value> {
        let def = self.resource(resource);
        self.core().store.object(&def.storage, key).map(|stored| whole(&def, &stored))
    }

    /// The version of each object of a resource, by key.
    pub fn list_versions(&self, resource: &str) -> BTreeMap<String, u64> {
        let storage = &self.resource(resource).storage;
        let read = self.core().store.snapshot(storage, &KeyRange::all(), usize::MAX, None);
        let objects = read.expect("the newest version can always be read").objects;
        objects.iter().map(|object| (object.key().to_owned(), object.version())).collect()
    }
}
