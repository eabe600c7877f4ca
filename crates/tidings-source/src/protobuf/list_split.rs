//! Splits the body of a list while it streams in: the bytes of each item as soon as they are there, and at the end
//! what the list says of itself. The body is never held whole; at most one item is.
//!
//! A list stands in an envelope (see [`envelope`](super::envelope)) that tells its length, and each item tells its
//! own: so whatever is missing is missed. Fields may come in any order. Of duplicates the last counts, except that
//! a second list is refused: what the first one held has been handed on.

use serde_json::{Map, Value};
use tidings_protobuf::wire;

use super::envelope::{
    CONTENT_ENCODING, MAGIC, MessageError, RAW, TYPE_META, TypeMeta, bytes_of, each, text_of,
};
use super::varint::Varint;
use crate::held::{Found, Held};
use crate::list_head::{Head, ListKind, Wrong};
use crate::list_split::{HEAD_FIELD_BYTES_MAX, SplitError};
use crate::{ListEnd, status};

/// Splits one body.
#[derive(Debug)]
pub(crate) struct ListSplit {
    frame_bytes_max: usize,
    expects: Expects,
    head: Head,
    /// The beginning of a field or item whose end has not come.
    held: Held,
    /// While the list comes: how many of its bytes are still to come.
    list_left: Option<u64>,
    /// How many bytes of the body came before what comes next.
    at: usize,
    items: usize,
}

/// What the next byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expects {
    /// The four bytes that every answer begins with, of which so many have come.
    Magic(usize),
    /// The number and type of a field.
    Tag(Varint),
    /// The length of a field.
    Length(Field, Varint),
    /// A field, of which so many bytes are still to come.
    Bytes(Field, u64),
    /// A number that nobody reads.
    Number(Varint),
}

/// The fields of an envelope, and of the list in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    TypeMeta,
    List,
    Encoding,
    ListMeta,
    Item,
    /// In place of a list.
    Status,
    Unknown,
}

/// The fields of a list.
const LIST_META: u32 = 1;
const ITEM: u32 = 2;

/// No field of protobuf has this number or a higher one.
const NUMBER_OVER: u32 = 1 << 29;

/// Between two fields.
const NEXT_FIELD: Expects = Expects::Tag(Varint::NONE);

