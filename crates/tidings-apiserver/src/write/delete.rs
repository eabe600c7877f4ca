//! DELETE: finalizers, grace periods, and the deletion of dependents.

use std::sync::Arc;

use http::{Response, StatusCode};
use serde_json::{Value, json};

use super::delete_options::{DeleteOptions, Propagation};
use super::{
    ATTEMPTS_MAX, DryRun, WriteRequest, created_status, definitions, dependents, encode_for_store,
    finalizers, namespaces, text, with_type_meta,
};
use crate::body::{self, ResponseBody};
use crate::read;
use crate::request::Representation;
use crate::resource::ResourceDef;
use crate::server::{Core, GarbageCollection, Kubelet};
use crate::status::ApiError;
use crate::store::{Precondition, PreconditionFailed, StoredObject, WatchVisibility};

/// The result of a deletion.
pub(super) enum DeleteOutcome {
    /// The object was removed. This is its last state.
    Removed(Arc<StoredObject>),
    /// The object waits for its finalizers, its dependents or its grace period.
    Pending(Arc<StoredObject>),
}

/// Removed objects whose dependents are still to be deleted. A list instead of recursion, because clients may create
/// long chains of owners.
pub(super) type RemovedObjects = Vec<Arc<StoredObject>>;

/// Answers a DELETE of one object.
pub(super) fn answer(
    request: &WriteRequest<'_>,
    content_type: Option<&str>,
    sent: &[u8],
    representation: Representation,
) -> Result<Response<ResponseBody>, ApiError> {
    let deletion = DeleteOptions::parse(request.options, content_type, sent)?;
    let name = request.name()?;
    let def = request.def;
    if def.storage == "/namespaces" && matches!(name, "default" | "kube-system" | "kube-public") {
        return Err(ApiError::forbidden(def, name, "this namespace may not be deleted"));
    }
    let with_object = |object: &StoredObject| {
        read::get::response(request.core, def, object, request.options, representation, StatusCode::OK)
    };
    if let Some(stored) = request.core.store.object(&def.storage, &request.key(name)) {
        request.review(Some(&with_type_meta(def, &stored)), None)?;
    }
    match delete(request.core, def, &request.key(name), &deletion)? {
        DeleteOutcome::Pending(object) => with_object(&object),
        DeleteOutcome::Removed(object) if def.storage == "/pods" => {
            with_object(&without_grace(request, &object))
        }
        DeleteOutcome::Removed(object) if is_returned(def) => with_object(&object),
        DeleteOutcome::Removed(object) => {
            let metadata = object.decoded_metadata();
            let mut details = json!({"name": name, "kind": def.plural, "uid": metadata.get("uid")});
            if !def.group.is_empty() {
                details["group"] = json!(def.group);
            }
            let status = json!({
                "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details,
            });
            Ok(body::json(StatusCode::OK, body::full(status.to_string())))
        }
    }
}

/// A removed pod, as the response to its deletion shows it.
fn without_grace(request: &WriteRequest<'_>, pod: &StoredObject) -> StoredObject {
    let mut object = with_type_meta(request.def, pod);
    let metadata = &mut object["metadata"];
    if metadata["deletionTimestamp"].is_null() {
        metadata["deletionTimestamp"] = json!(request.time);
    }
    metadata["deletionGracePeriodSeconds"] = json!(0);
    encode_for_store(request.def, pod.key(), &object).at(pod.version())
}

/// Whether the response to a deletion has the object instead of a `Status`.
fn is_returned(def: &ResourceDef) -> bool {
    def.group.is_empty()
        && matches!(
            def.plural.as_ref(),
            "persistentvolumeclaims"
                | "persistentvolumes"
                | "podtemplates"
                | "resourcequotas"
                | "serviceaccounts"
                | "services"
        )
}

/// Deletes an object and its dependents, as far as finalizers and grace periods allow.
pub(super) fn delete(
    core: &Arc<Core>,
    def: &ResourceDef,
    key: &str,
    deletion: &DeleteOptions,
) -> Result<DeleteOutcome, ApiError> {
    let mut removed = Vec::new();
    let deleted = delete_one(core, def, key, deletion, &mut removed);
    dependents::follow(core, removed);
    deleted
}

