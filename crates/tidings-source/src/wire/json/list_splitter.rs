//! Splits the body of a JSON list into items while it streams in. A pushdown scanner: it tracks which token may follow,
//! and [`ValueEnd`] finds the end of each key, field and item. It never recurses.
//!
//! Keys may be in any order (lists of custom resources have `metadata` after `items`) and may be escaped. A key named
//! `items` deeper in the body is not mistaken for the list's own. Of duplicate keys the last one counts, except that a
//! second `items` is an error, because the items of the first one were already returned. Only the parts that are used
//! are checked to be well-formed: the head's fields here, the items by the intake.
//!
//! ```text
//! {"kind":"PodList","items":[{"a":1},{"b    find() returns {"a":1}, then buffers {"b
//! ":2}],"metadata":{...}}                   find() returns {"b":2}, then reads metadata into the head
//! ```

use serde_json::Value;
use tidings_object::ValueEnd;

use super::white_space::trim_start;
use crate::ListEnd;
use crate::wire::list_head::{ListHead, ListKind};
use crate::wire::partial_buffer::{CompleteBytes, PartialBuffer};
use crate::wire::{HEAD_FIELD_BYTES_MAX, ListSplitError};

/// Splits one body.
#[derive(Debug)]
pub(crate) struct JsonListSplitter {
    frame_bytes_max: usize,
    expects: Expects,
    head: ListHead,
    /// The first part of a key, field or item whose end has not arrived.
    partial: PartialBuffer,
    /// The field whose value is next.
    field: Field,
    /// The offset of the next byte in the body.
    at: usize,
    items: usize,
}

/// What the next byte may be, white space aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expects {
    Object,
    KeyOrEnd,
    Key,
    Colon,
    Value,
    CommaOrEnd,
    ItemOrEnd,
    Item,
    CommaOrEndOfItems,
    Nothing,
    /// The rest of a value, of which `usize` bytes have arrived.
    RestOf(Part, ValueEnd, usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Key,
    Field,
    Item,
}

/// The fields of a list, and those of a `Status`, which a server may send instead of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Items,
    Head(&'static str),
    Unknown,
}

const HEAD_FIELDS: [&str; 8] =
    ["apiVersion", "kind", "metadata", "status", "message", "reason", "details", "code"];

impl JsonListSplitter {
    pub(crate) fn new(kind: ListKind, frame_bytes_max: usize) -> JsonListSplitter {
        JsonListSplitter {
            frame_bytes_max,
            expects: Expects::Object,
            head: ListHead::new(kind),
            partial: PartialBuffer::default(),
            field: Field::Unknown,
            at: 0,
            items: 0,
        }
    }

