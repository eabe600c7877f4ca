//! DELETE: preconditions, finalizers, grace periods, and what becomes of dependents.

use std::sync::Arc;

use http::{Response, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    ATTEMPTS_MAX, Trial, Writing, definitions, dependents, encoded, finalizers, namespaces, text, whole,
};
use crate::body::{self, Body};
use crate::read;
use crate::request::{Options, Representation};
use crate::resource::ResourceDef;
use crate::server::{Core, Kubelet};
use crate::status::{ApiError, Cause};
use crate::store::{Changed, Expected, Stored, Telling};

/// What becomes of an object's dependents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Propagation {
    /// They are deleted after it.
    Background,
    /// They are deleted before it.
    Foreground,
    /// They stay, without it as owner.
    Orphan,
}

/// How an object is deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Deletion {
    uid: Option<String>,
    version: Option<String>,
    grace_seconds: Option<i64>,
    propagation: Propagation,
    trial: Trial,
}

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

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Sent {
    grace_period_seconds: Option<i64>,
    propagation_policy: Option<String>,
    orphan_dependents: Option<bool>,
    preconditions: Option<Preconditions>,
    dry_run: Option<Vec<String>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Preconditions {
    uid: Option<String>,
    resource_version: Option<String>,
}

impl Deletion {
    /// From the body and the query; the body wins.
    pub(super) fn parse(options: &Options, sent: &[u8]) -> Result<Self, ApiError> {
        let mut given = Sent::default();
        if !sent.iter().all(u8::is_ascii_whitespace) {
            given = serde_json::from_slice(sent)
                .map_err(|error| ApiError::bad_request(format!("DeleteOptions can't be read: {error}")))?;
        }
        let mut options = options.clone();
        if let Some(dry_run) = given.dry_run {
            options.dry_run = dry_run;
        }
        let trial = if options.is_dry_run("DeleteOptions")? { Trial::Dry } else { Trial::Stored };
        let policy = given.propagation_policy.unwrap_or(options.propagation_policy);
        let orphan = given.orphan_dependents.or(options.orphan_dependents);
        let propagation = match (policy.as_str(), orphan) {
            ("", Some(true)) | ("Orphan", None) => Propagation::Orphan,
            ("" | "Background", None) | ("", Some(false)) => Propagation::Background,
            ("Foreground", None) => Propagation::Foreground,
            (policy, _) => {
                let why = format!(
                    "Unsupported value: {policy:?}: supported values: \"Background\", \"Foreground\", \"Orphan\""
                );
                let cause = Cause::field("FieldValueNotSupported", "propagationPolicy", why);
                return Err(ApiError::invalid("meta.k8s.io", "DeleteOptions", "", vec![cause]));
            }
        };
        let preconditions = given.preconditions.unwrap_or_default();
        Ok(Self {
            uid: preconditions.uid,
            version: preconditions.resource_version,
            grace_seconds: given.grace_period_seconds.or(options.grace_period_seconds),
            propagation,
            trial,
        })
    }

    /// At once, with dependents.
    fn now() -> Self {
        let propagation = Propagation::Background;
        Self { uid: None, version: None, grace_seconds: Some(0), propagation, trial: Trial::Stored }
    }

    fn check(&self, def: &ResourceDef, object: &Value) -> Result<(), ApiError> {
        let name = text(object, "metadata", "name");
        for (wanted, field, told) in
            [(&self.uid, "uid", "UID"), (&self.version, "resourceVersion", "ResourceVersion")]
        {
            let found = text(object, "metadata", field);
            if let Some(wanted) = wanted.as_deref().filter(|wanted| *wanted != found) {
                let why = format!(
                    "Precondition failed: {told} in precondition: {wanted}, {told} in object meta: {found}"
                );
                return Err(ApiError::conflict(def, name, &why));
            }
        }
        Ok(())
    }
}

/// Answers a DELETE of one object.
pub(super) fn answer(
    writing: &Writing<'_>,
    sent: &[u8],
    representation: Representation,
) -> Result<Response<Body>, ApiError> {
    let deletion = Deletion::parse(writing.options, sent)?;
    let name = writing.name()?;
    let def = writing.def;
    let with_object = |object: &Stored| {
        read::one::response(writing.core, def, object, writing.options, representation, StatusCode::OK)
    };
    match delete(writing.core, def, &writing.key(name), &deletion)? {
        Deleted::Pending(object) => with_object(&object),
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

/// The kinds whose deletion is answered with the object.
fn is_returned(def: &ResourceDef) -> bool {
    def.group.is_empty()
        && matches!(
            def.plural.as_ref(),
            "pods"
                | "persistentvolumeclaims"
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
            return Ok(Deleted::Pending(stored));
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
    let uid = text(object, "metadata", "uid");
    let has_dependents = deletion.propagation == Propagation::Foreground && core.store.may_own(uid);
    if finalizers(object).is_empty() && grace_seconds == 0 && !has_dependents {
        return None;
    }
    let mut pending = object.clone();
    let metadata = &mut pending["metadata"];
    if metadata["deletionTimestamp"].is_null() {
        let at = core.clock.after(std::time::Duration::from_secs(grace_seconds.unsigned_abs()));
        metadata["deletionTimestamp"] = json!(crate::clock::rfc3339_seconds(at));
        metadata["deletionGracePeriodSeconds"] = json!(grace_seconds);
        if let Some(generation) = metadata["generation"].as_i64() {
            metadata["generation"] = json!(generation.saturating_add(1));
        }
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
    let deletion = Deletion::parse(writing.options, &options)?;
    delete(writing.core, writing.def, &writing.key(writing.name()?), &deletion)?;
    let answer =
        json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201});
    Ok(body::json(StatusCode::CREATED, body::whole(answer.to_string())))
}
