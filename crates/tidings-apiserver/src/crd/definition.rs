//! Validates a CustomResourceDefinition.

use serde_json::Value;

use crate::status::StatusCause;
use crate::validate::name::{dns_1035_label, dns_subdomain};

/// The causes why a definition is not valid; empty if it is valid.
pub(crate) fn validate(definition: &Value) -> Vec<StatusCause> {
    let mut causes = Vec::new();
    let spec = &definition["spec"];
    let group = spec["group"].as_str().unwrap_or_default();
    let plural = spec["names"]["plural"].as_str().unwrap_or_default();
    let name = definition["metadata"]["name"].as_str().unwrap_or_default();
    if name != format!("{plural}.{group}") {
        let message = format!("Invalid value: {name:?}: must be spec.names.plural+\".\"+spec.group");
        causes.push(StatusCause::invalid("metadata.name", message));
    }
    check_group(group, &mut causes);
    check_names(&spec["names"], &mut causes);
    match spec["scope"].as_str() {
        Some("Namespaced" | "Cluster") => {}
        None | Some("") => causes.push(required("spec.scope")),
        Some(other) => {
            let message =
                format!("Unsupported value: {other:?}: supported values: \"Cluster\", \"Namespaced\"");
            causes.push(StatusCause::field("FieldValueNotSupported", "spec.scope", message));
        }
    }
    check_versions(&spec["versions"], &mut causes);
    check_conversion(&spec["conversion"], &mut causes);
    causes
}

fn check_conversion(conversion: &Value, causes: &mut Vec<StatusCause>) {
    match conversion["strategy"].as_str() {
        None | Some("None") => {}
        Some("Webhook") => {
            let webhook = &conversion["webhook"];
            if !webhook["clientConfig"].is_object() {
                let message = "Required value: required when strategy is set to \"Webhook\"";
                causes.push(StatusCause::required("spec.conversion.webhook.clientConfig", message));
            }
            let versions = webhook["conversionReviewVersions"].as_array().map_or(&[][..], Vec::as_slice);
            if versions.is_empty() {
                causes.push(required("spec.conversion.webhook.conversionReviewVersions"));
            } else if !versions.iter().any(|version| version == "v1") {
                let message = "Invalid value: this server sends ConversionReviews of the version v1 only";
                causes
                    .push(StatusCause::invalid("spec.conversion.webhook.conversionReviewVersions", message));
            }
        }
        Some(other) => {
            let message = format!("Unsupported value: {other:?}: supported values: \"None\", \"Webhook\"");
            causes.push(StatusCause::field("FieldValueNotSupported", "spec.conversion.strategy", message));
        }
    }
}

fn required(field: impl Into<String>) -> StatusCause {
    StatusCause::required(field, "Required value")
}

fn check_group(group: &str, causes: &mut Vec<StatusCause>) {
    if group.is_empty() {
        causes.push(required("spec.group"));
    } else if let Some(why) = dns_subdomain(group) {
        causes.push(StatusCause::invalid("spec.group", format!("Invalid value: {group:?}: {why}")));
    } else if !group.contains('.') {
        let message = format!("Invalid value: {group:?}: should be a domain with at least one dot");
        causes.push(StatusCause::invalid("spec.group", message));
    }
}

fn check_names(names: &Value, causes: &mut Vec<StatusCause>) {
    for (field, is_needed) in [("plural", true), ("kind", true), ("singular", false), ("listKind", false)] {
        let at = format!("spec.names.{field}");
        match names[field].as_str() {
            None | Some("") if is_needed => causes.push(required(at)),
            None | Some("") => {}
            Some(name) => {
                // Kinds have capital letters; the rule applies to the lower-case form.
                if let Some(why) = dns_1035_label(&name.to_lowercase()) {
                    causes.push(StatusCause::invalid(at, format!("Invalid value: {name:?}: {why}")));
                }
            }
        }
    }
    if !names["kind"].is_null() && names["kind"] == names["listKind"] {
        causes.push(StatusCause::invalid(
            "spec.names.listKind",
            "Invalid value: kind and listKind may not be the same",
        ));
    }
}

fn check_versions(versions: &Value, causes: &mut Vec<StatusCause>) {
    let versions = versions.as_array().map_or(&[][..], Vec::as_slice);
    let mut names = Vec::new();
    for (index, version) in versions.iter().enumerate() {
        let at = format!("spec.versions[{index}]");
        match version["name"].as_str() {
            None | Some("") => causes.push(required(format!("{at}.name"))),
            Some(name) => {
                if let Some(why) = dns_1035_label(name) {
                    causes.push(StatusCause::invalid(
                        format!("{at}.name"),
                        format!("Invalid value: {name:?}: {why}"),
                    ));
                } else if names.contains(&name) {
                    let message = format!("Duplicate value: {name:?}");
                    causes.push(StatusCause::field("FieldValueDuplicate", format!("{at}.name"), message));
                }
                names.push(name);
            }
        }
        let schema = &version["schema"]["openAPIV3Schema"];
        if schema.is_null() {
            let message = "Required value: schemas are required";
            causes.push(StatusCause::required(format!("{at}.schema.openAPIV3Schema"), message));
        } else if schema["type"] != "object" {
            let message = "Invalid value: must be object at the root";
            causes.push(StatusCause::invalid(format!("{at}.schema.openAPIV3Schema.type"), message));
        }
        super::rules::check_definition(schema, &format!("{at}.schema.openAPIV3Schema"), causes);
    }
    let storing = versions.iter().filter(|version| version["storage"] == true).count();
    if storing != 1 {
        let message = "Invalid value: must have exactly one version marked as storage version";
        causes.push(StatusCause::invalid("spec.versions", message));
        let message = "Invalid value: must have at least one stored version";
        causes.push(StatusCause::invalid("status.storedVersions", message));
    }
}
