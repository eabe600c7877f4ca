//! CertificateSigningRequests: the requester, and the conditions that `approval` and `status` set.
//!
//! Nothing signs a request: a signer is a client of the API, as in Kubernetes.

use serde_json::{Value, json};

use crate::auth::User;
use crate::resource::ResourceDef;
use crate::status::{ApiError, StatusCause};

/// The condition types that only `approval` may change.
const APPROVALS: [&str; 2] = ["Approved", "Denied"];

/// Sets the user that requests the certificate. Clients can't choose it.
pub(super) fn set_requester(spec: &mut Value, user: &User) {
    let info = user.info();
    spec["username"] = info["username"].clone();
    for name in ["uid", "groups", "extra"] {
        match info.get(name) {
            Some(value) => spec[name] = value.clone(),
            None => {
                if let Some(fields) = spec.as_object_mut() {
                    fields.remove(name);
                }
            }
        }
    }
}

/// The requested object with the old `spec` and certificate: `approval` changes conditions only.
pub(super) fn with_approval_of(old: &Value, mut wanted: Value) -> Value {
    wanted["spec"] = old["spec"].clone();
    let mut status = json!({"conditions": wanted["status"]["conditions"].take()});
    if !old["status"]["certificate"].is_null() {
        status["certificate"] = old["status"]["certificate"].clone();
    }
    if status["conditions"].is_null() {
        status["conditions"] = json!([]);
    }
    wanted["status"] = status;
    wanted
}

/// Keeps what an update through `status` or the object itself may not change, and sets the times of conditions.
pub(super) fn prepare_update(def: &ResourceDef, old: &Value, new: &mut Value, time: &str) {
    if def.kind != "CertificateSigningRequest" {
        return;
    }
    new["spec"] = old["spec"].clone();
    let known = old["status"]["conditions"].as_array().cloned().unwrap_or_default();
    let conditions = new.pointer_mut("/status/conditions").and_then(Value::as_array_mut);
    for condition in conditions.into_iter().flatten() {
        if condition["lastUpdateTime"].is_null() {
            condition["lastUpdateTime"] = json!(time);
        }
        if condition["lastTransitionTime"].is_null() {
            let same = known
                .iter()
                .find(|known| known["type"] == condition["type"] && known["status"] == condition["status"]);
            condition["lastTransitionTime"] =
                same.map_or_else(|| json!(time), |known| known["lastTransitionTime"].clone());
        }
    }
}

/// Checks that an update through `status` neither adds nor removes an approval.
pub(super) fn check_status(def: &ResourceDef, old: &Value, new: &Value) -> Result<(), ApiError> {
    if def.kind != "CertificateSigningRequest" {
        return Ok(());
    }
    let has =
        |object: &Value, kind: &str| conditions(object).iter().any(|condition| condition["type"] == kind);
    let mut causes = Vec::new();
    for kind in APPROVALS {
        let verb = match (has(old, kind), has(new, kind)) {
            (true, false) => "remove",
            (false, true) => "add",
            _ => continue,
        };
        let why = format!("Forbidden: updates may not {verb} a condition of type {kind:?}");
        causes.push(StatusCause::forbidden("status.conditions", why));
    }
    if causes.is_empty() {
        return Ok(());
    }
    Err(ApiError::invalid_object(def, old["metadata"]["name"].as_str().unwrap_or_default(), causes))
}

fn conditions(object: &Value) -> &[Value] {
    object["status"]["conditions"].as_array().map_or(&[], Vec::as_slice)
}
