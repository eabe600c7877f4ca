//! From the text of a label selector to its requirements.

use super::{Operator, Requirement, SelectorError, syntax};

/// All requirements of a selector, sorted by key.
pub(super) fn requirements(text: &str) -> Result<Vec<Requirement>, SelectorError> {
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
        parser.pass(",", "a comma or the end")?;
    }
    requirements.sort_by(|a, b| a.key.cmp(&b.key));
    Ok(requirements)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn requirement(&mut self) -> Result<Requirement, SelectorError> {
        self.skip_space();
        if self.passed("!") {
            return Ok(Requirement { key: self.key()?, operator: Operator::DoesNotExist });
        }
        Ok(Requirement { key: self.key()?, operator: self.operator()? })
    }

    fn key(&mut self) -> Result<String, SelectorError> {
        self.skip_space();
        let (at, key) = (self.at, self.word());
        syntax::check_key(key).map_err(|expected| self.expected_at(at, expected))?;
        Ok(key.to_owned())
    }

    fn operator(&mut self) -> Result<Operator, SelectorError> {
        self.skip_space();
        if self.rest().is_empty() || self.rest().starts_with(',') {
            return Ok(Operator::Exists);
        }
        if self.passed("!=") {
            return Ok(Operator::NotIn(vec![self.value()?]));
        }
        if self.passed("==") || self.passed("=") {
            return Ok(Operator::In(vec![self.value()?]));
        }
        if self.passed(">") {
            return self.number().map(Operator::GreaterThan);
        }
        if self.passed("<") {
            return self.number().map(Operator::LessThan);
        }
        let at = self.at;
        match self.word() {
            "in" => self.values().map(Operator::In),
            "notin" => self.values().map(Operator::NotIn),
            _ => Err(self.expected_at(at, "=, ==, !=, in, notin, >, <, a comma or the end")),
        }
    }

    /// A value, which may be empty.
    fn value(&mut self) -> Result<String, SelectorError> {
        self.skip_space();
        let (at, value) = (self.at, self.word());
        syntax::check_value(value).map_err(|expected| self.expected_at(at, expected))?;
        Ok(value.to_owned())
    }

    fn number(&mut self) -> Result<i64, SelectorError> {
        self.skip_space();
        let (at, word) = (self.at, self.word());
        word.parse().map_err(|_| self.expected_at(at, "an integer"))
    }

    /// `(a,b)`, sorted; one value at least, which may be empty.
    fn values(&mut self) -> Result<Vec<String>, SelectorError> {
        self.skip_space();
        self.pass("(", "an opening parenthesis")?;
        let mut values = vec![self.value()?];
        loop {
            self.skip_space();
            if self.passed(")") {
                break;
            }
            self.pass(",", "a comma or a closing parenthesis")?;
            values.push(self.value()?);
        }
        values.sort();
        values.dedup();
        Ok(values)
    }

    /// Whatever stands up to white space or a character that means something.
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

    fn passed(&mut self, prefix: &str) -> bool {
        let is_there = self.rest().starts_with(prefix);
        self.at += if is_there { prefix.len() } else { 0 };
        is_there
    }

    fn pass(&mut self, prefix: &str, expected: &'static str) -> Result<(), SelectorError> {
        if self.passed(prefix) { Ok(()) } else { Err(self.expected_at(self.at, expected)) }
    }

    fn expected_at(&self, at: usize, expected: &'static str) -> SelectorError {
        SelectorError { text: self.text.to_owned(), at, expected }
    }
}
