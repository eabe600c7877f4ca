//! From the text of a path to its steps.

use super::{FieldPathError, PathStep};

/// A path that goes deeper is a mistake; walking recurses once a step, so that this bounds it.
const STEPS_MAX: usize = 64;

pub(super) fn steps(text: &str) -> Result<Vec<PathStep<'static>>, FieldPathError> {
    let mut parser = Parser { text, at: 0 };
    let mut steps = Vec::new();
    while !parser.rest().is_empty() {
        if steps.len() == STEPS_MAX {
            return Err(parser.expected("no more than 64 steps"));
        }
        let is_first = steps.is_empty();
        steps.push(parser.step(is_first)?);
    }
    if steps.is_empty() { Err(parser.expected("a path such as .status.phase")) } else { Ok(steps) }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn step(&mut self, is_first: bool) -> Result<PathStep<'static>, FieldPathError> {
        if self.passed("[*]") {
            return Ok(PathStep::Each);
        }
        if self.passed("['") {
            return self.quoted('\'', "']");
        }
        if self.passed("[\"") {
            return self.quoted('"', "\"]");
        }
        if self.rest().starts_with('[') {
            self.at += 1;
            return Err(self.expected("* or a quoted name in brackets"));
        }
        if !self.passed(".") && !is_first {
            return Err(self.expected("a dot or a bracket"));
        }
        self.bare()
    }

    /// A name up to the next dot or bracket.
    fn bare(&mut self) -> Result<PathStep<'static>, FieldPathError> {
        let rest = self.rest();
        let name = &rest[..rest.find(['.', '[']).unwrap_or(rest.len())];
        match name.find(|c: char| c.is_whitespace() || matches!(c, ']' | '\'' | '"' | '*' | '\\')) {
            Some(odd) => {
                self.at += odd;
                Err(self.expected("a name, or one in brackets and quotes"))
            }
            None if name.is_empty() => Err(self.expected("a name")),
            None => {
                self.at += name.len();
                Ok(PathStep::Member(name.to_owned().into()))
            }
        }
    }

    fn quoted(&mut self, quote: char, close: &str) -> Result<PathStep<'static>, FieldPathError> {
        let mut name = String::new();
        loop {
            let Some(next) = self.rest().chars().next() else {
                return Err(self.expected("a closing quote and bracket"));
            };
            match next {
                '\\' => {
                    self.at += 1;
                    let escaped = self.rest().chars().next().filter(|c| matches!(c, '\\' | '\'' | '"'));
                    name.push(escaped.ok_or_else(|| self.expected("a quote or a backslash"))?);
                    self.at += 1;
                }
                end if end == quote => {
                    return if self.passed(close) {
                        Ok(PathStep::Member(name.into()))
                    } else {
                        self.at += 1;
                        Err(self.expected("a closing bracket"))
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

    fn passed(&mut self, prefix: &str) -> bool {
        let is_there = self.rest().starts_with(prefix);
        self.at += if is_there { prefix.len() } else { 0 };
        is_there
    }

    fn expected(&self, expected: &'static str) -> FieldPathError {
        FieldPathError { text: self.text.to_owned(), at: self.at, expected }
    }
}
