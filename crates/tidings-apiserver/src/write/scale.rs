//! The `scale` subresource: how many replicas, without knowing the kind.

use bytes::Bytes;
use http::{Response, StatusCode};
use serde_json::{Value, json};

use super::update::{Ownership, change};
use super::{Writing, json_body, text, whole};
use crate::body::{self, Body};
use crate::patch::{self, PatchKind};
use crate::read;
use crate::resource::{ResourceDef, Verb};
use crate::status::{ApiError, Cause};

/// Where a kind keeps its replicas, as pointers into its JSON.
struct Places {
    spec: String,
    status: String,
    selector: Selector,
}

/// Where a kind says which objects are its replicas.
enum Selector {
    /// In `spec.selector`, as built-in kinds do.
    Spec,
    /// At this place, as text.
    Text(String),
    /// Nowhere.
    Nowhere,
}

/// Answers a request for a scale.
pub(super) fn answer(
    writing: &Writing<'_>,
    verb: Verb,
    content_type: Option<&str>,
    sent: &Bytes,
) -> Result<Response<Body>, ApiError> {
    let (core, def, name) = (writing.core, writing.def, writing.name()?);
    let places = places(def);
    let stored = match verb {
        Verb::Get => read::one::object(core, def, &writing.key(name))?,
        Verb::Update => {
            let wanted = json_body(content_type, sent)?;
            let trial = writing.trial("UpdateOptions")?;
            change(writing, name, trial, |old| scaled(def, &places, old, &wanted))?
        }
        Verb::Patch => {
            let kind = PatchKind::from_content_type(content_type.unwrap_or_default())
                .filter(|kind| *kind != PatchKind::Apply)
                .ok_or_else(|| ApiError::unsupported_patch(patch::MEDIA_TYPES))?;
            // A scale has no lists with keys, so a strategic patch is a merge.
            let kind = if kind == PatchKind::Strategic { PatchKind::Merge } else { kind };
            let trial = writing.trial("PatchOptions")?;
            change(writing, name, trial, |old| {
                let wanted = patch::patched(def, kind, &scale(&places, old), sent)?;
                scaled(def, &places, old, &wanted)
            })?
        }
        _ => return Err(ApiError::method_not_allowed()),
    };
    let scale = scale(&places, &whole(def, &stored));
    Ok(body::json(StatusCode::OK, body::whole(scale.to_string())))
}

fn places(def: &ResourceDef) -> Places {
    let pointer = |path: &str| path.replace('.', "/");
    match def.custom().and_then(|origin| origin.scale.as_ref()) {
        Some(paths) => Places {
            spec: pointer(&paths.spec_replicas),
            status: pointer(&paths.status_replicas),
            selector: paths.label_selector.as_deref().map(pointer).map_or(Selector::Nowhere, Selector::Text),
        },
        None => Places {
            spec: "/spec/replicas".to_owned(),
            status: "/status/replicas".to_owned(),
            selector: Selector::Spec,
        },
    }
}

fn scale(places: &Places, object: &Value) -> Value {
    let number = |at: &str| object.pointer(at).and_then(Value::as_i64).unwrap_or(0);
    let metadata = &object["metadata"];
    let selector = match &places.selector {
        Selector::Text(at) => object.pointer(at).and_then(Value::as_str).unwrap_or_default().to_owned(),
        Selector::Spec => selector_text(&object["spec"]["selector"]),
        Selector::Nowhere => String::new(),
    };
    let mut scale = json!({
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {
            "name": metadata["name"], "namespace": metadata["namespace"], "uid": metadata["uid"],
            "resourceVersion": metadata["resourceVersion"], "creationTimestamp": metadata["creationTimestamp"],
        },
        "spec": {"replicas": number(&places.spec)},
        "status": {"replicas": number(&places.status)},
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
    places: &Places,
    old: &Value,
    wanted: &Value,
) -> Result<(Value, Ownership), ApiError> {
    let name = text(old, "metadata", "name");
    let replicas = wanted["spec"]["replicas"].as_i64().unwrap_or(0);
    if replicas < 0 {
        let why = format!("Invalid value: {replicas}: must be greater than or equal to 0");
        return Err(ApiError::invalid(
            "autoscaling",
            "Scale",
            name,
            vec![Cause::invalid("spec.replicas", why)],
        ));
    }
    let version = text(wanted, "metadata", "resourceVersion");
    if !version.is_empty() && version != text(old, "metadata", "resourceVersion") {
        return Err(ApiError::stale(def, name));
    }
    let mut new = old.clone();
    let mut at = &mut new;
    for part in places.spec.split('/').skip(1) {
        if !at.is_object() {
            *at = json!({});
        }
        at = &mut at[part];
    }
    *at = json!(replicas);
    Ok((new, Ownership::Tracked))
}
