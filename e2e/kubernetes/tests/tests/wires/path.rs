//! All paths into a JSON object, their text, and their values.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;
use tidings_protobuf::PathStep;

/// A path from the outermost object.
pub(crate) type Path = Vec<PathStep<'static>>;

/// Every path into the object, with its values. Null is no value. The outermost kind and apiVersion are not part of a
/// protobuf message.
pub(crate) fn all(object: &Value) -> BTreeMap<String, (Path, Vec<&Value>)> {
    let mut found = BTreeMap::new();
    let Value::Object(members) = object else { return found };
    for (name, member) in members {
        if name != "kind" && name != "apiVersion" {
            collect(member, &vec![PathStep::Member(name.clone().into())], &mut found);
        }
    }
    found
}

fn collect<'a>(value: &'a Value, path: &Path, found: &mut BTreeMap<String, (Path, Vec<&'a Value>)>) {
    let (_, values) = found.entry(text(path)).or_insert_with(|| (path.clone(), Vec::new()));
    let below = |step| path.iter().cloned().chain([step]).collect();
    match value {
        Value::Null => return,
        value => values.push(value),
    }
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                collect(member, &below(PathStep::Member(name.clone().into())), found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, &below(PathStep::Each), found)),
        _ => {}
    }
}

/// The path as text, as in a field path.
pub(crate) fn text(path: &[PathStep<'_>]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            PathStep::Member(name) => push_member(&mut text, name),
            PathStep::Index(index) => text.push_str(&format!("[{index}]")),
            PathStep::Each => text.push_str("[*]"),
        }
    }
    text
}

/// Appends one segment to the text of a path.
pub(crate) fn push_member(text: &mut String, name: &str) {
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    let written = if is_plain && !name.is_empty() {
        write!(text, ".{name}")
    } else {
        write!(text, "['{}']", name.replace('\\', r"\\").replace('\'', r"\'"))
    };
    written.expect("a string takes everything");
}
