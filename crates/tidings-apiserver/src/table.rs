//! Table responses (`meta.k8s.io/v1`): the rows and columns that `kubectl get` prints.
//!
//! Common kinds have the columns of Kubernetes. All others have name and age. Custom resources have the columns of
//! their definition. The caller passes the present time for ages.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::resource::ResourceDef;
use crate::status::ApiError;

mod age;
mod batch;
mod cluster;
mod columns;
mod json_path;
mod networking;
mod pod;
mod workload;

use columns::{Cell, TableColumn};

/// How much of its object a row has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum IncludeObject {
    /// Nothing.
    None,
    /// The metadata.
    #[default]
    Metadata,
    /// The whole object.
    Object,
}

impl IncludeObject {
    /// Parses the query parameter `includeObject`.
    pub(crate) fn from_query(value: Option<&str>) -> Result<Self, ApiError> {
        match value.unwrap_or_default() {
            "" | "Metadata" => Ok(Self::Metadata),
            "None" => Ok(Self::None),
            "Object" => Ok(Self::Object),
            other => Err(ApiError::bad_request(format!("unrecognized includeObject value: {other:?}"))),
        }
    }
}

/// A table of objects. `metadata` is that of the list, or empty for a single object.
pub(crate) fn table(
    def: &ResourceDef,
    metadata: &Value,
    objects: &[Value],
    include: IncludeObject,
    now: Timestamp,
) -> Value {
    let columns = ResourceColumns::of(def);
    let rows: Vec<_> = objects
        .iter()
        .map(
            |object| json!({"cells": columns.cells(object, now), "object": row_object(def, object, include)}),
        )
        .collect();
    json!({
        "kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": metadata,
        "columnDefinitions": columns.definition(), "rows": rows,
    })
}

fn row_object(def: &ResourceDef, object: &Value, include: IncludeObject) -> Value {
    match include {
        IncludeObject::None => Value::Null,
        IncludeObject::Metadata => {
            json!({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": object["metadata"]})
        }
        IncludeObject::Object => {
            let mut object = object.clone();
            if let Some(fields) = object.as_object_mut() {
                fields.insert("kind".to_owned(), json!(def.kind));
                fields.insert("apiVersion".to_owned(), json!(def.api_version()));
            }
            object
        }
    }
}

enum ResourceColumns<'a> {
    Builtin(&'static [TableColumn]),
    Custom(&'a [crate::resource::PrinterColumn]),
}

impl<'a> ResourceColumns<'a> {
    fn of(def: &'a ResourceDef) -> Self {
        match def.custom() {
            Some(origin) if !origin.printer_columns.is_empty() => Self::Custom(&origin.printer_columns),
            _ => Self::Builtin(columns::of(def)),
        }
    }

    fn definition(&self) -> Vec<Value> {
        match self {
            Self::Builtin(columns) => columns.iter().map(TableColumn::definition).collect(),
            Self::Custom(columns) => std::iter::once(columns::NAME.definition())
                .chain(columns.iter().map(|column| {
                    json!({
                        "name": column.name, "type": column.column_type, "format": column.format,
                        "description": column.description, "priority": column.priority,
                    })
                }))
                .collect(),
        }
    }

    fn cells(&self, object: &Value, now: Timestamp) -> Vec<Value> {
        match self {
            Self::Builtin(columns) => columns
                .iter()
                .map(|column| match column.cell {
                    Cell::Text(path) => object.pointer(path).cloned().unwrap_or_else(|| json!("")),
                    Cell::OrUnknown(path) => object
                        .pointer(path)
                        .filter(|value| **value != "")
                        .cloned()
                        .unwrap_or_else(|| json!("<unknown>")),
                    Cell::OrNone(path) => object.pointer(path).cloned().unwrap_or_else(|| json!("<none>")),
                    Cell::Number(path) => object.pointer(path).cloned().unwrap_or_else(|| json!(0)),
                    Cell::Age(path) => json!(age::since(object.pointer(path), now)),
                    Cell::Computed(make) => make(object),
                    Cell::ComputedAt(make) => make(object, now),
                })
                .collect(),
            Self::Custom(columns) => std::iter::once(object["metadata"]["name"].clone())
                .chain(columns.iter().map(|column| printer_cell(column, object, now)))
                .collect(),
        }
    }
}

fn printer_cell(column: &crate::resource::PrinterColumn, object: &Value, now: Timestamp) -> Value {
    let found = json_path::find(&column.json_path, object);
    match (found.as_slice(), column.column_type.as_str()) {
        ([], _) => Value::Null,
        ([first, ..], "date") => json!(age::since(Some(first), now)),
        ([one], "integer" | "number" | "boolean") => (*one).clone(),
        ([Value::String(text)], _) => json!(text),
        (several, _) => {
            let text: Vec<_> = several
                .iter()
                .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
                .collect();
            json!(text.join(","))
        }
    }
}

/// Fuzz target: a JSONPath and an object, separated by a newline. The object is also shown as each built-in kind. Must
/// not panic.
#[doc(hidden)]
pub fn fuzz(data: &[u8]) {
    let Some(middle) = data.iter().position(|&byte| byte == b'\n') else { return };
    let Ok(object) = serde_json::from_slice::<Value>(&data[middle + 1..]) else { return };
    if let Ok(path) = std::str::from_utf8(&data[..middle]) {
        let _ = json_path::find(path, &object);
    }
    for def in &crate::resource::builtin::builtin_resources() {
        let _ = table(
            def,
            &json!({}),
            std::slice::from_ref(&object),
            IncludeObject::Object,
            Timestamp::UNIX_EPOCH,
        );
    }
}

#[cfg(test)]
mod tests;
