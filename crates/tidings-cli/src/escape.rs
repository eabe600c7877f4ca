//! Text from a server, made safe for a terminal.
//!
//! A terminal obeys control characters: it moves its cursor, changes its title, and some run commands. Whoever may write
//! an annotation or the message of an Event could thus hide lines or worse (CVE-2021-25743 is this in kubectl). Nothing
//! that a server sent reaches a terminal without going through local.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The text with every character that a terminal would obey in a form that can be seen: `^[` for ESC, `^?` for DEL,
/// `<U+202E>` for one that turns the direction of writing.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    replaced(text, |c, out| match c {
        // As terminals themselves echo them: @ for 0, A for 1, [ for 27.
        '\0'..='\x1f' => out.extend(['^', char::from(c as u8 + b'@')]),
        '\x7f' => out.push_str("^?"),
        c => drop(write!(out, "<U+{:04X}>", u32::from(c))),
    })
}

/// JSON that means the same, without characters that a terminal would obey. JSON escapes those below 32 itself, and the
/// others stand in strings only.
pub(crate) fn escaped_json(json: &str) -> Cow<'_, str> {
    replaced(json, |c, out| match c {
        // Between the values of pretty JSON.
        '\n' => out.push(c),
        c => drop(write!(out, "\\u{:04x}", u32::from(c))),
    })
}

/// Whether a terminal would obey it, or show what follows in another order or place.
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

    /// All that can be obeyed are among them.
    fn characters() -> impl Iterator<Item = char> {
        (0..0x3000).chain(0xfe00..0x1_0100).filter_map(char::from_u32)
    }

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
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