    /// See [`ListSplitter::next`](crate::wire::ListSplitter::next).
    pub(crate) fn next<'a, 'i: 'a>(
        &'a mut self,
        input: &mut &'i [u8],
    ) -> Result<Option<&'a [u8]>, ListSplitError> {
        let complete = self.find(input)?;
        Ok(complete.map(|complete| self.partial.bytes(complete)))
    }

    pub(crate) fn items(&self) -> usize {
        self.items
    }

    pub(crate) fn finish(self) -> Result<ListEnd, ListSplitError> {
        if self.expects != Expects::Nothing {
            return Err(ListSplitError::Truncated { items: self.items });
        }
        self.head.check_complete()?;
        Ok(self.head.into_end())
    }

    fn find<'i>(&mut self, input: &mut &'i [u8]) -> Result<Option<CompleteBytes<'i>>, ListSplitError> {
        self.partial.clear_if_complete();
        loop {
            if let Expects::RestOf(part, mut end, size) = self.expects {
                let value_end = end.advance(input);
                let (bytes, rest) = input.split_at(value_end.unwrap_or(input.len()));
                *input = rest;
                self.at += bytes.len();
                let size = size + bytes.len();
                self.check_size(part, size)?;
                if value_end.is_none() {
                    self.buffer(part, bytes);
                    self.expects = Expects::RestOf(part, end, size);
                    return Ok(None);
                }
                if let Some(complete) = self.take(part, bytes)? {
                    return Ok(Some(complete));
                }
            } else {
                let rest = trim_start(input);
                self.at += input.len() - rest.len();
                *input = rest;
                let Some(byte) = rest.first() else { return Ok(None) };
                if self.step(*byte)? {
                    *input = &rest[1..];
                    self.at += 1;
                }
            }
        }
    }

    /// Decides what follows. Returns `true` if `byte` is consumed, `false` if it is the first byte of a value.
    fn step(&mut self, byte: u8) -> Result<bool, ListSplitError> {
        use Expects::*;
        let next = match (self.expects, byte) {
            (Object, b'{') => KeyOrEnd,
            (Object, _) => return Err(ListSplitError::NotAList),
            (KeyOrEnd | CommaOrEnd, b'}') => Nothing,
            (KeyOrEnd | Key, b'"') => return self.begin(Part::Key, byte),
            (KeyOrEnd | Key, _) => return Err(self.malformed("a key in quotes")),
            (Colon, b':') => Value,
            (Colon, _) => return Err(self.malformed("a colon")),
            (Value, b'[') if self.field == Field::Items => {
                self.head.begin_items()?;
                ItemOrEnd
            }
            (Value, _) if self.field == Field::Items && byte != b'n' => {
                return Err(self.malformed("an array of items"));
            }
            (Value, _) => return self.begin(Part::Field, byte),
            (CommaOrEnd, b',') => Key,
            (ItemOrEnd | CommaOrEndOfItems, b']') => CommaOrEnd,
            (ItemOrEnd | Item, _) => return self.begin(Part::Item, byte),
            (CommaOrEndOfItems, b',') => Item,
            (CommaOrEnd | CommaOrEndOfItems, _) => return Err(self.malformed("a comma or a bracket")),
            (Nothing, _) => return Err(self.malformed("nothing after the list")),
            (RestOf(..), _) => unreachable!("find() reads a value to its end before it calls step()"),
        };
        self.expects = next;
        Ok(true)
    }

    fn begin(&mut self, part: Part, first: u8) -> Result<bool, ListSplitError> {
        let end = ValueEnd::of_value_starting(first).ok_or_else(|| self.malformed("a value"))?;
        self.expects = Expects::RestOf(part, end, 0);
        Ok(false)
    }

    fn check_size(&self, part: Part, size: usize) -> Result<(), ListSplitError> {
        match part {
            Part::Item if size > self.frame_bytes_max => {
                Err(ListSplitError::ItemTooLarge { limit_bytes: self.frame_bytes_max })
            }
            Part::Key if size > HEAD_FIELD_BYTES_MAX => Err(self.malformed("a key of at most 1 MiB")),
            Part::Field if size > HEAD_FIELD_BYTES_MAX && self.field != Field::Unknown => {
                Err(self.malformed("a field of at most 1 MiB"))
            }
            // An unknown field is not buffered, so its size does not matter.
            _ => Ok(()),
        }
    }

    fn buffer(&mut self, part: Part, bytes: &[u8]) {
        if part != Part::Field || self.field != Field::Unknown {
            self.partial.extend(bytes);
        }
    }

    /// Takes the last bytes of a key, field or item.
    fn take<'i>(&mut self, part: Part, bytes: &'i [u8]) -> Result<Option<CompleteBytes<'i>>, ListSplitError> {
        let complete = self.partial.complete(bytes);
        if part == Part::Item {
            self.items += 1;
            self.expects = Expects::CommaOrEndOfItems;
            return Ok(Some(complete));
        }
        let mut partial = std::mem::take(&mut self.partial);
        let text = partial.bytes(complete);
        if part == Part::Key {
            self.field = self.field_named(text)?;
            self.expects = Expects::Colon;
        } else {
            self.take_field(text)?;
            self.expects = Expects::CommaOrEnd;
        }
        partial.clear_if_complete();
        self.partial = partial;
        Ok(None)
    }

    fn take_field(&mut self, text: &[u8]) -> Result<(), ListSplitError> {
        match self.field {
            Field::Unknown => Ok(()),
            Field::Items if text == b"null" => Ok(self.head.begin_items()?),
            Field::Items => Err(self.malformed("an array of items")),
            Field::Head(name) => {
                let value: Value =
                    serde_json::from_slice(text).map_err(|_| self.malformed("a well-formed value"))?;
                Ok(self.head.take(name, value)?)
            }
        }
    }

    fn field_named(&self, text: &[u8]) -> Result<Field, ListSplitError> {
        let key: String = serde_json::from_slice(text).map_err(|_| self.malformed("a well-formed key"))?;
        let known = HEAD_FIELDS.into_iter().find(|name| *name == key);
        Ok(match known {
            Some(name) => Field::Head(name),
            None if key == "items" => Field::Items,
            None => Field::Unknown,
        })
    }

    fn malformed(&self, expected: &'static str) -> ListSplitError {
        ListSplitError::Malformed { at: self.at, expected }
    }
}

#[cfg(test)]
mod tests;
