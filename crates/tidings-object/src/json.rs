//! A cursor over JSON text that checks what it passes and builds nothing.
//!
//! Identity, field reads and pruning all walk with it. It accepts the JSON grammar and valid UTF-8, whatever
//! the depth and the size of numbers: whether a value fits a Rust type is its reader's business. It never
//! recurses, and allocates only for nesting deeper than 64.

mod nesting;
mod text;

use nesting::{Container, Nesting};
pub(crate) use text::JsonStr;

/// Bytes that are not well-formed JSON, or no object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not well-formed JSON at byte {at}: expected {expected}")]
pub struct JsonError {
    /// Where it went wrong.
    pub at: usize,
    /// What should have stood there.
    pub expected: &'static str,
}

/// A place in a JSON text. Each method leaves it behind what it read.
#[derive(Debug, Clone)]
pub(crate) struct JsonCursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> JsonCursor<'a> {
    /// At the first value of `bytes`.
    pub(crate) fn new(bytes: &'a [u8]) -> Result<JsonCursor<'a>, JsonError> {
        let text =
            str::from_utf8(bytes).map_err(|e| JsonError { at: e.valid_up_to(), expected: "valid UTF-8" })?;
        let mut cursor = JsonCursor { text, at: 0 };
        cursor.skip_space();
        Ok(cursor)
    }

    /// The offset it stands at.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The text from an earlier offset up to here.
    pub(crate) fn since(&self, start: usize) -> &'a str {
        &self.text[start..self.at]
    }

    /// The byte it stands at; 0, which stands nowhere in JSON, at the end.
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

    /// Goes into an object: to its first key, or behind it if it has none.
    #[inline(always)]
    pub(crate) fn enter_object(&mut self) -> Result<bool, JsonError> {
        self.pass(b'{', "an object")?;
        self.skip_space();
        Ok(!self.passed(b'}'))
    }

    /// Behind a member's value: goes to the next key, or behind the object.
    #[inline(always)]
    pub(crate) fn has_next_member(&mut self) -> Result<bool, JsonError> {
        self.has_next(b'}', "a comma or a closing brace")
    }

    /// Goes into an array: to its first item, or behind it if it has none.
    #[inline(always)]
    pub(crate) fn enter_array(&mut self) -> Result<bool, JsonError> {
        self.pass(b'[', "an array")?;
        self.skip_space();
        Ok(!self.passed(b']'))
    }

    /// Behind an item: goes to the next one, or behind the array.
    #[inline(always)]
    pub(crate) fn has_next_item(&mut self) -> Result<bool, JsonError> {
        self.has_next(b']', "a comma or a closing bracket")
    }

    /// Reads a member's key and goes to its value.
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

    /// Reads a string; a value of another type is passed over.
    pub(crate) fn string_or_skip(&mut self) -> Result<Option<JsonStr<'a>>, JsonError> {
        if self.peek() == b'"' { self.string().map(Some) } else { self.skip_value().map(|()| None) }
    }

    /// Passes one value of any type and depth.
    pub(crate) fn skip_value(&mut self) -> Result<(), JsonError> {
        // Nobody else sees a copy, so that its place stays in a register: most of every frame is passed here.
        let mut copy = self.clone();
        copy.pass_value()?;
        self.at = copy.at;
        Ok(())
    }

    #[inline(always)]
    fn pass_value(&mut self) -> Result<(), JsonError> {
        let mut open = Nesting::default();
        loop {
            match self.peek() {
                b'"' => {
                    self.skip_string()?;
                }
                b'{' => {
                    if self.enter_object()? {
                        open.push(Container::Object);
                        self.skip_key()?;
                        continue;
                    }
                }
                b'[' => {
                    if self.enter_array()? {
                        open.push(Container::Array);
                        continue;
                    }
                }
                _ => self.skip_scalar()?,
            }
            // A value has ended, and with it perhaps the containers around it.
            loop {
                match open.innermost() {
                    None => return Ok(()),
                    Some(Container::Object) => {
                        if self.has_next_member()? {
                            self.skip_key()?;
                            break;
                        }
                    }
                    Some(Container::Array) => {
                        if self.has_next_item()? {
                            break;
                        }
                    }
                }
                open.pop();
            }
        }
    }

    /// Nothing but white space may follow.
    pub(crate) fn end(&mut self) -> Result<(), JsonError> {
        self.skip_space();
        if self.at == self.text.len() { Ok(()) } else { Err(self.expected("the end")) }
    }

    /// The error that something else should have stood here.
    pub(crate) fn expected(&self, expected: &'static str) -> JsonError {
        JsonError { at: self.at, expected }
    }

    #[inline(always)]
    fn skip_key(&mut self) -> Result<(), JsonError> {
        self.skip_string()?;
        self.colon()
    }

    #[inline(always)]
    fn colon(&mut self) -> Result<(), JsonError> {
        self.skip_space();
        self.pass(b':', "a colon")?;
        self.skip_space();
        Ok(())
    }

    #[inline(always)]
    fn has_next(&mut self, close: u8, expected: &'static str) -> Result<bool, JsonError> {
        self.skip_space();
        if self.passed(b',') {
            self.skip_space();
            return Ok(true);
        }
        self.pass(close, expected).map(|()| false)
    }

    /// Whether there were escapes.
    #[inline(always)]
    fn skip_string(&mut self) -> Result<bool, JsonError> {
        self.pass(b'"', "a string")?;
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
                _ => return Err(self.expected("no control character in a string, and its end")),
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
                        return Err(self.expected("four hexadecimal digits"));
                    }
                    self.at += 1;
                }
            }
            _ => return Err(self.expected("an escape")),
        }
        Ok(())
    }

    fn skip_scalar(&mut self) -> Result<(), JsonError> {
        match self.peek() {
            b't' => self.skip_literal("true"),
            b'f' => self.skip_literal("false"),
            b'n' => self.skip_literal("null"),
            b'-' | b'0'..=b'9' => self.skip_number(),
            _ => Err(self.expected("a value")),
        }
    }

    fn skip_literal(&mut self, literal: &'static str) -> Result<(), JsonError> {
        if !self.text.as_bytes()[self.at..].starts_with(literal.as_bytes()) {
            return Err(self.expected(literal));
        }
        self.at += literal.len();
        Ok(())
    }

    fn skip_number(&mut self) -> Result<(), JsonError> {
        self.passed(b'-');
        if !self.passed(b'0') {
            self.skip_digits()?;
        }
        if self.passed(b'.') {
            self.skip_digits()?;
        }
        if self.passed(b'e') || self.passed(b'E') {
            let _ = self.passed(b'+') || self.passed(b'-');
            self.skip_digits()?;
        }
        Ok(())
    }

    fn skip_digits(&mut self) -> Result<(), JsonError> {
        if !self.peek().is_ascii_digit() {
            return Err(self.expected("a digit"));
        }
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        Ok(())
    }

    /// Servers write none: one comparison tells.
    #[inline(always)]
    fn skip_space(&mut self) {
        if self.peek() <= b' ' {
            self.pass_space();
        }
    }

    #[cold]
    fn pass_space(&mut self) {
        while matches!(self.peek(), b' ' | b'\n' | b'\r' | b'\t') {
            self.at += 1;
        }
    }

    #[inline(always)]
    fn pass(&mut self, byte: u8, expected: &'static str) -> Result<(), JsonError> {
        if self.passed(byte) { Ok(()) } else { Err(self.expected(expected)) }
    }

    #[inline(always)]
    fn passed(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == byte;
        self.at += usize::from(is_there);
        is_there
    }
}

#[cfg(test)]
mod tests;
