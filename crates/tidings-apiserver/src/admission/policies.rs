//! ValidatingAdmissionPolicy: rules in CEL that a write must satisfy, where a binding selects it.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::cel::Scope;
use super::{BINDINGS, Change, ReviewedWrite, review, rules};
use crate::resource::ResourceDef;
use crate::status::{ApiError, StatusCause};
use crate::store::KeyRange;
use crate::validate::selector_matches;

const POLICIES: &str = "admissionregistration.k8s.io/validatingadmissionpolicies";

/// A policy with one of its bindings.
struct BoundPolicy<'a> {
    name: &'a str,
    binding: &'a str,
    actions: &'a Value,
    spec: &'a Value,
}

/// Evaluates all policies that are bound to this write. The error refuses it.
pub(super) fn check(
    write: &ReviewedWrite<'_>,
    change: Change<'_>,
    warnings: &mut Vec<String>,
) -> Result<(), ApiError> {
    if !write.core.store.has_any(&[BINDINGS]) {
        return Ok(());
    }
    let snapshot = write.core.store.snapshot(BINDINGS, &KeyRange::all(), usize::MAX, None);
    for stored in snapshot.map(|snapshot| snapshot.objects).unwrap_or_default() {
        let binding = Value::Object(stored.decoded());
        let name = binding["spec"]["policyName"].as_str().unwrap_or_default();
        let Some(policy) = write.core.store.object(POLICIES, name) else { continue };
        let policy = Value::Object(policy.decoded());
        let spec = &policy["spec"];
        let Some(def) = matches(write, change, &spec["matchConstraints"]) else { continue };
        let within = &binding["spec"]["matchResources"];
        if !within.is_null() && !binding_matches(write, change, within) {
            continue;
        }
        let actions = &binding["spec"]["validationActions"];
        let bound = BoundPolicy { name, binding: stored.name(), actions, spec };
        for params in parameters(write, &bound, &binding["spec"]["paramRef"])? {
            bound.evaluate(write, change, &def, &params, warnings)?;
        }
    }
    Ok(())
}

fn matches(
    write: &ReviewedWrite<'_>,
    change: Change<'_>,
    constraints: &Value,
) -> Option<std::sync::Arc<ResourceDef>> {
    let excluded = &constraints["excludeResourceRules"];
    if rules::matching_version(write, change, excluded, constraints).is_some() {
        return None;
    }
    rules::matching_version(write, change, &constraints["resourceRules"], constraints)
}

