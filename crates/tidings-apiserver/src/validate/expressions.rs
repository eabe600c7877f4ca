//! Expressions in CEL of admission policies and webhooks: they must compile, and use only what this server has.

use serde_json::Value;

use super::{invalid, required};
use crate::admission::cel;
use crate::status::StatusCause;

/// The lists of `spec` of a policy that have expressions, and the fields that are expressions.
const POLICY_LISTS: [(&str, &[&str]); 3] = [
    ("matchConditions", &["expression"]),
    ("variables", &["expression"]),
    ("validations", &["expression", "messageExpression"]),
];

/// Checks the expressions of an object of the group `admissionregistration.k8s.io`.
pub(super) fn check(kind: &str, object: &Value, causes: &mut Vec<StatusCause>) {
    match kind {
        "ValidatingAdmissionPolicy" => {
            for (list, fields) in POLICY_LISTS {
                check_list(&format!("spec.{list}"), &object["spec"][list], fields, causes);
            }
        }
        "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration" => {
            for (index, webhook) in object["webhooks"].as_array().into_iter().flatten().enumerate() {
                let at = format!("webhooks[{index}]");
                check_list(
                    &format!("{at}.matchConditions"),
                    &webhook["matchConditions"],
                    &["expression"],
                    causes,
                );
                if !matches!(webhook["sideEffects"].as_str(), Some("None" | "NoneOnDryRun")) {
                    let why = "must specify one of None, NoneOnDryRun";
                    causes.push(required(format!("{at}.sideEffects"), why));
                }
                check_versions(&at, &webhook["admissionReviewVersions"], causes);
            }
        }
        _ => {}
    }
}

fn check_versions(at: &str, versions: &Value, causes: &mut Vec<StatusCause>) {
    let field = format!("{at}.admissionReviewVersions");
    let known = versions.as_array().map_or(&[][..], Vec::as_slice);
    if known.is_empty() {
        causes.push(required(field, "must specify one of v1, v1beta1"));
    } else if !known.iter().any(|version| version == "v1") {
        causes.push(invalid(field, versions, "this server sends AdmissionReviews of the version v1 only"));
    }
}

fn check_list(at: &str, list: &Value, fields: &[&str], causes: &mut Vec<StatusCause>) {
    for (index, item) in list.as_array().into_iter().flatten().enumerate() {
        for (field, value) in fields.iter().filter_map(|field| Some((field, item.get(field)?))) {
            if let Err(why) = cel::check(value.as_str().unwrap_or_default()) {
                causes.push(invalid(format!("{at}[{index}].{field}"), value, &why));
            }
        }
    }
}
