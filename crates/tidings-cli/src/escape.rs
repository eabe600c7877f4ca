//! Escapes text from a server before it is written to a terminal.
//!
//! Terminals execute control characters: these move the cursor, change the title, and in some terminals run commands. A
//! user who can write an annotation or the message of an Event could hide lines or do worse (CVE-2021-25743 describes
//! this for kubectl). All text from a server must be escaped by this module before it reaches a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Replaces each terminal control character by a visible form: `^[` for ESC, `^?` for DEL, `<U+202E>` for a character
/// that changes the direction of text.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    replaced(text, |c, out| match c {
        // In caret notation, as terminals echo them: `^@` for 0, `^A` for 1, `^[` for 27.
        '\0'..='\x1f' => out.extend(['^', char::from(c as u8 + b'@')]),
        '\x7f' => out.push_str("^?"),
        c => drop(write!(out, "<U+{:04X}>", u32::from(c))),
    })
}

/// Escapes terminal control characters in JSON, without changing its meaning. The JSON encoder has already escaped the
/// characters below 32. The others occur only inside strings, where `\u` escapes are valid.
pub(crate) fn escaped_json(json: &str) -> Cow<'_, str> {
    replaced(json, |c, out| match c {
        // A line break of pretty-printed JSON.
        '\n' => out.push(c),
        c => drop(write!(out, "\\u{:04x}", u32::from(c))),
    })
}

/// Whether a terminal executes the character, or uses it to change the direction or place of the text that follows.
pub(crate) fn is_terminal_control(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn replaced(text: &str, replace: impl Fn(char, &mut String)) -> Cow<'_, str> {
    if !text.contains(is_terminal_control) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_terminal_control(c) {
            replace(c, &mut out);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Includes all terminal control characters.
    fn characters() -> impl Iterator<Item = char> {
        (0..0x3000).chain(0xfe00..0x1_0100).filter_map(char::from_u32)
    }

    #[test]
    fn control_characters_of_terminals_are_removed() {
        for c in characters() {
            let text = format!("a{c}b");
            assert!(!escaped(&text).contains(is_terminal_control), "{c:?}");
        }
        for (text, shown) in [
            ("plain, ünïcödé 日本 🙂", "plain, ünïcödé 日本 🙂"),
            ("\x1b[2J\x1b]0;owned\x07", "^[[2J^[]0;owned^G"),
            ("a\nb\rc\td\0\x7f", "a^Jb^Mc^Id^@^?"),
            ("\u{9b}31m", "<U+009B>31m"),
            ("\u{202e}gpj.exe\u{2066}", "<U+202E>gpj.exe<U+2066>"),
        ] {
            assert_eq!(escaped(text), shown);
            assert_eq!(escaped(&escaped(text)), shown);
        }
    }

    #[test]
    fn escaped_json_means_the_same() {
        for c in characters() {
            let value = serde_json::json!({ format!("k{c}"): [format!("v{c}")] });
            for json in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
                let escaped = escaped_json(&json);
                assert!(!escaped.replace('\n', "").contains(is_terminal_control), "{c:?}");
                assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap(), value, "{c:?}");
            }
        }
    }
}
