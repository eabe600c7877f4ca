//! Finds the end of one JSON value that may be cut into chunks at any byte.
//!
//! It counts brackets and skips strings, 64 bytes at a time. It does not check that the value is well-formed: the
//! reader of the value does. In a well-formed value it finds the same end as a scanner that checks everything
//! (`checked`), which the tests and the fuzzer compare. It never recurses and buffers nothing.

use memchr::memchr2;

use super::structure::{BLOCK_BYTES, Brackets, StringState};

/// The position within one value.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValueEnd(Within);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Container(ContainerEnd),
    /// Before the opening quote of a string.
    Quote,
    Text,
    /// After a backslash.
    Escape,
    Scalar,
}

/// The position within an object or array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ContainerEnd {
    strings: StringState,
    /// How many brackets are open.
    depth: usize,
}

impl ValueEnd {
    /// A value whose first byte is `first`, if a value can begin with it. The caller must pass that byte to
    /// [`advance`](Self::advance) too.
    pub fn of_value_starting(first: u8) -> Option<ValueEnd> {
        Some(ValueEnd(match first {
            b'{' | b'[' => Within::Container(ContainerEnd::default()),
            b'"' => Within::Quote,
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => Within::Scalar,
            _ => return None,
        }))
    }

    /// How many bytes of `input` belong to the value, if it ends there; `None` if all of them do. A scalar ends before
    /// its delimiter.
    pub fn advance(&mut self, input: &[u8]) -> Option<usize> {
        match &mut self.0 {
            Within::Container(container) => container.advance(input),
            Within::Scalar => input.iter().position(|byte| delimits_scalar(*byte)),
            Within::Quote | Within::Text | Within::Escape => self.advance_in_string(input),
        }
    }

    fn advance_in_string(&mut self, input: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < input.len() {
            if self.0 != Within::Text {
                at += 1;
                self.0 = Within::Text;
                continue;
            }
            at += memchr2(b'"', b'\\', &input[at..])? + 1;
            if input[at - 1] == b'"' {
                return Some(at);
            }
            self.0 = Within::Escape;
        }
        None
    }
}

impl ContainerEnd {
    /// How many bytes of `input` belong to the container, if it ends there; `None` if all of them do.
    pub(super) fn advance(&mut self, input: &[u8]) -> Option<usize> {
        let (blocks, tail) = input.as_chunks::<BLOCK_BYTES>();
        // A local copy keeps the state in registers.
        let mut end = *self;
        for (number, block) in blocks.iter().enumerate() {
            let brackets = end.strings.next_block(block, BLOCK_BYTES);
            if let Some(in_block) = end.close(brackets) {
                return Some(number * BLOCK_BYTES + in_block);
            }
        }
        if !tail.is_empty() {
            let mut block = [b' '; BLOCK_BYTES];
            block[..tail.len()].copy_from_slice(tail);
            let brackets = end.strings.next_block(&block, tail.len());
            if let Some(in_block) = end.close(brackets) {
                return Some(input.len() - tail.len() + in_block);
            }
        }
        *self = end;
        None
    }

    /// Counts the brackets of a block. Returns how many bytes of the block belong to the container if it ends there.
    #[inline(always)]
    fn close(&mut self, brackets: Brackets) -> Option<usize> {
        let (opening, closing) = (brackets.opening.count_ones(), brackets.closing.count_ones());
        // Most blocks are deep inside, and can't close what is open.
        if self.depth > closing as usize {
            self.depth = self.depth - closing as usize + opening as usize;
            return None;
        }
        self.close_one_by_one(brackets)
    }

    fn close_one_by_one(&mut self, Brackets { opening, closing }: Brackets) -> Option<usize> {
        let mut left = opening | closing;
        while left != 0 {
            let at = left.trailing_zeros();
            if opening >> at & 1 == 1 {
                self.depth += 1;
            } else {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    return Some(at as usize + 1);
                }
            }
            left &= left - 1;
        }
        None
    }
}

fn delimits_scalar(byte: u8) -> bool {
    matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end_of(text: &str) -> Option<usize> {
        ValueEnd::of_value_starting(text.as_bytes()[0])?.advance(text.as_bytes())
    }

    #[test]
    fn a_value_ends_at_its_closing_bracket_or_before_its_delimiter() {
        let long = format!(r#"{{"a":["{}]}}","\\"],"b":{{}}}},"#, "x".repeat(200));
        for (text, rest) in [
            (r#"{"a":"}]"}, 1"#, ", 1"),
            (r#"["\"]",[{}]]]"#, "]"),
            (r#""a\\",b"#, ",b"),
            ("-1.5e3}", "}"),
            ("null\n", "\n"),
            (&long, ","),
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
        let long = format!(r#"{{"k":"{}\\\"}}","n":[[{{}}]]}}tail"#, r#"\"}\\"#.repeat(40));
        for text in [r#"{"a\"":["\\",{"}":1}],"b":"\u0022"}tail"#, r#""\\\"\\"tail"#, &long] {
            let (text, first) = (text.as_bytes(), text.as_bytes()[0]);
            let whole = ValueEnd::of_value_starting(first).unwrap().advance(text);
            assert_eq!(whole, Some(text.len() - "tail".len()));
            for cut in 1..text.len() {
                let mut end = ValueEnd::of_value_starting(first).unwrap();
                let (head, tail) = text.split_at(cut);
                let found = end.advance(head).or_else(|| end.advance(tail).map(|n| cut + n));
                assert_eq!(found, whole, "cut at {cut}");
            }
        }
    }
}
