//! Reviews, such as TokenReview and SelfSubjectAccessReview: they are answered and not stored.
//!
//! A review of a token or of the user is answered from the server's own authentication. A review of access is answered
//! by the rights of a user that the server knows; roles of RBAC are not evaluated, so everyone else is allowed.

use serde_json::{Value, json};

use crate::auth::service_account::ISSUER;
use crate::auth::{Rights, User};
use crate::resource::ResourceDef;
use crate::server::Core;

pub(super) fn is_review(def: &ResourceDef) -> bool {
    matches!(def.group.as_ref(), "authentication.k8s.io" | "authorization.k8s.io")
}

/// The review with its status.
pub(super) fn answer(core: &Core, user: &User, def: &ResourceDef, mut review: Value) -> Value {
    if !review.is_object() {
        review = json!({});
    }
    review["kind"] = json!(def.kind);
    review["apiVersion"] = json!(def.api_version());
    if !review["metadata"].is_object() {
        review["metadata"] = json!({});
    }
    review["status"] = match def.kind.as_ref() {
        "TokenReview" => token_status(core, &review["spec"]),
        "SelfSubjectReview" => json!({"userInfo": user.info()}),
        "SelfSubjectRulesReview" => json!({
            "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
            "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
            "incomplete": false,
        }),
        "SelfSubjectAccessReview" => access_status(user.rights, &review["spec"]),
        _ => {
            let subject = review["spec"]["user"].as_str().unwrap_or_default();
            access_status(core.users.rights_of(subject), &review["spec"])
        }
    };
    review
}

fn token_status(core: &Core, spec: &Value) -> Value {
    let token = spec["token"].as_str().unwrap_or_default();
    let requested: Vec<&str> =
        spec["audiences"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let api_audience = [ISSUER];
    let wanted = if requested.is_empty() { &api_audience[..] } else { &requested[..] };
    let verified = match core.users.of_token(token) {
        Some(user) => Ok((user.info(), vec![ISSUER.to_owned()])),
        None => core.verify_token(token).map(|verified| (verified.user.info(), verified.audiences)),
    };
    match verified {
        Ok((info, audiences)) => {
            let shared: Vec<_> =
                audiences.into_iter().filter(|audience| wanted.contains(&audience.as_str())).collect();
            if shared.is_empty() {
                return json!({"user": {}, "error": format!("token audiences do not include any of {wanted:?}")});
            }
            json!({"authenticated": true, "user": info, "audiences": shared})
        }
        Err(why) => json!({"user": {}, "error": why}),
    }
}

fn access_status(rights: Rights, spec: &Value) -> Value {
    let verb = spec["resourceAttributes"]["verb"].as_str().unwrap_or_default();
    let is_allowed = match rights {
        Rights::Admin => true,
        Rights::ReadOnly => {
            matches!(verb, "get" | "list" | "watch") || spec["nonResourceAttributes"]["verb"] == "get"
        }
        Rights::Nothing => false,
    };
    json!({"allowed": is_allowed})
}