/// Deletes one object. Appends all removed objects to `removed`; the caller deletes their dependents.
fn delete_one(
    core: &Arc<Core>,
    def: &ResourceDef,
    key: &str,
    deletion: &DeleteOptions,
    removed: &mut RemovedObjects,
) -> Result<DeleteOutcome, ApiError> {
    let name = key.rsplit('/').next().unwrap_or(key);
    for _ in 0..ATTEMPTS_MAX {
        let stored = core.store.object(&def.storage, key).ok_or_else(|| ApiError::not_found(def, name))?;
        let object = with_type_meta(def, &stored);
        deletion.check(def, &object)?;
        let pending = pending_deletion(core, def, &object, deletion);
        if deletion.dry_run == DryRun::Yes {
            return Ok(match pending {
                Some(pending) => DeleteOutcome::Pending(Arc::new(
                    encode_for_store(def, key, &pending).at(stored.version()),
                )),
                None => DeleteOutcome::Removed(stored),
            });
        }
        let expected = Precondition::Version(stored.version());
        if pending.is_none() && def.storage == "/namespaces" && !namespaces::is_external(core, def) {
            return Ok(namespaces::terminate(core, &stored, removed));
        }
        let Some(pending) = pending else {
            if deletion.propagation == Propagation::Orphan {
                dependents::orphan(core, text(&object, "metadata", "uid"));
            }
            match remove_one(core, def, key, expected, removed) {
                Ok(last) => return Ok(DeleteOutcome::Removed(last.unwrap_or(stored))),
                Err(PreconditionFailed) => continue,
            }
        };
        let draft = encode_for_store(def, key, &pending);
        if draft.equals_ignoring_version(&stored) {
            return Ok(DeleteOutcome::Pending(stored));
        }
        if let Ok(marked) = core.store.put(&def.storage, expected, draft, WatchVisibility::Visible) {
            return Ok(after_marking(core, def, key, &pending, marked, removed));
        }
    }
    Err(ApiError::stale(def, name))
}

/// The object with a deletion timestamp; `None` if it can be removed at once.
fn pending_deletion(
    core: &Core,
    def: &ResourceDef,
    object: &Value,
    deletion: &DeleteOptions,
) -> Option<Value> {
    if namespaces::is_external(core, def) {
        return namespaces::pending(core, def, object);
    }
    let grace_seconds = grace_seconds(core, def, object, deletion);
    let grace = std::time::Duration::from_secs(grace_seconds.unsigned_abs());
    let uid = text(object, "metadata", "uid");
    let finalizer = dependents::finalizer(core, uid, deletion.propagation);
    if finalizers(object).is_empty() && grace_seconds == 0 && finalizer.is_none() {
        return None;
    }
    let mut pending = object.clone();
    let metadata = &mut pending["metadata"];
    if metadata["deletionTimestamp"].is_null() {
        metadata["deletionTimestamp"] = json!(crate::server_clock::rfc3339_seconds(core.clock.after(grace)));
        metadata["deletionGracePeriodSeconds"] = json!(grace_seconds);
        if let Some(generation) = metadata["generation"].as_i64() {
            metadata["generation"] = json!(generation.saturating_add(1));
        }
    } else if metadata["deletionGracePeriodSeconds"].as_i64().is_some_and(|before| grace_seconds < before) {
        // A second deletion can only shorten the grace period.
        metadata["deletionTimestamp"] = json!(crate::server_clock::rfc3339_seconds(core.clock.after(grace)));
        metadata["deletionGracePeriodSeconds"] = json!(grace_seconds);
    }
    if let Some(finalizer) = finalizer.filter(|name| !finalizers(object).contains(name)) {
        let mut names: Vec<Value> = metadata["finalizers"].as_array().cloned().unwrap_or_default();
        names.push(json!(finalizer));
        metadata["finalizers"] = Value::Array(names);
    }
    Some(pending)
}

