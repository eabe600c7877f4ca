//! Field paths: `.spec.nodeName`, `.metadata.annotations['a.b/c']`, `.spec.containers[*].image`.
//!
//! A path reads its values from an object's bytes and builds nothing else. As in decoding, the last of
//! duplicate keys counts. Absent and null are no value. `[*]` stands for every item of an array; the values of
//! a map have no order and are not walked.

mod parse;
mod read;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde_json::Value;

pub(crate) use read::PathWalk;
pub(crate) use tidings_protobuf::PathStep;

/// A path to one or several values inside an object.
///
/// ```
/// use tidings_object::FieldPath;
///
/// let images = FieldPath::parse(".spec.containers[*].image")?;
/// let pod = br#"{"spec":{"containers":[{"image":"web:1"},{"name":"bare"},{"image":"proxy:2"}]}}"#;
/// assert_eq!(images.read(pod)?.to_string(), "web:1,proxy:2");
///
/// let note = FieldPath::parse(".metadata.annotations['example.com/note']")?;
/// assert!(note.read(pod)?.is_absent());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FieldPath {
    steps: Vec<PathStep<'static>>,
    text: String,
}

/// Why a text is no field path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("field path {text:?} at byte {at}: expected {expected}")]
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
    /// Reads a path: `.name` steps (the first dot may be left out), `['name']` or `["name"]` for names with
    /// other characters, where a backslash escapes quote and backslash, and `[*]`.
    pub fn parse(text: &str) -> Result<FieldPath, FieldPathError> {
        let steps = parse::steps(text)?;
        Ok(FieldPath { steps, text: text.to_owned() })
    }

    /// Reads the values at this path from an object's JSON, without building the object.
    pub fn read(&self, json: &[u8]) -> Result<FieldValue, serde_json::Error> {
        read::values(self, json).map(FieldValue::of)
    }

    pub(crate) fn steps(&self) -> &[PathStep<'static>] {
        &self.steps
    }
}

impl FieldValue {
    pub(crate) fn of(values: Vec<Value>) -> FieldValue {
        FieldValue { values }
    }

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

#[cfg(test)]
mod tests;
