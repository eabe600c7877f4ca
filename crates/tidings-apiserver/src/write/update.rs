//! PUT, and the part that all changes of existing objects share.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{
    ATTEMPTS_MAX, DryRun, WriteRequest, certificates, create, definitions, delete, encode_for_store,
    finalizers, metadata_mut, namespaces, services, text, with_type_meta,
};
use crate::admission::Mutated;
use crate::defaults;
use crate::patch::managed_fields;
use crate::resource::{Generation, ResourceDef, Verb};
use crate::status::{ApiError, StatusCause};
use crate::store::{Precondition, StoredObject, WatchVisibility};
use crate::validate;

/// Where the managed fields of a changed object come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldOwnership {
    /// The server computes them from the change.
    Tracked,
    /// The new object has them already, from server-side apply.
    Given,
}

pub(super) fn update(request: &WriteRequest<'_>, sent: &Value) -> Result<Arc<StoredObject>, ApiError> {
    let dry_run = request.dry_run("UpdateOptions")?;
    let name = request.name()?;
    let mut wanted = sent.clone();
    if text(&wanted, "metadata", "name").is_empty() && !request.def.is_custom() {
        return Err(ApiError::bad_request("the name of the object must be given on an update"));
    }
    validate::type_meta(request.def, &mut wanted)?;
    validate::placement(request.def, &mut wanted, request.namespace.unwrap_or_default(), Some(name))?;
    if request.core.store.object(&request.def.storage, &request.key(name)).is_none() && may_create(request) {
        metadata_mut(&mut wanted).remove("resourceVersion");
        return create::create(request, wanted);
    }
    let is_unversioned = matches!(text(&wanted, "metadata", "resourceVersion"), "" | "0");
    if is_unversioned && request.def.is_custom() {
        let why = "Invalid value: 0: must be specified for an update";
        let cause = StatusCause::invalid("metadata.resourceVersion", why);
        return Err(ApiError::invalid(&request.def.group, &request.def.plural, name, vec![cause]));
    }
    change(request, name, dry_run, |_| Ok((wanted.clone(), FieldOwnership::Tracked)))
}

/// Whether a PUT may create an object of this kind.
fn may_create(request: &WriteRequest<'_>) -> bool {
    request.subresource.is_empty() && matches!(request.def.plural.as_ref(), "leases" | "endpoints" | "events")
}

/// Changes an object with `make`, which is called again if another write comes first.
pub(super) fn change(
    request: &WriteRequest<'_>,
    name: &str,
    dry_run: DryRun,
    make: impl Fn(&Value) -> Result<(Value, FieldOwnership), ApiError>,
) -> Result<Arc<StoredObject>, ApiError> {
    let (core, def) = (request.core, request.def);
    let key = request.key(name);
    for _ in 0..ATTEMPTS_MAX {
        let stored = core.store.object(&def.storage, &key).ok_or_else(|| ApiError::not_found(def, name))?;
        let mut old = with_type_meta(def, &stored);
        // An object that was stored without defaults counts as having them, as when Kubernetes reads it.
        defaults::set(def, &mut old);
        let (wanted, ownership) = make(&old)?;
        let mut new = merged_update(request, &old, wanted, ownership)?;
        managed_fields::keep_times(&old, &mut new);
        request.review(Some(&old), Some(&new))?;
        request.collect_bare_finalizers(&old, &new);
        let draft = encode_for_store(def, &key, &new);
        if draft.equals_ignoring_version(&stored) {
            return Ok(stored);
        }
        if dry_run == DryRun::Yes {
            return Ok(Arc::new(draft.at(stored.version())));
        }
        let expected = Precondition::Version(stored.version());
        let is_held =
            |object: &Value| !finalizers(object).is_empty() || namespaces::is_held(core, def, object);
        let is_finalized = !old["metadata"]["deletionTimestamp"].is_null()
            && old["metadata"]["deletionGracePeriodSeconds"].as_i64().unwrap_or(0) == 0
            && is_held(&old)
            && !is_held(&new);
        let written = if is_finalized {
            // The response has the state that the client sent, although it is never stored.
            let last = Arc::new(draft.at(stored.version()));
            delete::remove(core, def, &key, expected).map(|_| last)
        } else {
            core.store.put(&def.storage, expected, draft, WatchVisibility::Visible)
        };
        if let Ok(written) = written {
            if !is_finalized {
                definitions::register(core, def, &new);
            }
            return Ok(written);
        }
    }
    Err(ApiError::stale(def, name))
}

