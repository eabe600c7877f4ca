//! Reviews: questions that are created, answered, and not stored. Everything is allowed to whoever gets this far.

use serde_json::{Value, json};

use crate::resource::ResourceDef;

/// Whether objects of this resource are questions.
pub(super) fn is_review(def: &ResourceDef) -> bool {
    matches!(def.group.as_ref(), "authentication.k8s.io" | "authorization.k8s.io")
}

/// The question with its answer.
pub(super) fn answer(def: &ResourceDef, mut question: Value) -> Value {
    if !question.is_object() {
        question = json!({});
    }
    question["kind"] = json!(def.kind);
    question["apiVersion"] = json!(def.api_version());
    question["status"] = match def.kind.as_ref() {
        "TokenReview" => json!({"authenticated": true, "user": {"username": "admin"}}),
        "SelfSubjectReview" => json!({"userInfo": {"username": "admin", "groups": ["system:masters"]}}),
        "SelfSubjectRulesReview" => json!({
            "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
            "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
            "incomplete": false,
        }),
        _ => json!({"allowed": true}),
    };
    question
}
