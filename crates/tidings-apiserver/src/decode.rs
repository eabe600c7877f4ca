//! Decodes request bodies from JSON and YAML, and finds keys that occur twice in one object.
//!
//! A repeated key is not an error by itself: the last value is used. `fieldValidation` decides whether the client is
//! refused or warned. The messages are those of Kubernetes' decoders: JSON names the field, YAML the line and the key.
//!
//! ```text
//! {"spec": {"a": 1, "a": 2}}      duplicate field "spec.a"
//! spec:
//!   a: 1
//!   a: 2                          yaml: unmarshal errors:\n  line 3: key "a" already set in map
//! ```

use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// A decoded body.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub value: Value,
    /// One message for each repeated key (JSON), or one for all of them (YAML).
    pub duplicates: Vec<String>,
}

/// The largest number of repeated keys that are reported.
const DUPLICATES_MAX: usize = 100;

pub(crate) fn json(body: &[u8]) -> Result<Decoded, serde_json::Error> {
    let mut found = Duplicates::default();
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let value = Node(&mut found).deserialize(&mut deserializer)?;
    deserializer.end()?;
    let duplicates = found.paths.into_iter().map(|path| format!("duplicate field \"{path}\"")).collect();
    Ok(Decoded { value, duplicates })
}

pub(crate) fn yaml(body: &[u8]) -> Result<Decoded, serde_yaml::Error> {
    let mut found = Duplicates::default();
    let value = Node(&mut found).deserialize(serde_yaml::Deserializer::from_slice(body))?;
    if found.paths.is_empty() {
        return Ok(Decoded { value, duplicates: Vec::new() });
    }
    let text = String::from_utf8_lossy(body);
    let lines = repeated_lines(&text);
    let mut message = "yaml: unmarshal errors:".to_owned();
    for path in &found.paths {
        let line = lines.iter().find(|(repeated, _)| repeated == path).map_or(1, |(_, line)| *line);
        let key = path.rsplit('.').next().unwrap_or(path);
        message.push_str(&format!("\n  line {line}: key \"{key}\" already set in map"));
    }
    Ok(Decoded { value, duplicates: vec![message] })
}

/// The paths of repeated keys, and the path of the value that is being read.
#[derive(Default)]
struct Duplicates {
    path: String,
    paths: Vec<String>,
}

impl Duplicates {
    /// Runs `read` with a longer path.
    fn within<T>(&mut self, part: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.path.len();
        if length > 0 && !part.starts_with('[') {
            self.path.push('.');
        }
        self.path.push_str(part);
        let value = read(self);
        self.path.truncate(length);
        value
    }
}

/// Reads one value.
struct Node<'a>(&'a mut Duplicates);

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        loop {
            let part = format!("[{}]", list.len());
            match self.0.within(&part, |found| items.next_element_seed(Node(found)))? {
                Some(item) => list.push(item),
                None => return Ok(Value::Array(list)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = self.0.within(&key, |found| {
                if map.contains_key(&key) && found.paths.len() < DUPLICATES_MAX {
                    found.paths.push(found.path.clone());
                }
                entries.next_value_seed(Node(found))
            })?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}

/// The paths of repeated keys in block style YAML, each with its line. Keys in flow style are not found.
fn repeated_lines(text: &str) -> Vec<(String, usize)> {
    // The open maps: the column of their keys, and the path up to and including the present key.
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut items: Vec<(String, usize, usize)> = Vec::new();
    let mut seen = HashSet::new();
    let mut repeated = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let mut rest = line.trim_start_matches(' ');
        let mut column = line.len() - rest.len();
        if rest.is_empty() || rest.starts_with('#') || rest.starts_with("---") {
            continue;
        }
        while let Some(after) = rest.strip_prefix("- ").or_else(|| (rest == "-").then_some("")) {
            // A list may stand in the column of its key.
            open.retain(|(at, path)| *at < column || (*at == column && !path.ends_with(']')));
            let parent = open.last().map_or("", |(_, path)| path.as_str()).to_owned();
            let index = match items.iter_mut().find(|(path, at, _)| *path == parent && *at == column) {
                Some((_, _, index)) => {
                    *index += 1;
                    *index
                }
                None => {
                    items.push((parent.clone(), column, 0));
                    0
                }
            };
            open.push((column, format!("{parent}[{index}]")));
            rest = after.trim_start_matches(' ');
            column = line.len() - rest.len();
        }
        let Some((key, _)) = rest.split_once(':') else { continue };
        let key = key.trim().trim_matches(['"', '\'']);
        open.retain(|(at, path)| *at < column && !(path.is_empty()));
        let parent = open.last().map_or("", |(_, path)| path.as_str());
        let path = if parent.is_empty() { key.to_owned() } else { format!("{parent}.{key}") };
        if !seen.insert(path.clone()) {
            repeated.push((path.clone(), number));
        }
        open.push((column, path));
    }
    repeated
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_last_value_of_a_repeated_key_is_used_and_reported() {
        let decoded = json(br#"{"a": 1, "a": 2, "b": [{"c": 1}, {"c": 1, "c": 3}]}"#).unwrap();
        assert_eq!(decoded.value, json!({"a": 2, "b": [{"c": 1}, {"c": 3}]}));
        assert_eq!(decoded.duplicates, ["duplicate field \"a\"", "duplicate field \"b[1].c\""]);
        assert!(json(br#"{"a": 1} x"#).is_err());
    }

    #[test]
    fn numbers_and_nulls_are_those_of_serde() {
        let text = br#"{"a": null, "b": -1, "c": 1.5, "d": 18446744073709551615, "e": "x", "f": true}"#;
        assert_eq!(json(text).unwrap().value, serde_json::from_slice::<Value>(text).unwrap());
        assert_eq!(yaml(text).unwrap().value, serde_json::from_slice::<Value>(text).unwrap());
    }

    #[test]
    fn yaml_names_the_line_of_a_repeated_key() {
        let text = "kind: Pod\nspec:\n  containers:\n  - name: a\n    image: x\n  - name: b\n    image: y\n    image: z\n  x: 1\n  x: 2\n";
        let decoded = yaml(text.as_bytes()).unwrap();
        assert_eq!(decoded.value["spec"]["containers"][1]["image"], "z");
        assert_eq!(
            decoded.duplicates,
            [
                "yaml: unmarshal errors:\n  line 8: key \"image\" already set in map\n  line 10: key \"x\" already set in map"
            ]
        );
    }
}
