//! Writes the status of an object if it changed: fields, and conditions with `observedGeneration`.
//!
//! The wanted status is compared with the cache, which shows the writes of this process. A write that would change
//! nothing is not sent and counts as saved. Conditions of other types stay: the patch has the version that was read as
//! a precondition, so that it never undoes the write of another client.

use std::fmt;
use std::marker::PhantomData;

use jiff::Timestamp;
use kube_core::Resource;
use kube_core::dynamic::DynamicObject;
use kube_core::params::{Patch, PatchParams};
use serde::Serialize;
use serde_json::{Map, Value, json};
use tidings_object::{Key, Kind, Object, Projection, ResourceKind};

use crate::context::Context;
use crate::error::ControllerError;
use crate::reconciler::Error;
use crate::writes::TrackedApi;

/// The status of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConditionStatus {
    /// It holds.
    True,
    /// It does not hold.
    False,
    /// The controller does not know.
    Unknown,
}

impl From<bool> for ConditionStatus {
    fn from(holds: bool) -> Self {
        if holds { ConditionStatus::True } else { ConditionStatus::False }
    }
}

/// A status to write. See [`Context::status`].
#[must_use = "call `write`"]
pub struct StatusWrite<K> {
    context: Context,
    resource: ResourceKind,
    object: Result<(Key, String), ControllerError>,
    generation: Option<i64>,
    fields: Result<Map<String, Value>, String>,
    conditions: Vec<Value>,
    view: PhantomData<fn() -> K>,
}

impl Context {
    /// Writes the status of an object, if it changed.
    ///
    /// ```
    /// use k8s_openapi::api::networking::v1::Ingress;
    /// use tidings_controller::{Context, Error};
    ///
    /// async fn report(context: &Context, web: &Ingress, backends: usize) -> Result<(), Error> {
    ///     let message = format!("{backends} backends are ready");
    ///     context
    ///         .status(web) // your custom resource
    ///         .field("readyBackends", backends)
    ///         .condition("Ready", backends > 0, "Counted", message) // with observedGeneration
    ///         .write() // nothing is sent if the cache shows this status
    ///         .await?;
    ///     Ok(())
    /// }
    /// ```
    ///
    /// `object` is the one that the reconciler worked on: its generation is the observed one. The definition of a
    /// custom resource needs the `status` subresource, and the fields in its schema, with the fields of
    /// `metav1.Condition` for conditions: the server drops others, and then every write looks like a change.
    pub fn status<K: Kind + Resource>(&self, object: &K) -> StatusWrite<K> {
        self.status_write(K::resource(), object.meta())
    }

    /// As [`status`](Self::status), for a resource that is known only at run time.
    pub fn status_of(
        &self,
        resource: impl Into<ResourceKind>,
        object: &DynamicObject,
    ) -> StatusWrite<DynamicObject> {
        self.status_write(resource.into(), &object.metadata)
    }

    fn status_write<K>(
        &self,
        resource: ResourceKind,
        meta: &k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta,
    ) -> StatusWrite<K> {
        let name = meta.name.as_deref().unwrap_or_default();
        let missing = |missing| {
            let object = format!("{resource} {}", if name.is_empty() { "without a name" } else { name });
            ControllerError::NotWritten { object, missing }
        };
        let key = Key::new(meta.namespace.as_deref(), name).map_err(|_| missing("name"));
        let uid = meta.uid.clone().filter(|uid| !uid.is_empty()).ok_or_else(|| missing("uid"));
        StatusWrite {
            context: self.clone(),
            object: key.and_then(|key| Ok((key, uid?))),
            resource,
            generation: meta.generation,
            fields: Ok(Map::new()),
            conditions: Vec::new(),
            view: PhantomData,
        }
    }
}

impl<K> StatusWrite<K> {
    /// Sets one field of the status.
    pub fn field(mut self, name: &str, value: impl Serialize) -> Self {
        self.fields = self.fields.and_then(|mut fields| {
            let value =
                serde_json::to_value(value).map_err(|error| format!("the field {name:?}: {error}"))?;
            fields.insert(name.to_owned(), value);
            Ok(fields)
        });
        self
    }

