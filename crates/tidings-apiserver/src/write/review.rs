//! Reviews, such as SelfSubjectAccessReview: they are answered and not stored. The answer is always that the access is
//! allowed.

use serde_json::{Value, json};

use crate::resource::ResourceDef;

pub(super) fn is_review(def: &ResourceDef) -> bool {
    matches!(def.group.as_ref(), "authentication.k8s.io" | "authorization.k8s.io")
}

/// The review with its status.
pub(super) fn answer(def: &ResourceDef, mut review: Value) -> Value {
    if !review.is_object() {
        review = json!({});
    }
    review["kind"] = json!(def.kind);
    review["apiVersion"] = json!(def.api_version());
    review["status"] = match def.kind.as_ref() {
        "TokenReview" => json!({"authenticated": true, "user": {"username": "admin"}}),
        "SelfSubjectReview" => json!({"userInfo": {"username": "admin", "groups": ["system:masters"]}}),
        "SelfSubjectRulesReview" => json!({
            "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
            "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
            "incomplete": false,
        }),
        _ => json!({"allowed": true}),
    };
    review
}
