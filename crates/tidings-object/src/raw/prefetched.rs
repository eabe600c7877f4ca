//! Fields that are read while an object's frame is at hand, and kept beside its identity: those that someone is known
//! to ask each object for, such as an index. Otherwise a body would be unpacked a moment after it was packed.
//!
//! What is kept is what a read of the body would give, or nothing: then the body is read.

use serde_json::Value;

use super::once_slots::OnceSlots;
use crate::FieldPath;
use crate::field::PathStep;

/// The paths of one informer that are read ahead. Only the first few that are asked for: each is read of every object.
#[derive(Debug, Default)]
pub(crate) struct PrefetchedPaths(OnceSlots<FieldPath, PATHS_MAX>);

const PATHS_MAX: usize = 4;

/// What one path may cost an object. Longer values are left in the body.
const VALUES_BYTES_MAX: usize = 128;

/// Begins what is kept of a string. Anything else begins as its JSON does, and nothing else begins so here.
const STRING: char = '"';

impl PrefetchedPaths {
    pub(super) fn add(&self, path: &FieldPath) {
        // Neither is in the body of each object.
        let is_supplied = matches!(path.steps().first(), Some(PathStep::Member(name)) if name == "kind" || name == "apiVersion");
        if !is_supplied {
            self.0.number_or_add(path);
        }
    }

    pub(super) fn number(&self, path: &FieldPath) -> Option<usize> {
        self.0.number(path)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &FieldPath> {
        self.0.iter()
    }
}

/// How values are kept: as one text each, or not at all if one is no scalar or they are too long.
pub(super) fn kept(values: &[Value]) -> Option<Vec<String>> {
    let texts = values.iter().map(|value| match value {
        Value::String(text) => Some(format!("{STRING}{text}")),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    });
    let texts: Vec<String> = texts.collect::<Option<_>>()?;
    (texts.iter().map(String::len).sum::<usize>() <= VALUES_BYTES_MAX).then_some(texts)
}

/// What a kept text equals: a string's own text, otherwise its JSON.
pub(super) fn text(kept: &str) -> &str {
    kept.strip_prefix(STRING).unwrap_or(kept)
}

/// The value of which this was kept.
pub(super) fn value(kept: &str) -> Value {
    match kept.strip_prefix(STRING) {
        Some(text) => Value::from(text),
        None => serde_json::from_str(kept).expect("what is kept was written as JSON"),
    }
}
