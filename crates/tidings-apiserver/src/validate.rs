//! Validates objects before they are stored.
//!
//! [`type_meta`], [`placement`] and [`field_types::conform`] fill in what a client may omit, and refuse malformed
//! objects (400). [`create`] and [`update`] refuse invalid objects (422, one cause per field). Of the rules for single
//! kinds only those that clients observe are imitated.

use serde_json::{Map, Value, json};

use crate::resource::ResourceDef;
use crate::status::{ApiError, StatusCause};

pub(crate) mod field_types;
pub(crate) mod name;

mod expressions;
mod kinds;
mod metadata;

pub(crate) use kinds::matches as selector_matches;
pub(crate) use metadata::is_bare_finalizer;

/// Checks `kind` and `apiVersion`. For built-in kinds they may be absent, and are filled in.
pub(crate) fn type_meta(def: &ResourceDef, object: &mut Value) -> Result<(), ApiError> {
    let Some(fields) = object.as_object_mut() else {
        return Err(ApiError::bad_request("the object provided is not a JSON object"));
    };
    let api_version = def.api_version();
    for (name, label, expected) in
        [("apiVersion", "apiVersion", api_version.as_str()), ("kind", "Kind", def.kind.as_ref())]
    {
        match fields.get(name).and_then(Value::as_str) {
            Some(found) if found == expected => {}
            None | Some("") if def.is_custom() => {
                return Err(ApiError::bad_request(format!("Object '{label}' is missing")));
            }
            None | Some("") => {
                fields.insert(name.to_owned(), json!(expected));
            }
            Some(found) if name == "kind" && def.is_custom() => {
                let cause = invalid("kind", &json!(found), &format!("must be {expected}"));
                let named = fields.get("metadata").and_then(|metadata| metadata["name"].as_str());
                return Err(ApiError::invalid(&def.group, found, named.unwrap_or_default(), vec![cause]));
            }
            Some(found) if name == "kind" => {
                let message =
                    format!("{found} in version \"{}\" cannot be handled as a {expected}", def.version);
                return Err(ApiError::bad_request(message));
            }
            Some(found) => {
                return Err(ApiError::bad_request(format!(
                    "the API version in the data ({found}) does not match the expected API version ({expected})"
                )));
            }
        }
    }
    Ok(())
}

/// Checks that name and namespace are those of the request, and fills them in. `name` is `None` for a create;
/// `namespace` is empty for a cluster-wide resource.
pub(crate) fn placement(
    def: &ResourceDef,
    object: &mut Value,
    namespace: &str,
    name: Option<&str>,
) -> Result<(), ApiError> {
    let metadata = metadata_mut(object)?;
    let found = metadata.get("namespace").and_then(Value::as_str).unwrap_or_default();
    if found.is_empty() {
        metadata.remove("namespace");
        if def.is_namespaced() {
            metadata.insert("namespace".to_owned(), json!(namespace));
        }
    } else if found != namespace {
        return Err(ApiError::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    match (name, metadata.get("name").and_then(Value::as_str)) {
        (None, _) => Ok(()),
        (Some(name), None | Some("")) => {
            metadata.insert("name".to_owned(), json!(name));
            Ok(())
        }
        (Some(name), Some(found)) if found == name => Ok(()),
        (Some(name), Some(found)) => Err(ApiError::bad_request(format!(
            "the name of the object ({found}) does not match the name on the URL ({name})"
        ))),
    }
}

/// Validates a new object. A generated name is already set.
pub(crate) fn create(def: &ResourceDef, object: &Value) -> Result<(), ApiError> {
    let mut causes = Vec::new();
    metadata::check(def, object, &mut causes);
    kinds::check(def, object, &mut causes);
    finish(def, object, causes)
}

/// Validates an object that replaces `old`.
pub(crate) fn update(def: &ResourceDef, old: &Value, new: &Value) -> Result<(), ApiError> {
    let mut causes = Vec::new();
    metadata::check(def, new, &mut causes);
    metadata::check_change(old, new, &mut causes);
    kinds::check(def, new, &mut causes);
    kinds::check_change(def, old, new, &mut causes);
    finish(def, new, causes)
}

/// Checks that fields which only a subresource may change did not change.
pub(crate) fn update_without_subresource(
    def: &ResourceDef,
    old: &Value,
    new: &Value,
) -> Result<(), ApiError> {
    let mut causes = Vec::new();
    kinds::check_immutable_pod(def, old, new, &mut causes);
    finish(def, new, causes)
}

fn finish(def: &ResourceDef, object: &Value, causes: Vec<StatusCause>) -> Result<(), ApiError> {
    if causes.is_empty() {
        return Ok(());
    }
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    Err(ApiError::invalid_object(def, name, causes))
}

fn metadata_mut(object: &mut Value) -> Result<&mut Map<String, Value>, ApiError> {
    let fields = object
        .as_object_mut()
        .ok_or_else(|| ApiError::bad_request("the object provided is not a JSON object"))?;
    let metadata = fields.entry("metadata").or_insert_with(|| json!({}));
    if metadata.is_null() {
        *metadata = json!({});
    }
    metadata.as_object_mut().ok_or_else(|| ApiError::bad_request("metadata is not a JSON object"))
}

/// The cause for an invalid value.
fn invalid(field: impl Into<String>, value: &Value, why: &str) -> StatusCause {
    StatusCause::invalid(field, format!("Invalid value: {value}: {why}"))
}

/// The cause for a missing field.
fn required(field: impl Into<String>, why: &str) -> StatusCause {
    let message = if why.is_empty() { "Required value".to_owned() } else { format!("Required value: {why}") };
    StatusCause::required(field, message)
}

/// Fuzz target: an object, validated as each built-in kind. Must not panic.
#[doc(hidden)]
pub fn fuzz(data: &[u8]) {
    let Ok(object) = serde_json::from_slice::<Value>(data) else { return };
    for def in &crate::resource::builtin::builtin_resources() {
        let mut object = object.clone();
        let _ = type_meta(def, &mut object);
        let _ = placement(def, &mut object, "default", None);
        let _ = field_types::conform(def, &mut object);
        let _ = create(def, &object);
        let _ = update(def, &object, &object);
    }
}

#[cfg(test)]
mod tests;
