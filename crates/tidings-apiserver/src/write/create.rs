//! POST: creates an object.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::{DryRun, WriteRequest, definitions, encode_for_store, metadata_mut, namespaces, text};
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
    if !text(&object, "metadata", "resourceVersion").is_empty() {
        return Err(ApiError::unexpected("resourceVersion should not be set on objects to be created"));
    }
    let prefix = text(&object, "metadata", "generateName").to_owned();
    let is_generated = text(&object, "metadata", "name").is_empty() && !prefix.is_empty();
    for _ in 0..GENERATED_NAMES_MAX {
        let mut object = object.clone();
        if is_generated {
            metadata_mut(&mut object)
                .insert("name".to_owned(), json!(generated(&prefix, request.core.random())));
        }
        prepare(request, &mut object)?;
        set_initial_managed_fields(request, &mut object);
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

/// Completes and validates a new object.
pub(super) fn prepare(request: &WriteRequest<'_>, object: &mut Value) -> Result<(), ApiError> {
    let def = request.def;
    stamp(request.core, def, object);
    if def.has_status()
        && let Some(fields) = object.as_object_mut()
    {
        fields.remove("status");
    }
    set_defaults(def, object);
    conform(request, object)?;
    encode_text(def, object);
    definitions::prepare(def, object, &request.time)?;
    request.collect_bare_finalizers(&Value::Null, object);
    validate::create(def, object)
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
        return Ok(Arc::new(draft.at(core.store.version())));
    }
    let put = core.store.put(&def.storage, Precondition::Absent, draft, WatchVisibility::Visible);
    let stored = put.map_err(|PreconditionFailed| ApiError::already_exists(def, name))?;
    definitions::register(core, def, object);
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
    if !dropped.is_empty() && request.options.field_validation == "Strict" {
        let named: Vec<_> = dropped.iter().map(|path| format!("unknown field \"{path}\"")).collect();
        let error = ApiError::bad_request(format!("strict decoding error: {}", named.join(", ")));
        return Err(as_sent(error));
    }
    if request.options.field_validation != "Ignore" {
        *request.unknown_fields.borrow_mut() = dropped;
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

/// Sets the defaults of built-in kinds that clients read. Most defaults of Kubernetes are not imitated.
fn set_defaults(def: &ResourceDef, object: &mut Value) {
    match (def.group.as_ref(), def.kind.as_ref()) {
        ("", "Namespace") => {
            let name = text(object, "metadata", "name").to_owned();
            let labels = &mut object["metadata"]["labels"];
            if !labels.is_object() {
                *labels = json!({});
            }
            labels["kubernetes.io/metadata.name"] = json!(name);
            object["spec"] = json!({"finalizers": ["kubernetes"]});
            object["status"] = json!({"phase": "Active"});
        }
        ("", "Pod") => object["status"] = json!({"phase": "Pending", "qosClass": "BestEffort"}),
        ("", "Secret") if object["type"].as_str().unwrap_or_default().is_empty() => {
            object["type"] = json!("Opaque")
        }
        ("", "Service") if object["spec"].is_object() && object["spec"]["type"].is_null() => {
            object["spec"]["type"] = json!("ClusterIP");
        }
        ("apps", "Deployment" | "ReplicaSet" | "StatefulSet")
            if object["spec"].is_object() && object["spec"]["replicas"].is_null() =>
        {
            object["spec"]["replicas"] = json!(1);
        }
        _ => {}
    }
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
        set_defaults(&def, &mut object);
        let draft = encode_for_store(&def, name, &object);
        // An error means that another request has created it, which is the same result.
        let _ = self.store.put(NAMESPACES, Precondition::Absent, draft, WatchVisibility::Visible);
    }
}
