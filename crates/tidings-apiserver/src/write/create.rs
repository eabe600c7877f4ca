//! POST: creates an object.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::{
    DryRun, WriteRequest, certificates, definitions, encode_for_store, jobs, metadata_mut, namespaces,
    services, text,
};
use crate::admission::Mutated;
use crate::defaults;
use crate::patch::managed_fields;
use crate::resource::{Generation, ResourceDef, Verb};
use crate::server::Core;
use crate::status::ApiError;
use crate::store::{Precondition, PreconditionFailed, StoredObject, WatchVisibility};
use crate::validate;
use crate::{crd, validate::name::generated};

/// How often a name is generated for `generateName` when the name exists already.
const GENERATED_NAMES_MAX: usize = 8;

pub(super) fn create(request: &WriteRequest<'_>, object: Value) -> Result<Arc<StoredObject>, ApiError> {
    let dry_run = request.dry_run("CreateOptions")?;
    let mut object = object;
    validate::type_meta(request.def, &mut object)?;
    validate::placement(request.def, &mut object, request.namespace.unwrap_or_default(), request.name)?;
    let sent_version = text(&object, "metadata", "resourceVersion").to_owned();
    let prefix = text(&object, "metadata", "generateName").to_owned();
    let is_generated = text(&object, "metadata", "name").is_empty() && !prefix.is_empty();
    for _ in 0..GENERATED_NAMES_MAX {
        let mut object = object.clone();
        if is_generated {
            metadata_mut(&mut object)
                .insert("name".to_owned(), json!(generated(&prefix, request.core.random())));
        }
        complete(request, &mut object)?;
        set_initial_managed_fields(request, &mut object);
        admit(request, &mut object)?;
        if !sent_version.is_empty() && dry_run == DryRun::No {
            return Err(ApiError::unexpected("resourceVersion should not be set on objects to be created"));
        }
        if !sent_version.is_empty() {
            metadata_mut(&mut object).insert("resourceVersion".to_owned(), json!(sent_version));
        }
        match store(request, &object, dry_run) {
            Err(error) if is_generated && error.reason == "AlreadyExists" => {}
            outcome => return outcome,
        }
    }
    Err(ApiError::already_exists(request.def, &prefix))
}

/// Sets the managed fields of a new object. Fields that the server sets itself have no manager.
fn set_initial_managed_fields(request: &WriteRequest<'_>, object: &mut Value) {
    let def = request.def;
    let mut sent = object.clone();
    if let Some(fields) = sent.as_object_mut() {
        fields.retain(|name, _| {
            !(name == "status" && def.has_status() || name == "spec" && def.storage == "/namespaces")
        });
    }
    managed_fields::track(def, None, &mut sent, &request.writer());
    let metadata = metadata_mut(object);
    match sent["metadata"].get("managedFields") {
        Some(owners) => metadata.insert("managedFields".to_owned(), owners.clone()),
        None => metadata.remove("managedFields"),
    };
}

/// Completes a new object: metadata, defaults, and the fields that only the server sets.
pub(super) fn complete(request: &WriteRequest<'_>, object: &mut Value) -> Result<(), ApiError> {
    let def = request.def;
    stamp(request.core, def, object);
    if def.has_status()
        && let Some(fields) = object.as_object_mut()
    {
        fields.remove("status");
    }
    if def.kind == "CertificateSigningRequest" && object["spec"].is_object() {
        certificates::set_requester(&mut object["spec"], request.user);
    }
    set_initial_fields(request.core, def, object);
    conform(request, object)?;
    encode_text(def, object);
    definitions::prepare(def, object, &request.time)
}

/// Reviews and validates a completed object. Mutating webhooks come before the validation, validating ones after it.
pub(super) fn admit(request: &WriteRequest<'_>, object: &mut Value) -> Result<(), ApiError> {
    let def = request.def;
    if request.mutate(None, object)? == Mutated::Yes {
        defaults::set(def, object);
        conform(request, object)?;
        definitions::prepare(def, object, &request.time)?;
    }
    request.collect_bare_finalizers(&Value::Null, object);
    validate::create(def, object)?;
    check_rules(request, None, object)?;
    request.review(None, Some(object))
}

/// Checks the rules in CEL of a custom resource.
pub(super) fn check_rules(
    request: &WriteRequest<'_>,
    old: Option<&Value>,
    new: &Value,
) -> Result<(), ApiError> {
    let causes = crd::rules::check(request.def, old, new);
    if causes.is_empty() {
        return Ok(());
    }
    Err(ApiError::invalid_object(request.def, text(new, "metadata", "name"), causes))
}

/// Encodes `stringData` of a Secret into `data`.
pub(super) fn encode_text(def: &ResourceDef, object: &mut Value) {
    if !(def.group.is_empty() && def.kind == "Secret") {
        return;
    }
    let Some(fields) = object.as_object_mut() else { return };
    let Some(Value::Object(texts)) = fields.remove("stringData") else { return };
    let data = fields.entry("data").or_insert_with(|| json!({}));
    for (key, text) in &texts {
        let encoded = STANDARD.encode(text.as_str().unwrap_or_default());
        data[key] = json!(encoded);
    }
}

