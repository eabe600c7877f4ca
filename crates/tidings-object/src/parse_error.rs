//! The one error of every parser in this crate.

use std::fmt;

/// A text is not a valid key, field path, selector or shard range.
///
/// The message has everything: what was parsed, the text, the offset and what the parser expected there.
///
/// ```
/// use tidings_object::{LabelSelector, ParseTarget};
///
/// let error = LabelSelector::parse("app in web").unwrap_err();
/// assert_eq!((error.target, error.at), (ParseTarget::LabelSelector, 7));
/// assert_eq!(
///     error.to_string(),
///     r#"label selector "app in web" at byte 7: expected an opening parenthesis"#,
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParseError {
    /// What the text should have been.
    pub target: ParseTarget,
    /// The text.
    pub text: String,
    /// The offset in bytes where the text stops being valid. It is 0 if the whole text is wrong.
    pub at: usize,
    /// What the parser expected at this offset.
    pub expected: &'static str,
}

/// What a text was parsed as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ParseTarget {
    /// A [`Key`](crate::Key).
    Key,
    /// A [`FieldPath`](crate::FieldPath).
    FieldPath,
    /// A [`LabelSelector`](crate::LabelSelector).
    LabelSelector,
    /// A [`FieldSelector`](crate::FieldSelector).
    FieldSelector,
    /// A range of hashes, which one shard owns.
    ShardRange,
}

impl ParseError {
    /// For the parsers of other tidings crates.
    #[doc(hidden)]
    pub fn new(
        target: ParseTarget,
        text: impl Into<String>,
        at: usize,
        expected: &'static str,
    ) -> ParseError {
        ParseError { target, text: text.into(), at, expected }
    }
}

impl std::error::Error for ParseError {}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.target, self.text)?;
        if self.at > 0 {
            write!(f, " at byte {}", self.at)?;
        }
        write!(f, ": expected {}", self.expected)
    }
}

impl fmt::Display for ParseTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ParseTarget::Key => "key",
            ParseTarget::FieldPath => "field path",
            ParseTarget::LabelSelector => "label selector",
            ParseTarget::FieldSelector => "field selector",
            ParseTarget::ShardRange => "shard range",
        })
    }
}
