//! PATCH, of all four kinds.

use std::sync::Arc;

use http::StatusCode;
use serde_json::Value;

use super::update::{FieldOwnership, change};
use super::{WriteRequest, create, metadata_mut, text};
use crate::decode::{self, Decoded};
use crate::patch::apply::{self, OnConflict};
use crate::patch::{self, PatchKind};
use crate::status::{ApiError, StatusCause};
use crate::store::StoredObject;
use crate::validate;

/// Patches an object. Server-side apply may create it.
pub(super) fn patch(
    request: &WriteRequest<'_>,
    content_type: Option<&str>,
    sent: &[u8],
) -> Result<(Arc<StoredObject>, StatusCode), ApiError> {
    let kind = PatchKind::from_content_type(content_type.unwrap_or_default())
        .ok_or_else(|| ApiError::unsupported_patch(patch::MEDIA_TYPES))?;
    if kind == PatchKind::Apply {
        return apply(request, sent);
    }
    let dry_run = request.dry_run("PatchOptions")?;
    if request.options.is_forced {
        let cause = StatusCause::forbidden("force", "Forbidden: may not be specified for non-apply patch");
        return Err(ApiError::invalid("meta.k8s.io", "PatchOptions", "", vec![cause]));
    }
    if matches!(kind, PatchKind::Merge | PatchKind::Strategic)
        && let Ok(decoded) = decode::json(sent)
    {
        *request.duplicates.borrow_mut() = decoded.duplicates;
    }
    let name = request.name()?;
    let patched = change(request, name, dry_run, |old| {
        let mut wanted = patch::patched(request.def, kind, old, sent)?;
        validate::type_meta(request.def, &mut wanted)
            .map_err(|error| ApiError::invalid_patch(&error.message))?;
        check_placement(request, &mut wanted)?;
        Ok((wanted, FieldOwnership::Tracked))
    })?;
    Ok((patched, StatusCode::OK))
}

fn check_placement(request: &WriteRequest<'_>, wanted: &mut Value) -> Result<(), ApiError> {
    validate::placement(request.def, wanted, request.namespace.unwrap_or_default(), request.name)
}

fn apply(request: &WriteRequest<'_>, sent: &[u8]) -> Result<(Arc<StoredObject>, StatusCode), ApiError> {
    let dry_run = request.dry_run("PatchOptions")?;
    let name = request.name()?;
    let Decoded { value: mut config, duplicates } = apply::configuration(sent)?;
    validate::type_meta(request.def, &mut config)?;
    check_placement(request, &mut config)?;
    if let Some(duplicate) = duplicates.first().filter(|_| request.options.field_validation == "Strict") {
        return Err(ApiError::bad_request(format!("error strict decoding YAML: {duplicate}")));
    }
    if request.options.field_validation != "Ignore" {
        *request.duplicates.borrow_mut() = duplicates;
    }
    let unknown = validate::field_types::conform(request.def, &mut config.clone())?;
    if let Some(field) = unknown.first() {
        return Err(ApiError::unexpected(format!(
            "failed to create typed patch object: .{field}: field not declared in schema"
        )));
    }
    let on_conflict = if request.options.is_forced { OnConflict::Force } else { OnConflict::Refuse };
    let mut writer = request.writer();
    writer.manager = &request.options.field_manager;
    let applied = |live: Option<&Value>| {
        apply::applied(request.def, live, &config, &writer, on_conflict)
            .map_err(apply::ApplyError::into_api_error)
    };
    let key = request.key(name);
    let is_there = request.core.store.object(&request.def.storage, &key).is_some();
    if !is_there && request.subresource.is_empty() {
        let mut object = applied(None)?;
        if !text(&object, "metadata", "uid").is_empty() {
            let why = "Precondition failed: UID in precondition";
            return Err(ApiError::conflict(request.def, name, why));
        }
        metadata_mut(&mut object).remove("resourceVersion");
        create::complete(request, &mut object)?;
        create::admit(request, &mut object)?;
        return Ok((create::store(request, &object, dry_run)?, StatusCode::CREATED));
    }
    let changed = change(request, name, dry_run, |old| Ok((applied(Some(old))?, FieldOwnership::Given)))?;
    Ok((changed, StatusCode::OK))
}