impl ListSplit {
    pub(crate) fn new(kind: ListKind, frame_bytes_max: usize) -> ListSplit {
        ListSplit {
            frame_bytes_max,
            expects: Expects::Magic(0),
            head: Head::new(kind),
            held: Held::default(),
            list_left: None,
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
        if self.expects != NEXT_FIELD || self.list_left.is_some() || !self.head.has_items() {
            return Err(SplitError::Truncated { items: self.items });
        }
        self.head.check_whole()?;
        Ok(self.head.into_end())
    }

    fn find<'i>(&mut self, input: &mut &'i [u8]) -> Result<Option<Found<'i>>, SplitError> {
        self.held.give_back();
        loop {
            if self.expects == NEXT_FIELD && self.list_left == Some(0) {
                self.list_left = None;
            }
            if let Expects::Bytes(field, left) = self.expects {
                let length = usize::try_from(left).map_or(input.len(), |left| left.min(input.len()));
                let (bytes, rest) = input.split_at(length);
                *input = rest;
                self.advance(length);
                let left = left - length as u64;
                if left > 0 {
                    if field != Field::Unknown {
                        self.held.extend(bytes);
                    }
                    self.expects = Expects::Bytes(field, left);
                    return Ok(None);
                }
                self.expects = NEXT_FIELD;
                if let Some(found) = self.take(field, bytes)? {
                    return Ok(Some(found));
                }
            } else {
                let Some((byte, rest)) = input.split_first() else { return Ok(None) };
                if self.list_left == Some(0) {
                    return Err(self.malformed("a field that ends within its list"));
                }
                *input = rest;
                self.advance(1);
                self.expects = self.step(*byte)?;
            }
        }
    }

    fn advance(&mut self, bytes: usize) {
        self.at += bytes;
        if let Some(left) = &mut self.list_left {
            *left -= bytes as u64;
        }
    }

    /// Takes one byte of what stands between the fields, and decides what follows.
    fn step(&mut self, byte: u8) -> Result<Expects, SplitError> {
        let whole = |number: &mut Varint| number.take(byte);
        Ok(match self.expects {
            Expects::Magic(come) if byte != MAGIC[come] => return Err(SplitError::NotAList),
            Expects::Magic(come) if come + 1 < MAGIC.len() => Expects::Magic(come + 1),
            Expects::Magic(_) => NEXT_FIELD,
            Expects::Tag(mut number) => match whole(&mut number).map_err(|_| self.too_long())? {
                Some(tag) => self.field(tag)?,
                None => Expects::Tag(number),
            },
            Expects::Length(field, mut number) => match whole(&mut number).map_err(|_| self.too_long())? {
                Some(length) => self.begin(field, length)?,
                None => Expects::Length(field, number),
            },
            Expects::Number(mut number) => match whole(&mut number).map_err(|_| self.too_long())? {
                Some(_) => NEXT_FIELD,
                None => Expects::Number(number),
            },
            Expects::Bytes(..) => unreachable!("a field that has begun is read to its end"),
        })
    }

    /// What follows the number and type of a field.
    fn field(&mut self, tag: u64) -> Result<Expects, SplitError> {
        let is_in_list = self.list_left.is_some();
        let field = match u32::try_from(tag >> 3) {
            Err(_) | Ok(0 | NUMBER_OVER..) => return Err(self.malformed("a field with a number")),
            Ok(LIST_META) if is_in_list => Field::ListMeta,
            Ok(ITEM) if is_in_list => Field::Item,
            Ok(TYPE_META) if !is_in_list => Field::TypeMeta,
            Ok(RAW) if !is_in_list => Field::List,
            Ok(CONTENT_ENCODING) if !is_in_list => Field::Encoding,
            Ok(_) => Field::Unknown,
        };
        match (tag & 7, field) {
            (2, field) => Ok(Expects::Length(field, Varint::NONE)),
            (0, Field::Unknown) => Ok(Expects::Number(Varint::NONE)),
            (1, Field::Unknown) => self.begin(field, 8),
            (5, Field::Unknown) => self.begin(field, 4),
            _ => Err(self.malformed("a field of another type")),
        }
    }

    /// What follows the length of a field.
    fn begin(&mut self, field: Field, length: u64) -> Result<Expects, SplitError> {
        if self.list_left.is_some_and(|left| length > left) {
            return Err(self.malformed("a field that ends within its list"));
        }
        let field = match field {
            Field::Item if length > self.frame_bytes_max as u64 => {
                return Err(SplitError::ItemTooLarge { limit_bytes: self.frame_bytes_max });
            }
            Field::List if self.head.is_status() => Field::Status,
            Field::List => {
                self.head.begin_items()?;
                self.list_left = Some(length);
                return Ok(NEXT_FIELD);
            }
            field => field,
        };
        // Of what nobody reads nothing is held, so it may be as large as it likes.
        if !matches!(field, Field::Item | Field::Unknown) && length > HEAD_FIELD_BYTES_MAX as u64 {
            return Err(self.malformed("a field of at most 1 MiB"));
        }
        Ok(Expects::Bytes(field, length))
    }

    /// Takes the last bytes of a field.
    fn take<'i>(&mut self, field: Field, bytes: &'i [u8]) -> Result<Option<Found<'i>>, SplitError> {
        if field == Field::Unknown {
            return Ok(None);
        }
        let found = self.held.complete(bytes);
        if field == Field::Item {
            self.items += 1;
            return Ok(Some(found));
        }
        let mut held = std::mem::take(&mut self.held);
        self.take_head(field, held.lend(found))?;
        held.give_back();
        self.held = held;
        Ok(None)
    }

    fn take_head(&mut self, field: Field, message: &[u8]) -> Result<(), SplitError> {
        match field {
            Field::TypeMeta => {
                let type_meta =
                    TypeMeta::read(message).map_err(|_| self.malformed("a well-formed typeMeta"))?;
                self.head.take("apiVersion", type_meta.api_version.into())?;
                self.head.take("kind", type_meta.kind.into())?;
            }
            Field::Encoding if !message.is_empty() => return Err(self.malformed("no content encoding")),
            Field::ListMeta => {
                let metadata = list_meta(message).map_err(|_| self.malformed("well-formed metadata"))?;
                self.head.take("metadata", metadata)?;
            }
            Field::Status => return Err(Wrong::Status(status::from_protobuf(message)).into()),
            _ => {}
        }
        Ok(())
    }

    fn too_long(&self) -> SplitError {
        self.malformed("a number of at most 64 bits")
    }

    fn malformed(&self, expected: &'static str) -> SplitError {
        SplitError::Malformed { at: self.at, expected }
    }
}

/// `ListMeta`, as JSON has it.
fn list_meta(message: &[u8]) -> Result<Value, MessageError> {
    let mut metadata = Map::new();
    each(message, |number, value| {
        let (name, value) = match (number, value) {
            (2, value) => ("resourceVersion", text_of(number, value)?.into()),
            (3, value) => ("continue", text_of(number, value)?.into()),
            (4, wire::Value::Varint(count)) => ("remainingItemCount", count.cast_signed().into()),
            (5, value) => ("shardInfo", shard_info(bytes_of(number, value)?)?),
            _ => return Ok(()),
        };
        metadata.insert(name.to_owned(), value);
        Ok(())
    })?;
    Ok(Value::Object(metadata))
}

fn shard_info(message: &[u8]) -> Result<Value, MessageError> {
    let mut info = Map::new();
    each(message, |number, value| {
        if number == 1 {
            info.insert("selector".to_owned(), text_of(number, value)?.into());
        }
        Ok(())
    })?;
    Ok(Value::Object(info))
}

#[cfg(test)]
mod tests;
