//! Calls admission webhooks: the mutating ones in order, then the validating ones.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::join_all;
use serde_json::{Value, json};

use super::review::{self, Allowed};
use super::{Change, MUTATING, Mutated, ReviewedWrite, VALIDATING, policies, rules};
use crate::patch;
use crate::resource::ResourceDef;
use crate::status::ApiError;
use crate::store::KeyRange;
use crate::webhook_client;

/// One webhook of a configuration.
struct Webhook {
    config: Value,
}

/// A webhook that reviews the write, and the version of the object that it expects.
struct MatchingWebhook {
    webhook: Webhook,
    def: Arc<ResourceDef>,
}

/// The time that a webhook without `timeoutSeconds` has.
const TIMEOUT_SECONDS_DEFAULT: u64 = 10;
/// The longest time that a webhook may have.
const TIMEOUT_SECONDS_MAX: u64 = 30;

/// Calls the mutating webhooks in the order of their configurations' names. Returns the changed object.
///
/// A webhook with `reinvocationPolicy: IfNeeded` is called a second time if a later one changed the object.
pub(super) async fn mutate(
    write: &ReviewedWrite<'_>,
    old: Option<&Value>,
    new: Value,
    warnings: &mut Vec<String>,
) -> Result<(Value, Mutated), ApiError> {
    let all = webhooks(write, MUTATING);
    let before = new.clone();
    let mut object = new;
    // The state that each webhook returned; a later change makes it due again.
    let mut returned: Vec<Option<Value>> = vec![None; all.len()];
    for round in 0..2 {
        for (webhook, returned) in all.iter().zip(&mut returned) {
            let is_due = match returned {
                None => round == 0,
                Some(state) => webhook.config["reinvocationPolicy"] == "IfNeeded" && *state != object,
            };
            if !is_due {
                continue;
            }
            let change = Change { old, new: Some(&object) };
            let Some(def) = webhook.matching(write, change)? else { continue };
            if let Some(patched) = webhook.patched(write, change, &def, warnings).await? {
                object = patched;
            }
            *returned = Some(object.clone());
        }
    }
    let mutated = if object == before { Mutated::No } else { Mutated::Yes };
    Ok((object, mutated))
}

/// Calls the validating webhooks at the same time. The error is that of the first one that refuses.
pub(super) async fn validate(
    write: &ReviewedWrite<'_>,
    change: Change<'_>,
    warnings: &mut Vec<String>,
) -> Result<(), ApiError> {
    // Mutating webhooks see deletions too, though they can't change anything.
    let mut all = webhooks(write, VALIDATING);
    if change.new.is_none() {
        all.extend(webhooks(write, MUTATING));
    }
    let mut matching = Vec::new();
    for webhook in all {
        if let Some(def) = webhook.matching(write, change)? {
            matching.push(MatchingWebhook { webhook, def });
        }
    }
    let calls = matching.iter().map(|MatchingWebhook { webhook, def }| async move {
        let mut warnings = Vec::new();
        let outcome = webhook.call(write, change, def, &mut warnings).await;
        (outcome, warnings)
    });
    let mut outcome = Ok(());
    for (called, its_warnings) in join_all(calls).await {
        warnings.extend(its_warnings);
        outcome = outcome.and(called.map(|_| ()));
    }
    outcome
}

fn webhooks(write: &ReviewedWrite<'_>, storage: &str) -> Vec<Webhook> {
    let snapshot = write.core.store.snapshot(storage, &KeyRange::all(), usize::MAX, None);
    let configurations = snapshot.map(|snapshot| snapshot.objects).unwrap_or_default();
    let hooks = configurations.iter().flat_map(|stored| match stored.decoded().remove("webhooks") {
        Some(Value::Array(hooks)) => hooks,
        _ => Vec::new(),
    });
    hooks.map(|config| Webhook { config }).collect()
}

impl Webhook {
    fn name(&self) -> &str {
        self.config["name"].as_str().unwrap_or_default()
    }

    fn is_lenient(&self) -> bool {
        self.config["failurePolicy"] == "Ignore"
    }

    /// The version in which the webhook gets the object; `None` if it does not review this write.
    fn matching(
        &self,
        write: &ReviewedWrite<'_>,
        change: Change<'_>,
    ) -> Result<Option<Arc<ResourceDef>>, ApiError> {
        let found = rules::matching_version(write, change, &self.config["rules"], &self.config);
        let conditions =
            self.config["matchConditions"].as_array().filter(|conditions| !conditions.is_empty());
        let (Some(def), Some(conditions)) = (&found, conditions) else { return Ok(found) };
        let scope = policies::scope(write, change, def, &Value::Null);
        for condition in conditions {
            match scope.is_true(condition["expression"].as_str().unwrap_or_default()) {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(_) if self.is_lenient() => return Ok(None),
                Err(why) => {
                    let why =
                        format!("webhook {:?}: match condition {}: {why}", self.name(), condition["name"]);
                    return Err(ApiError::forbidden(write.def, change.text("name"), &why));
                }
            }
        }
        Ok(found)
    }

    /// The object with the patch of the webhook; `None` if the webhook changes nothing.
    async fn patched(
        &self,
        write: &ReviewedWrite<'_>,
        change: Change<'_>,
        def: &ResourceDef,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Value>, ApiError> {
        let Some(Allowed { patch: Some(patch) }) = self.call(write, change, def, warnings).await? else {
            return Ok(None);
        };
        let failed = |why: String| {
            ApiError::internal(format!("applying the patch of webhook {:?}: {why}", self.name()))
        };
        let patch = STANDARD.decode(patch).map_err(|error| failed(error.to_string()))?;
        let mut object = change.object().clone();
        object["apiVersion"] = json!(def.api_version());
        let mut patched = patch::json::patched(&object, &patch).map_err(|error| failed(error.to_string()))?;
        patched["apiVersion"] = json!(write.def.api_version());
        Ok(Some(patched))
    }

    /// Calls the webhook. `None` if it failed and its failures are ignored.
    async fn call(
        &self,
        write: &ReviewedWrite<'_>,
        change: Change<'_>,
        def: &ResourceDef,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Allowed>, ApiError> {
        let name = self.name();
        let side_effects = self.config["sideEffects"].as_str().unwrap_or_default();
        if write.is_dry_run() && !matches!(side_effects, "None" | "NoneOnDryRun") {
            return Err(ApiError::bad_request(format!(
                "admission webhook {name:?} does not support dry run"
            )));
        }
        let seconds = self.config["timeoutSeconds"].as_u64().unwrap_or(TIMEOUT_SECONDS_DEFAULT);
        let timeout = Duration::from_secs(seconds.clamp(1, TIMEOUT_SECONDS_MAX));
        let uid = write.core.new_uid();
        let review = json!({
            "kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1",
            "request": review::request(write, change, def, &uid),
        });
        let answer = webhook_client::post(write.core, &self.config["clientConfig"], &review, timeout).await;
        let read = answer
            .map_err(|why| Err(format!("failed to call webhook: {why}")))
            .and_then(|answer| review::answer(name, &uid, &answer, warnings));
        match read {
            Ok(allowed) => Ok(Some(allowed)),
            Err(Ok(refusal)) => Err(refusal),
            Err(Err(why)) if self.is_lenient() => {
                tracing::warn!(
                    webhook = name,
                    error = why,
                    "a webhook failed, and its failurePolicy is Ignore"
                );
                Ok(None)
            }
            Err(Err(why)) => Err(ApiError::internal(format!("failed calling webhook {name:?}: {why}"))),
        }
    }
}