/// A binding without resource rules restricts only by its selectors.
fn binding_matches(write: &ReviewedWrite<'_>, change: Change<'_>, within: &Value) -> bool {
    if within["resourceRules"].as_array().is_none_or(Vec::is_empty) {
        let any =
            json!([{"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["*"], "resources": ["*/*"]}]);
        return rules::matching_version(write, change, &any, within).is_some();
    }
    matches(write, change, within).is_some()
}

/// The objects that `params` stands for, one after the other; null if the policy has no parameters.
fn parameters(
    write: &ReviewedWrite<'_>,
    bound: &BoundPolicy<'_>,
    reference: &Value,
) -> Result<Vec<Value>, ApiError> {
    let kind = &bound.spec["paramKind"];
    if kind.is_null() || reference.is_null() {
        return Ok(vec![Value::Null]);
    }
    let all = write.core.registry.all();
    let found = all
        .iter()
        .find(|def| json!(def.kind) == kind["kind"] && json!(def.api_version()) == kind["apiVersion"]);
    let Some(def) = found else {
        return Err(bound.failure(write, "", &format!("there is no resource of the paramKind {kind}")));
    };
    let namespace = reference["namespace"].as_str().or(write.namespace).unwrap_or_default();
    let range = if def.is_namespaced() { KeyRange::namespace(namespace) } else { KeyRange::all() };
    let snapshot = write.core.store.snapshot(&def.storage, &range, usize::MAX, None);
    let objects = snapshot.map(|snapshot| snapshot.objects).unwrap_or_default();
    let name = reference["name"].as_str().unwrap_or_default();
    let selected: Vec<Value> = objects
        .iter()
        .filter(|object| name.is_empty() || object.name() == name)
        .map(|object| crate::write::with_type_meta(def, object))
        .filter(|object| {
            let selector = &reference["selector"];
            selector.is_null() || selector_matches(selector, &object["metadata"]["labels"])
        })
        .collect();
    if selected.is_empty() && reference["parameterNotFoundAction"] != "Allow" {
        let why = "no params found for policy binding with `Deny` parameterNotFoundAction";
        return Err(bound.failure(write, "", why));
    }
    Ok(selected)
}

impl BoundPolicy<'_> {
    fn evaluate(
        &self,
        write: &ReviewedWrite<'_>,
        change: Change<'_>,
        def: &ResourceDef,
        params: &Value,
        warnings: &mut Vec<String>,
    ) -> Result<(), ApiError> {
        let mut scope = scope(write, change, def, params);
        let is_lenient = self.spec["failurePolicy"] == "Ignore";
        for condition in self.spec["matchConditions"].as_array().into_iter().flatten() {
            match scope.is_true(condition["expression"].as_str().unwrap_or_default()) {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(_) if is_lenient => return Ok(()),
                Err(why) => return Err(self.failure(write, change.text("name"), &why)),
            }
        }
        let mut computed = HashMap::new();
        for variable in self.spec["variables"].as_array().into_iter().flatten() {
            // A variable that can't be computed is an error of the expression that uses it.
            if let Ok(value) = scope.evaluate(variable["expression"].as_str().unwrap_or_default()) {
                computed.insert(variable["name"].as_str().unwrap_or_default().to_owned(), value);
                scope.bind_fields("variables", &computed);
            }
        }
        for validation in self.spec["validations"].as_array().into_iter().flatten() {
            let expression = validation["expression"].as_str().unwrap_or_default();
            match scope.is_true(expression) {
                Ok(true) => {}
                Ok(false) => {
                    let dynamic = validation["messageExpression"].as_str().and_then(|text| scope.text(text));
                    let fixed = || validation["message"].as_str().map(str::to_owned);
                    let why =
                        dynamic.or_else(fixed).unwrap_or_else(|| format!("failed expression: {expression}"));
                    self.refuse(write, change, validation["reason"].as_str(), &why, warnings)?;
                }
                Err(_) if is_lenient => {}
                Err(why) => {
                    let why = format!("expression '{expression}' resulted in error: {why}");
                    self.refuse(write, change, None, &why, warnings)?;
                }
            }
        }
        Ok(())
    }

    /// Does what the binding's actions say.
    fn refuse(
        &self,
        write: &ReviewedWrite<'_>,
        change: Change<'_>,
        reason: Option<&str>,
        why: &str,
        warnings: &mut Vec<String>,
    ) -> Result<(), ApiError> {
        let has = |action: &str| self.actions.as_array().into_iter().flatten().any(|found| found == action);
        let (policy, binding) = (self.name, self.binding);
        if has("Warn") {
            let text = format!(
                "Validation failed for ValidatingAdmissionPolicy '{policy}' with binding '{binding}': {why}"
            );
            warnings.push(text);
        }
        if !has("Deny") {
            return Ok(());
        }
        let mut error = self.failure(write, change.text("name"), why);
        (error.reason, error.code) = match reason {
            Some("Unauthorized") => ("Unauthorized", 401),
            Some("Forbidden") => ("Forbidden", 403),
            Some("RequestEntityTooLarge") => ("RequestEntityTooLarge", 413),
            _ => ("Invalid", 422),
        };
        Err(error)
    }

    fn failure(&self, write: &ReviewedWrite<'_>, name: &str, why: &str) -> ApiError {
        let (policy, binding) = (self.name, self.binding);
        let message =
            format!("ValidatingAdmissionPolicy '{policy}' with binding '{binding}' denied request: {why}");
        let mut error = ApiError::forbidden(write.def, name, &message);
        error.details.causes = vec![StatusCause { message, ..StatusCause::default() }];
        error
    }
}

/// The variables that expressions of policies and match conditions may use.
pub(super) fn scope(
    write: &ReviewedWrite<'_>,
    change: Change<'_>,
    def: &ResourceDef,
    params: &Value,
) -> Scope {
    let mut request = review::request(write, change, def, "");
    let mut scope = Scope::new();
    for (name, field) in [("object", "object"), ("oldObject", "oldObject")] {
        scope.bind(name, &request[field].take());
    }
    if let Some(fields) = request.as_object_mut() {
        fields.retain(|name, _| !matches!(name.as_str(), "object" | "oldObject"));
    }
    scope.bind("request", &request);
    scope.bind("params", params);
    scope.bind("variables", &json!({}));
    let namespace = write.namespace.and_then(|name| write.core.store.object("/namespaces", name));
    let namespace = namespace.map_or(Value::Null, |namespace| Value::Object(namespace.decoded()));
    scope.bind("namespaceObject", &namespace);
    scope
}
