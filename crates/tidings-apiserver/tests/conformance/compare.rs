//! Two series of answers, field by field.

use std::fmt;

use serde_json::Value;

/// One field that is not as expected.
#[derive(Clone, Debug)]
pub(crate) struct Difference {
    /// Which request, from 1.
    pub(crate) step: usize,
    pub(crate) request: String,
    /// Where in the answer, such as `body.items[0].metadata.name`.
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

/// Where the answers are not as expected.
pub(crate) fn differences(expected: &[Value], answered: &[Value]) -> Vec<Difference> {
    let mut found = Vec::new();
    for step in 0..expected.len().max(answered.len()) {
        let (one, other) = (expected.get(step).map(timeless), answered.get(step).map(timeless));
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

/// Managers in the order of their names: a real server has them in the order of the seconds in which they wrote, so
/// that it is chance whether two that wrote one after the other stand so.
fn timeless(answer: &Value) -> Value {
    match answer {
        Value::Object(fields) => {
            let timeless = fields.iter().map(|(name, field)| {
                let mut field = timeless(field);
                if let ("managedFields", Value::Array(managers)) = (name.as_str(), &mut field) {
                    managers.sort_by_key(|manager| {
                        ["manager", "operation", "subresource"].map(|part| manager[part].to_string())
                    });
                }
                (name.clone(), field)
            });
            timeless.collect::<serde_json::Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(timeless).collect(),
        other => other.clone(),
    }
}

type Field = (String, Option<Value>, Option<Value>);

fn compare(one: Option<&Value>, other: Option<&Value>, at: String, found: &mut Vec<Field>) {
    match (one, other) {
        // One of them is an error: their fields have nothing to do with each other.
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
