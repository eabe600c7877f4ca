//! DELETE: finalizers, grace periods, and what becomes of dependents.

use std::sync::Arc;

use http::{Response, StatusCode};
use serde_json::{Value, json};

use super::deletion::{Deletion, Propagation};
use super::{
    ATTEMPTS_MAX, Trial, Writing, definitions, dependents, encoded, finalizers, namespaces, text, whole,
};
use crate::body::{self, Body};
use crate::read;
use crate::request::Representation;
use crate::resource::ResourceDef;
use crate::server::{Core, Kubelet};
use crate::status::ApiError;
use crate::store::{Changed, Expected, Stored, Telling};

/// What became of it.
pub(super) enum Deleted {
    /// It is gone; this was its last state.
    Gone(Arc<Stored>),
    /// It stays until its finalizers, its dependents or its grace period are done.
    Pending(Arc<Stored>),
}

/// Objects that are gone, and whose dependents are still to be looked for: a list, so that chains of owners, which come
/// from outside, need no recursion.
pub(super) type Gone = Vec<Arc<Stored>>;

/// Answers a DELETE of one object.
pub(super) fn answer(
    writing: &Writing<'_>,
    content_type: Option<&str>,
    sent: &[u8],
    representation: Representation,
) -> Result<Response<Body>, ApiError> {
    let deletion = Deletion::parse(writing.options, content_type, sent)?;
    let name = writing.name()?;
    let def = writing.def;
    if def.storage == "/namespaces" && matches!(name, "default" | "kube-system" | "kube-public") {
        return Err(ApiError::forbidden(def, name, "this namespace may not be deleted"));
    }
    let with_object = |object: &Stored| {
        read::one::response(writing.core, def, object, writing.options, representation, StatusCode::OK)
    };
    match delete(writing.core, def, &writing.key(name), &deletion)? {
        Deleted::Pending(object) => with_object(&object),
        Deleted::Gone(object) if def.storage == "/pods" => with_object(&without_grace(writing, &object)),
        Deleted::Gone(object) if is_returned(def) => with_object(&object),
        Deleted::Gone(object) => {
            let metadata = object.decoded_metadata();
            let mut details = json!({"name": name, "kind": def.plural, "uid": metadata.get("uid")});
            if !def.group.is_empty() {
                details["group"] = json!(def.group);
            }
            let status = json!({
                "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details,
            });
            Ok(body::json(StatusCode::OK, body::whole(status.to_string())))
        }
    }
}

/// A pod that is gone, as its deletion is answered.
fn without_grace(writing: &Writing<'_>, pod: &Stored) -> Stored {
    let mut object = whole(writing.def, pod);
    let metadata = &mut object["metadata"];
    if metadata["deletionTimestamp"].is_null() {
        metadata["deletionTimestamp"] = json!(writing.time);
    }
    metadata["deletionGracePeriodSeconds"] = json!(0);
    encoded(writing.def, pod.key(), &object).at(pod.version())
}

/// The kinds whose deletion is answered with the object.
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

/// Deletes an object and what depends on it, as far as finalizers and grace periods let them go.
pub(super) fn delete(
    core: &Arc<Core>,
    def: &ResourceDef,
    key: &str,
    deletion: &Deletion,
) -> Result<Deleted, ApiError> {
    let mut gone = Vec::new();
    let deleted = delete_alone(core, def, key, deletion, &mut gone);
    dependents::follow(core, gone);
    deleted
}

/// Deletes an object, and leaves to the caller what follows from all that is `gone` by it.
fn delete_alone(
    core: &Arc<Core>,
    def: &ResourceDef,
    key: &str,
    deletion: &Deletion,
    gone: &mut Gone,
) -> Result<Deleted, ApiError> {
    let name = key.rsplit('/').next().unwrap_or(key);
    for _ in 0..ATTEMPTS_MAX {
        let stored = core.store.object(&def.storage, key).ok_or_else(|| ApiError::not_found(def, name))?;
        let object = whole(def, &stored);
        deletion.check(def, &object)?;
        let waits = waits_for(core, def, &object, deletion);
        if deletion.trial == Trial::Dry {
            return Ok(match waits {
                Some(pending) => Deleted::Pending(Arc::new(encoded(def, key, &pending).at(stored.version()))),
                None => Deleted::Gone(stored),
            });
        }
        let expected = Expected::Version(stored.version());
        if waits.is_none() && def.storage == "/namespaces" {
            return Ok(namespaces::terminate(core, &stored, gone));
        }
        let Some(pending) = waits else {
            if deletion.propagation == Propagation::Orphan {
                dependents::orphan(core, text(&object, "metadata", "uid"));
            }
            match remove_alone(core, def, key, expected, gone) {
                Ok(last) => return Ok(Deleted::Gone(last.unwrap_or(stored))),
                Err(Changed) => continue,
            }
        };
        let draft = encoded(def, key, &pending);
        if draft.says_the_same_as(&stored) {
            return Ok(Deleted::Pending(stored));
        }
        if let Ok(marked) = core.store.put(&def.storage, expected, draft, Telling::Watchers) {
            return Ok(after_marking(core, def, key, &pending, marked, gone));
        }
    }
    Err(ApiError::stale(def, name))
}

