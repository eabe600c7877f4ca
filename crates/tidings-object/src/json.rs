//! A JSON scanner (a pull parser): a cursor over JSON text that builds nothing.
//!
//! Identity, field reads and pruning use it. It checks what it reads: members and items that are entered, keys, strings
//! and scalars, by the grammar of RFC 8259 in valid UTF-8, with numbers of any size. Of an object or array that is
//! skipped it checks only that strings end and that brackets balance; the decoder of the body checks the rest. It never
//! recurses and never allocates.
//!
//! Example: how to read `b` from `{"a":[1,2],"b":"x"}`.
//!
//! ```text
//! enter_object()     -> true      the cursor is at "a"
//! key()              -> a         at [
//! skip_value()                    after ]
//! has_next_member()  -> true      at "b"
//! key(), string()    -> b, x      after "x"
//! has_next_member()  -> false     after }
//! ```
//!
//! Most bytes of an object are skipped: [`value_end`] finds the end of a container 64 bytes at a time.

mod checked;
mod nesting;
mod structure;
mod text;
mod value_end;

pub(crate) use text::JsonStr;
use value_end::ContainerEnd;
pub use value_end::ValueEnd;

/// The bytes are not well-formed JSON.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not well-formed JSON at byte {at}: expected {expected}")]
pub struct JsonError {
    /// The offset of the error.
    pub at: usize,
    /// What the scanner expected there.
    pub expected: &'static str,
}

