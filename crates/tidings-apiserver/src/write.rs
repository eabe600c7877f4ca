//! Writes: create, update, patch, delete, and their consequences for other objects.
//!
//! Each write uses optimistic concurrency. It reads the object, computes the new state outside the store's lock, and
//! stores it only if the object still has the version that was read. Otherwise it starts again. Nothing here waits.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use bytes::Bytes;
use http::{Response, StatusCode};
use serde_json::{Map, Value, json};

use crate::admission::Admission;
use crate::auth::User;
use crate::body::{self, ResponseBody};
use crate::convert;
use crate::decode::{self, Decoded};
use crate::patch::managed_fields::{FieldWriter, manager_name};
use crate::protobuf;
use crate::read;
use crate::request::accept::Content;
use crate::request::{Representation, RequestOptions, ResourcePath};
use crate::resource::{ResourceDef, Verb};
use crate::server::Core;
use crate::status::ApiError;
use crate::store::{KeyOrder, StoredObject, UnversionedObject};
use crate::validate;

mod binding;
mod certificates;
mod collection;
mod create;
mod definitions;
mod delete;
mod delete_options;
mod dependents;
mod jobs;
mod namespaces;
mod patch;
mod review;
mod scale;
mod services;
mod token;
mod update;

pub(crate) use definitions::register as register_definition;
pub(crate) use delete::remove;
pub(crate) use dependents::ForegroundDeletions;
pub(crate) use namespaces::TerminatingNamespaces;

/// How often a write is tried when other writes of the same object come first.
const ATTEMPTS_MAX: usize = 64;

pub(crate) struct WriteRequest<'a> {
    pub(crate) core: &'a Arc<Core>,
    pub(crate) def: &'a ResourceDef,
    pub(crate) options: &'a RequestOptions,
    pub(crate) user: &'a User,
    pub(crate) namespace: Option<&'a str>,
    pub(crate) name: Option<&'a str>,
    pub(crate) subresource: &'a str,
    pub(crate) verb: Verb,
    manager: String,
    time: String,
    /// Keys that the body has twice: messages, of which the response warns.
    duplicates: RefCell<Vec<String>>,
    /// Fields that the kind does not have. The response warns of them.
    unknown_fields: RefCell<Vec<String>>,
    /// Finalizers without a domain that this write adds to a custom resource. The response warns of them.
    bare_finalizers: RefCell<Vec<String>>,
    /// How far webhooks and policies have reviewed this write.
    pub(crate) admission: RefCell<Admission>,
}

/// Whether a write is only validated and not stored (`dryRun=All`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DryRun {
    No,
    Yes,
}

impl<'a> WriteRequest<'a> {
    pub(crate) fn new(
        core: &'a Arc<Core>,
        def: &'a ResourceDef,
        path: &'a ResourcePath,
        verb: Verb,
        options: &'a RequestOptions,
        user: &'a User,
        user_agent: Option<&str>,
    ) -> Self {
        Self {
            core,
            def,
            options,
            user,
            namespace: path.namespace.as_deref(),
            name: path.name.as_deref(),
            subresource: path.subresource.as_deref().unwrap_or_default(),
            manager: manager_name(Some(&options.field_manager), user_agent),
            time: core.clock.seconds(),
            verb,
            duplicates: RefCell::default(),
            unknown_fields: RefCell::default(),
            bare_finalizers: RefCell::default(),
            admission: RefCell::default(),
        }
    }

    fn key(&self, name: &str) -> String {
        match self.namespace {
            Some(namespace) => format!("{namespace}/{name}"),
            None => name.to_owned(),
        }
    }