/// The grace period of a deletion. Only pods that are bound to a node and have not ended have one, and only if no
/// kubelet is imitated.
fn grace_seconds(core: &Core, def: &ResourceDef, object: &Value, deletion: &DeleteOptions) -> i64 {
    let is_running_pod = def.storage == "/pods"
        && !text(object, "spec", "nodeName").is_empty()
        && !matches!(text(object, "status", "phase"), "Succeeded" | "Failed");
    if !is_running_pod || core.settings.kubelet == Kubelet::Imitated {
        return 0;
    }
    let own = object["spec"]["terminationGracePeriodSeconds"].as_i64().unwrap_or(30);
    deletion.grace_seconds.unwrap_or(own).max(0)
}

/// Deletes the dependents of an object with foreground deletion, and then the object if none is left.
fn after_marking(
    core: &Arc<Core>,
    def: &ResourceDef,
    key: &str,
    pending: &Value,
    marked: Arc<StoredObject>,
    removed: &mut RemovedObjects,
) -> DeleteOutcome {
    let is_external = core.settings.garbage_collection == GarbageCollection::External;
    if is_external || !finalizers(pending).contains(&dependents::FOREGROUND) {
        return DeleteOutcome::Pending(marked);
    }
    let uid = text(pending, "metadata", "uid");
    core.foreground_deletions.insert(uid, def, key);
    dependents::delete_all(core, uid, removed);
    dependents::release(core, uid, removed);
    match core.store.object(&def.storage, key) {
        Some(still) => DeleteOutcome::Pending(still),
        None => DeleteOutcome::Removed(marked),
    }
}

/// Removes an object, even if it has finalizers, and deletes its dependents.
pub(crate) fn remove(
    core: &Arc<Core>,
    def: &ResourceDef,
    key: &str,
    expected: Precondition,
) -> Result<Option<Arc<StoredObject>>, PreconditionFailed> {
    let mut removed = Vec::new();
    let last_state = remove_one(core, def, key, expected, &mut removed);
    dependents::follow(core, removed);
    last_state
}

/// Removes one object. Appends all removed objects to `removed`; the caller deletes their dependents.
pub(super) fn remove_one(
    core: &Arc<Core>,
    def: &ResourceDef,
    key: &str,
    expected: Precondition,
    removed: &mut RemovedObjects,
) -> Result<Option<Arc<StoredObject>>, PreconditionFailed> {
    let Some(last) = core.store.remove(&def.storage, key, expected, WatchVisibility::Visible)? else {
        return Ok(None);
    };
    removed.push(Arc::clone(&last));
    definitions::unregister(core, def, last.name());
    if !last.namespace().is_empty() {
        removed.extend(namespaces::finish(core, last.namespace()));
    }
    Ok(Some(last))
}

/// Deletes an object as a consequence of another deletion. Finalizers are respected.
pub(super) fn delete_now(core: &Arc<Core>, def: &ResourceDef, key: &str, removed: &mut RemovedObjects) {
    // An error means that the object is already removed.
    let _ = delete_one(core, def, key, &DeleteOptions::now(), removed);
}

/// Deletes a pod through its `eviction` subresource.
pub(super) fn evict(request: &WriteRequest<'_>, sent: &[u8]) -> Result<Response<ResponseBody>, ApiError> {
    let eviction: Value = serde_json::from_slice(sent).unwrap_or_default();
    let options = serde_json::to_vec(&eviction["deleteOptions"]).unwrap_or_default();
    let options = if eviction["deleteOptions"].is_object() { options } else { Vec::new() };
    let deletion = DeleteOptions::parse(request.options, None, &options)?;
    let evicted = text(&eviction, "metadata", "name");
    if !evicted.is_empty() && evicted != request.name()? {
        return Err(ApiError::bad_request("name in URL does not match name in Eviction object"));
    }
    delete(request.core, request.def, &request.key(request.name()?), &deletion)?;
    Ok(created_status())
}
