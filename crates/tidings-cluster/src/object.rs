//! Functions for objects of any kind: reads them in a stable order, and writes a status only if it differs.

use std::fmt;

use kube_core::Resource;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tidings::Kind;
use tidings::controller::{Context, Error};

/// A kind that is known at compile time, and can be read and written.
pub(crate) trait ApiObject:
    Kind + Resource<DynamicType = ()> + Clone + Serialize + DeserializeOwned + fmt::Debug + Send + Sync + 'static
{
}

impl<K> ApiObject for K where
    K: Kind
        + Resource<DynamicType = ()>
        + Clone
        + Serialize
        + DeserializeOwned
        + fmt::Debug
        + Send
        + Sync
        + 'static
{
}

/// A part of an object that k8s-openapi declares as optional for some versions of Kubernetes and as required for
/// others.
pub(crate) fn part<'a, T: 'a>(value: impl Into<Option<&'a T>>) -> Option<&'a T> {
    value.into()
}

pub(crate) fn name<K: Resource>(object: &K) -> &str {
    object.meta().name.as_deref().unwrap_or_default()
}

pub(crate) fn namespace<K: Resource>(object: &K) -> &str {
    object.meta().namespace.as_deref().unwrap_or_default()
}

pub(crate) fn uid<K: Resource>(object: &K) -> &str {
    object.meta().uid.as_deref().unwrap_or_default()
}

pub(crate) fn is_deleting<K: Resource>(object: &K) -> bool {
    object.meta().deletion_timestamp.is_some()
}

pub(crate) fn annotation<'a, K: Resource>(object: &'a K, name: &str) -> Option<&'a str> {
    object.meta().annotations.as_ref()?.get(name).map(String::as_str)
}

/// All objects of a kind in the namespace of the request, decoded, sorted by name. A cache has no order of its own, and
/// what a controller does must not depend on one.
pub(crate) fn in_namespace<K: ApiObject>(context: &Context) -> Result<Vec<K>, Error> {
    let namespace = context.request().namespace().unwrap_or_default();
    let mut found = Vec::new();
    for object in context.lister::<K>()?.namespace(namespace).list() {
        found.push(K::clone(&*object.decoded()?));
    }
    found.sort_by(|one, other| name(one).cmp(name(other)));
    Ok(found)
}

/// The status of an object as JSON: `{}` if it has none.
pub(crate) fn status_of<K: Serialize>(object: &K) -> Result<Map<String, Value>, Error> {
    match serde_json::to_value(object)?["status"].take() {
        Value::Object(status) => Ok(status),
        _ => Ok(Map::new()),
    }
}

/// Replaces the status of an object, if it differs. The server rejects it if the object has changed since it was read.
pub(crate) async fn write_status<K: ApiObject>(
    context: &Context,
    object: &K,
    status: Map<String, Value>,
) -> Result<(), Error> {
    if status_of(object)? == status {
        return Ok(());
    }
    replace_status(context, object, status).await
}

/// As [`write_status`], also if nothing differs in the status: for annotations that are written together with it.
pub(crate) async fn replace_status<K: ApiObject>(
    context: &Context,
    object: &K,
    status: Map<String, Value>,
) -> Result<(), Error> {
    let mut value = serde_json::to_value(object)?;
    value["status"] = Value::Object(status);
    context.api::<K>().replace_status(&serde_json::from_value(value)?).await?;
    Ok(())
}

/// Sets a number, or removes it if it is 0: Go's `omitempty`.
pub(crate) fn set_count(status: &mut Map<String, Value>, field: &str, count: usize) {
    if count == 0 {
        status.remove(field);
    } else {
        status.insert(field.to_owned(), json!(count));
    }
}

/// A count of the API, of which no negative value has a meaning.
pub(crate) fn count(value: Option<i32>) -> usize {
    usize::try_from(value.unwrap_or(0)).unwrap_or(0)
}
