//! Server-side apply (KEP-555): merges the configuration of one field manager with the fields of others.
//!
//! A field that the manager applied before and does not apply now is removed, unless another manager owns it. To change
//! a field that another manager owns is a conflict, unless the conflict is forced; then the ownership moves. To apply
//! the same configuration twice changes nothing.
//!
//! Example: the object has `replicas: 3` (owned by `hpa`) and `paused: true` (owned by `me`). `me` applies `{replicas:
//! 3}`:
//!
//! ```text
//! paused     owned by me alone, no longer applied      removed
//! replicas   same value as the live object             no conflict; now owned by hpa and me
//! ```

use serde_json::Value;

use super::PatchKind;
use super::compare::{compared, fields_of};
use super::field_set::FieldSet;
use super::managed_fields::{self, FieldWriter, ManagedFieldsEntry, ManagedFieldsOperation};
use super::prune::{merged, prune};
use crate::decode::{self, Decoded};
use crate::resource::ResourceDef;
use crate::schema::KindSchema;
use crate::status::{ApiError, StatusCause};

/// What happens if the configuration changes a field of another manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnConflict {
    /// The apply fails.
    Refuse,
    /// The field changes, and the ownership moves to the applier.
    Force,
}

/// A field that another manager owns and that the configuration changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    /// The owner, as error messages describe it.
    pub manager: String,
    /// Such as `.spec.replicas`.
    pub field: String,
}

/// Why a configuration can't be applied.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApplyError {
    #[error("error decoding YAML: {0}")]
    Malformed(serde_yaml::Error),
    #[error("the configuration must be an object that does not nest too deeply")]
    NotAnObject,
    #[error("invalid object type: apiVersion and kind are needed to apply")]
    NoKind,
    #[error("metadata.managedFields must be nil")]
    ManagedFields,
    #[error("an apply needs a fieldManager")]
    NoManager,
    #[error("{} fields have other owners", .0.len())]
    Conflicts(Vec<Conflict>),
}

/// Parses an object from YAML, of which JSON is a part.
pub(crate) fn parsed(body: &[u8]) -> Result<Decoded, ApplyError> {
    // The JSON parser is faster; messages about repeated keys are those of YAML.
    let decoded = match decode::json(body) {
        Ok(decoded) if decoded.duplicates.is_empty() => decoded,
        _ => decode::yaml(body).map_err(ApplyError::Malformed)?,
    };
    if decoded.value.is_object() && super::check_depth(&decoded.value).is_ok() {
        Ok(decoded)
    } else {
        Err(ApplyError::NotAnObject)
    }
}

/// Parses a configuration, which must have `apiVersion` and `kind`.
pub(crate) fn configuration(body: &[u8]) -> Result<Decoded, ApplyError> {
    let decoded = parsed(body)?;
    let config = &decoded.value;
    let is_set = |field: &str| config[field].as_str().is_some_and(|text| !text.is_empty());
    if is_set("apiVersion") && is_set("kind") { Ok(decoded) } else { Err(ApplyError::NoKind) }
}

/// Applies `config` to the stored object `live`, or creates an object if there is none.
pub(crate) fn applied(
    def: &ResourceDef,
    live: Option<&Value>,
    config: &Value,
    writer: &FieldWriter<'_>,
    on_conflict: OnConflict,
) -> Result<Value, ApplyError> {
    if writer.manager.is_empty() {
        return Err(ApplyError::NoManager);
    }
    if !matches!(&config["metadata"]["managedFields"], Value::Null) {
        return Err(ApplyError::ManagedFields);
    }
    let schema = KindSchema::of(def);
    let config = within_scope(def, config, writer.subresource)?;
    let (mut others, last) = owners(def, live, &schema, writer);
    let fields = fields_of(&config, schema.root()).without_server_fields();

    // Prunes before it merges, so that a map or list that is applied empty stays.
    let mut pruned = live.cloned();
    if let (Some(object), Some(last)) = (&mut pruned, &last) {
        let keep = others.iter().fold(fields.clone(), |keep, entry| keep.union(&entry.fields));
        prune(object, &last.fields, &keep, schema.root());
    }
    let mut object = merged(pruned, &config, schema.root()).ok_or(ApplyError::NotAnObject)?;

    let nothing = Value::Object(serde_json::Map::new());
    let change = compared(live.unwrap_or(&nothing), &object, schema.root());
    let written = change.added.union(&change.modified);
    let is_changed = !written.is_empty() || !change.removed.is_empty();
    let conflicts: Vec<_> = others.iter().flat_map(|entry| conflicts_with(entry, &written)).collect();
    if !conflicts.is_empty() && on_conflict == OnConflict::Refuse {
        return Err(ApplyError::Conflicts(conflicts));
    }
    for entry in &mut others {
        entry.fields = entry.fields.difference(&written).difference(&change.removed);
    }
    let time = if is_changed { Some(writer.time.to_owned()) } else { last.and_then(|last| last.time) };
    others.push(ManagedFieldsEntry {
        manager: writer.manager.to_owned(),
        operation: ManagedFieldsOperation::Apply,
        api_version: def.api_version(),
        subresource: writer.subresource.to_owned(),
        time,
        fields,
    });
    managed_fields::write(&mut object, others);
    Ok(object)
}