/// The object as it is while it waits to go; `None` if it need not wait.
fn waits_for(core: &Core, def: &ResourceDef, object: &Value, deletion: &Deletion) -> Option<Value> {
    let grace_seconds = grace_seconds(core, def, object, deletion);
    let grace = std::time::Duration::from_secs(grace_seconds.unsigned_abs());
    let uid = text(object, "metadata", "uid");
    let has_dependents = deletion.propagation == Propagation::Foreground && core.store.may_own(uid);
    if finalizers(object).is_empty() && grace_seconds == 0 && !has_dependents {
        return None;
    }
    let mut pending = object.clone();
    let metadata = &mut pending["metadata"];
    if metadata["deletionTimestamp"].is_null() {
        metadata["deletionTimestamp"] = json!(crate::clock::rfc3339_seconds(core.clock.after(grace)));
        metadata["deletionGracePeriodSeconds"] = json!(grace_seconds);
        if let Some(generation) = metadata["generation"].as_i64() {
            metadata["generation"] = json!(generation.saturating_add(1));
        }
    } else if metadata["deletionGracePeriodSeconds"].as_i64().is_some_and(|before| grace_seconds < before) {
        // It can only become shorter.
        metadata["deletionTimestamp"] = json!(crate::clock::rfc3339_seconds(core.clock.after(grace)));
        metadata["deletionGracePeriodSeconds"] = json!(grace_seconds);
    }
    if has_dependents && !finalizers(object).contains(&dependents::FOREGROUND) {
        let mut names: Vec<Value> = metadata["finalizers"].as_array().cloned().unwrap_or_default();
        names.push(json!(dependents::FOREGROUND));
        metadata["finalizers"] = Value::Array(names);
    }
    Some(pending)
}

/// Only pods have a grace period, and only when they run on a node that somebody would stop them on.
fn grace_seconds(core: &Core, def: &ResourceDef, object: &Value, deletion: &Deletion) -> i64 {
    let is_running_pod = def.storage == "/pods" && !text(object, "spec", "nodeName").is_empty();
    if !is_running_pod || core.settings.kubelet == Kubelet::Imitated {
        return 0;
    }
    let own = object["spec"]["terminationGracePeriodSeconds"].as_i64().unwrap_or(30);
    deletion.grace_seconds.unwrap_or(own).max(0)
}

/// Deletes the dependents of an object that waits for them, and the object if none is left.
fn after_marking(
    core: &Arc<Core>,
    def: &ResourceDef,
    key: &str,
    pending: &Value,
    marked: Arc<Stored>,
    gone: &mut Gone,
) -> Deleted {
    if !finalizers(pending).contains(&dependents::FOREGROUND) {
        return Deleted::Pending(marked);
    }
    let uid = text(pending, "metadata", "uid");
    core.waiting.insert(uid, def, key);
    dependents::delete_all(core, uid, gone);
    dependents::release(core, uid, gone);
    match core.store.object(&def.storage, key) {
        Some(still) => Deleted::Pending(still),
        None => Deleted::Gone(marked),
    }
}

/// Removes an object, whatever its finalizers, and does what follows from that.
pub(crate) fn remove(
    core: &Arc<Core>,
    def: &ResourceDef,
    key: &str,
    expected: Expected,
) -> Result<Option<Arc<Stored>>, Changed> {
    let mut gone = Vec::new();
    let removed = remove_alone(core, def, key, expected, &mut gone);
    dependents::follow(core, gone);
    removed
}

/// Removes an object, and leaves to the caller what follows from all that is `gone` by it.
pub(super) fn remove_alone(
    core: &Arc<Core>,
    def: &ResourceDef,
    key: &str,
    expected: Expected,
    gone: &mut Gone,
) -> Result<Option<Arc<Stored>>, Changed> {
    let Some(last) = core.store.remove(&def.storage, key, expected, Telling::Watchers)? else {
        return Ok(None);
    };
    gone.push(Arc::clone(&last));
    definitions::removed(core, def, last.name());
    if !last.namespace().is_empty() {
        gone.extend(namespaces::finish(core, last.namespace()));
    }
    Ok(Some(last))
}

/// Deletes an object because something else went; finalizers are respected.
pub(super) fn delete_now(core: &Arc<Core>, def: &ResourceDef, key: &str, gone: &mut Gone) {
    // It may be gone already, which is what is wanted.
    let _ = delete_alone(core, def, key, &Deletion::now(), gone);
}

/// Deletes a pod through its `eviction` subresource.
pub(super) fn evict(writing: &Writing<'_>, sent: &[u8]) -> Result<Response<Body>, ApiError> {
    let eviction: Value = serde_json::from_slice(sent).unwrap_or_default();
    let options = serde_json::to_vec(&eviction["deleteOptions"]).unwrap_or_default();
    let options = if eviction["deleteOptions"].is_object() { options } else { Vec::new() };
    let deletion = Deletion::parse(writing.options, None, &options)?;
    let evicted = text(&eviction, "metadata", "name");
    if !evicted.is_empty() && evicted != writing.name()? {
        return Err(ApiError::bad_request("name in URL does not match name in Eviction object"));
    }
    delete(writing.core, writing.def, &writing.key(writing.name()?), &deletion)?;
    let answer =
        json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201});
    Ok(body::json(StatusCode::CREATED, body::whole(answer.to_string())))
}
