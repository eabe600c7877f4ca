//! The differences between two values: the path, and the value on each wire.

use std::borrow::Borrow;
use std::fmt;

use serde_json::Value;

use crate::expected_differences;
use crate::path::push_member;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Difference {
    /// The object, such as `GET Pod rich, decoded`.
    pub(crate) what: String,
    pub(crate) path: String,
    pub(crate) json: String,
    pub(crate) protobuf: String,
}

/// More differences are not printed.
const SHOWN_MAX: usize = 40;

/// Longer values are truncated.
const VALUE_CHARACTERS_MAX: usize = 400;

impl Difference {
    /// The differences between two values.
    pub(crate) fn between(what: &str, json: &Value, protobuf: &Value) -> Vec<Difference> {
        let mut found = Vec::new();
        compare(what, &mut String::new(), Some(json), Some(protobuf), &mut found);
        found
    }

    /// The differences between the values at a path.
    pub(crate) fn of_values<A, B>(what: &str, path: &str, json: &[A], protobuf: &[B]) -> Vec<Difference>
    where
        A: Borrow<Value>,
        B: Borrow<Value>,
    {
        let mut found = Vec::new();
        for index in 0..json.len().max(protobuf.len()) {
            let (json, protobuf) = (json.get(index), protobuf.get(index));
            let mut path = format!("{path} #{index} ");
            compare(what, &mut path, json.map(Borrow::borrow), protobuf.map(Borrow::borrow), &mut found);
        }
        found
    }

    /// A difference of whole values.
    pub(crate) fn whole(
        what: &str,
        path: &str,
        json: impl fmt::Debug,
        protobuf: impl fmt::Debug,
    ) -> Difference {
        Difference {
            what: what.to_owned(),
            path: path.to_owned(),
            json: format!("{json:?}"),
            protobuf: format!("{protobuf:?}"),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cut = |value: &str| value.chars().take(VALUE_CHARACTERS_MAX).collect::<String>();
        let Difference { what, path, json, protobuf } = self;
        write!(f, "{what} {path}\n      JSON: {}\n  protobuf: {}", cut(json), cut(protobuf))
    }
}

/// Panics with all differences.
pub(crate) fn assert_none(differences: &[Difference]) {
    let shown = differences.iter().take(SHOWN_MAX).map(Difference::to_string).collect::<Vec<_>>();
    let count = differences.len();
    assert!(count == 0, "{count} differences between the wires\n\n{}", shown.join("\n"));
}

fn compare(
    what: &str,
    path: &mut String,
    json: Option<&Value>,
    protobuf: Option<&Value>,
    found: &mut Vec<Difference>,
) {
    let at = path.len();
    match (json, protobuf) {
        (Some(Value::Object(json)), Some(Value::Object(protobuf))) => {
            let more = protobuf.keys().filter(|name| !json.contains_key(*name));
            for name in json.keys().chain(more) {
                push_member(path, name);
                compare(what, path, json.get(name), protobuf.get(name), found);
                path.truncate(at);
            }
        }
        (Some(Value::Array(json)), Some(Value::Array(protobuf))) => {
            for index in 0..json.len().max(protobuf.len()) {
                path.push_str(&format!("[{index}]"));
                compare(what, path, json.get(index), protobuf.get(index), found);
                path.truncate(at);
            }
        }
        (json, protobuf) if expected_differences::is_same(json, protobuf) => {}
        (json, protobuf) => {
            let shown = |value: Option<&Value>| value.map_or("absent".to_owned(), Value::to_string);
            let path = path.clone();
            found.push(Difference {
                what: what.to_owned(),
                path,
                json: shown(json),
                protobuf: shown(protobuf),
            });
        }
    }
}
