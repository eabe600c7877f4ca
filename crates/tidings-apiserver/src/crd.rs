//! CustomResourceDefinitions: their resources, validation, defaults and status.
//!
//! A definition becomes one [`ResourceDef`] for each served version. All versions share their stored objects. With the
//! strategy `None`, to convert is to rewrite `apiVersion`; for the strategy `Webhook` see [`crate::conversion`].
//! [`structural`] checks objects against the schema of a version, and [`rules`] against its rules in CEL.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::resource::{
    CowStr, CustomOrigin, Generation, PrinterColumn, ResourceDef, ResourceOrigin, ResourceScope, ScalePaths,
    SelectableField, Subresource, Verb, WebhookConversion,
};
use crate::status::StatusCause;

pub(crate) mod rules;
pub(crate) mod structural;

mod definition;

pub(crate) use definition::validate;

/// Sets the defaults of a definition: singular, list kind and conversion strategy.
pub(crate) fn set_defaults(definition: &mut Value) {
    let Some(spec) = definition.get_mut("spec").and_then(Value::as_object_mut) else { return };
    if !spec.get("conversion").is_some_and(Value::is_object) {
        spec.insert("conversion".to_owned(), json!({"strategy": "None"}));
    }
    let Some(names) = spec.get_mut("names").and_then(Value::as_object_mut) else { return };
    let kind = names.get("kind").and_then(Value::as_str).unwrap_or_default().to_owned();
    if !kind.is_empty() {
        names.entry("singular").or_insert_with(|| json!(kind.to_lowercase()));
        names.entry("listKind").or_insert_with(|| json!(format!("{kind}List")));
    }
}

/// Sets the status: conditions `NamesAccepted` and `Established`, and the stored versions. `time` is the present time
/// as RFC 3339.
pub(crate) fn establish(definition: &mut Value, time: &str) {
    let storage = versions(definition)
        .find(|version| version["storage"] == true)
        .and_then(|version| version["name"].as_str().map(str::to_owned));
    let mut stored: Vec<Value> =
        definition["status"]["storedVersions"].as_array().cloned().unwrap_or_default();
    if let Some(storage) = storage.filter(|name| !stored.iter().any(|known| known == name)) {
        stored.push(json!(storage));
    }
    let since = |kind: &str| {
        let conditions = definition["status"]["conditions"].as_array();
        let known = conditions.into_iter().flatten().find(|condition| condition["type"] == kind);
        known.map_or_else(|| json!(time), |condition| condition["lastTransitionTime"].clone())
    };
    let is_own =
        |condition: &Value| matches!(condition["type"].as_str(), Some("NamesAccepted" | "Established"));
    let known = definition["status"]["conditions"].as_array().into_iter().flatten();
    let others: Vec<Value> = known.filter(|condition| !is_own(condition)).cloned().collect();
    let mut status = json!({
        "acceptedNames": definition["spec"]["names"],
        "conditions": [
            {
                "type": "NamesAccepted", "status": "True", "reason": "NoConflicts",
                "message": "no conflicts found", "lastTransitionTime": since("NamesAccepted"),
            },
            {
                "type": "Established", "status": "True", "reason": "InitialNamesAccepted",
                "message": "the initial names have been accepted", "lastTransitionTime": since("Established"),
            },
        ],
        "storedVersions": stored,
    });
    if let Some(conditions) = status["conditions"].as_array_mut() {
        conditions.extend(others);
    }
    if let Some(fields) = definition.as_object_mut() {
        fields.insert("status".to_owned(), status);
    }
}

/// One resource for each served version. The preferred version comes first.
pub(crate) fn resources(definition: &Value) -> Vec<ResourceDef> {
    let mut served: Vec<_> = versions(definition).filter(|version| version["served"] == true).collect();
    served.sort_by_key(|version| {
        std::cmp::Reverse(version_priority(version["name"].as_str().unwrap_or_default()))
    });
    served.into_iter().map(|version| resource(definition, version)).collect()
}

