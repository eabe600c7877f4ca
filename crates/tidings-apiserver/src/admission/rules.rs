//! Decides which webhooks and policies review a write: rules, selectors and match policy.

use std::sync::Arc;

use serde_json::Value;

use super::{Change, ReviewedWrite};
use crate::resource::ResourceDef;
use crate::validate::selector_matches;

/// The version of the resource for which a webhook or a policy matches the write; `None` if it does not match.
///
/// `rules` are those of the webhook or the policy, `constraints` has its selectors and its match policy.
pub(super) fn matching_version(
    write: &ReviewedWrite<'_>,
    change: Change<'_>,
    rules: &Value,
    constraints: &Value,
) -> Option<Arc<ResourceDef>> {
    if !namespace_matches(write, change, &constraints["namespaceSelector"])
        || !object_matches(change, &constraints["objectSelector"])
    {
        return None;
    }
    let matches = |def: &ResourceDef| {
        let mut rules = rules.as_array().into_iter().flatten();
        rules.any(|rule| rule_matches(rule, def, write.subresource, change))
    };
    let all = write.core.registry.all();
    let mut versions = all.iter().filter(|def| def.storage == write.def.storage);
    let is_requested = |def: &ResourceDef| def.version == write.def.version && def.group == write.def.group;
    let requested = versions.clone().find(|def| is_requested(def))?;
    if matches(requested) {
        return Some(Arc::clone(requested));
    }
    if constraints["matchPolicy"] == "Exact" {
        return None;
    }
    versions.find(|def| matches(def)).cloned()
}

fn rule_matches(rule: &Value, def: &ResourceDef, subresource: &str, change: Change<'_>) -> bool {
    let has = |list: &str, wanted: &str| {
        let mut items = rule[list].as_array().into_iter().flatten().filter_map(Value::as_str);
        items.any(|item| item == "*" || item == wanted)
    };
    let is_in_scope = match rule["scope"].as_str() {
        Some("Namespaced") => def.is_namespaced(),
        Some("Cluster") => !def.is_namespaced(),
        _ => true,
    };
    let mut resources = rule["resources"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let is_named = rule["resourceNames"].as_array().is_none_or(|names| {
        names.is_empty() || names.iter().any(|name| name.as_str() == Some(change.text("name")))
    });
    is_in_scope
        && is_named
        && has("apiGroups", &def.group)
        && has("apiVersions", &def.version)
        && has("operations", change.operation())
        && resources.any(|resource| resource_matches(resource, &def.plural, subresource))
}

/// Whether a resource of a rule, such as `pods`, `pods/*` or `*/status`, covers a resource or its subresource.
fn resource_matches(rule: &str, plural: &str, subresource: &str) -> bool {
    let (resource, below) = rule.split_once('/').unwrap_or((rule, ""));
    let is_resource = resource == "*" || resource == plural;
    is_resource && (below == subresource || below == "*")
}

fn is_empty(selector: &Value) -> bool {
    selector.as_object().is_none_or(|selector| {
        selector.values().all(|part| match part {
            Value::Array(items) => items.is_empty(),
            Value::Object(map) => map.is_empty(),
            _ => part.is_null(),
        })
    })
}

fn namespace_matches(write: &ReviewedWrite<'_>, change: Change<'_>, selector: &Value) -> bool {
    if is_empty(selector) {
        return true;
    }
    if write.def.storage == "/namespaces" {
        return selector_matches(selector, &change.object()["metadata"]["labels"]);
    }
    let Some(namespace) = write.namespace else { return true };
    let stored = write.core.store.object("/namespaces", namespace);
    let metadata = stored.map(|stored| stored.decoded_metadata()).unwrap_or_default();
    selector_matches(selector, metadata.get("labels").unwrap_or(&Value::Null))
}

/// A selector matches if the old or the new state has the labels.
fn object_matches(change: Change<'_>, selector: &Value) -> bool {
    let mut states = [change.old, change.new].into_iter().flatten();
    is_empty(selector) || states.any(|state| selector_matches(selector, &state["metadata"]["labels"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_names_resources_and_subresources_with_stars() {
        for (rule, subresource, expected) in [
            ("pods", "", true),
            ("*", "", true),
            ("*/*", "", true),
            ("pods", "status", false),
            ("*", "status", false),
            ("pods/status", "status", true),
            ("pods/*", "status", true),
            ("*/status", "status", true),
            ("*/scale", "status", false),
            ("services", "", false),
        ] {
            assert_eq!(resource_matches(rule, "pods", subresource), expected, "{rule} {subresource}");
        }
    }
}
