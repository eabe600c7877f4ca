//! Checks the field types of an object of a built-in kind, and drops unknown fields.
//!
//! This imitates the decoding into Go structs of a real server. A value of a wrong type is an error (400). An unknown
//! field is dropped, and reported if the client requests it (`fieldValidation`). A value that the JSON of the struct
//! omits is not stored. Custom resources are checked elsewhere, with their own schema.

use base64::Engine as _;
use serde_json::Value;

use crate::resource::ResourceDef;
use crate::schema::{FieldPresence, KindSchema, Scalar, SchemaField, TypeRef, TypeShape};
use crate::status::ApiError;

/// Drops unknown fields and returns their paths; a 400 for values of a wrong type.
pub(crate) fn conform(def: &ResourceDef, object: &mut Value) -> Result<Vec<String>, ApiError> {
    let mut unknown = Vec::new();
    if let KindSchema::Builtin(root) = KindSchema::of(def) {
        check(object, root, &mut String::new(), &mut unknown).map_err(|why| {
            let (version, kind) = (&def.version, &def.kind);
            ApiError::bad_request(format!(
                "{kind} in version \"{version}\" cannot be handled as a {kind}: {why}"
            ))
        })?;
    }
    Ok(unknown)
}

/// `path` is the path of `value`. The function restores it before it returns.
fn check(
    value: &mut Value,
    schema: TypeRef<'_>,
    path: &mut String,
    unknown: &mut Vec<String>,
) -> Result<(), String> {
    let length = path.len();
    match (schema.shape(), value) {
        (_, Value::Null) | (TypeShape::Any, _) => {}
        (TypeShape::Scalar(scalar), value) => {
            if !is_scalar(*scalar, value) {
                return Err(format!("{path}: a {scalar:?} cannot be read from {}", kind_of(value)));
            }
        }
        (TypeShape::Object { fields, values, .. }, Value::Object(map)) => {
            let is_closed = !fields.is_empty() && values.is_none();
            if is_closed {
                map.retain(|name, _| {
                    let is_known = fields.contains_key(name);
                    if !is_known {
                        unknown.push(if path.is_empty() { name.clone() } else { format!("{path}.{name}") });
                    }
                    is_known
                });
            }
            for (name, value) in map.iter_mut() {
                let Some(below) = schema.field(name) else { continue };
                if fields.is_empty()
                    && value.is_null()
                    && matches!(below.shape(), TypeShape::Scalar(Scalar::String))
                {
                    *value = Value::from("");
                }
                if length > 0 {
                    path.push('.');
                }
                path.push_str(name);
                check(value, below, path, unknown)?;
                path.truncate(length);
            }
            map.retain(|name, value| {
                let field = fields.get(name);
                !field.is_some_and(|field| is_omitted(field, schema.sibling(field.type_id), value))
            });
        }
        (TypeShape::List { items, .. }, Value::Array(list)) => {
            for (index, item) in list.iter_mut().enumerate() {
                path.push_str(&format!("[{index}]"));
                check(item, schema.sibling(*items), path, unknown)?;
                path.truncate(length);
            }
        }
        (TypeShape::Object { .. }, value) => {
            return Err(format!("{path}: an object cannot be read from {}", kind_of(value)));
        }
        (TypeShape::List { .. }, value) => {
            return Err(format!("{path}: a list cannot be read from {}", kind_of(value)));
        }
    }
    Ok(())
}

/// Whether the JSON of a Go struct omits the value: a null, or the zero value of an `omitempty` field.
fn is_omitted(field: &SchemaField, schema: TypeRef<'_>, value: &Value) -> bool {
    let is_map = matches!(schema.shape(), TypeShape::Object { fields, .. } if fields.is_empty());
    let is_zero = match value {
        Value::Null => return !matches!(schema.shape(), TypeShape::Any),
        Value::Bool(is_set) => !is_set,
        Value::Number(number) => number.as_i64() == Some(0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty() && is_map,
    };
    // IntOrString and Quantity are structs in Go, so their zero values are not omitted.
    let is_plain =
        !matches!(schema.shape(), TypeShape::Scalar(Scalar::IntOrString | Scalar::Quantity) | TypeShape::Any);
    is_zero && is_plain && field.presence == FieldPresence::UnlessZero
}

fn is_scalar(scalar: Scalar, value: &Value) -> bool {
    match scalar {
        Scalar::String => value.is_string(),
        Scalar::Time | Scalar::MicroTime => {
            value.as_str().is_some_and(|text| text.is_empty() || text.parse::<jiff::Timestamp>().is_ok())
        }
        Scalar::Byte => value.as_str().is_some_and(|text| {
            base64::engine::general_purpose::STANDARD.decode(text.replace(['\n', '\r'], "")).is_ok()
        }),
        Scalar::Quantity => value.is_number() || value.as_str().is_some_and(is_quantity),
        Scalar::IntOrString => value.is_string() || value.is_i64(),
        Scalar::Int32 => value.as_i64().is_some_and(|number| i32::try_from(number).is_ok()),
        Scalar::Int64 => value.is_i64() || value.is_u64(),
        Scalar::Double => value.is_number(),
        Scalar::Boolean => value.is_boolean(),
    }
}

/// A number and a suffix such as `m`, `k`, `Mi` or `e3`.
fn is_quantity(text: &str) -> bool {
    const SUFFIXES: [&str; 17] =
        ["", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "K"];
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    let is_number = number.bytes().any(|byte| byte.is_ascii_digit()) && number.matches('.').count() <= 1;
    let is_exponent = suffix.strip_prefix(['e', 'E']).is_some_and(|exponent| exponent.parse::<i32>().is_ok());
    is_number && (is_exponent || SUFFIXES.contains(&suffix))
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "this text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_numbers_with_a_suffix() {
        for text in ["1", "100m", "1.5Gi", "-1", "1e3", "12E6", "0.5", "1Ki"] {
            assert!(is_quantity(text), "{text}");
        }
        for text in ["", "Gi", "1X", "1.2.3", "one", "1 Gi", "."] {
            assert!(!is_quantity(text), "{text}");
        }
    }
}
