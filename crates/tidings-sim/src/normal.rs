//! Final states that can be compared: generated names, uids, versions and times are replaced by what they refer to.
//!
//! ```text
//! pods default/web-x7k2p  uid 6f1c...            ->  pods default/web-*  
//! ownerReferences: uid 93ab... (PodSet web)      ->  "uid of podsets.tidings.example default/web"
//! observedGeneration 3, generation 3             ->  "current"
//! ```

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};

use crate::sim::FieldOf;

/// Above this number of generated names, only whole texts are replaced. Replacing parts is quadratic.
const PARTS_MAX: usize = 64;

/// The state of a cluster. Equal states have equal values. Objects with the same label are sorted.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct FinalState(BTreeMap<String, Vec<Value>>);

/// What a text in an object refers to.
#[derive(Default)]
struct Names {
    whole: HashMap<String, String>,
    parts: Vec<(String, String)>,
}

impl FinalState {
    pub(crate) fn of(objects: Vec<(String, Value)>, may_differ: &[FieldOf]) -> FinalState {
        let mut names = Names::default();
        for (resource, object) in &objects {
            let metadata = &object["metadata"];
            let text = |field: &str| metadata[field].as_str().unwrap_or_default();
            let shown = shown_name(metadata);
            if shown != text("name") {
                names.add(text("name"), shown);
            }
            names.add(text("uid"), format!("uid of {}", label(resource, object)));
        }
        let mut state: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for (resource, mut object) in objects {
            let label = label(&resource, &object);
            for FieldOf { pointer, .. } in may_differ.iter().filter(|field| field.resource == resource) {
                if let Some(value) = object.pointer_mut(pointer) {
                    *value = json!("may differ");
                }
            }
            let generation = object["metadata"]["generation"].as_i64();
            strip(&mut object);
            names.replace(&mut object, "", generation);
            state.entry(label).or_default().push(object);
        }
        for objects in state.values_mut() {
            objects.sort_by_cached_key(Value::to_string);
        }
        FinalState(state)
    }

    /// The differences to the expected state, one line each.
    pub(crate) fn differences(&self, expected: &FinalState) -> Vec<String> {
        let mut lines = Vec::new();
        let empty = Vec::new();
        let labels: std::collections::BTreeSet<&String> = self.0.keys().chain(expected.0.keys()).collect();
        for label in labels {
            let actual = self.0.get(label).unwrap_or(&empty);
            let wanted = expected.0.get(label).unwrap_or(&empty);
            if actual.len() != wanted.len() {
                lines.push(format!(
                    "{label}: {} undisturbed, {} disturbed",
                    exist(wanted.len()),
                    exist(actual.len())
                ));
                continue;
            }
            for (actual, wanted) in actual.iter().zip(wanted) {
                differences(label, "", wanted, actual, &mut lines);
            }
        }
        lines
    }
}

fn exist(count: usize) -> String {
    match count {
        0 => "absent".to_owned(),
        1 => "exists".to_owned(),
        count => format!("{count} exist"),
    }
}

fn differences(label: &str, pointer: &str, wanted: &Value, actual: &Value, lines: &mut Vec<String>) {
    match (wanted, actual) {
        (Value::Object(left), Value::Object(right)) => {
            let names: std::collections::BTreeSet<&String> = left.keys().chain(right.keys()).collect();
            for name in names {
                let of =
                    |fields: &serde_json::Map<String, Value>| fields.get(name).cloned().unwrap_or_default();
                differences(label, &format!("{pointer}/{name}"), &of(left), &of(right), lines);
            }
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            for (at, (left, right)) in left.iter().zip(right).enumerate() {
                differences(label, &format!("{pointer}/{at}"), left, right, lines);
            }
        }
        _ if wanted == actual => {}
        _ => lines.push(format!("{label} {pointer}: {wanted} undisturbed, {actual} disturbed")),
    }
}

/// The name, or `prefix*` if it was generated.
fn shown_name(metadata: &Value) -> String {
    let name = metadata["name"].as_str().unwrap_or_default();
    match metadata["generateName"].as_str() {
        Some(prefix) if !prefix.is_empty() && name.starts_with(prefix) => format!("{prefix}*"),
        _ => name.to_owned(),
    }
}