/// Sets the `apiVersion` of a stored object to the version of the resource.
pub(crate) fn convert(def: &ResourceDef, object: &mut Value) {
    if let Some(fields) = object.as_object_mut() {
        fields.insert("apiVersion".to_owned(), json!(def.api_version()));
    }
}

/// Prunes a custom object, sets the defaults of its schema and validates it. Returns the dropped fields and the causes
/// of an error.
pub(crate) fn conform(def: &ResourceDef, object: &mut Value) -> (Vec<String>, Vec<StatusCause>) {
    let Some(schema) = def.custom().and_then(|origin| origin.schema.as_ref()) else {
        return (Vec::new(), Vec::new());
    };
    let dropped = structural::prune(schema, object);
    structural::set_defaults(schema, object);
    (dropped, structural::check(schema, object))
}

/// The rank of a version in its group, as in Kubernetes: stable before beta before alpha, then by number.
pub(crate) fn version_priority(name: &str) -> (u8, u32, u32) {
    let unranked = (0, 0, 0);
    let Some(rest) = name.strip_prefix('v') else { return unranked };
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let Ok(major) = rest[..end].parse() else { return unranked };
    let stage = |prefix: &str| rest[end..].strip_prefix(prefix).and_then(|minor| minor.parse().ok());
    match (&rest[end..], stage("beta"), stage("alpha")) {
        ("", ..) => (3, major, 0),
        (_, Some(minor), _) => (2, major, minor),
        (_, _, Some(minor)) => (1, major, minor),
        _ => unranked,
    }
}

fn versions(definition: &Value) -> impl Iterator<Item = &Value> {
    definition["spec"]["versions"].as_array().into_iter().flatten()
}

fn resource(definition: &Value, version: &Value) -> ResourceDef {
    let spec = &definition["spec"];
    let names = &spec["names"];
    let kind = text(&names["kind"]);
    let plural = text(&names["plural"]);
    let or = |found: CowStr, other: String| if found.is_empty() { CowStr::Owned(other) } else { found };
    ResourceDef {
        group: text(&spec["group"]),
        version: text(&version["name"]),
        list_kind: or(text(&names["listKind"]), format!("{kind}List")),
        singular: or(text(&names["singular"]), kind.to_lowercase()),
        short_names: texts(&names["shortNames"]),
        categories: texts(&names["categories"]),
        scope: if spec["scope"] == "Namespaced" { ResourceScope::Namespaced } else { ResourceScope::Cluster },
        subresources: subresources(version, &kind),
        verbs: vec![
            Verb::Delete,
            Verb::DeleteCollection,
            Verb::Get,
            Verb::List,
            Verb::Patch,
            Verb::Create,
            Verb::Update,
            Verb::Watch,
        ],
        selectable_fields: selectable_fields(version),
        storage: CowStr::Owned(format!("{}/{plural}", text(&spec["group"]))),
        generation: Generation::Counted,
        origin: ResourceOrigin::Custom(Arc::new(origin(definition, version))),
        kind,
        plural,
    }
}

fn subresources(version: &Value, kind: &CowStr) -> Vec<Subresource> {
    let verbs = vec![Verb::Get, Verb::Patch, Verb::Update];
    let declared = &version["subresources"];
    let mut found = Vec::new();
    if declared["status"].is_object() {
        found.push(Subresource {
            name: CowStr::Borrowed("status"),
            kind: kind.clone(),
            group: CowStr::Borrowed(""),
            version: CowStr::Borrowed(""),
            verbs: verbs.clone(),
        });
    }
    if declared["scale"].is_object() {
        found.push(Subresource {
            name: CowStr::Borrowed("scale"),
            kind: CowStr::Borrowed("Scale"),
            group: CowStr::Borrowed("autoscaling"),
            version: CowStr::Borrowed("v1"),
            verbs,
        });
    }
    found
}

