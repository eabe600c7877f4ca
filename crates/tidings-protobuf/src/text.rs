//! Texts: protobuf holds any bytes, JSON holds UTF-8. Go's encoder puts U+FFFD in the place of each byte that is none.

use std::borrow::Cow;

use serde::de::Visitor;

use crate::Error;

pub(crate) struct Text<'de>(pub(crate) Cow<'de, str>);

/// The bytes as JSON has them.
#[inline]
pub(crate) fn text(bytes: &[u8]) -> Text<'_> {
    match str::from_utf8(bytes) {
        Ok(text) => Text(Cow::Borrowed(text)),
        Err(_) => Text(Cow::Owned(repaired(bytes))),
    }
}

fn repaired(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    text
}

impl<'de> Text<'de> {
    #[inline]
    pub(crate) fn visit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        }
    }
}