fn label(resource: &str, object: &Value) -> String {
    let metadata = &object["metadata"];
    match metadata["namespace"].as_str() {
        Some(namespace) => format!("{resource} {namespace}/{}", shown_name(metadata)),
        None => format!("{resource} {}", shown_name(metadata)),
    }
}

/// Removes what every execution assigns anew.
fn strip(object: &mut Value) {
    if let Some(metadata) = object["metadata"].as_object_mut() {
        for field in
            ["uid", "resourceVersion", "creationTimestamp", "managedFields", "generation", "selfLink"]
        {
            metadata.remove(field);
        }
        if let Some(owners) = metadata.get_mut("ownerReferences").and_then(Value::as_array_mut) {
            owners.sort_by_cached_key(|owner| (owner["kind"].to_string(), owner["name"].to_string()));
        }
    }
}

impl Names {
    fn add(&mut self, text: &str, shown: String) {
        if !text.is_empty() {
            self.parts.push((text.to_owned(), shown.clone()));
            self.whole.insert(text.to_owned(), shown);
        }
    }

    fn replace(&self, value: &mut Value, name: &str, generation: Option<i64>) {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields.iter_mut() {
                    self.replace(value, name, generation);
                }
            }
            Value::Array(values) => values.iter_mut().for_each(|value| self.replace(value, name, generation)),
            Value::String(text) => {
                let shown = self.shown(text);
                *text = shown;
            }
            Value::Number(number) if name == "observedGeneration" => {
                let is_current = number.as_i64() == generation;
                *value = json!(if is_current { "current" } else { "not current" });
            }
            _ => {}
        }
    }

    fn shown(&self, text: &str) -> String {
        if let Some(shown) = self.whole.get(text) {
            return shown.clone();
        }
        if is_time(text) {
            return "a time".to_owned();
        }
        if is_uid(text) {
            return "uid of an object that is gone".to_owned();
        }
        if self.parts.len() > PARTS_MAX {
            return text.to_owned();
        }
        self.parts.iter().fold(text.to_owned(), |text, (part, shown)| {
            if part.len() > 5 && text.contains(part.as_str()) {
                text.replace(part.as_str(), shown)
            } else {
                text
            }
        })
    }
}

/// `2026-01-01T00:00:00Z`, with or without fractions.
fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has = |at: usize, wanted: u8| bytes.get(at) == Some(&wanted);
    bytes.len() >= 20
        && (has(4, b'-') && has(7, b'-') && has(10, b'T') && has(13, b':') && has(16, b':'))
        && text.bytes().all(|byte| byte.is_ascii_digit() || b"-:.TZ+".contains(&byte))
}

fn is_uid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const UID: &str = "6f1c2d3e-0000-4000-8000-000000000001";

    fn state(name: &str, uid: &str, version: &str, text: &str) -> FinalState {
        let object = json!({
            "metadata": { "namespace": "a", "name": name, "generateName": "web-", "uid": uid, "resourceVersion": version,
                          "generation": 3 },
            "status": { "pod": name, "uid": uid, "at": "2026-01-01T00:00:09Z", "observedGeneration": 3, "text": text },
        });
        FinalState::of(vec![("pods".to_owned(), object)], &[])
    }

    #[test]
    fn generated_names_uids_versions_and_times_do_not_differ() {
        let one = state("web-abcde", UID, "7", "same");
        let other = state("web-vwxyz", &UID.replace('6', "7"), "9", "same");
        assert_eq!(one, other);
        assert_eq!(
            one.differences(&state("web-abcde", UID, "7", "else")),
            ["pods a/web-* /status/text: \"else\" undisturbed, \"same\" disturbed"]
        );
    }

    #[test]
    fn objects_that_are_missing_or_too_many_are_named() {
        let (none, one) = (FinalState::default(), state("web-abcde", UID, "7", "x"));
        assert_eq!(none.differences(&one), ["pods a/web-*: exists undisturbed, absent disturbed"]);
    }

    #[test]
    fn what_is_declared_may_differ() {
        let of = |count: i64| {
            let object = json!({ "metadata": { "name": "a" }, "status": { "count": count } });
            let field = FieldOf {
                resource: "foos".to_owned(),
                pointer: "/status/count".to_owned(),
                reason: String::new(),
            };
            FinalState::of(vec![("foos".to_owned(), object)], &[field])
        };
        assert_eq!(of(1), of(2));
    }
}
