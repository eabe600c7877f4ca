//! Garbage collection: deletes or orphans the dependents of a removed object.
//!
//! In Kubernetes a controller does this. Here it is part of the deletion, so that tests need not wait, unless the
//! setting [`GarbageCollection::External`] leaves it to a controller. Removed objects are kept in a list until their
//! dependents are processed, so a long chain of owners causes no recursion.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::delete::{self, RemovedObjects};
use super::delete_options::Propagation;
use super::{encode_for_store, finalizers, text, with_type_meta};
use crate::resource::ResourceDef;
use crate::server::{Core, GarbageCollection};
use crate::store::{KeyRange, Precondition, StoredObject, WatchVisibility, owner_uids};
use crate::sync::Mutex;

/// The finalizer of an owner that waits for its dependents.
pub(super) const FOREGROUND: &str = "foregroundDeletion";

/// The finalizer of an owner whose dependents are to be kept. Only set for an external garbage collector.
const ORPHAN: &str = "orphan";

/// The finalizer that a deletion adds to an owner, for its dependents.
pub(super) fn finalizer(core: &Core, uid: &str, propagation: Propagation) -> Option<&'static str> {
    match (propagation, core.settings.garbage_collection) {
        (Propagation::Background, _) => None,
        (Propagation::Foreground, GarbageCollection::External) => Some(FOREGROUND),
        (Propagation::Orphan, GarbageCollection::External) => Some(ORPHAN),
        (Propagation::Foreground, GarbageCollection::Synchronous) => {
            core.store.may_own(uid).then_some(FOREGROUND)
        }
        (Propagation::Orphan, GarbageCollection::Synchronous) => None,
    }
}

/// Owners in foreground deletion, which wait for their dependents: storage and key, by uid.
#[derive(Debug, Default)]
pub(crate) struct ForegroundDeletions {
    owners: Mutex<HashMap<String, (String, String)>>,
}

impl ForegroundDeletions {
    pub(super) fn insert(&self, uid: &str, def: &ResourceDef, key: &str) {
        self.owners.lock().insert(uid.to_owned(), (def.storage.to_string(), key.to_owned()));
    }
}

type FoundObject = (Arc<ResourceDef>, Arc<StoredObject>);

/// The objects with this owner.
fn dependents(core: &Core, uid: &str) -> Vec<FoundObject> {
    if uid.is_empty() || !core.store.may_own(uid) {
        return Vec::new();
    }
    all(core)
        .filter(|(_, object)| object.has_owners() && owner_uids(object).iter().any(|owner| owner == uid))
        .collect()
}

fn all(core: &Core) -> impl Iterator<Item = FoundObject> {
    core.store.storages().into_iter().filter_map(|storage| core.registry.of_storage(&storage)).flat_map(
        |def| {
            let content = core.store.snapshot(&def.storage, &KeyRange::all(), usize::MAX, None);
            let objects = content.map(|content| content.objects).unwrap_or_default();
            objects.into_iter().map(move |object| (Arc::clone(&def), object))
        },
    )
}

/// Deletes all dependents of an owner.
pub(super) fn delete_all(core: &Arc<Core>, uid: &str, removed: &mut RemovedObjects) {
    for (def, object) in dependents(core, uid) {
        delete::delete_now(core, &def, object.key(), removed);
    }
}

/// Removes an owner from the owner references of its dependents.
pub(super) fn orphan(core: &Core, uid: &str) {
    for (def, object) in dependents(core, uid) {
        without_owner(core, &def, &object, uid);
    }
}

/// Processes removed objects. Deletes their dependents, unless those have another owner, and removes owners that waited
/// for them.
pub(super) fn follow(core: &Arc<Core>, mut removed: RemovedObjects) {
    if core.settings.garbage_collection == GarbageCollection::External {
        return;
    }
    while let Some(last) = removed.pop() {
        let metadata = last.decoded_metadata();
        let uid = metadata.get("uid").and_then(Value::as_str).unwrap_or_default();
        for (def, object) in dependents(core, uid) {
            let has_other_owner = owner_uids(&object).iter().any(|owner| owner != uid && exists(core, owner));
            if has_other_owner {
                without_owner(core, &def, &object, uid);
            } else {
                delete::delete_now(core, &def, object.key(), &mut removed);
            }
        }
        if last.has_owners() {
            for owner in owner_uids(&last) {
                release(core, &owner, &mut removed);
            }
        }
    }
}

fn exists(core: &Core, uid: &str) -> bool {
    all(core).any(|(_, object)| object.decoded_metadata().get("uid").and_then(Value::as_str) == Some(uid))
}

/// Removes an owner in foreground deletion if it has no dependents left.
pub(super) fn release(core: &Arc<Core>, uid: &str, removed: &mut RemovedObjects) {
    if !core.foreground_deletions.owners.lock().contains_key(uid) || !dependents(core, uid).is_empty() {
        return;
    }
    let Some((storage, key)) = core.foreground_deletions.owners.lock().remove(uid) else { return };
    let Some(def) = core.registry.of_storage(&storage) else { return };
    let Some(stored) = core.store.object(&storage, &key) else { return };
    let mut object = with_type_meta(&def, &stored);
    if text(&object, "metadata", "uid") != uid {
        return;
    }
    let rest = finalizers(&object).into_iter().filter(|name| *name != FOREGROUND);
    let rest: Vec<_> = rest.map(|name| json!(name)).collect();
    let expected = Precondition::Version(stored.version());
    // If another write comes first, the finalizer stays, and that client can remove it.
    if rest.is_empty() {
        let _ = delete::remove_one(core, &def, &key, expected, removed);
    } else {
        object["metadata"]["finalizers"] = Value::Array(rest);
        let _ = core.store.put(
            &storage,
            expected,
            encode_for_store(&def, &key, &object),
            WatchVisibility::Visible,
        );
    }
}

fn without_owner(core: &Core, def: &ResourceDef, stored: &StoredObject, uid: &str) {
    let mut object = with_type_meta(def, stored);
    if let Some(owners) = object["metadata"]["ownerReferences"].as_array_mut() {
        owners.retain(|owner| owner["uid"] != uid);
    }
    let draft = encode_for_store(def, stored.key(), &object);
    // If another write comes first, its owner references are newer and are kept.
    let _ = core.store.put(
        &def.storage,
        Precondition::Version(stored.version()),
        draft,
        WatchVisibility::Visible,
    );
}
