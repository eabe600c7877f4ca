//! Parses the text of a field path into its steps.

use super::PathStep;
use crate::{ParseError, ParseTarget};

/// Readers recurse once per step, so this bounds their recursion. A longer path is a mistake.
const STEPS_MAX: usize = 64;

pub(super) fn steps(text: &str) -> Result<Vec<PathStep<'static>>, ParseError> {
    let mut parser = Parser { text, at: 0 };
    let mut steps = Vec::new();
    while !parser.rest().is_empty() {
        if steps.len() == STEPS_MAX {
            return Err(parser.error("no more than 64 steps"));
        }
        let is_first = steps.is_empty();
        steps.push(parser.step(is_first)?);
    }
    if steps.is_empty() { Err(parser.error("a path such as .status.phase")) } else { Ok(steps) }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn step(&mut self, is_first: bool) -> Result<PathStep<'static>, ParseError> {
        if self.skip_if("[*]") {
            return Ok(PathStep::Each);
        }
        if self.skip_if("['") {
            return self.quoted('\'', "']");
        }
        if self.skip_if("[\"") {
            return self.quoted('"', "\"]");
        }
        if self.skip_if("[") {
            return self.index();
        }
        if !self.skip_if(".") && !is_first {
            return Err(self.error("a dot or a bracket"));
        }
        self.bare()
    }

    /// A number without leading zeros and its closing bracket.
    fn index(&mut self) -> Result<PathStep<'static>, ParseError> {
        let rest = self.rest();
        let digits = &rest[..rest.bytes().take_while(u8::is_ascii_digit).count()];
        if digits.is_empty() || (digits.len() > 1 && digits.starts_with('0')) {
            return Err(self.error("*, an index such as 0 or a quoted name in brackets"));
        }
        let index = digits.parse().map_err(|_| self.error("an index that is less than 2^64"))?;
        self.at += digits.len();
        if self.skip_if("]") { Ok(PathStep::Index(index)) } else { Err(self.error("a closing bracket")) }
    }

    /// A name up to the next dot or bracket.
    fn bare(&mut self) -> Result<PathStep<'static>, ParseError> {
        let rest = self.rest();
        let name = &rest[..rest.find(['.', '[']).unwrap_or(rest.len())];
        match name.find(|c: char| c.is_whitespace() || matches!(c, ']' | '\'' | '"' | '*' | '\\')) {
            Some(invalid) => {
                self.at += invalid;
                Err(self.error("a name, or one in brackets and quotes"))
            }
            None if name.is_empty() => Err(self.error("a name")),
            None => {
                self.at += name.len();
                Ok(PathStep::Member(name.to_owned().into()))
            }
        }
    }

    fn quoted(&mut self, quote: char, close: &str) -> Result<PathStep<'static>, ParseError> {
        let mut name = String::new();
        loop {
            let Some(next) = self.rest().chars().next() else {
                return Err(self.error("a closing quote and bracket"));
            };
            match next {
                '\\' => {
                    self.at += 1;
                    let escaped = self.rest().chars().next().filter(|c| matches!(c, '\\' | '\'' | '"'));
                    name.push(escaped.ok_or_else(|| self.error("a quote or a backslash"))?);
                    self.at += 1;
                }
                end if end == quote => {
                    return if self.skip_if(close) {
                        Ok(PathStep::Member(name.into()))
                    } else {
                        self.at += 1;
                        Err(self.error("a closing bracket"))
                    };
                }
                other => {
                    name.push(other);
                    self.at += other.len_utf8();
                }
            }
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_if(&mut self, prefix: &str) -> bool {
        let is_next = self.rest().starts_with(prefix);
        self.at += if is_next { prefix.len() } else { 0 };
        is_next
    }

    fn error(&self, expected: &'static str) -> ParseError {
        ParseError::new(ParseTarget::FieldPath, self.text, self.at, expected)
    }
}