    /// Sets all fields of a struct. A field that is `None` is removed.
    pub fn fields(mut self, status: &impl Serialize) -> Self {
        self.fields = self.fields.and_then(|mut fields| {
            match serde_json::to_value(status).map_err(|error| error.to_string())? {
                Value::Object(more) => fields.extend(more),
                _ => return Err("a status is a JSON object".to_owned()),
            }
            Ok(fields)
        });
        self
    }

    /// Sets `status.observedGeneration` to the generation that the reconciler worked on.
    pub fn observed_generation(self) -> Self {
        let generation = self.generation;
        self.field("observedGeneration", generation)
    }

    /// Sets a condition in `status.conditions`, with `observedGeneration`. Conditions of other types stay. The time of
    /// the last transition changes only with the status. `reason` is a word in CamelCase, `message` a sentence.
    pub fn condition(
        mut self,
        type_: &str,
        status: impl Into<ConditionStatus>,
        reason: &str,
        message: impl Into<String>,
    ) -> Self {
        let status = match status.into() {
            ConditionStatus::True => "True",
            ConditionStatus::False => "False",
            ConditionStatus::Unknown => "Unknown",
        };
        let mut condition =
            json!({ "type": type_, "status": status, "reason": reason, "message": message.into() });
        if let Some(generation) = self.generation {
            condition["observedGeneration"] = json!(generation);
        }
        self.conditions.retain(|other| other["type"] != condition["type"]);
        self.conditions.push(condition);
        self
    }

    /// Writes what changed. `false` if nothing did: no request was sent.
    ///
    /// # Errors
    ///
    /// A conflict (409) if another client wrote the object in between, and any other error of the request. If the
    /// object was deleted, nothing is written.
    pub async fn write(self) -> Result<bool, Error> {
        let StatusWrite { context, resource, object, fields, conditions, .. } = self;
        let (key, uid) = object?;
        let fields = fields.map_err(|reason| ControllerError::InvalidStatus {
            object: format!("{resource} {key}"),
            reason,
        })?;
        let line = format_args!("reads_resource(…)");
        let cache = context.cache(&resource, Projection::Full, line)?;
        let cached = context.read(cache, &key).await?.filter(|cached| cached.uid() == uid);
        let Some(cached) = cached else { return Ok(false) };
        let current: Value = cached.view()?;
        let current = current.get("status").cloned().unwrap_or_else(|| json!({}));
        let patch = status_patch(&current, fields, conditions, Timestamp::now());
        if patch.is_empty() {
            context.count_saved_write();
            return Ok(false);
        }
        let api: TrackedApi<DynamicObject> = context.api_of(resource);
        let status = json!({ "status": patch });
        let api = api.if_unchanged(&Object::<DynamicObject>::new(cached));
        api.patch_status(&PatchParams::default(), &Patch::Merge(status)).await?;
        Ok(true)
    }
}

/// The merge patch from the current status to the wanted one. Empty if there is no difference.
fn status_patch(
    current: &Value,
    fields: Map<String, Value>,
    conditions: Vec<Value>,
    now: Timestamp,
) -> Map<String, Value> {
    let is_changed = |name: &str, wanted: &Value| current.get(name).unwrap_or(&Value::Null) != wanted;
    let mut patch: Map<_, _> = fields.into_iter().filter(|(name, value)| is_changed(name, value)).collect();
    if conditions.is_empty() {
        return patch;
    }
    let before = current.get("conditions").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut after = before.clone();
    for mut condition in conditions {
        let known = after.iter_mut().find(|other| other["type"] == condition["type"]);
        let since = known.as_ref().filter(|known| known["status"] == condition["status"]);
        let since = since.map(|known| known["lastTransitionTime"].clone()).filter(Value::is_string);
        // The format of metav1.Time: whole seconds.
        condition["lastTransitionTime"] =
            since.unwrap_or_else(|| json!(now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()));
        match (known, condition) {
            (Some(Value::Object(known)), Value::Object(condition)) if is_stored(known, &condition) => {}
            // Fields that the server or others set stay.
            (Some(Value::Object(known)), Value::Object(condition)) => known.extend(condition),
            (_, condition) => after.push(condition),
        }
    }
    if after != before {
        patch.insert("conditions".to_owned(), Value::Array(after));
    }
    patch
}

