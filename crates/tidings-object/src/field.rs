//! Field paths: `.spec.nodeName`, `.metadata.annotations['a.b/c']`, `.spec.containers[*].image`.
//!
//! A path reads its values from the bytes of an object and builds nothing else. If a JSON object repeats a key, the
//! last one counts, as in a decoder. Absent and null are no value. The values of a map have no order, so that `[*]`
//! and `[0]` do not apply to maps.

mod parse;
mod read;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use crate::ParseError;

pub(crate) use read::PathWalk;
pub(crate) use tidings_protobuf::PathStep;

/// A path to one or several values inside an object.
///
/// | step | what it selects |
/// |---|---|
/// | `.name` | a member of an object; the first dot may be left out |
/// | `['name']`, `["name"]` | a member whose name has other characters; a backslash escapes quotes and backslashes |
/// | `[0]` | one item of a list, counted from 0 |
/// | `[*]` | every item of a list |
///
/// ```
/// use tidings_object::FieldPath;
///
/// let pod = br#"{"spec":{"containers":[{"image":"web:1"},{"name":"bare"},{"image":"proxy:2"}]}}"#;
/// let read = |path: &str| Ok::<_, Box<dyn std::error::Error>>(FieldPath::parse(path)?.read(pod)?);
///
/// assert_eq!(read(".spec.containers[*].image")?.to_string(), "web:1,proxy:2");
/// assert_eq!(read(".spec.containers[0].image")?.to_string(), "web:1");
/// assert!(read(".spec.containers[1].image")?.is_absent());
/// assert!(read(".metadata.annotations['example.com/note']")?.is_absent());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FieldPath {
    steps: Vec<PathStep<'static>>,
    text: String,
}

/// The values at a path: none, one, or several below `[*]`. Absent and null are no value.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FieldValue {
    values: Vec<Value>,
}

impl FieldPath {
    /// Parses a path; see the table of steps above.
    pub fn parse(text: &str) -> Result<FieldPath, ParseError> {
        let steps = parse::steps(text)?;
        Ok(FieldPath { steps, text: text.to_owned() })
    }

    /// Reads the values at this path from the JSON of an object, without building the object.
    pub fn read(&self, json: &[u8]) -> Result<FieldValue, serde_json::Error> {
        read::values(self, json).map(FieldValue::of)
    }

    /// The steps of the path: the name of a member, or `None` for the items of a list.
    pub fn members(&self) -> impl Iterator<Item = Option<&str>> {
        self.steps.iter().map(|step| match step {
            PathStep::Member(name) => Some(&**name),
            PathStep::Each | PathStep::Index(_) => None,
        })
    }

    pub(crate) fn steps(&self) -> &[PathStep<'static>] {
        &self.steps
    }
}

impl FieldValue {
    pub(crate) fn of(values: Vec<Value>) -> FieldValue {
        FieldValue { values }
    }

    /// Whether there is no value.
    pub fn is_absent(&self) -> bool {
        self.values.is_empty()
    }

    /// The first value as text: the text of a string, the JSON of anything else.
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
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Self, ParseError> {
        FieldPath::parse(text)
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The values as text, joined by commas; `<none>` if there is no value.
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
