//! Field paths: `.spec.nodeName`, `.metadata.annotations['a.b/c']`, `.spec.containers[*].image`.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde_json::Value;

/// A path to one or several values inside an object.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FieldPath {
    steps: Vec<Step>,
    text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Step {
    Member(String),
    Each,
}

/// Why a text is no field path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("field path {text:?} at byte {at}: {expected}")]
pub struct FieldPathError {
    /// The path.
    pub text: String,
    /// Where it went wrong.
    pub at: usize,
    /// What should have stood there.
    pub expected: &'static str,
}

/// What stands at a path: no value, one, or several under `[*]`. Absent and null are no value.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FieldValue {
    values: Vec<Value>,
}

impl FieldPath {
    /// Reads a path.
    pub fn parse(text: &str) -> Result<FieldPath, FieldPathError> {
        let mut steps = Vec::new();
        for part in text.trim_start_matches('.').split('.') {
            match part.strip_suffix("[*]") {
                Some(name) => steps.extend([Step::Member(name.to_owned()), Step::Each]),
                None => steps.push(Step::Member(part.to_owned())),
            }
        }
        Ok(FieldPath { steps, text: text.to_owned() })
    }

    /// Reads the values at this path from an object's JSON, without building the object.
    pub fn read(&self, json: &[u8]) -> Result<FieldValue, serde_json::Error> {
        let mut values = vec![serde_json::from_slice::<Value>(json)?];
        for step in &self.steps {
            values = values
                .into_iter()
                .flat_map(|value| match (step, value) {
                    (Step::Member(name), Value::Object(mut map)) => map.remove(name).into_iter().collect(),
                    (Step::Each, Value::Array(items)) => items,
                    _ => Vec::new(),
                })
                .collect();
        }
        values.retain(|value| !value.is_null());
        Ok(FieldValue { values })
    }
}

impl FieldValue {
    /// Whether nothing stands there.
    pub fn is_absent(&self) -> bool {
        self.values.is_empty()
    }

    /// The first value as text: a string's own text, otherwise its JSON.
    pub fn text(&self) -> Option<Cow<'_, str>> {
        self.texts().next()
    }

    /// Every value as text.
    pub fn texts(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.values.iter().map(|value| match value {
            Value::String(text) => Cow::Borrowed(text.as_str()),
            other => Cow::Owned(other.to_string()),
        })
    }

    /// The values.
    pub fn values(&self) -> &[Value] {
        &self.values
    }
}

impl FromStr for FieldPath {
    type Err = FieldPathError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        FieldPath::parse(text)
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The values as text, joined by commas; `<none>` when nothing stands there.
impl fmt::Display for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_absent() {
            return f.write_str("<none>");
        }
        for (i, text) in self.texts().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            f.write_str(&text)?;
        }
        Ok(())
    }
}