/// A position in a JSON text. Each method moves it behind what it reads.
#[derive(Debug, Clone)]
pub(crate) struct JsonCursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> JsonCursor<'a> {
    /// A cursor at the first value of `bytes`.
    pub(crate) fn new(bytes: &'a [u8]) -> Result<JsonCursor<'a>, JsonError> {
        let text =
            str::from_utf8(bytes).map_err(|e| JsonError { at: e.valid_up_to(), expected: "valid UTF-8" })?;
        let mut cursor = JsonCursor { text, at: 0 };
        cursor.skip_space();
        Ok(cursor)
    }

    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// The text from an earlier offset to the position.
    pub(crate) fn since(&self, start: usize) -> &'a str {
        &self.text[start..self.at]
    }

    /// The byte at the position. At the end it is 0, which is valid nowhere in JSON.
    #[inline(always)]
    pub(crate) fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    /// Reads every member of an object; `visit` must read the member's value.
    pub(crate) fn members(
        &mut self,
        mut visit: impl FnMut(&mut Self, JsonStr<'a>) -> Result<(), JsonError>,
    ) -> Result<(), JsonError> {
        let mut is_more = self.enter_object()?;
        while is_more {
            let key = self.key()?;
            visit(self, key)?;
            is_more = self.has_next_member()?;
        }
        Ok(())
    }

    /// Reads every item of an array; `visit` must read the item.
    pub(crate) fn items(
        &mut self,
        mut visit: impl FnMut(&mut Self) -> Result<(), JsonError>,
    ) -> Result<(), JsonError> {
        let mut is_more = self.enter_array()?;
        while is_more {
            visit(self)?;
            is_more = self.has_next_item()?;
        }
        Ok(())
    }

    /// Moves to the first key of an object. Returns false for an empty object, and moves behind it.
    #[inline(always)]
    pub(crate) fn enter_object(&mut self) -> Result<bool, JsonError> {
        self.expect(b'{', "an object")?;
        self.skip_space();
        Ok(!self.skip_if(b'}'))
    }

    /// Moves from the end of a member to the next key. Returns false after the last one, and moves behind the object.
    #[inline(always)]
    pub(crate) fn has_next_member(&mut self) -> Result<bool, JsonError> {
        self.has_next(b'}', "a comma or a closing brace")
    }

    /// Moves to the first item of an array. Returns false for an empty array, and moves behind it.
    #[inline(always)]
    pub(crate) fn enter_array(&mut self) -> Result<bool, JsonError> {
        self.expect(b'[', "an array")?;
        self.skip_space();
        Ok(!self.skip_if(b']'))
    }

    /// Moves from the end of an item to the next one. Returns false after the last one, and moves behind the array.
    #[inline(always)]
    pub(crate) fn has_next_item(&mut self) -> Result<bool, JsonError> {
        self.has_next(b']', "a comma or a closing bracket")
    }

    /// Reads the key of a member and moves to its value.
    pub(crate) fn key(&mut self) -> Result<JsonStr<'a>, JsonError> {
        let key = self.string()?;
        self.colon()?;
        Ok(key)
    }

    /// Reads a string.
    pub(crate) fn string(&mut self) -> Result<JsonStr<'a>, JsonError> {
        let start = self.at + 1;
        let is_escaped = self.skip_string()?;
        Ok(JsonStr::new(&self.text[start..self.at - 1], is_escaped))
    }

    /// Reads a string, or skips a value of another type.
    pub(crate) fn string_or_skip(&mut self) -> Result<Option<JsonStr<'a>>, JsonError> {
        if self.peek() == b'"' { self.string().map(Some) } else { self.skip_value().map(|()| None) }
    }

    /// Skips one value of any type and depth. Inside of an object or array it checks only that strings end and that
    /// brackets balance: most bytes of each frame are skipped here. A string, number or literal is checked.
    #[inline]
    pub(crate) fn skip_value(&mut self) -> Result<(), JsonError> {
        match self.peek() {
            b'{' => self.skip_container(b'}'),
            b'[' => self.skip_container(b']'),
            b'"' => self.skip_string().map(drop),
            _ => self.skip_scalar(),
        }
    }

    fn skip_container(&mut self, close: u8) -> Result<(), JsonError> {
        let rest = &self.text.as_bytes()[self.at..];
        match ContainerEnd::default().advance(rest) {
            Some(end) if rest[end - 1] == close => {
                self.at += end;
                Ok(())
            }
            _ => Err(self.error("an object or array, and its end")),
        }
    }

    /// Checks that only white space follows.
    pub(crate) fn expect_end(&mut self) -> Result<(), JsonError> {
        self.skip_space();
        if self.at == self.text.len() { Ok(()) } else { Err(self.error("the end")) }
    }

    pub(crate) fn error(&self, expected: &'static str) -> JsonError {
        JsonError { at: self.at, expected }
    }

    #[inline(always)]
    fn colon(&mut self) -> Result<(), JsonError> {
        self.skip_space();
        self.expect(b':', "a colon")?;
        self.skip_space();
        Ok(())
    }

    #[inline(always)]
    fn has_next(&mut self, close: u8, expected: &'static str) -> Result<bool, JsonError> {
        self.skip_space();
        if self.skip_if(b',') {
            self.skip_space();
            return Ok(true);
        }
        self.expect(close, expected).map(|()| false)
    }

    /// Returns whether the string has escapes.
    #[inline(always)]
    fn skip_string(&mut self) -> Result<bool, JsonError> {
        self.expect(b'"', "a string")?;
        let mut is_escaped = false;
        loop {
            self.at = text::next_special(self.text.as_bytes(), self.at);
            match self.peek() {
                b'"' => {
                    self.at += 1;
                    return Ok(is_escaped);
                }
                b'\\' => {
                    is_escaped = true;
                    self.skip_escape()?;
                }
                _ => return Err(self.error("no control character in a string, and its end")),
            }
        }
    }

    fn skip_escape(&mut self) -> Result<(), JsonError> {
        self.at += 1;
        match self.peek() {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.at += 1,
            b'u' => {
                self.at += 1;
                for _ in 0..4 {
                    if !self.peek().is_ascii_hexdigit() {
                        return Err(self.error("four hexadecimal digits"));
                    }
                    self.at += 1;
                }
            }
            _ => return Err(self.error("an escape")),
        }
        Ok(())
    }

    fn skip_scalar(&mut self) -> Result<(), JsonError> {
        match self.peek() {
            b't' => self.skip_literal("true"),
            b'f' => self.skip_literal("false"),
            b'n' => self.skip_literal("null"),
            b'-' | b'0'..=b'9' => self.skip_number(),
            _ => Err(self.error("a value")),
        }
    }

    fn skip_literal(&mut self, literal: &'static str) -> Result<(), JsonError> {
        if !self.text.as_bytes()[self.at..].starts_with(literal.as_bytes()) {
            return Err(self.error(literal));
        }
        self.at += literal.len();
        Ok(())
    }

    fn skip_number(&mut self) -> Result<(), JsonError> {
        self.skip_if(b'-');
        if !self.skip_if(b'0') {
            self.skip_digits()?;
        }
        if self.skip_if(b'.') {
            self.skip_digits()?;
        }
        if self.skip_if(b'e') || self.skip_if(b'E') {
            let _ = self.skip_if(b'+') || self.skip_if(b'-');
            self.skip_digits()?;
        }
        Ok(())
    }

    fn skip_digits(&mut self) -> Result<(), JsonError> {
        if !self.peek().is_ascii_digit() {
            return Err(self.error("a digit"));
        }
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        Ok(())
    }

    /// Servers write no white space, so this is usually one comparison.
    #[inline(always)]
    fn skip_space(&mut self) {
        if self.peek() <= b' ' {
            self.skip_spaces();
        }
    }

    #[cold]
    fn skip_spaces(&mut self) {
        while matches!(self.peek(), b' ' | b'\n' | b'\r' | b'\t') {
            self.at += 1;
        }
    }

    #[inline(always)]
    fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), JsonError> {
        if self.skip_if(byte) { Ok(()) } else { Err(self.error(expected)) }
    }

    #[inline(always)]
    fn skip_if(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == byte;
        self.at += usize::from(is_next);
        is_next
    }
}

#[cfg(test)]
mod tests;
