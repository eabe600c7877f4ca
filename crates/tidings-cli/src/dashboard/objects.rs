//! HTTP API for the cached objects: a bounded list of the objects that match a search, and one object as YAML with its last
//! change and its last reconciles. The data of Secrets is already redacted by [`value`].

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};
use tidings::RawObject;

use super::catalog::{Catalog, CatalogEntry};
use super::recent::{LastChange, Recent};
use crate::diff::{self, short};
use crate::format::{document, value};

const OBJECTS_DEFAULT: usize = 100;
const OBJECTS_MAX: usize = 1_000;
/// How many values of an index are suggested.
const VALUES_MAX: usize = 500;
const SEARCH_CHARS_MAX: usize = 256;

pub(super) fn router(catalog: Arc<Catalog>, recent: Arc<Recent>) -> Router {
    let sources = Sources { catalog, recent };
    Router::new().route("/api/objects", get(objects)).route("/api/object", get(object)).with_state(sources)
}

#[derive(Clone)]
struct Sources {
    catalog: Arc<Catalog>,
    recent: Arc<Recent>,
}

/// The query of `/api/objects`.
#[derive(Deserialize)]
struct ObjectSearch {
    resource: String,
    /// A substring of the key, or of a label written as `key=value`.
    #[serde(default)]
    q: String,
    index: Option<String>,
    value: Option<String>,
    limit: Option<usize>,
}

/// The query of `/api/object`.
#[derive(Deserialize)]
struct ObjectQuery {
    resource: String,
    key: String,
}

/// An error response with a message for the user.
struct ApiError(StatusCode, String);

type ApiResult = Result<Json<Value>, ApiError>;

async fn objects(State(sources): State<Sources>, Query(search): Query<ObjectSearch>) -> ApiResult {
    let entry = sources.entry(&search.resource)?;
    let limit = search.limit()?;
    let snapshot = entry.informer.lister().snapshot();
    let by_index = search.by_index().map(|(index, value)| snapshot.by_index(index, value)).transpose();
    let by_index = by_index.map_err(|error| ApiError::bad_request(error.to_string()))?;
    let words = search.q.trim().to_lowercase();
    let mut matching: Vec<&Arc<RawObject>> = match &by_index {
        Some(found) => found.iter().filter(|object| matches(object, &words)).collect(),
        None => snapshot.iter().filter(|object| matches(object, &words)).collect(),
    };
    let matched = matching.len();
    // Selects the first `limit` objects, so that only these are sorted.
    if matched > limit {
        matching.select_nth_unstable_by(limit, |a, b| a.key().cmp(&b.key()));
        matching.truncate(limit);
    }
    matching.sort_unstable_by(|a, b| a.key().cmp(&b.key()));
    let values = search.index.as_deref().map(|index| snapshot.index_values(index)).transpose();
    let mut values = values.map_err(|error| ApiError::bad_request(error.to_string()))?.unwrap_or_default();
    values.sort_unstable();
    values.truncate(VALUES_MAX);
    Ok(Json(json!({
        "total": snapshot.len(), "matched": matched, "values": values,
        "objects": matching.into_iter().map(|object| row(object)).collect::<Vec<_>>(),
    })))
}

async fn object(State(sources): State<Sources>, Query(named): Query<ObjectQuery>) -> ApiResult {
    let entry = sources.entry(&named.resource)?;
    let Some(object) = entry.informer.lister().get(&named.key) else {
        return Err(ApiError(StatusCode::NOT_FOUND, format!("{} is not in the cache", named.key)));
    };
    let change = sources.recent.last_change(&named.resource, &named.key);
    Ok(Json(json!({
        "key": object.key().as_str(), "version": object.version().to_string(), "uid": object.uid(),
        "yaml": document(&without_managed_fields(value(&object))),
        "change": change.map(|change| change_json(&change)),
        "controllers": sources.catalog.local.reconciles(&named.resource, &named.key),
    })))
}

impl Sources {
    fn entry(&self, resource: &str) -> Result<&CatalogEntry, ApiError> {
        let unknown =
            || ApiError(StatusCode::NOT_FOUND, format!("this dashboard does not show {resource:?}"));
        self.catalog.find(resource).ok_or_else(unknown)
    }
}

impl ObjectSearch {
    fn limit(&self) -> Result<usize, ApiError> {
        if self.q.chars().count() > SEARCH_CHARS_MAX {
            return Err(ApiError::bad_request(format!("q has more than {SEARCH_CHARS_MAX} characters")));
        }
        match self.limit.unwrap_or(OBJECTS_DEFAULT) {
            limit @ 1..=OBJECTS_MAX => Ok(limit),
            _ => Err(ApiError::bad_request(format!("limit must be a number from 1 to {OBJECTS_MAX}"))),
        }
    }

    /// `None` for an index without a value: then the response only lists the values of the index.
    fn by_index(&self) -> Option<(&str, &str)> {
        let value = self.value.as_deref().filter(|value| !value.is_empty())?;
        Some((self.index.as_deref()?, value))
    }
}

impl ApiError {
    fn bad_request(reason: String) -> Self {
        ApiError(StatusCode::BAD_REQUEST, reason)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.0, Json(json!({ "error": self.1 }))).into_response()
    }
}

fn matches(object: &RawObject, words: &str) -> bool {
    words.is_empty()
        || object.key().as_str().to_lowercase().contains(words)
        || object.labels().iter().any(|(key, value)| format!("{key}={value}").to_lowercase().contains(words))
}

fn row(object: &RawObject) -> Value {
    let labels: Vec<String> = object.labels().iter().map(|(key, value)| format!("{key}={value}")).collect();
    json!({
        "key": object.key().as_str(), "namespace": object.namespace(), "name": object.name(),
        "version": object.version().to_string(), "labels": labels,
        "wireBytes": object.wire_bytes(), "packedBytes": object.packed_bytes(),
        "isBeingDeleted": object.deletion_timestamp().is_some(),
    })
}

/// `managedFields` is often longer than the object itself. kubectl hides it too.
fn without_managed_fields(mut object: Value) -> Value {
    if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
        metadata.remove("managedFields");
    }
    object
}

fn change_json(change: &LastChange) -> Value {
    let (old, new) = (value(&change.old), value(&change.new));
    let fields = diff::between(&old, &new);
    let fields = fields.iter().map(|field| {
        json!({ "path": field.path, "old": field.old.map(|_| short(field.old)), "new": field.new.map(|_| short(field.new)) })
    });
    json!({
        "oldVersion": change.old.version().to_string(), "version": change.new.version().to_string(),
        "agoSeconds": change.at.elapsed().as_secs_f64(), "fields": fields.collect::<Vec<_>>(),
    })
}