    fn writer(&self) -> FieldWriter<'_> {
        FieldWriter { manager: &self.manager, subresource: self.subresource, time: &self.time }
    }

    fn dry_run(&self, options_kind: &str) -> Result<DryRun, ApiError> {
        let is_dry = self.options.is_dry_run(options_kind)?;
        self.options.check_write(options_kind)?;
        Ok(if is_dry { DryRun::Yes } else { DryRun::No })
    }

    /// Collects the added finalizers without a domain, sorted. Replaces the result of an earlier attempt of the same
    /// write.
    fn collect_bare_finalizers(&self, old: &Value, new: &Value) {
        if !self.def.is_custom() {
            return;
        }
        let before = finalizers(old);
        let added = finalizers(new).into_iter().filter(|name| !before.contains(name));
        let bare: BTreeSet<&str> = added.filter(|name| validate::is_bare_finalizer(name)).collect();
        *self.bare_finalizers.borrow_mut() = bare.into_iter().map(str::to_owned).collect();
    }

    fn name(&self) -> Result<&'a str, ApiError> {
        self.name.ok_or_else(ApiError::method_not_allowed)
    }
}

/// Answers a write request, or a GET of a subresource.
pub(crate) fn answer(
    request: &WriteRequest<'_>,
    content_type: Option<&str>,
    sent: &Bytes,
    representation: Representation,
) -> Result<Response<ResponseBody>, ApiError> {
    let mut response = answer_without_warnings(request, content_type, sent, representation)?;
    for duplicate in request.duplicates.borrow().iter() {
        body::warn(&mut response, duplicate);
    }
    for field in request.unknown_fields.borrow().iter() {
        body::warn(&mut response, &format!("unknown field \"{field}\""));
    }
    for name in request.bare_finalizers.borrow().iter() {
        let advice = "prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts \
                      with other finalizer writers";
        body::warn(&mut response, &format!("metadata.finalizers: {name:?}: {advice}"));
    }
    Ok(response)
}

fn answer_without_warnings(
    request: &WriteRequest<'_>,
    content_type: Option<&str>,
    sent: &Bytes,
    representation: Representation,
) -> Result<Response<ResponseBody>, ApiError> {
    let (def, verb) = (request.def, request.verb);
    let is_known = match request.subresource {
        "" => def.allows(verb),
        name => {
            let unknown = || ApiError::unknown_subresource(def, request.name.unwrap_or_default());
            def.subresource(name).ok_or_else(unknown)?.verbs.contains(&verb)
        }
    };
    if !is_known {
        return Err(ApiError::method_not_allowed());
    }
    let (content_type, sent) = as_json(content_type, sent)?;
    let sent = &sent;
    let one = |object: &StoredObject, code| {
        read::get::response(request.core, def, object, request.options, representation, code)
    };
    match (verb, request.subresource) {
        (_, "scale") => scale::answer(request, verb, content_type, sent),
        (Verb::Get, "" | "status" | "resize" | "ephemeralcontainers" | "approval") => {
            let object = read::get::object(request.core, def, &request.key(request.name()?))?;
            one(&object, StatusCode::OK)
        }
        (Verb::Create, "eviction") => delete::evict(request, sent),
        (Verb::Create, "binding") => binding::bind(request, object_body(request, content_type, sent)?),
        (Verb::Create, "token") => token::answer(request, object_body(request, content_type, sent)?),
        (Verb::Create, "") if review::is_review(def) => {
            if !matches!(representation.content, Content::Whole) && representation.fallback.is_none() {
                return Err(ApiError::not_acceptable_as("a table or metadata"));
            }
            let review = object_body(request, content_type, sent)?;
            let answer = review::answer(request.core, request.user, def, review);
            Ok(body::json(StatusCode::CREATED, body::full(answer.to_string())))
        }
        (Verb::Create, "") => {
            let object = create::create(request, object_body(request, content_type, sent)?)?;
            one(&object, StatusCode::CREATED)
        }
        (Verb::Update, "" | "status" | "finalize" | "resize" | "ephemeralcontainers" | "approval") => {
            let written = update::update(request, &object_body(request, content_type, sent)?)?;
            one(&written, StatusCode::OK)
        }
        (Verb::Patch, "" | "status" | "resize" | "ephemeralcontainers" | "approval") => {
            let (object, code) = patch::patch(request, content_type, sent)?;
            one(&object, code)
        }
        (Verb::Delete, "") => delete::answer(request, content_type, sent, representation),
        (Verb::DeleteCollection, "") => collection::answer(request, content_type, sent, representation),
        _ => Err(ApiError::method_not_allowed()),
    }
}

