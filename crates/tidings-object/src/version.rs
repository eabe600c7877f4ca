//! A resourceVersion, stored as a number if it is one.
//!
//! The versions of one resource are decimal numbers with an order (KEP-5504). An aggregated API server may use other
//! texts: these are kept and sent back unchanged, and have no order.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// A resourceVersion as the server sent it.
///
/// ```
/// use tidings_object::Version;
///
/// assert!(Version::new("9").is_older_than(&Version::new("10")));
/// assert_eq!(Version::new("9").compare(&Version::new("a1b2")), None);
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Version(VersionForm);

#[derive(Clone, PartialEq, Eq, Hash)]
enum VersionForm {
    /// A text without leading zeros, so that the number prints as the same text.
    Number(u64),
    Text(Arc<str>),
}

impl Version {
    /// The version that the server sent as `text`.
    pub fn new(text: &str) -> Version {
        match canonical_number(text.as_bytes()) {
            Some(number) => Version(VersionForm::Number(number)),
            None => Version(VersionForm::Text(text.into())),
        }
    }

    /// The version as a number, if it is one.
    pub fn number(&self) -> Option<u64> {
        match &self.0 {
            VersionForm::Number(number) => Some(*number),
            VersionForm::Text(_) => None,
        }
    }

    /// Whether it is the empty version, which no object has.
    pub fn is_empty(&self) -> bool {
        matches!(&self.0, VersionForm::Text(text) if text.is_empty())
    }

    /// Compares two versions of the same resource; `None` if they have no order.
    pub fn compare(&self, other: &Version) -> Option<Ordering> {
        match (&self.0, &other.0) {
            (VersionForm::Number(a), VersionForm::Number(b)) => Some(a.cmp(b)),
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

/// The number that prints as exactly this text. Every number of 19 digits fits into 64 bits.
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
        Version(VersionForm::Number(number))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            VersionForm::Number(number) => number.fmt(f),
            VersionForm::Text(text) => f.write_str(text),
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
    fn a_version_that_is_not_a_number_is_kept_unchanged_and_has_no_order() {
        let opaque = Version::new("a1b2");
        assert_eq!(opaque.to_string(), "a1b2");
        assert_eq!(opaque.compare(&Version::new("7")), None);
        assert_eq!(opaque.compare(&Version::new("a1b2")), Some(Ordering::Equal));
        for text in ["007", "99999999999999999999999", "", "-1", "+1", " 1"] {
            assert_eq!(Version::new(text).to_string(), text);
            assert_eq!(Version::new(text).number(), None, "{text:?}");
        }
        assert!(Version::new("9").is_older_than(&Version::new("10")));
        assert!(Version::new("10").is_at_least(&Version::new("10")));
    }
}