pub(super) fn store(
    request: &WriteRequest<'_>,
    object: &Value,
    dry_run: DryRun,
) -> Result<Arc<StoredObject>, ApiError> {
    let (core, def) = (request.core, request.def);
    let name = text(object, "metadata", "name");
    let key = request.key(name);
    let draft = encode_for_store(def, &key, object);
    if core.store.object(&def.storage, &key).is_some() {
        return Err(ApiError::already_exists(def, name));
    }
    namespaces::check(request, name)?;
    if dry_run == DryRun::Yes {
        let version = text(object, "metadata", "resourceVersion").parse().ok();
        return Ok(Arc::new(draft.for_dry_run(version)));
    }
    let put = core.store.put(&def.storage, Precondition::Absent, draft, WatchVisibility::Visible);
    let stored = put.map_err(|PreconditionFailed| ApiError::already_exists(def, name))?;
    definitions::register(core, def, object);
    if def.storage == "/namespaces" {
        core.bootstrap_namespace(name);
    }
    Ok(stored)
}

/// Drops unknown fields and fills in the defaults of a custom resource's schema.
pub(super) fn conform(request: &WriteRequest<'_>, object: &mut Value) -> Result<(), ApiError> {
    // For a patch, an error in the resulting object is an error of the patch.
    let as_sent = |error: ApiError| match request.verb {
        Verb::Patch => ApiError::invalid_patch(&error.message),
        _ => error,
    };
    let mut dropped = validate::field_types::conform(request.def, object).map_err(as_sent)?;
    let (unknown, causes) = crd::conform(request.def, object);
    dropped.extend(unknown);
    let duplicates = std::mem::take(&mut *request.duplicates.borrow_mut());
    match request.options.field_validation.as_str() {
        "Strict" if !dropped.is_empty() || !duplicates.is_empty() => {
            let unknown = dropped.iter().map(|path| format!("unknown field \"{path}\""));
            let messages: Vec<_> = duplicates.into_iter().chain(unknown).collect();
            let error = ApiError::bad_request(format!("strict decoding error: {}", messages.join(", ")));
            return Err(as_sent(error));
        }
        "Ignore" => {}
        _ => {
            *request.duplicates.borrow_mut() = duplicates;
            *request.unknown_fields.borrow_mut() = dropped;
        }
    }
    if causes.is_empty() {
        return Ok(());
    }
    Err(ApiError::invalid_object(request.def, text(object, "metadata", "name"), causes))
}

/// Sets the metadata that only the server may set.
fn stamp(core: &Core, def: &ResourceDef, object: &mut Value) {
    let uid = core.new_uid();
    let time = core.clock.seconds();
    let metadata = metadata_mut(object);
    metadata.insert("uid".to_owned(), json!(uid));
    metadata.insert("creationTimestamp".to_owned(), json!(time));
    for name in ["resourceVersion", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        metadata.remove(name);
    }
    if def.generation == Generation::Counted || def.is_custom() {
        metadata.insert("generation".to_owned(), json!(1));
    }
}

/// Sets defaults, and the status that the server gives a new object.
fn set_initial_fields(core: &Core, def: &ResourceDef, object: &mut Value) {
    defaults::set(def, object);
    match (def.group.as_ref(), def.kind.as_ref()) {
        ("", "Namespace") => {
            object["spec"] = json!({"finalizers": ["kubernetes"]});
            object["status"] = json!({"phase": "Active"});
        }
        ("", "Pod") => {
            object["status"] = json!({"phase": "Pending", "qosClass": defaults::qos_class(object)});
            if object["spec"]["schedulingGates"].as_array().is_some_and(|gates| !gates.is_empty()) {
                object["status"]["conditions"] = json!([{
                    "type": "PodScheduled", "status": "False", "reason": "SchedulingGated",
                    "message": "Scheduling is blocked due to non-empty scheduling gates",
                    "lastTransitionTime": core.clock.seconds(),
                }]);
            }
        }
        ("", "PersistentVolumeClaim" | "PersistentVolume") => object["status"] = json!({"phase": "Pending"}),
        ("", "Service") => services::allocate(core, object),
        ("batch", "Job") => jobs::set_selector(object),
        _ => {}
    }
    defaults::set_empty_status(def, object);
}

impl Core {
    /// Creates a namespace if it does not exist.
    pub(crate) fn ensure_namespace(&self, name: &str) {
        const NAMESPACES: &str = "/namespaces";
        if self.store.object(NAMESPACES, name).is_some() {
            return;
        }
        let def = self.registry.find("", "v1", "namespaces").expect("namespaces are built in");
        let mut object = json!({"metadata": {"name": name}});
        stamp(self, &def, &mut object);
        set_initial_fields(self, &def, &mut object);
        let draft = encode_for_store(&def, name, &object);
        // An error means that another request has created it, which is the same result.
        let _ = self.store.put(NAMESPACES, Precondition::Absent, draft, WatchVisibility::Visible);
        self.bootstrap_namespace(name);
    }
}
