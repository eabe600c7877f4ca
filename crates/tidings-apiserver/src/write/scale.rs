//! The `scale` subresource: reads and sets the number of replicas of any scalable kind.

use std::sync::Arc;

use bytes::Bytes;
use http::{Response, StatusCode};
use serde_json::{Value, json};

use super::update::{FieldOwnership, change};
use super::{WriteRequest, object_body, text, with_type_meta};
use crate::body::{self, ResponseBody};
use crate::patch::apply::{self, OnConflict};
use crate::patch::{self, PatchKind};
use crate::read;
use crate::resource::{ResourceDef, Verb};
use crate::status::{ApiError, StatusCause};
use crate::store::StoredObject;

/// JSON pointers to the fields of a kind that a scale shows.
struct ScalePointers {
    spec: String,
    status: String,
    selector: SelectorSource,
}

/// Where a kind has the selector of its pods.
enum SelectorSource {
    /// In `spec.selector`, as in built-in kinds.
    Spec,
    /// As text at this JSON pointer.
    Text(String),
    None,
}

pub(super) fn answer(
    request: &WriteRequest<'_>,
    verb: Verb,
    content_type: Option<&str>,
    sent: &Bytes,
) -> Result<Response<ResponseBody>, ApiError> {
    let (core, def, name) = (request.core, request.def, request.name()?);
    let pointers = pointers(def);
    let stored = match verb {
        Verb::Get => read::get::object(core, def, &request.key(name))?,
        Verb::Update => {
            let wanted = object_body(request, content_type, sent)?;
            let dry_run = request.dry_run("UpdateOptions")?;
            change(request, name, dry_run, |old| scaled(def, &pointers, old, &wanted))?
        }
        Verb::Patch => {
            let kind = PatchKind::from_content_type(content_type.unwrap_or_default())
                .ok_or_else(|| ApiError::unsupported_patch(patch::MEDIA_TYPES))?;
            if kind == PatchKind::Apply {
                let applied = apply(request, &pointers, sent)?;
                return Ok(response(&pointers, &with_type_meta(def, &applied)));
            }
            // A scale has no lists with merge keys, so a strategic merge patch is a merge patch.
            let kind = if kind == PatchKind::Strategic { PatchKind::Merge } else { kind };
            let dry_run = request.dry_run("PatchOptions")?;
            change(request, name, dry_run, |old| {
                let wanted = patch::patched(def, kind, &scale(&pointers, old), sent)?;
                scaled(def, &pointers, old, &wanted)
            })?
        }
        _ => return Err(ApiError::method_not_allowed()),
    };
    Ok(response(&pointers, &with_type_meta(def, &stored)))
}

fn response(pointers: &ScalePointers, object: &Value) -> Response<ResponseBody> {
    body::json(StatusCode::OK, body::full(scale(pointers, object).to_string()))
}

/// Server-side apply of a scale: the applier owns the number of replicas through the `scale` subresource.
fn apply(
    request: &WriteRequest<'_>,
    pointers: &ScalePointers,
    sent: &Bytes,
) -> Result<Arc<StoredObject>, ApiError> {
    let (def, name) = (request.def, request.name()?);
    let dry_run = request.dry_run("PatchOptions")?;
    let config = apply::configuration(sent)?.value;
    if config["kind"] != "Scale" || config["apiVersion"] != "autoscaling/v1" {
        let (kind, version) = (&config["kind"], &config["apiVersion"]);
        return Err(ApiError::bad_request(format!(
            "a scale is a Scale of autoscaling/v1, got {kind} of {version}"
        )));
    }
    let on_conflict = if request.options.is_forced { OnConflict::Force } else { OnConflict::Refuse };
    let mut writer = request.writer();
    writer.manager = &request.options.field_manager;
    change(request, name, dry_run, |old| {
        // Validates the number and the version of the scale.
        scaled(def, pointers, old, &config)?;
        let mut applied =
            json!({"kind": def.kind, "apiVersion": def.api_version(), "metadata": {"name": name}});
        if !config["spec"]["replicas"].is_null() {
            set_at(&mut applied, &pointers.spec, config["spec"]["replicas"].clone());
        }
        let object = apply::applied(def, Some(old), &applied, &writer, on_conflict)?;
        Ok((object, FieldOwnership::Given))
    })
}

/// Sets the value at a JSON pointer. Creates the objects on the way.
fn set_at(object: &mut Value, pointer: &str, value: Value) {
    let mut at = object;
    for part in pointer.split('/').skip(1) {
        if !at.is_object() {
            *at = json!({});
        }
        at = &mut at[part];
    }
    *at = value;
}

fn pointers(def: &ResourceDef) -> ScalePointers {
    let pointer = |path: &str| path.replace('.', "/");
    match def.custom().and_then(|origin| origin.scale.as_ref()) {
        Some(paths) => ScalePointers {
            spec: pointer(&paths.spec_replicas),
            status: pointer(&paths.status_replicas),
            selector: paths
                .label_selector
                .as_deref()
                .map(pointer)
                .map_or(SelectorSource::None, SelectorSource::Text),
        },
        None => ScalePointers {
            spec: "/spec/replicas".to_owned(),
            status: "/status/replicas".to_owned(),
            selector: SelectorSource::Spec,
        },
    }
}

fn scale(pointers: &ScalePointers, object: &Value) -> Value {
    let number = |at: &str| object.pointer(at).and_then(Value::as_i64).unwrap_or(0);
    let metadata = &object["metadata"];
    let selector = match &pointers.selector {
        SelectorSource::Text(at) => object.pointer(at).and_then(Value::as_str).unwrap_or_default().to_owned(),
        SelectorSource::Spec => selector_text(&object["spec"]["selector"]),
        SelectorSource::None => String::new(),
    };
    let mut scale = json!({
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {
            "name": metadata["name"], "namespace": metadata["namespace"], "uid": metadata["uid"],
            "resourceVersion": metadata["resourceVersion"], "creationTimestamp": metadata["creationTimestamp"],
        },
        "spec": {"replicas": number(&pointers.spec)},
        "status": {"replicas": number(&pointers.status)},
    });
    if !selector.is_empty() {
        scale["status"]["selector"] = json!(selector);
    }
    scale
}

fn selector_text(selector: &Value) -> String {
    let labels = if selector["matchLabels"].is_object() { &selector["matchLabels"] } else { selector };
    let pairs = labels.as_object().into_iter().flatten();
    let equal = pairs.filter_map(|(name, value)| Some(format!("{name}={}", value.as_str()?)));
    equal.collect::<Vec<_>>().join(",")
}

fn scaled(
    def: &ResourceDef,
    pointers: &ScalePointers,
    old: &Value,
    wanted: &Value,
) -> Result<(Value, FieldOwnership), ApiError> {
    let name = text(old, "metadata", "name");
    let replicas = wanted["spec"]["replicas"].as_i64().unwrap_or(0);
    if replicas < 0 {
        let why = format!("Invalid value: {replicas}: must be greater than or equal to 0");
        return Err(ApiError::invalid(
            "autoscaling",
            "Scale",
            name,
            vec![StatusCause::invalid("spec.replicas", why)],
        ));
    }
    let version = text(wanted, "metadata", "resourceVersion");
    if !version.is_empty() && version != text(old, "metadata", "resourceVersion") {
        return Err(ApiError::stale(def, name));
    }
    let mut new = old.clone();
    set_at(&mut new, &pointers.spec, json!(replicas));
    Ok((new, FieldOwnership::Tracked))
}
