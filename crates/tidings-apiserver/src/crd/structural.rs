//! Applies the structural schema of a custom resource to an object: prunes unknown fields, sets defaults, validates.
//!
//! Types, required fields, enums, bounds and patterns are validated. CEL rules, formats and logical combinations
//! (`allOf`, `not`) are not. The JSON parser bounds the depth of values and schemas, and so the recursion.

use serde_json::{Map, Value};

use crate::status::StatusCause;

mod bounds;

/// The fields that every object has without a declaration in its schema.
const OBJECT_FIELDS: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Drops the fields that the schema does not declare. Returns their paths.
pub(crate) fn prune(schema: &Value, object: &mut Value) -> Vec<String> {
    let mut dropped = Vec::new();
    prune_at(schema, object, SchemaLevel::Object, "", &mut dropped);
    dropped
}

/// Whether a value is a Kubernetes object with its own metadata, or only a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SchemaLevel {
    Object,
    Field,
}

impl SchemaLevel {
    fn of(schema: &Value) -> Self {
        if schema["x-kubernetes-embedded-resource"] == true { Self::Object } else { Self::Field }
    }

    fn owns(self, name: &str) -> bool {
        self == Self::Object && OBJECT_FIELDS.contains(&name)
    }
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn prune_at(schema: &Value, value: &mut Value, level: SchemaLevel, path: &str, dropped: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            let values = &schema["additionalProperties"];
            let keeps_unknown = schema["x-kubernetes-preserve-unknown-fields"] == true
                || *values == true
                || values.is_object();
            map.retain(|name, value| {
                if level.owns(name) {
                    return true;
                }
                let below = match schema["properties"].get(name) {
                    Some(property) => property,
                    None if values.is_object() => values,
                    None => {
                        if !keeps_unknown {
                            dropped.push(joined(path, name));
                        }
                        return keeps_unknown;
                    }
                };
                prune_at(below, value, SchemaLevel::of(below), &joined(path, name), dropped);
                true
            });
        }
        // Items without a schema are not pruned.
        Value::Array(items) if schema["items"].is_object() => {
            for (index, item) in items.iter_mut().enumerate() {
                let level = SchemaLevel::of(&schema["items"]);
                prune_at(&schema["items"], item, level, &format!("{path}[{index}]"), dropped);
            }
        }
        _ => {}
    }
}

/// Sets the defaults of fields that are absent, or null and not nullable.
pub(crate) fn set_defaults(schema: &Value, value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                let is_unset =
                    map.get(name).is_none_or(|found| found.is_null() && property["nullable"] != true);
                if let Some(default) = property.get("default").filter(|_| is_unset) {
                    map.insert(name.clone(), default.clone());
                }
                if let Some(found) = map.get_mut(name) {
                    set_defaults(property, found);
                }
            }
            let values = &schema["additionalProperties"];
            if values.is_object() {
                let known = &schema["properties"];
                for (_, value) in map.iter_mut().filter(|(name, _)| known.get(name.as_str()).is_none()) {
                    set_defaults(values, value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| set_defaults(&schema["items"], item)),
        _ => {}
    }
}

/// The causes why an object is not valid.
pub(crate) fn check(schema: &Value, object: &Value) -> Vec<StatusCause> {
    let mut causes = Vec::new();
    check_at(schema, object, SchemaLevel::Object, "", &mut causes);
    causes
}

fn check_at(schema: &Value, value: &Value, level: SchemaLevel, path: &str, causes: &mut Vec<StatusCause>) {
    if value.is_null() && schema["nullable"] == true {
        return;
    }
    if !has_type(schema, value) {
        let expected = schema["type"].as_str().unwrap_or("integer,string");
        let found = type_of(value);
        let message =
            format!("Invalid value: {found:?}: {path} in body must be of type {expected}: {found:?}");
        causes.push(StatusCause::field("FieldValueTypeInvalid", path, message));
        bounds::check_enumeration(schema, value, path, causes);
        return;
    }
    bounds::check(schema, value, path, causes);
    match value {
        Value::Object(map) => check_fields(schema, map, level, path, causes),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                let level = SchemaLevel::of(&schema["items"]);
                check_at(&schema["items"], item, level, &format!("{path}[{index}]"), causes);
            }
            check_keys(schema, items, path, causes);
        }
        _ => {}
    }
}

fn check_fields(
    schema: &Value,
    map: &Map<String, Value>,
    level: SchemaLevel,
    path: &str,
    causes: &mut Vec<StatusCause>,
) {
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !map.contains_key(name) {
            causes.push(StatusCause::required(joined(path, name), "Required value"));
        }
    }
    for (name, value) in map.iter().filter(|(name, _)| !level.owns(name)) {
        let below = schema["properties"].get(name).unwrap_or(&schema["additionalProperties"]);
        if below.is_object() {
            check_at(below, value, SchemaLevel::of(below), &joined(path, name), causes);
        }
    }
}

/// Checks that the items of a set or of a list with keys are distinct.
fn check_keys(schema: &Value, items: &[Value], path: &str, causes: &mut Vec<StatusCause>) {
    let keys = schema["x-kubernetes-list-map-keys"].as_array();
    let identity = |item: &Value| match keys {
        None => item.to_string(),
        Some(keys) => keys
            .iter()
            .filter_map(Value::as_str)
            .map(|key| item[key].to_string())
            .collect::<Vec<_>>()
            .join(","),
    };
    if !matches!(schema["x-kubernetes-list-type"].as_str(), Some("set" | "map")) {
        return;
    }
    let mut seen = std::collections::HashSet::new();
    for (index, item) in items.iter().enumerate() {
        if !seen.insert(identity(item)) {
            let message = format!("Duplicate value: {item}");
            causes.push(StatusCause::field("FieldValueDuplicate", format!("{path}[{index}]"), message));
        }
    }
}

fn has_type(schema: &Value, value: &Value) -> bool {
    if schema["x-kubernetes-int-or-string"] == true {
        return value.is_string() || value.is_i64() || value.is_u64();
    }
    match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("number") => value.is_number(),
        Some("integer") => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0)
        }
        _ => true,
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