/// Converts a protobuf body to JSON. Some clients send built-in kinds as protobuf.
fn as_json<'a>(content_type: Option<&'a str>, sent: &Bytes) -> Result<(Option<&'a str>, Bytes), ApiError> {
    match content_type {
        Some(protobuf::MEDIA_TYPE) if !sent.is_empty() => {
            Ok((Some("application/json"), Bytes::from(protobuf::decode(sent)?.to_string())))
        }
        _ => Ok((content_type, sent.clone())),
    }
}

/// Parses a JSON or YAML body. Collects the keys that it has twice.
fn object_body(
    request: &WriteRequest<'_>,
    content_type: Option<&str>,
    sent: &[u8],
) -> Result<Value, ApiError> {
    let Decoded { value, duplicates } = decoded_body(content_type, sent)?;
    *request.duplicates.borrow_mut() = duplicates;
    Ok(value)
}

pub(crate) fn decoded_body(content_type: Option<&str>, sent: &[u8]) -> Result<Decoded, ApiError> {
    let media_type = content_type.unwrap_or("application/json").split(';').next().unwrap_or_default().trim();
    match media_type {
        "application/json" | "" => {
            let mut decoded = decode::json(sent).map_err(|error| {
                ApiError::bad_request(format!(
                    "the object provided is unrecognized: couldn't get version/kind; json parse error: {error}"
                ))
            })?;
            // `null` counts as an empty object.
            if decoded.value.is_null() {
                decoded.value = json!({});
            }
            Ok(decoded)
        }
        "application/yaml" => crate::patch::apply::parsed(sent).map_err(|error| error.into_api_error()),
        _ => Err(ApiError::unsupported_media_type("application/json, application/yaml")),
    }
}

/// The response to a create that stores no object: `binding` and `eviction`.
fn created_status() -> Response<ResponseBody> {
    let status =
        json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201});
    body::json(StatusCode::CREATED, body::full(status.to_string()))
}

/// A stored object with its `kind` and `apiVersion`.
pub(crate) fn with_type_meta(def: &ResourceDef, stored: &StoredObject) -> Value {
    let mut object = convert::from_storage(def, stored.decoded());
    object.insert("kind".to_owned(), json!(def.kind));
    object.insert("apiVersion".to_owned(), json!(def.api_version()));
    Value::Object(object)
}

/// Encodes an object for the store.
pub(crate) fn encode_for_store(def: &ResourceDef, key: &str, object: &Value) -> UnversionedObject {
    let order = if def.is_custom() { KeyOrder::Sorted } else { KeyOrder::Struct };
    let empty = Map::new();
    let object = object.as_object().unwrap_or(&empty);
    if convert::is_converted(def) {
        return UnversionedObject::encode(key, &convert::to_storage(def, object.clone()), order);
    }
    UnversionedObject::encode(key, object, order)
}

/// The metadata of an object. Inserts an empty one if it is missing.
fn metadata_mut(object: &mut Value) -> &mut Map<String, Value> {
    if !object.is_object() {
        *object = json!({});
    }
    let metadata = &mut object["metadata"];
    if !metadata.is_object() {
        *metadata = json!({});
    }
    metadata.as_object_mut().expect("metadata was set to an object")
}

/// The text at `object[part][name]`; empty if there is none.
fn text<'v>(object: &'v Value, part: &str, name: &str) -> &'v str {
    object[part][name].as_str().unwrap_or_default()
}

fn finalizers(object: &Value) -> Vec<&str> {
    object["metadata"]["finalizers"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}
