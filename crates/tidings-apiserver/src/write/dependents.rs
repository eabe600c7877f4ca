//! Owner references: what becomes of an object's dependents when it goes.
//!
//! Kubernetes leaves this to a controller; here it is done with the deletion itself, so that tests need not wait. What is
//! gone stands in a list until its dependents are dealt with: no recursion, however long a chain of owners is.

use std::sync::Arc;

use serde_json::{Value, json};

use super::delete::{self, Gone};
use super::{encoded, finalizers, text, whole};
use crate::resource::ResourceDef;
use crate::server::Core;
use crate::store::{Expected, KeyRange, Stored, Telling, owner_uids};

/// The finalizer of an owner that waits for its dependents.
pub(super) const FOREGROUND: &str = "foregroundDeletion";

type Found = (Arc<ResourceDef>, Arc<Stored>);

/// Objects that name this owner.
fn dependents(core: &Core, uid: &str) -> Vec<Found> {
    if uid.is_empty() || !core.store.may_own(uid) {
        return Vec::new();
    }
    all(core)
        .filter(|(_, object)| object.has_owners() && owner_uids(object).iter().any(|owner| owner == uid))
        .collect()
}

fn all(core: &Core) -> impl Iterator<Item = Found> {
    core.store.storages().into_iter().filter_map(|storage| core.registry.of_storage(&storage)).flat_map(
        |def| {
            let content = core.store.snapshot(&def.storage, &KeyRange::all(), usize::MAX, None);
            let objects = content.map(|content| content.objects).unwrap_or_default();
            objects.into_iter().map(move |object| (Arc::clone(&def), object))
        },
    )
}

/// Deletes all dependents of an owner.
pub(super) fn delete_all(core: &Arc<Core>, uid: &str, gone: &mut Gone) {
    for (def, object) in dependents(core, uid) {
        delete::delete_now(core, &def, object.key(), gone);
    }
}

/// Takes an owner out of its dependents.
pub(super) fn orphan(core: &Core, uid: &str) {
    for (def, object) in dependents(core, uid) {
        without_owner(core, &def, &object, uid);
    }
}

/// What follows when objects are gone: their dependents go, unless another owner still holds them, and owners that waited
/// for them may go.
pub(super) fn follow(core: &Arc<Core>, mut gone: Gone) {
    while let Some(last) = gone.pop() {
        let metadata = last.decoded_metadata();
        let uid = metadata.get("uid").and_then(Value::as_str).unwrap_or_default();
        for (def, object) in dependents(core, uid) {
            let is_held = owner_uids(&object).iter().any(|owner| owner != uid && exists(core, owner));
            if is_held {
                without_owner(core, &def, &object, uid);
            } else {
                delete::delete_now(core, &def, object.key(), &mut gone);
            }
        }
        if last.has_owners() {
            for owner in owner_uids(&last) {
                release(core, &owner, &mut gone);
            }
        }
    }
}

fn exists(core: &Core, uid: &str) -> bool {
    all(core).any(|(_, object)| object.decoded_metadata().get("uid").and_then(Value::as_str) == Some(uid))
}

/// Lets an owner go that waited for its dependents, if none is left.
pub(super) fn release(core: &Arc<Core>, uid: &str, gone: &mut Gone) {
    if !dependents(core, uid).is_empty() {
        return;
    }
    let is_waiting = |object: &Value| {
        text(object, "metadata", "uid") == uid
            && finalizers(object).contains(&FOREGROUND)
            && !object["metadata"]["deletionTimestamp"].is_null()
    };
    let waiting = all(core).find(|(def, object)| is_waiting(&whole(def, object)));
    let Some((def, stored)) = waiting else { return };
    let mut object = whole(&def, &stored);
    let rest: Vec<_> =
        finalizers(&object).into_iter().filter(|name| *name != FOREGROUND).map(|n| json!(n)).collect();
    let expected = Expected::Version(stored.version());
    // Another write may come first; then the owner is let go by the next removal, or by its own next change.
    if rest.is_empty() {
        let _ = delete::remove_alone(core, &def, stored.key(), expected, gone);
    } else {
        object["metadata"]["finalizers"] = Value::Array(rest);
        let _ =
            core.store.put(&def.storage, expected, encoded(&def, stored.key(), &object), Telling::Watchers);
    }
}

fn without_owner(core: &Core, def: &ResourceDef, stored: &Stored, uid: &str) {
    let mut object = whole(def, stored);
    if let Some(owners) = object["metadata"]["ownerReferences"].as_array_mut() {
        owners.retain(|owner| owner["uid"] != uid);
    }
    let draft = encoded(def, stored.key(), &object);
    // A write that came first is the newer word on who owns the object.
    let _ = core.store.put(&def.storage, Expected::Version(stored.version()), draft, Telling::Watchers);
}