/// Whether the server has this condition, as far as its kind can store it.
///
/// Conditions of some built-in kinds, such as Deployments, have no `observedGeneration`, and the server leaves out empty
/// texts. If these counted as changes, every reconcile would send a patch that changes nothing. So a condition that was
/// stored without a generation gets one with its next change.
fn is_stored(known: &Map<String, Value>, wanted: &Map<String, Value>) -> bool {
    wanted.iter().all(|(name, value)| match known.get(name) {
        Some(stored) => stored == value,
        None => name == "observedGeneration" || value == "",
    })
}

impl<K> fmt::Debug for StatusWrite<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StatusWrite")
            .field("resource", &self.resource)
            .field("object", &self.object)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    fn ready(status: &str, generation: i64) -> Value {
        json!({ "type": "Ready", "status": status, "reason": "R", "message": "m", "observedGeneration": generation })
    }

    fn patched(current: &Value, conditions: Vec<Value>, now: i64) -> Value {
        let mut after = current.clone();
        for (name, value) in status_patch(current, Map::new(), conditions, at(now)) {
            after[name] = value;
        }
        after
    }

    #[test]
    fn a_condition_keeps_its_transition_time_until_its_status_changes() {
        let first = patched(&json!({}), vec![ready("True", 1)], 0);
        assert_eq!(first["conditions"][0]["lastTransitionTime"], "1970-01-01T00:00:00Z");
        assert!(status_patch(&first, Map::new(), vec![ready("True", 1)], at(60)).is_empty());
        let observed = patched(&first, vec![ready("True", 2)], 60);
        assert_eq!(observed["conditions"][0]["lastTransitionTime"], "1970-01-01T00:00:00Z");
        assert_eq!(observed["conditions"][0]["observedGeneration"], 2);
        let changed = patched(&observed, vec![ready("False", 2)], 60);
        assert_eq!(changed["conditions"][0]["lastTransitionTime"], "1970-01-01T00:01:00Z");
    }

    #[test]
    fn conditions_of_other_types_and_other_fields_stay() {
        let current = json!({ "replicas": 3, "conditions": [{ "type": "Other", "status": "True" }] });
        let by_server =
            json!({ "conditions": [{ "type": "Ready", "status": "True", "lastProbeTime": null }] });
        assert_eq!(
            patched(&by_server, vec![ready("True", 1)], 0)["conditions"][0]["lastProbeTime"],
            Value::Null
        );
        assert_eq!(patched(&by_server, vec![ready("True", 1)], 0)["conditions"].as_array().unwrap().len(), 1);
        let after = patched(&current, vec![ready("True", 1)], 0);
        assert_eq!(after["conditions"].as_array().unwrap().len(), 2);
        assert_eq!((&after["conditions"][0], &after["replicas"]), (&current["conditions"][0], &json!(3)));
    }

    #[test]
    fn a_condition_whose_kind_has_no_generation_is_written_once() {
        let stored = json!({ "conditions": [{ "type": "Ready", "status": "True", "reason": "R", "message": "m",
            "lastTransitionTime": "1970-01-01T00:00:00Z" }] });
        assert!(status_patch(&stored, Map::new(), vec![ready("True", 2)], at(60)).is_empty());
        assert_eq!(patched(&stored, vec![ready("False", 2)], 60)["conditions"][0]["observedGeneration"], 2);
        let mut without_message = stored.clone();
        without_message["conditions"][0].as_object_mut().unwrap().remove("message");
        assert!(!status_patch(&without_message, Map::new(), vec![ready("True", 2)], at(60)).is_empty());
        let mut wanted = ready("True", 2);
        wanted["message"] = json!("");
        assert!(status_patch(&without_message, Map::new(), vec![wanted], at(60)).is_empty());
    }

    #[test]
    fn only_changed_fields_are_in_the_patch() {
        let fields = |value: Value| value.as_object().unwrap().clone();
        let current = json!({ "a": 1, "b": 2 });
        let patch = |wanted: Value| status_patch(&current, fields(wanted), Vec::new(), at(0));
        assert!(patch(json!({ "a": 1, "b": 2, "c": null })).is_empty());
        assert_eq!(patch(json!({ "a": 1, "b": null })), fields(json!({ "b": null })));
        assert_eq!(patch(json!({ "a": 3 })), fields(json!({ "a": 3 })));
    }
}
