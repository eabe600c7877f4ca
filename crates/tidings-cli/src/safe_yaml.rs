//! YAML without terminal control characters. Its meaning does not change.
//!
//! The encoder escapes control characters, but not the characters that change the direction of text. YAML allows escapes
//! only in double quotes, and the encoder writes most strings without quotes. So each string with such a character is
//! replaced by a placeholder before the encoding, and the placeholder by a JSON string after it: a JSON string is also a
//! YAML string. Example:
//!
//! ```text
//! {"note": "a<U+202E>b"}    ->  {"note": "string0n0x"}    ->  note: string0n0x    ->  note: "a\u202eb"
//! ```

use serde_json::Value;

use crate::escape::{escaped_json, is_terminal_control};

/// Encodes a value as YAML.
pub(crate) fn safe_yaml(value: &Value) -> String {
    let encode =
        |value: &Value| serde_yaml::to_string(value).unwrap_or_else(|error| format!("unreadable: {error}\n"));
    let json = value.to_string();
    if !json.contains(is_unescaped) {
        return encode(value);
    }
    let mut unescaped = UnescapedStrings::new(&json);
    let replaced = unescaped.replace_in(value.clone());
    let mut text = encode(&replaced);
    for (number, string) in unescaped.strings.iter().enumerate() {
        let string = Value::from(string.as_str()).to_string();
        text = text.replace(&unescaped.placeholder(number), &escaped_json(&string));
    }
    text
}

/// Whether the YAML encoder does not escape a character although a terminal obeys it.
fn is_unescaped(c: char) -> bool {
    is_terminal_control(c) && !c.is_control()
}

/// The strings that the encoder would not escape.
struct UnescapedStrings {
    /// The beginning of each placeholder. It does not occur in the document.
    prefix: String,
    strings: Vec<String>,
}

impl UnescapedStrings {
    fn new(json: &str) -> Self {
        let prefixes = (0_u64..).map(|number| format!("string{number}n"));
        let prefix = prefixes.into_iter().find(|prefix| !json.contains(prefix)).unwrap_or_default();
        UnescapedStrings { prefix, strings: Vec::new() }
    }

    /// No placeholder is the beginning of another.
    fn placeholder(&self, number: usize) -> String {
        format!("{}{number}x", self.prefix)
    }

    fn replace_in(&mut self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.replace(text)),
            Value::Array(items) => items.into_iter().map(|item| self.replace_in(item)).collect(),
            Value::Object(fields) => {
                fields.into_iter().map(|(name, field)| (self.replace(name), self.replace_in(field))).collect()
            }
            other => other,
        }
    }

    fn replace(&mut self, text: String) -> String {
        if !text.contains(is_unescaped) {
            return text;
        }
        self.strings.push(text);
        self.placeholder(self.strings.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left_and_the_meaning_stays() {
        for c in (0..0x3000).chain(0xfe00..0x1_0100).filter_map(char::from_u32) {
            let value = json!({ format!("k{c}"): [format!("v{c}\nsecond: {c}"), { "plain": "text" }, 7] });
            let yaml = safe_yaml(&value);
            assert!(!yaml.replace('\n', "").contains(is_terminal_control), "{c:?}: {yaml:?}");
            assert_eq!(serde_yaml::from_str::<Value>(&yaml).unwrap(), value, "{c:?}: {yaml}");
        }
    }

    #[test]
    fn text_that_looks_like_a_placeholder_stays() {
        let value = json!({ "a": "string0n0x", "b": "\u{202e}string1n0x", "c": vec!["\u{2066}"; 12] });
        let yaml = safe_yaml(&value);
        assert_eq!(serde_yaml::from_str::<Value>(&yaml).unwrap(), value, "{yaml}");
    }
}