/// The new state of an object: the requested one, with the fields of the old state that a client can't change.
fn merged_update(
    request: &WriteRequest<'_>,
    old: &Value,
    wanted: Value,
    ownership: FieldOwnership,
) -> Result<Value, ApiError> {
    let def = request.def;
    check_preconditions(request, old, &wanted)?;
    let mut new = match request.subresource {
        "status" => with_status_of(def, old, &wanted),
        "approval" => certificates::with_approval_of(old, wanted),
        "ephemeralcontainers" => with_ephemeral_containers_of(old, &wanted),
        _ => wanted,
    };
    keep_server_fields(request, old, &mut new);
    defaults::set(def, &mut new);
    services::keep_addresses(def, old, &mut new);
    create::conform(request, &mut new)?;
    create::encode_text(def, &mut new);
    definitions::prepare(def, &mut new, &request.time)?;
    certificates::prepare_update(def, old, &mut new, &request.time);
    if request.subresource == "status" {
        certificates::check_status(def, old, &new)?;
    }
    if ownership == FieldOwnership::Tracked {
        managed_fields::track(def, Some(old), &mut new, &request.writer());
    }
    if request.mutate(Some(old), &mut new)? == Mutated::Yes {
        keep_server_fields(request, old, &mut new);
        defaults::set(def, &mut new);
        create::conform(request, &mut new)?;
        definitions::prepare(def, &mut new, &request.time)?;
    }
    validate::update(def, old, &new)?;
    create::check_rules(request, Some(old), &new)?;
    if request.subresource.is_empty() {
        validate::update_without_subresource(def, old, &new)?;
    }
    // A binding changes the spec of a pod, but is no update of it.
    let is_counted =
        (def.generation == Generation::Counted || def.is_custom()) && request.subresource != "binding";
    if is_counted && changes_generation(def, old, &new) {
        let generation = old["metadata"]["generation"].as_i64().unwrap_or(0);
        new["metadata"]["generation"] = json!(generation.saturating_add(1));
    }
    Ok(new)
}

/// Restores the fields of the old state that a client can't change.
fn keep_server_fields(request: &WriteRequest<'_>, old: &Value, new: &mut Value) {
    let def = request.def;
    let metadata = metadata_mut(new);
    for name in [
        "uid",
        "creationTimestamp",
        "generation",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "resourceVersion",
        "generateName",
    ] {
        match old["metadata"].get(name) {
            Some(value) => metadata.insert(name.to_owned(), value.clone()),
            None => metadata.remove(name),
        };
    }
    metadata.remove("selfLink");
    if def.has_status() && !matches!(request.subresource, "status" | "approval" | "binding") {
        copy_field(new, old, "status");
    }
    if def.storage == namespaces::NAMESPACES && request.subresource != "finalize" {
        copy_field(new, old, "spec");
    }
}

fn check_preconditions(request: &WriteRequest<'_>, old: &Value, wanted: &Value) -> Result<(), ApiError> {
    let def = request.def;
    let name = text(old, "metadata", "name");
    let version = text(wanted, "metadata", "resourceVersion");
    if !version.is_empty() && version.parse::<u64>().is_err() {
        return Err(ApiError::unexpected(format!("invalid resource version: {version:?}")));
    }
    if !matches!(version, "" | "0") && version != text(old, "metadata", "resourceVersion") {
        return Err(ApiError::stale(def, name));
    }
    let (uid, old_uid) = (text(wanted, "metadata", "uid"), text(old, "metadata", "uid"));
    let mut changed = Vec::new();
    if !uid.is_empty() && uid != old_uid && request.verb == Verb::Patch {
        changed.push("metadata.uid");
    }
    let deleted = &wanted["metadata"]["deletionTimestamp"];
    if !deleted.is_null() && *deleted != old["metadata"]["deletionTimestamp"] {
        changed.push("metadata.deletionTimestamp");
    }
    if !changed.is_empty() {
        let causes =
            changed.into_iter().map(|field| StatusCause::invalid(field, "Invalid value: field is immutable"));
        return Err(ApiError::invalid_object(def, name, causes.collect()));
    }
    if !uid.is_empty() && uid != old_uid {
        let why = format!("Precondition failed: UID in precondition: {uid}, UID in object meta: {old_uid}");
        return Err(ApiError::conflict(def, name, &why));
    }
    Ok(())
}

/// The old object with the requested status, and with the parts of the requested metadata that the kind allows.
fn with_status_of(def: &ResourceDef, old: &Value, wanted: &Value) -> Value {
    let mut new = old.clone();
    copy_field(&mut new, wanted, "status");
    let keeps_metadata = def.is_custom() || def.kind == "CustomResourceDefinition";
    if !keeps_metadata {
        copy_field(&mut new, wanted, "metadata");
        let kept: &[&str] = match def.kind.as_ref() {
            "Deployment" => &["labels"],
            "Pod" => &["ownerReferences"],
            _ => &[],
        };
        for name in kept {
            copy_field(&mut new["metadata"], &old["metadata"], name);
        }
    } else if let Some(owners) = wanted["metadata"].get("managedFields") {
        metadata_mut(&mut new).insert("managedFields".to_owned(), owners.clone());
    }
    new
}

/// The old pod with the requested ephemeral containers.
fn with_ephemeral_containers_of(old: &Value, wanted: &Value) -> Value {
    let mut new = old.clone();
    copy_field(&mut new["spec"], &wanted["spec"], "ephemeralContainers");
    copy_field(&mut new["metadata"], &wanted["metadata"], "managedFields");
    new
}

fn copy_field(into: &mut Value, from: &Value, name: &str) {
    let Some(fields) = into.as_object_mut() else { return };
    match from.get(name) {
        Some(value) => fields.insert(name.to_owned(), value.clone()),
        None => fields.remove(name),
    };
}

/// Whether a field other than metadata and status changed.
fn changes_generation(def: &ResourceDef, old: &Value, new: &Value) -> bool {
    let counted = |object: &Value| -> Map<String, Value> {
        let fields = object.as_object().into_iter().flatten();
        let is_counted = |name: &str| name != "metadata" && !(name == "status" && def.has_status());
        fields
            .filter(|(name, _)| is_counted(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    };
    counted(old) != counted(new)
}
