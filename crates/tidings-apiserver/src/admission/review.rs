//! Writes an AdmissionReview and reads the answer to it.

use serde_json::{Value, json};

use super::{Change, ReviewedWrite};
use crate::resource::ResourceDef;
use crate::status::ApiError;

/// The answer of a webhook that allows a write.
pub(super) struct Allowed {
    /// A JSON patch, not decoded from base64.
    pub patch: Option<String>,
}

/// The review of one object, in the version of `def`.
pub(super) fn request(write: &ReviewedWrite<'_>, change: Change<'_>, def: &ResourceDef, uid: &str) -> Value {
    let kind = |def: &ResourceDef| json!({"group": def.group, "version": def.version, "kind": def.kind});
    let resource =
        |def: &ResourceDef| json!({"group": def.group, "version": def.version, "resource": def.plural});
    let versioned = |object: Option<&Value>| {
        object.cloned().map_or(Value::Null, |mut object| {
            object["apiVersion"] = json!(def.api_version());
            object
        })
    };
    let mut request = json!({
        "uid": uid,
        "kind": kind(def),
        "resource": resource(def),
        "requestKind": kind(write.def),
        "requestResource": resource(write.def),
        "operation": change.operation(),
        "userInfo": write.user.info(),
        "object": versioned(change.new),
        "oldObject": versioned(change.old),
        "dryRun": write.is_dry_run(),
        "options": options(write, change),
    });
    let optional = [
        ("name", change.text("name")),
        ("namespace", write.namespace.unwrap_or_default()),
        ("subResource", write.subresource),
        ("requestSubResource", write.subresource),
    ];
    for (name, value) in optional.into_iter().filter(|(_, value)| !value.is_empty()) {
        request[name] = json!(value);
    }
    if write.def.storage == "/namespaces" {
        request["namespace"] = json!(change.text("name"));
    }
    request
}

fn options(write: &ReviewedWrite<'_>, change: Change<'_>) -> Value {
    let kind = match (change.operation(), write.verb) {
        ("CREATE", _) => "CreateOptions",
        ("DELETE", _) => "DeleteOptions",
        (_, crate::resource::Verb::Patch) => "PatchOptions",
        _ => "UpdateOptions",
    };
    let mut options = json!({"kind": kind, "apiVersion": "meta.k8s.io/v1"});
    if write.is_dry_run() {
        options["dryRun"] = json!(["All"]);
    }
    if !write.options.field_manager.is_empty() {
        options["fieldManager"] = json!(write.options.field_manager);
    }
    options
}

/// Reads the answer of a webhook. `Err(Err(text))` is an answer that is no valid review, `Err(Ok(error))` a refusal.
pub(super) fn answer(
    name: &str,
    uid: &str,
    answer: &Value,
    warnings: &mut Vec<String>,
) -> Result<Allowed, Result<ApiError, String>> {
    if answer["kind"] != "AdmissionReview" || answer["apiVersion"] != "admission.k8s.io/v1" {
        let (found, version) = (&answer["kind"], &answer["apiVersion"]);
        let why = format!(
            "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got {version}, Kind={found}"
        );
        return Err(Err(why));
    }
    let response = &answer["response"];
    if !response.is_object() {
        return Err(Err("webhook response was absent".to_owned()));
    }
    if response["uid"] != uid {
        return Err(Err(format!("expected response.uid={uid:?}, got {}", response["uid"])));
    }
    warnings.extend(
        response["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned),
    );
    if response["allowed"] != true {
        return Err(Ok(ApiError::denied_by_webhook(name, &response["status"])));
    }
    let patch = response["patch"].as_str().filter(|patch| !patch.is_empty()).map(str::to_owned);
    if patch.is_some() && response["patchType"] != "JSONPatch" {
        return Err(Err("webhook returned response.patch but not response.patchType=JSONPatch".to_owned()));
    }
    Ok(Allowed { patch })
}
