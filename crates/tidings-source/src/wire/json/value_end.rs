//! Finds the end of one JSON value that may be cut into chunks at any byte.
//!
//! It counts brackets and skips strings. It does not check that the value is well-formed; the reader of the value does.
//! It never recurses and buffers nothing.

use memchr::memchr2;

/// The position within one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ValueEnd {
    within: Within,
    depth: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    /// Between the tokens of an object or array, or before the value's first byte.
    Structure,
    Text,
    /// After a backslash.
    Escape,
    Scalar,
}

impl ValueEnd {
    /// A value whose first byte is `first`, if a value can begin with it. The caller must pass that byte to
    /// [`advance`](Self::advance) too.
    pub(crate) fn of_value_starting(first: u8) -> Option<ValueEnd> {
        let within = match first {
            b'{' | b'[' | b'"' => Within::Structure,
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => Within::Scalar,
            _ => return None,
        };
        Some(ValueEnd { within, depth: 0 })
    }

    /// How many bytes of `input` belong to the value, if it ends there; `None` if all of them do. A scalar ends before its
    /// delimiter.
    pub(crate) fn advance(&mut self, input: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < input.len() {
            match self.within {
                Within::Text => {
                    at += memchr2(b'"', b'\\', &input[at..])? + 1;
                    if input[at - 1] == b'\\' {
                        self.within = Within::Escape;
                    } else {
                        self.within = Within::Structure;
                        if self.depth == 0 {
                            return Some(at);
                        }
                    }
                }
                Within::Escape => {
                    at += 1;
                    self.within = Within::Text;
                }
                Within::Structure => {
                    let byte = input[at];
                    at += 1;
                    match byte {
                        b'"' => self.within = Within::Text,
                        b'{' | b'[' => self.depth += 1,
                        b'}' | b']' => {
                            self.depth -= 1;
                            if self.depth == 0 {
                                return Some(at);
                            }
                        }
                        _ => {}
                    }
                }
                Within::Scalar => {
                    let delimits = |byte: &u8| matches!(byte, b',' | b'}' | b']') || is_space(*byte);
                    return input[at..].iter().position(delimits).map(|n| at + n);
                }
            }
        }
        None
    }
}

/// Whether the byte is white space in JSON.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// `input` without leading white space.
pub(crate) fn trim_start(input: &[u8]) -> &[u8] {
    let start = input.iter().position(|byte| !is_space(*byte)).unwrap_or(input.len());
    &input[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end_of(text: &str) -> Option<usize> {
        ValueEnd::of_value_starting(text.as_bytes()[0])?.advance(text.as_bytes())
    }

    #[test]
    fn a_value_ends_at_its_closing_bracket_or_before_its_delimiter() {
        for (text, rest) in [
            (r#"{"a":"}]"}, 1"#, ", 1"),
            (r#"["\"]",[{}]]]"#, "]"),
            (r#""a\\",b"#, ",b"),
            ("-1.5e3}", "}"),
            ("null\n", "\n"),
        ] {
            assert_eq!(end_of(text), Some(text.len() - rest.len()), "{text}");
        }
        for open in ["{", r#""\""#, "12", "[[]"] {
            assert_eq!(end_of(open), None, "{open}");
        }
        assert_eq!(ValueEnd::of_value_starting(b'}'), None);
        assert_eq!(ValueEnd::of_value_starting(b'<'), None);
    }

    #[test]
    fn a_value_ends_at_the_same_place_however_it_is_cut() {
        let text = br#"{"a\"":["\\",{"}":1}],"b":"\u0022"}tail"#;
        let whole = ValueEnd::of_value_starting(b'{').unwrap().advance(text);
        for cut in 1..text.len() {
            let mut end = ValueEnd::of_value_starting(b'{').unwrap();
            let (first, second) = text.split_at(cut);
            let found = end.advance(first).or_else(|| end.advance(second).map(|n| cut + n));
            assert_eq!(found, whole, "cut at {cut}");
        }
    }
}
