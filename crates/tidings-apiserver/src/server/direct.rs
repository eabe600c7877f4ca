//! Direct reads and writes of the store, without HTTP: for the set-up of tests and benches.
//!
//! Nothing is validated. The server adds a version. It also adds uid and creation time if they are missing: those of
//! the stored object if there is one, else new ones.

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::ApiServer;
use crate::resource::ResourceDef;
use crate::store::{KeyRange, Precondition, WatchVisibility};
use crate::write::{self, encode_for_store, with_type_meta};

impl ApiServer {
    /// The definition of a resource, by a name such as `pods` or `deployments.apps`. An unknown name is a bug in the
    /// test.
    fn resource(&self, name: &str) -> Arc<ResourceDef> {
        let found = self.core().registry.named(name);
        found.unwrap_or_else(|| panic!("the server has no resource {name:?}"))
    }

    /// Creates or replaces an object, without validation. Returns its version.
    ///
    /// `resource` is a name such as `pods` or `deployments.apps`.
    ///
    /// # Panics
    ///
    /// If the server has no such resource.
    pub fn put(&self, resource: &str, object: Value) -> u64 {
        self.put_with_visibility(resource, object, WatchVisibility::Visible)
    }

    /// Creates or replaces an object without an event on any watch: lists show the change and watches do not.
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
        let draft = encode_for_store(def, &key, &object);
        let put = core.store.put(&def.storage, Precondition::None, draft, visibility);
        let version = put.expect("a write without precondition succeeds").version();
        write::register_definition(core, def, &object);
        version
    }

    /// Writes `count` objects; `make` makes each of them from its number.
    pub fn load(&self, resource: &str, count: usize, make: impl Fn(usize) -> Value) {
        let def = self.resource(resource);
        for number in 0..count {
            self.put_defined(&def, make(number), WatchVisibility::Visible);
        }
    }

    /// Removes an object, even if it has finalizers. Returns false if there was none.
    ///
    /// The key is `namespace/name`, or the name alone for cluster-wide objects.
    pub fn remove(&self, resource: &str, key: &str) -> bool {
        let removed = write::remove(self.core(), &self.resource(resource), key, Precondition::None);
        removed.expect("a write without precondition succeeds").is_some()
    }

    /// Removes an object without an event on any watch.
    pub fn remove_silently(&self, resource: &str, key: &str) -> bool {
        let storage = &self.resource(resource).storage;
        let removed = self.core().store.remove(storage, key, Precondition::None, WatchVisibility::Hidden);
        removed.expect("a write without precondition succeeds").is_some()
    }

    /// An object as it is stored, with `kind` and `apiVersion`.
    pub fn object(&self, resource: &str, key: &str) -> Option<Value> {
        let def = self.resource(resource);
        self.core().store.object(&def.storage, key).map(|stored| with_type_meta(&def, &stored))
    }

    /// The version of each object of a resource, by key.
    pub fn list_versions(&self, resource: &str) -> BTreeMap<String, u64> {
        let storage = &self.resource(resource).storage;
        let read = self.core().store.snapshot(storage, &KeyRange::all(), usize::MAX, None);
        let objects = read.expect("the newest version can always be read").objects;
        objects.iter().map(|object| (object.key().to_owned(), object.version())).collect()
    }
}
