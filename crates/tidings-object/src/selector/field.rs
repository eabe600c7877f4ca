//! Field selectors, in the syntax of the API server: `metadata.name=web-0,spec.nodeName!=node-1`.
//!
//! In a value, a backslash escapes backslash, comma and equals sign.

use std::fmt;
use std::str::FromStr;

use crate::{ParseError, ParseTarget};

/// A field selector. The empty selector matches everything. The server decides for each resource which fields can be
/// selected.
///
/// ```
/// use tidings_object::FieldSelector;
///
/// let selector = FieldSelector::parse("status.phase!=Failed,spec.nodeName=node-1")?;
/// let field = |name: &str| match name {
///     "spec.nodeName" => Some("node-1"),
///     _ => None,
/// };
/// assert!(selector.matches(field));
/// # Ok::<(), tidings_object::ParseError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct FieldSelector {
    requirements: Vec<FieldRequirement>,
}

/// One requirement on one field.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FieldRequirement {
    /// The field, such as `metadata.name`.
    pub field: String,
    /// How to compare its value with this one.
    pub operator: FieldOperator,
    /// The value. An absent field has the empty value.
    pub value: String,
}

/// How a [`FieldRequirement`] compares values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FieldOperator {
    /// The values are equal.
    Equals,
    /// The values differ.
    NotEquals,
}

impl FieldSelector {
    /// The selector that matches everything.
    pub fn everything() -> Self {
        FieldSelector::default()
    }

    /// Parses a selector as the API server does: it skips empty terms and splits a term at its first operator.
    pub fn parse(text: &str) -> Result<FieldSelector, ParseError> {
        let mut requirements = Vec::new();
        for (at, term) in terms(text) {
            if !term.is_empty() {
                let error = |(within, expected)| {
                    ParseError::new(ParseTarget::FieldSelector, text, at + within, expected)
                };
                requirements.push(requirement(term).map_err(error)?);
            }
        }
        Ok(FieldSelector { requirements })
    }

    /// A selector of these requirements, all of which must hold.
    pub fn all_of(requirements: impl IntoIterator<Item = FieldRequirement>) -> Self {
        FieldSelector { requirements: requirements.into_iter().collect() }
    }

    /// Its requirements.
    pub fn requirements(&self) -> &[FieldRequirement] {
        &self.requirements
    }

    /// Whether it matches everything.
    pub fn is_everything(&self) -> bool {
        self.requirements.is_empty()
    }

    /// Whether some fields match. `field` looks up the value of one field.
    pub fn matches<'a>(&self, field: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.requirements.iter().all(|one| {
            let is_equal = field(&one.field).unwrap_or_default() == one.value;
            is_equal == (one.operator == FieldOperator::Equals)
        })
    }
}

/// The parts between unescaped commas, each with its offset.
fn terms(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_escaped = false;
    let mut at = 0;
    text.split(move |c| {
        let is_comma = c == ',' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_comma
    })
    .map(move |term| {
        let start = at;
        at += term.len() + ",".len();
        (start, term)
    })
}

fn requirement(term: &str) -> Result<FieldRequirement, (usize, &'static str)> {
    let operators =
        [("!=", FieldOperator::NotEquals), ("==", FieldOperator::Equals), ("=", FieldOperator::Equals)];
    let found = operators
        .into_iter()
        .enumerate()
        .filter_map(|(rank, (sign, operator))| Some((term.find(sign)?, rank, sign, operator)))
        .min_by_key(|(at, rank, ..)| (*at, *rank));
    let Some((at, _, sign, operator)) = found else {
        return Err((term.len(), "=, == or != and a value"));
    };
    if at == 0 {
        return Err((0, "the name of a field"));
    }
    let value_at = at + sign.len();
    let value = unescaped(&term[value_at..]).map_err(|(within, expected)| (value_at + within, expected))?;
    Ok(FieldRequirement { field: term[..at].to_owned(), operator, value })
}

fn unescaped(text: &str) -> Result<String, (usize, &'static str)> {
    let mut value = String::with_capacity(text.len());
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some((_, escaped @ ('\\' | ',' | '='))) => value.push(escaped),
                _ => return Err((at + 1, "a backslash, comma or equals sign after a backslash")),
            },
            '=' => return Err((at, "a backslash before an equals sign in a value")),
            other => value.push(other),
        }
    }
    Ok(value)
}

impl FromStr for FieldSelector {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Self, ParseError> {
        FieldSelector::parse(text)
    }
}

impl fmt::Display for FieldSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, FieldRequirement { field, operator, value }) in self.requirements.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            let sign = match operator {
                FieldOperator::Equals => "=",
                FieldOperator::NotEquals => "!=",
            };
            let value = value.replace('\\', "\\\\").replace(',', "\\,").replace('=', "\\=");
            write!(f, "{comma}{field}{sign}{value}")?;
        }
        Ok(())
    }
}