fn selectable_fields(version: &Value) -> Vec<SelectableField> {
    let fields = version["selectableFields"].as_array().into_iter().flatten();
    fields
        .filter_map(|field| field["jsonPath"].as_str())
        .map(|path| SelectableField::plain(path.trim_start_matches('.').to_owned()))
        .collect()
}

fn origin(definition: &Value, version: &Value) -> CustomOrigin {
    let columns = version["additionalPrinterColumns"].as_array().into_iter().flatten();
    let owned = |value: &Value| text(value).into_owned();
    let scale = &version["subresources"]["scale"];
    CustomOrigin {
        definition: owned(&definition["metadata"]["name"]),
        schema: version["schema"].get("openAPIV3Schema").cloned(),
        rules: rules::compile(&version["schema"]["openAPIV3Schema"]),
        conversion: conversion(definition, version),
        storage_version: storage_version(definition)
            .map_or_else(String::new, |version| owned(&version["name"])),
        deprecation: deprecation(definition, version),
        printer_columns: columns
            .map(|column| PrinterColumn {
                name: owned(&column["name"]),
                column_type: owned(&column["type"]),
                format: owned(&column["format"]),
                description: owned(&column["description"]),
                priority: column["priority"].as_i64().unwrap_or(0),
                json_path: owned(&column["jsonPath"]),
            })
            .collect(),
        scale: scale.is_object().then(|| ScalePaths {
            spec_replicas: owned(&scale["specReplicasPath"]),
            status_replicas: owned(&scale["statusReplicasPath"]),
            label_selector: scale["labelSelectorPath"].as_str().map(str::to_owned),
        }),
    }
}

fn storage_version(definition: &Value) -> Option<&Value> {
    versions(definition).find(|version| version["storage"] == true)
}

/// The conversion of a version that is not the stored one, if a webhook does it.
fn conversion(definition: &Value, version: &Value) -> Option<WebhookConversion> {
    let conversion = &definition["spec"]["conversion"];
    let stored = storage_version(definition)?;
    if conversion["strategy"] != "Webhook" || stored["name"] == version["name"] {
        return None;
    }
    let client_config = conversion["webhook"]["clientConfig"].clone();
    Some(WebhookConversion { client_config, storage: Arc::new(resource(definition, stored)) })
}

/// The warning for clients of a deprecated version.
fn deprecation(definition: &Value, version: &Value) -> Option<String> {
    let spec = &definition["spec"];
    let usual = || {
        format!(
            "{}/{} {} is deprecated",
            text(&spec["group"]),
            text(&version["name"]),
            text(&spec["names"]["kind"])
        )
    };
    (version["deprecated"] == true)
        .then(|| version["deprecationWarning"].as_str().map_or_else(usual, str::to_owned))
}

fn text(value: &Value) -> CowStr {
    CowStr::Owned(value.as_str().unwrap_or_default().to_owned())
}

fn texts(values: &Value) -> Vec<CowStr> {
    values.as_array().into_iter().flatten().map(text).collect()
}

/// Fuzz target: a definition and an object, separated by a zero byte or a newline. Must not panic.
#[doc(hidden)]
pub fn fuzz(data: &[u8]) {
    let Some(middle) = data.iter().position(|&byte| byte == 0 || byte == b'\n') else { return };
    let Ok(mut definition) = serde_json::from_slice::<Value>(&data[..middle]) else { return };
    let Ok(object) = serde_json::from_slice::<Value>(&data[middle + 1..]) else { return };
    set_defaults(&mut definition);
    let _ = validate(&definition);
    establish(&mut definition, "2026-01-01T00:00:00Z");
    for def in resources(&definition) {
        let mut object = object.clone();
        let _ = conform(&def, &mut object);
        convert(&def, &mut object);
    }
}

#[cfg(test)]
mod tests;
