//! Strings in JSON: finds their ends eight bytes at a time (SWAR, SIMD within a register), and decodes escapes.

use std::borrow::Cow;

/// The text between the quotes of a well-formed string.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JsonStr<'a> {
    raw: &'a str,
    is_escaped: bool,
}

impl<'a> JsonStr<'a> {
    pub(super) fn new(raw: &'a str, is_escaped: bool) -> Self {
        JsonStr { raw, is_escaped }
    }

    /// The decoded string. UTF-8 can't represent half a surrogate pair, which becomes U+FFFD.
    pub(crate) fn decoded(self) -> Cow<'a, str> {
        if self.is_escaped { Cow::Owned(unescaped(self.raw)) } else { Cow::Borrowed(self.raw) }
    }

    /// Whether the decoded string is `text`.
    pub(crate) fn equals(self, text: &str) -> bool {
        if self.is_escaped { unescaped(self.raw) == text } else { self.raw == text }
    }
}

/// The offset of the first quote, backslash or control character at or after `at`, or the end.
///
/// It tests eight bytes with a few operations on one word. `x - 0x21` borrows, and so sets the high bit of a byte, if
/// the byte is less than 0x21. XOR with 0x02 turns a quote (0x22) into 0x20 and a space (0x20) into 0x22, and keeps
/// control characters below 0x20. So one subtraction finds quotes and control characters, but no spaces; a second one
/// finds backslashes. See "Determine if a word has a byte less than n" in Sean Anderson's Bit Twiddling Hacks.
#[inline(always)]
pub(super) fn next_special(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*chunk);
        // A borrow can mark higher bytes by mistake, but the lowest marked byte is always right.
        let (quote, backslash) = (word ^ (ONES * 0x02), word ^ (ONES * b'\\' as u64));
        let found = (quote.wrapping_sub(ONES * 0x21) & !quote) | (backslash.wrapping_sub(ONES) & !backslash);
        if found & HIGH != 0 {
            return at + (found & HIGH).trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|byte| *byte >= 0x20 && *byte != b'"' && *byte != b'\\') {
        at += 1;
    }
    at
}

fn unescaped(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(backslash) = rest.find('\\') {
        text.push_str(&rest[..backslash]);
        let escape = rest.as_bytes()[backslash + 1];
        rest = &rest[backslash + 2..];
        text.push(match escape {
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => unicode(&mut rest),
            itself => itself as char,
        });
    }
    text.push_str(rest);
    text
}

/// The character of a `\u` escape. Consumes its digits, and a second escape if the two are a surrogate pair.
fn unicode(rest: &mut &str) -> char {
    let unit =
        |digits: &str| u32::from_str_radix(digits, 16).expect("the cursor saw four hexadecimal digits");
    let first = unit(&rest[..4]);
    *rest = &rest[4..];
    if let 0xd800..=0xdbff = first
        && let Some(second) = rest.strip_prefix("\\u").map(|digits| unit(&digits[..4]))
        && let 0xdc00..=0xdfff = second
    {
        *rest = &rest[6..];
        let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        return char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    }
    char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_decode_as_in_serde_json() {
        for raw in [r"plain", r"\u0061\u00e9\n\t\b\f\r\/\\\x22", r"\ud83d\ude00!", r"a\u0000b", r"\uFFFF"] {
            let raw = raw.replace(r"\x22", "\\\"");
            let expected: String = serde_json::from_str(&format!("\"{raw}\"")).unwrap();
            let string = JsonStr::new(&raw, raw.contains('\\'));
            assert_eq!(string.decoded(), expected);
            assert!(string.equals(&expected));
        }
    }

    #[test]
    fn half_a_surrogate_pair_is_a_replacement_character() {
        for (raw, expected) in [
            (r"\ud800", "\u{fffd}"),
            (r"\udc00x", "\u{fffd}x"),
            (r"\ud800\n", "\u{fffd}\n"),
            (r"\ud800\u0061", "\u{fffd}a"),
            (r"\ud800\ud83d\ude00", "\u{fffd}\u{1f600}"),
        ] {
            assert_eq!(JsonStr::new(raw, true).decoded(), expected, "{raw}");
        }
    }

    #[test]
    fn the_first_special_byte_is_found_at_any_position() {
        for special in [b'"', b'\\', 0, 0x1f, b'\n'] {
            for length in 0..40 {
                for position in 0..length {
                    let mut bytes = vec![b'a'; length];
                    bytes[length - 1] = b'"';
                    bytes[position] = special;
                    assert_eq!(next_special(&bytes, 0), position, "{special} in {length}");
                }
                assert_eq!(next_special(&vec![0xe9; length], 0), length);
                assert_eq!(next_special(&vec![0x7f; length], 0), length);
                assert_eq!(next_special(&vec![b' '; length], 0), length);
            }
        }
    }
}