/// The part of a configuration that the request may change: without `status` for the object itself, only `status` for
/// the `status` subresource.
fn within_scope(def: &ResourceDef, config: &Value, subresource: &str) -> Result<Value, ApplyError> {
    let mut config = config.clone();
    let fields = config.as_object_mut().ok_or(ApplyError::NotAnObject)?;
    if !fields.get("metadata").is_some_and(Value::is_object) {
        fields.insert("metadata".to_owned(), Value::Object(serde_json::Map::new()));
    }
    match subresource {
        "" if def.has_status() => {
            fields.remove("status");
        }
        "status" => {
            fields.retain(|name, _| matches!(name.as_str(), "apiVersion" | "kind" | "metadata" | "status"))
        }
        _ => {}
    }
    Ok(config)
}

/// The managed fields of other managers, and those of this applier from its last apply.
fn owners(
    def: &ResourceDef,
    live: Option<&Value>,
    schema: &KindSchema,
    writer: &FieldWriter<'_>,
) -> (Vec<ManagedFieldsEntry>, Option<ManagedFieldsEntry>) {
    let Some(live) = live else { return (Vec::new(), None) };
    let mut entries = managed_fields::entries(live).unwrap_or_default();
    if entries.is_empty() {
        entries.push(managed_fields::before_first_apply(live, def.api_version(), schema.root()));
    }
    let own = entries.iter().position(|entry| {
        entry.manager == writer.manager
            && entry.operation == ManagedFieldsOperation::Apply
            && entry.subresource == writer.subresource
    });
    let last = own.map(|index| entries.remove(index));
    (entries, last)
}

fn conflicts_with(entry: &ManagedFieldsEntry, written: &FieldSet) -> Vec<Conflict> {
    let mut manager = format!("{:?}", entry.manager);
    if !entry.subresource.is_empty() {
        manager.push_str(&format!(" with subresource {:?}", entry.subresource));
    }
    if entry.operation == ManagedFieldsOperation::Update {
        manager.push_str(&format!(" using {}", entry.api_version));
        if let Some(time) = &entry.time {
            manager.push_str(&format!(" at {time}"));
        }
    }
    let fields = entry.fields.intersection(written).paths();
    fields.into_iter().map(|field| Conflict { manager: manager.clone(), field }).collect()
}

impl ApplyError {
    /// The error response.
    pub(crate) fn into_api_error(self) -> ApiError {
        match self {
            Self::Malformed(_) | Self::NotAnObject | Self::NoKind | Self::ManagedFields => {
                ApiError::bad_request(self.to_string())
            }
            Self::NoManager => ApiError::invalid(
                "meta.k8s.io",
                "PatchOptions",
                "",
                vec![StatusCause::required("fieldManager", "Required value: is required for apply patch")],
            ),
            Self::Conflicts(conflicts) => {
                let count = conflicts.len();
                let texts: Vec<_> =
                    conflicts.iter().map(|c| format!("conflict with {}: {}", c.manager, c.field)).collect();
                let plural = if count == 1 { "conflict" } else { "conflicts" };
                let message = format!("Apply failed with {count} {plural}: {}", texts.join(", "));
                let mut error = ApiError::new(409, "Conflict", message);
                error.details.causes = conflicts
                    .into_iter()
                    .map(|Conflict { manager, field }| {
                        StatusCause::field("FieldManagerConflict", field, format!("conflict with {manager}"))
                    })
                    .collect();
                error
            }
        }
    }
}

impl From<ApplyError> for ApiError {
    fn from(error: ApplyError) -> Self {
        error.into_api_error()
    }
}

/// Applies a patch of any kind to an arbitrary object. For fuzzing.
pub(super) fn fuzz(kind: PatchKind, object: &Value, patch: &[u8]) {
    let writer = FieldWriter { manager: "fuzz", subresource: "", time: "2026-01-01T00:00:00Z" };
    for def in crate::resource::builtin::builtin_resources().iter().filter(|def| def.kind == "Pod").take(1) {
        let result = match kind {
            PatchKind::Apply => parsed(patch)
                .and_then(|config| applied(def, Some(object), &config.value, &writer, OnConflict::Force))
                .ok(),
            _ => super::patched(def, kind, object, patch).ok(),
        };
        if let Some(mut new) = result {
            managed_fields::track(def, Some(object), &mut new, &writer);
        }
    }
}

#[cfg(test)]
mod tests;
