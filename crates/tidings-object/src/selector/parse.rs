//! Parses the text of a label selector: a hand-written recursive descent parser.

use super::{Operator, Requirement, syntax};
use crate::{ParseError, ParseTarget};

/// All requirements of a selector, sorted by key.
pub(super) fn requirements(text: &str) -> Result<Vec<Requirement>, ParseError> {
    let mut parser = Parser { text, at: 0 };
    let mut requirements = Vec::new();
    parser.skip_space();
    if parser.rest().is_empty() {
        return Ok(requirements);
    }
    loop {
        requirements.push(parser.requirement()?);
        parser.skip_space();
        if parser.rest().is_empty() {
            break;
        }
        parser.expect(",", "a comma or the end")?;
    }
    requirements.sort_by(|a, b| a.key.cmp(&b.key));
    Ok(requirements)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn requirement(&mut self) -> Result<Requirement, ParseError> {
        self.skip_space();
        if self.skip_if("!") {
            return Ok(Requirement { key: self.key()?, operator: Operator::DoesNotExist });
        }
        Ok(Requirement { key: self.key()?, operator: self.operator()? })
    }

    fn key(&mut self) -> Result<String, ParseError> {
        self.skip_space();
        let (at, key) = (self.at, self.word());
        syntax::check_key(key).map_err(|expected| self.error_at(at, expected))?;
        Ok(key.to_owned())
    }

    fn operator(&mut self) -> Result<Operator, ParseError> {
        self.skip_space();
        if self.rest().is_empty() || self.rest().starts_with(',') {
            return Ok(Operator::Exists);
        }
        if self.skip_if("!=") {
            return Ok(Operator::NotIn(vec![self.value()?]));
        }
        if self.skip_if("==") || self.skip_if("=") {
            return Ok(Operator::In(vec![self.value()?]));
        }
        if self.skip_if(">") {
            return self.number().map(Operator::GreaterThan);
        }
        if self.skip_if("<") {
            return self.number().map(Operator::LessThan);
        }
        let at = self.at;
        match self.word() {
            "in" => self.values().map(Operator::In),
            "notin" => self.values().map(Operator::NotIn),
            _ => Err(self.error_at(at, "=, ==, !=, in, notin, >, <, a comma or the end")),
        }
    }

    /// A value, which may be empty.
    fn value(&mut self) -> Result<String, ParseError> {
        self.skip_space();
        let (at, value) = (self.at, self.word());
        syntax::check_value(value).map_err(|expected| self.error_at(at, expected))?;
        Ok(value.to_owned())
    }

    fn number(&mut self) -> Result<i64, ParseError> {
        self.skip_space();
        let (at, word) = (self.at, self.word());
        word.parse().map_err(|_| self.error_at(at, "an integer"))
    }

    /// `(a,b)`, sorted. There is at least one value, which may be empty.
    fn values(&mut self) -> Result<Vec<String>, ParseError> {
        self.skip_space();
        self.expect("(", "an opening parenthesis")?;
        let mut values = vec![self.value()?];
        loop {
            self.skip_space();
            if self.skip_if(")") {
                break;
            }
            self.expect(",", "a comma or a closing parenthesis")?;
            values.push(self.value()?);
        }
        values.sort();
        values.dedup();
        Ok(values)
    }

    /// The text up to white space or a character of the syntax.
    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let is_end =
            |c: char| c.is_ascii_whitespace() || matches!(c, ',' | '=' | '!' | '(' | ')' | '<' | '>');
        let word = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_ascii_start().len();
    }

    fn skip_if(&mut self, prefix: &str) -> bool {
        let is_next = self.rest().starts_with(prefix);
        self.at += if is_next { prefix.len() } else { 0 };
        is_next
    }

    fn expect(&mut self, prefix: &str, expected: &'static str) -> Result<(), ParseError> {
        if self.skip_if(prefix) { Ok(()) } else { Err(self.error_at(self.at, expected)) }
    }

    fn error_at(&self, at: usize, expected: &'static str) -> ParseError {
        ParseError::new(ParseTarget::LabelSelector, self.text, at, expected)
    }
}
