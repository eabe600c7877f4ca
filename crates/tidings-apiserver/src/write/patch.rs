//! PATCH, in all four ways.

use std::sync::Arc;

use http::StatusCode;
use serde_json::Value;

use super::update::{Ownership, change};
use super::{Writing, create, metadata_mut, text};
use crate::patch::apply::{self, OnConflict};
use crate::patch::{self, PatchKind};
use crate::status::{ApiError, Cause};
use crate::store::Stored;
use crate::validate;

/// Patches an object; an apply may create it.
pub(super) fn patch(
    writing: &Writing<'_>,
    content_type: Option<&str>,
    sent: &[u8],
) -> Result<(Arc<Stored>, StatusCode), ApiError> {
    let kind = PatchKind::from_content_type(content_type.unwrap_or_default())
        .ok_or_else(|| ApiError::unsupported_patch(patch::MEDIA_TYPES))?;
    if kind == PatchKind::Apply {
        return apply(writing, sent);
    }
    let trial = writing.trial("PatchOptions")?;
    if writing.options.is_forced {
        let cause = Cause::forbidden("force", "Forbidden: may not be specified for non-apply patch");
        return Err(ApiError::invalid("meta.k8s.io", "PatchOptions", "", vec![cause]));
    }
    let name = writing.name()?;
    let patched = change(writing, name, trial, |old| {
        let mut wanted = patch::patched(writing.def, kind, old, sent)?;
        validate::type_meta(writing.def, &mut wanted)
            .map_err(|error| ApiError::invalid_patch(&error.message))?;
        check_place(writing, &mut wanted)?;
        Ok((wanted, Ownership::Tracked))
    })?;
    Ok((patched, StatusCode::OK))
}

fn check_place(writing: &Writing<'_>, wanted: &mut Value) -> Result<(), ApiError> {
    validate::placement(writing.def, wanted, writing.namespace.unwrap_or_default(), writing.name)
}

fn apply(writing: &Writing<'_>, sent: &[u8]) -> Result<(Arc<Stored>, StatusCode), ApiError> {
    let trial = writing.trial("PatchOptions")?;
    let name = writing.name()?;
    let mut config = apply::configuration(sent).map_err(apply::ApplyError::into_api_error)?;
    validate::type_meta(writing.def, &mut config)?;
    check_place(writing, &mut config)?;
    let unknown = validate::shape::checked(writing.def, &mut config.clone())?;
    if let Some(field) = unknown.first() {
        return Err(ApiError::unexpected(format!(
            "failed to create typed patch object: .{field}: field not declared in schema"
        )));
    }
    let on_conflict = if writing.options.is_forced { OnConflict::Force } else { OnConflict::Refuse };
    let mut writer = writing.writer();
    writer.manager = &writing.options.field_manager;
    let applied = |live: Option<&Value>| {
        apply::applied(writing.def, live, &config, &writer, on_conflict)
            .map_err(apply::ApplyError::into_api_error)
    };
    let key = writing.key(name);
    let is_there = writing.core.store.object(&writing.def.storage, &key).is_some();
    if !is_there && writing.subresource.is_empty() {
        let mut object = applied(None)?;
        if !text(&object, "metadata", "uid").is_empty() {
            let why = "Precondition failed: UID in precondition";
            return Err(ApiError::conflict(writing.def, name, why));
        }
        metadata_mut(&mut object).remove("resourceVersion");
        create::prepare(writing, &mut object)?;
        return Ok((create::store(writing, &object, trial)?, StatusCode::CREATED));
    }
    let changed = change(writing, name, trial, |old| Ok((applied(Some(old))?, Ownership::Told)))?;
    Ok((changed, StatusCode::OK))
}
