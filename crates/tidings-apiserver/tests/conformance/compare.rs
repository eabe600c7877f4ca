//! Compares two series of responses field by field.

use std::fmt;

use serde_json::Value;

/// One field that differs from the expected one.
#[derive(Clone, Debug)]
pub(crate) struct Difference {
    /// The number of the request, from 1.
    pub(crate) step: usize,
    pub(crate) request: String,
    /// The path in the response, such as `body.items[0].metadata.name`.
    pub(crate) at: String,
    pub(crate) expected: Option<Value>,
    pub(crate) answered: Option<Value>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  {}. {}  {}", self.step, self.request, self.at)?;
        let text =
            |value: &Option<Value>| value.as_ref().map_or_else(|| "nothing".to_owned(), Value::to_string);
        writeln!(f, "      - {}", text(&self.expected))?;
        write!(f, "      + {}", text(&self.answered))
    }
}

/// The differences from the expected responses.
pub(crate) fn differences(expected: &[Value], answered: &[Value]) -> Vec<Difference> {
    let mut found = Vec::new();
    for step in 0..expected.len().max(answered.len()) {
        let (one, other) =
            (expected.get(step).map(sorted_by_manager), answered.get(step).map(sorted_by_manager));
        let (one, other) = (one.as_ref(), other.as_ref());
        let request = one.or(other).and_then(|answer| answer["request"].as_str()).unwrap_or_default();
        let mut fields = Vec::new();
        compare(one, other, String::new(), &mut fields);
        found.extend(fields.into_iter().map(|(at, expected, answered)| Difference {
            step: step + 1,
            request: request.to_owned(),
            at,
            expected,
            answered,
        }));
    }
    found
}

/// Sorts managed fields by manager. A real server sorts them by the second of their write, so their order depends on
/// timing.
fn sorted_by_manager(answer: &Value) -> Value {
    match answer {
        Value::Object(fields) => {
            let sorted_by_manager = fields.iter().map(|(name, field)| {
                let mut field = sorted_by_manager(field);
                if let ("managedFields", Value::Array(managers)) = (name.as_str(), &mut field) {
                    managers.sort_by_key(|manager| {
                        ["manager", "operation", "subresource"].map(|part| manager[part].to_string())
                    });
                }
                (name.clone(), field)
            });
            sorted_by_manager.collect::<serde_json::Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(sorted_by_manager).collect(),
        other => other.clone(),
    }
}

type Field = (String, Option<Value>, Option<Value>);

fn compare(one: Option<&Value>, other: Option<&Value>, at: String, found: &mut Vec<Field>) {
    match (one, other) {
        // One of them is an error. Their fields are not comparable.
        (Some(one), Some(other)) if one["kind"] != other["kind"] && (is_status(one) || is_status(other)) => {
            found.push((at, Some(one.clone()), Some(other.clone())));
        }
        (Some(Value::Object(one)), Some(Value::Object(other))) => {
            let mut names: Vec<&String> = one.keys().chain(other.keys()).collect();
            names.sort_unstable();
            names.dedup();
            for name in names {
                let at = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
                compare(one.get(name), other.get(name), at, found);
            }
        }
        (Some(Value::Array(one)), Some(Value::Array(other))) => {
            for item in 0..one.len().max(other.len()) {
                compare(one.get(item), other.get(item), format!("{at}[{item}]"), found);
            }
        }
        (one, other) if one == other => {}
        (one, other) => found.push((at, one.cloned(), other.cloned())),
    }
}

fn is_status(value: &Value) -> bool {
    value["kind"] == "Status"
}
