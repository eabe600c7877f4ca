//! Prefetched fields: values that are read when an object arrives, while its frame is in memory, and stored beside its
//! identity. An index needs such a field of every object; without prefetching, each body would be unpacked right after
//! it was packed.
//!
//! A prefetched value equals what a read of the body would return. A value that is too long or not a scalar is not
//! stored; then the body is read.

use serde_json::Value;

use super::once_slots::OnceSlots;
use crate::FieldPath;
use crate::field::PathStep;

/// The paths that one informer prefetches: the first [`PATHS_MAX`] requested ones, because each is read of every
/// object.
#[derive(Debug, Default)]
pub(crate) struct PrefetchedPaths(OnceSlots<FieldPath, PATHS_MAX>);

const PATHS_MAX: usize = 4;

/// The most bytes that the values of one path may take per object. Longer values are only in the body.
const VALUES_BYTES_MAX: usize = 128;

/// The first character of an entry that stores a string. Any other entry is the JSON of its value, and no scalar but a
/// string begins with a quote in JSON.
const STRING: &str = "\"";

impl PrefetchedPaths {
    pub(super) fn add(&self, path: &FieldPath) {
        // kind and apiVersion are missing in the bodies of most objects.
        let is_supplied = matches!(
            path.steps().first(),
            Some(PathStep::Member(name)) if name == "kind" || name == "apiVersion"
        );
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

/// Calls `push` with the two parts of one entry for each value. Returns `None` if a value is not a scalar or the entries
/// are too long.
pub(super) fn for_each_entry(values: &[Value], mut push: impl FnMut(&[&str; 2])) -> Option<()> {
    let mut entries_bytes = 0;
    for value in values {
        let json;
        let entry = match value {
            Value::String(text) => [STRING, text],
            Value::Bool(_) | Value::Number(_) => {
                json = value.to_string();
                ["", &json]
            }
            Value::Null | Value::Array(_) | Value::Object(_) => return None,
        };
        entries_bytes += entry[0].len() + entry[1].len();
        if entries_bytes > VALUES_BYTES_MAX {
            return None;
        }
        push(&entry);
    }
    Some(())
}

/// The text of an entry's value: the text of a string, the JSON of anything else.
pub(super) fn text(entry: &str) -> &str {
    entry.strip_prefix(STRING).unwrap_or(entry)
}

/// The value of an entry.
pub(super) fn value(entry: &str) -> Value {
    match entry.strip_prefix(STRING) {
        Some(text) => Value::from(text),
        None => serde_json::from_str(entry).expect("an entry that is no string is JSON"),
    }
}
