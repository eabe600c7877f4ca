//! Validation rules of custom resources in CEL (`x-kubernetes-validations`).
//!
//! Rules are compiled once, when their definition is stored. A rule that can't be compiled or evaluated refuses its
//! definition. Kubernetes accepts an invalid field that an update does not change (ratcheting); here it is refused.

use std::sync::Arc;

use kube_cel::{CompiledSchema, RootContext, Validator, compile_schema};
use serde_json::Value;

use crate::admission::cel;
use crate::resource::ResourceDef;
use crate::status::StatusCause;

const RULES: &str = "x-kubernetes-validations";
/// The depth up to which rules are looked for; `kube-cel` has the same limit.
const SCHEMA_DEPTH_MAX: usize = 64;

/// The reasons that a rule may give instead of `FieldValueInvalid`.
const REASONS: [&str; 3] = ["FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"];

thread_local! {
    static VALIDATOR: Validator = Validator::new();
}

/// The rules of one version of a definition; `None` if it has none.
pub(super) fn compile(schema: &Value) -> Option<Arc<CompiledSchema>> {
    let mut has_rules = false;
    visit(schema, "", 0, &mut |_, _| has_rules = true);
    has_rules.then(|| Arc::new(compile_schema(schema)))
}

/// The causes why the rules of a definition can't be used.
pub(super) fn check_definition(schema: &Value, path: &str, causes: &mut Vec<StatusCause>) {
    visit(schema, path, 0, &mut |at, rule| {
        for (field, is_needed) in [("rule", true), ("messageExpression", false)] {
            let at = format!("{at}.{field}");
            match rule[field].as_str() {
                None | Some("") if is_needed => {
                    causes.push(StatusCause::required(at, "Required value: rule is not specified"))
                }
                None => {}
                Some(expression) => {
                    if let Err(why) = cel::check(expression) {
                        causes
                            .push(StatusCause::invalid(at, format!("Invalid value: {expression:?}: {why}")));
                    }
                }
            }
        }
    });
}

/// Calls `found` with the path and the rule of each rule in a schema.
fn visit(schema: &Value, path: &str, depth: usize, found: &mut dyn FnMut(String, &Value)) {
    if depth > SCHEMA_DEPTH_MAX {
        return;
    }
    for (index, rule) in schema[RULES].as_array().into_iter().flatten().enumerate() {
        found(format!("{path}.{RULES}[{index}]"), rule);
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        visit(property, &format!("{path}.properties[{name}]"), depth + 1, found);
    }
    for below in ["items", "additionalProperties"] {
        if schema[below].is_object() {
            visit(&schema[below], &format!("{path}.{below}"), depth + 1, found);
        }
    }
}

/// The causes why an object breaks the rules of its definition. `old` is the state that it replaces.
pub(crate) fn check(def: &ResourceDef, old: Option<&Value>, new: &Value) -> Vec<StatusCause> {
    let Some(rules) = def.custom().and_then(|origin| origin.rules.as_ref()) else { return Vec::new() };
    let root = RootContext {
        api_version: def.api_version(),
        api_group: def.group.to_string(),
        kind: def.kind.to_string(),
    };
    let broken =
        VALIDATOR.with(|validator| validator.validate_compiled_with_context(rules, new, old, Some(&root)));
    broken
        .into_iter()
        .map(|error| {
            let reason = error.reason.as_deref().filter(|reason| REASONS.contains(reason));
            let reason = reason.unwrap_or("FieldValueInvalid");
            let shown = shown(at(new, &error.field_path));
            let message = match reason {
                "FieldValueForbidden" => format!("Forbidden: {}", error.message),
                "FieldValueRequired" => format!("Required value: {}", error.message),
                "FieldValueDuplicate" => format!("Duplicate value: {shown}"),
                _ => format!("Invalid value: {shown}: {}", error.message),
            };
            let field = if error.field_path.is_empty() { "<nil>" } else { &error.field_path };
            StatusCause::field(reason, field, message)
        })
        .collect()
}

/// The value at a path such as `spec.items[0].name`.
fn at<'a>(object: &'a Value, path: &str) -> &'a Value {
    path.split(['.', '[']).filter(|part| !part.is_empty()).fold(object, |value, part| {
        match part.strip_suffix(']').and_then(|index| index.parse::<usize>().ok()) {
            Some(index) => &value[index],
            None => &value[part],
        }
    })
}

/// A value in an error: objects and lists by their type only.
fn shown(value: &Value) -> String {
    match value {
        Value::Object(_) | Value::Null => "\"object\"".to_owned(),
        Value::Array(_) => "\"array\"".to_owned(),
        other => other.to_string(),
    }
}
