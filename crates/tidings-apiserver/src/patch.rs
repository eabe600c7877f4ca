//! Applies patches to objects.
//!
//! [`patched`] applies a JSON patch, a JSON merge patch or a strategic merge patch. Server-side apply is
//! [`apply::applied`], because it may create an object and needs the name of the field manager. All functions are pure.
//! They validate the patch and not the resulting object.

use serde_json::Value;

use crate::resource::ResourceDef;
use crate::schema::KindSchema;
use crate::status::ApiError;

pub(crate) mod apply;
pub(crate) mod json;
pub(crate) mod managed_fields;
pub(crate) mod merge;
pub(crate) mod strategic;

mod compare;
mod element_order;
mod field_set;
mod prune;

/// The deepest nesting of an object. A JSON parser must be able to read it again.
pub(crate) const DEPTH_MAX: usize = 120;

/// The media types of all patches, for error messages.
pub(crate) const MEDIA_TYPES: &str = "application/json-patch+json, application/merge-patch+json, \
                               application/strategic-merge-patch+json, application/apply-patch+yaml";

/// The kind of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatchKind {
    /// `application/json-patch+json`
    Json,
    /// `application/merge-patch+json`
    Merge,
    /// `application/strategic-merge-patch+json`
    Strategic,
    /// `application/apply-patch+yaml`
    Apply,
}

/// Why a patch can't be applied.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PatchError {
    #[error("reading the patch: {0}")]
    Malformed(serde_json::Error),
    #[error("a patch must be an object")]
    NotAnObject,
    #[error("the allowed maximum operations in a JSON patch is {}, got {count}", json::OPERATIONS_MAX)]
    TooManyOperations { count: usize },
    /// With chained copies a small patch could make a very large object.
    #[error("the copies of a JSON patch may not exceed {} bytes", json::COPIED_BYTES_MAX)]
    TooMuchCopied,
    #[error("reading an operation of the patch: {0}")]
    NoOperation(serde_json::Error),
    #[error("applying operation {index} of the patch: {cause}")]
    Operation { index: usize, cause: Box<json_patch::PatchError> },
    #[error("the patched object nests deeper than {DEPTH_MAX} levels")]
    TooDeep,
    /// Custom resources have no merge keys.
    #[error("custom resources do not support strategic merge patch")]
    StrategicForCustom,
    #[error("unknown or misplaced patch directive {directive}")]
    Directive { directive: String },
    #[error("an item of a list in the patch does not contain the declared merge key: {key}")]
    NoMergeKey { key: String },
}

impl PatchKind {
    /// The kind of patch of a `Content-Type`. Parameters are ignored.
    pub(crate) fn from_content_type(content_type: &str) -> Option<Self> {
        match content_type.split(';').next().unwrap_or_default().trim() {
            "application/json-patch+json" => Some(Self::Json),
            "application/merge-patch+json" => Some(Self::Merge),
            "application/strategic-merge-patch+json" => Some(Self::Strategic),
            "application/apply-patch+yaml" | "application/apply-patch+json" => Some(Self::Apply),
            _ => None,
        }
    }
}

/// Applies a patch to an object. For apply patches see [`apply::applied`].
pub(crate) fn patched(
    def: &ResourceDef,
    kind: PatchKind,
    object: &Value,
    body: &[u8],
) -> Result<Value, PatchError> {
    let patched = match kind {
        PatchKind::Json => json::patched(object, body)?,
        PatchKind::Merge => merge::patched(object, &parsed(body)?),
        PatchKind::Strategic if def.is_custom() => return Err(PatchError::StrategicForCustom),
        PatchKind::Strategic => strategic::patched(object, &parsed(body)?, KindSchema::of(def).root())?,
        PatchKind::Apply => return Err(PatchError::Directive { directive: "apply".to_owned() }),
    };
    if !patched.is_object() {
        return Err(PatchError::NotAnObject);
    }
    check_depth(&patched)?;
    Ok(patched)
}

fn parsed(body: &[u8]) -> Result<Value, PatchError> {
    let patch: Value = serde_json::from_slice(body).map_err(PatchError::Malformed)?;
    if patch.is_object() { Ok(patch) } else { Err(PatchError::NotAnObject) }
}

pub(crate) fn check_depth(value: &Value) -> Result<(), PatchError> {
    if is_deeper_than(value, DEPTH_MAX) { Err(PatchError::TooDeep) } else { Ok(()) }
}

/// The recursion ends at the limit.
fn is_deeper_than(value: &Value, limit: usize) -> bool {
    match value {
        Value::Array(items) => limit == 0 || items.iter().any(|item| is_deeper_than(item, limit - 1)),
        Value::Object(map) => limit == 0 || map.values().any(|item| is_deeper_than(item, limit - 1)),
        _ => false,
    }
}

impl From<PatchError> for ApiError {
    fn from(error: PatchError) -> Self {
        let message = error.to_string();
        match error {
            PatchError::Malformed(_) | PatchError::NotAnObject | PatchError::TooDeep => {
                Self::bad_request(message)
            }
            PatchError::Directive { .. } | PatchError::NoMergeKey { .. } => Self::unexpected(message),
            PatchError::TooManyOperations { .. } | PatchError::TooMuchCopied => {
                Self::new(413, "RequestEntityTooLarge", format!("Request entity too large: {message}"))
            }
            PatchError::Operation { .. } | PatchError::NoOperation(_) => Self::rejected(&message),
            PatchError::StrategicForCustom => Self::unsupported_media_type(
                "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
            ),
        }
    }
}

/// Fuzz target: the first byte is the kind of patch, then an object and a patch, separated by a zero byte or a newline.
/// Must not panic.
#[doc(hidden)]
pub fn fuzz(data: &[u8]) {
    let Some((&pick, rest)) = data.split_first() else { return };
    let Some(middle) = rest.iter().position(|&byte| byte == 0 || byte == b'\n') else { return };
    let (object, patch) = (&rest[..middle], &rest[middle + 1..]);
    let Ok(object) = serde_json::from_slice::<Value>(object) else { return };
    let kind = match pick % 4 {
        0 => PatchKind::Json,
        1 => PatchKind::Merge,
        2 => PatchKind::Strategic,
        _ => PatchKind::Apply,
    };
    apply::fuzz(kind, &object, patch);
}

#[cfg(test)]
mod tests;
