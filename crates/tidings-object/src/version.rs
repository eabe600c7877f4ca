//! A resourceVersion: what the server sent, and a number when it is one.
//!
//! Versions of one resource are decimal numbers that can be ordered (KEP-5504), except where an aggregated
//! API server does otherwise: such a version is kept and sent back as it is, and has no order.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// A resourceVersion as the server sent it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Version(Form);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Form {
    /// Written without leading zeros, so that the text is the number's own.
    Number(u64),
    Text(Arc<str>),
}

impl Version {
    /// Takes what the server sent.
    pub fn new(text: &str) -> Version {
        match canonical_number(text.as_bytes()) {
            Some(number) => Version(Form::Number(number)),
            None => Version(Form::Text(text.into())),
        }
    }

    /// The version as a number, if it is one.
    pub fn number(&self) -> Option<u64> {
        match &self.0 {
            Form::Number(number) => Some(*number),
            Form::Text(_) => None,
        }
    }

    /// The version that no object has: an absent resourceVersion.
    pub fn is_empty(&self) -> bool {
        matches!(&self.0, Form::Text(text) if text.is_empty())
    }

    /// How it stands to another version of the same resource; `None` when that can't be told.
    pub fn compare(&self, other: &Version) -> Option<Ordering> {
        match (&self.0, &other.0) {
            (Form::Number(a), Form::Number(b)) => Some(a.cmp(b)),
            (a, b) => (a == b).then_some(Ordering::Equal),
        }
    }

    /// Whether it is known to be at least `other`.
    pub fn is_at_least(&self, other: &Version) -> bool {
        matches!(self.compare(other), Some(Ordering::Equal | Ordering::Greater))
    }

    /// Whether it is known to be older than `other`.
    pub fn is_older_than(&self, other: &Version) -> bool {
        self.compare(other) == Some(Ordering::Less)
    }
}

/// The number that is written just so; 19 digits fit whatever they are.
fn canonical_number(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 19 || (text[0] == b'0' && text.len() > 1) {
        return None;
    }
    text.iter().try_fold(0, |number: u64, digit| {
        digit.is_ascii_digit().then(|| number * 10 + u64::from(digit - b'0'))
    })
}

impl From<u64> for Version {
    fn from(number: u64) -> Self {
        Version(Form::Number(number))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Number(number) => number.fmt(f),
            Form::Text(text) => f.write_str(text),
        }
    }
}

impl fmt::Debug for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Version({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_that_is_no_number_is_kept_as_it_is_and_has_no_order() {
        let odd = Version::new("a1b2");
        assert_eq!(odd.to_string(), "a1b2");
        assert_eq!(odd.compare(&Version::new("7")), None);
        assert_eq!(odd.compare(&Version::new("a1b2")), Some(Ordering::Equal));
        for text in ["007", "99999999999999999999999", "", "-1", "+1", " 1"] {
            assert_eq!(Version::new(text).to_string(), text);
            assert_eq!(Version::new(text).number(), None, "{text:?}");
        }
        assert!(Version::new("9").is_older_than(&Version::new("10")));
        assert!(Version::new("10").is_at_least(&Version::new("10")));
    }
}
