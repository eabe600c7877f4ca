//! Texts: protobuf accepts any bytes, JSON needs UTF-8. Go's JSON encoder replaces each invalid byte by U+FFFD.

use std::borrow::Cow;

use serde::de::Visitor;

use crate::Error;

pub(crate) struct Utf8Text<'de>(pub(crate) Cow<'de, str>);

/// The bytes as text, with U+FFFD for each byte that is not valid UTF-8.
///
/// Go's decoders accept any bytes as a string, and its JSON encoder then writes this text. `String::from_utf8_lossy` is
/// different: it writes one U+FFFD for several invalid bytes.
///
/// ```
/// assert_eq!(tidings_protobuf::repaired_utf8(b"web-\xf0\x9f"), "web-\u{fffd}\u{fffd}");
/// ```
#[inline]
pub fn repaired_utf8(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(repaired(bytes)),
    }
}

/// The bytes as text, for a visitor.
#[inline]
pub(crate) fn text(bytes: &[u8]) -> Utf8Text<'_> {
    Utf8Text(repaired_utf8(bytes))
}

#[cold]
fn repaired(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    text
}

impl<'de> Utf8Text<'de> {
    #[inline]
    pub(crate) fn visit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        }
    }
}
