//! Splits the body of a list while it streams in: the bytes of each item as soon as they are there, and at the
//! end what the list says of itself. The body is never held whole; at most one item is.
//!
//! Keys may come in any order (lists of custom resources have `metadata` after `items`), be escaped, and stand
//! deeper down as well without being mistaken. Of duplicate keys the last counts, except that a second `items`
//! is refused: what the first one held has been handed on. Only what is read is checked to be well-formed: the
//! items by whoever takes them in, and the fields of the list's head.

use serde_json::Value;

use super::value_end::{ValueEnd, trim_start};
use crate::ListEnd;
use crate::held::{Found, Held};
use crate::list_head::{Head, ListKind};
use crate::list_split::{HEAD_FIELD_BYTES_MAX, SplitError};

/// Splits one body.
#[derive(Debug)]
pub(crate) struct ListSplit {
    frame_bytes_max: usize,
    expects: Expects,
    head: Head,
    /// The beginning of a key, field or item whose end has not come.
    held: Held,
    /// The field whose value comes next.
    field: Field,
    /// How many bytes of the body came before what comes next.
    at: usize,
    items: usize,
}

/// What the next byte that is no white space may be.
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
    /// More of a value that has begun; of which `size` bytes have come.
    MoreOf(Part, ValueEnd, usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Key,
    Field,
    Item,
}

/// The fields of a list. Those of a Status belong to it, since one may come in place of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Items,
    Head(&'static str),
    Unknown,
}

const HEAD_FIELDS: [&str; 8] =
    ["apiVersion", "kind", "metadata", "status", "message", "reason", "details", "code"];

impl ListSplit {
    pub(crate) fn new(kind: ListKind, frame_bytes_max: usize) -> ListSplit {
        ListSplit {
            frame_bytes_max,
            expects: Expects::Object,
            head: Head::new(kind),
            held: Held::default(),
            field: Field::Unknown,
            at: 0,
            items: 0,
        }
    }

    /// The next item that ends within `input`, which is moved past it; `None` when more must come.
    pub(crate) fn next<'a, 'i: 'a>(
        &'a mut self,
        input: &mut &'i [u8],
    ) -> Result<Option<&'a [u8]>, SplitError> {
        let found = self.find(input)?;
        Ok(found.map(|found| self.held.lend(found)))
    }

    /// How many items have come.
    pub(crate) fn items(&self) -> usize {
        self.items
    }

    /// What the list says of itself, once the body has ended.
    pub(crate) fn finish(self) -> Result<ListEnd, SplitError> {
        if self.expects != Expects::Nothing {
            return Err(SplitError::Truncated { items: self.items });
        }
        self.head.check_whole()?;
        Ok(self.head.into_end())
    }

    fn find<'i>(&mut self, input: &mut &'i [u8]) -> Result<Option<Found<'i>>, SplitError> {
        self.held.give_back();
        loop {
            if let Expects::MoreOf(part, mut end, size) = self.expects {
                let value_end = end.advance(input);
                let (bytes, rest) = input.split_at(value_end.unwrap_or(input.len()));
                *input = rest;
                self.at += bytes.len();
                let size = size + bytes.len();
                self.check_size(part, size)?;
                if value_end.is_none() {
                    self.hold(part, bytes);
                    self.expects = Expects::MoreOf(part, end, size);
                    return Ok(None);
                }
                if let Some(found) = self.take(part, bytes)? {
                    return Ok(Some(found));
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

    /// Decides what follows; `true` if `byte` is done with, `false` if it begins a value.
    fn step(&mut self, byte: u8) -> Result<bool, SplitError> {
        use Expects::*;
        let next = match (self.expects, byte) {
            (Object, b'{') => KeyOrEnd,
            (Object, _) => return Err(SplitError::NotAList),
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
            (MoreOf(..), _) => unreachable!("a value that has begun is read to its end"),
        };
        self.expects = next;
        Ok(true)
    }

    fn begin(&mut self, part: Part, first: u8) -> Result<bool, SplitError> {
        let end = ValueEnd::of_value_starting(first).ok_or_else(|| self.malformed("a value"))?;
        self.expects = Expects::MoreOf(part, end, 0);
        Ok(false)
    }

    fn check_size(&self, part: Part, size: usize) -> Result<(), SplitError> {
        match part {
            Part::Item if size > self.frame_bytes_max => {
                Err(SplitError::ItemTooLarge { limit_bytes: self.frame_bytes_max })
            }
            Part::Key if size > HEAD_FIELD_BYTES_MAX => Err(self.malformed("a key of at most 1 MiB")),
            Part::Field if size > HEAD_FIELD_BYTES_MAX && self.field != Field::Unknown => {
                Err(self.malformed("a field of at most 1 MiB"))
            }
            // Nothing of it is held, so it may be as large as it likes.
            _ => Ok(()),
        }
    }

    fn hold(&mut self, part: Part, bytes: &[u8]) {
        if part != Part::Field || self.field != Field::Unknown {
            self.held.extend(bytes);
        }
    }

    /// Takes the last bytes of a value.
    fn take<'i>(&mut self, part: Part, bytes: &'i [u8]) -> Result<Option<Found<'i>>, SplitError> {
        let found = self.held.complete(bytes);
        if part == Part::Item {
            self.items += 1;
            self.expects = Expects::CommaOrEndOfItems;
            return Ok(Some(found));
        }
        let mut held = std::mem::take(&mut self.held);
        let text = held.lend(found);
        if part == Part::Key {
            self.field = self.field_named(text)?;
            self.expects = Expects::Colon;
        } else {
            self.take_field(text)?;
            self.expects = Expects::CommaOrEnd;
        }
        held.give_back();
        self.held = held;
        Ok(None)
    }

    fn take_field(&mut self, text: &[u8]) -> Result<(), SplitError> {
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

    fn field_named(&self, text: &[u8]) -> Result<Field, SplitError> {
        let key: String = serde_json::from_slice(text).map_err(|_| self.malformed("a well-formed key"))?;
        let known = HEAD_FIELDS.into_iter().find(|name| *name == key);
        Ok(match known {
            Some(name) => Field::Head(name),
            None if key == "items" => Field::Items,
            None => Field::Unknown,
        })
    }

    fn malformed(&self, expected: &'static str) -> SplitError {
        SplitError::Malformed { at: self.at, expected }
    }
}

#[cfg(test)]
mod tests;
