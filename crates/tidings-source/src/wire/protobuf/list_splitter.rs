//! Splits the body of a protobuf list into items while it streams in.
//!
//! The list is one field of an envelope (see [`envelope`](super::envelope)), and the items are fields of the list. Each
//! field has a length prefix, so that a truncated body is always noticed. Fields may be in any order. Of duplicate
//! fields the last one counts, except that a second list is an error, because the items of the first one were already
//! returned.
//!
//! ```text
//! k8s\0                     Magic
//! 0a 0d ...                 envelope field 1, 13 bytes: typeMeta (apiVersion v1, kind PodList)
//! 12 96 01                  envelope field 2, 150 bytes: the list; list_left = 150
//!    0a 04 ...              list field 1, 4 bytes: metadata
//!    12 40 ...              list field 2, 64 bytes: an item, returned by find()
//! ```

use serde_json::{Map, Value};
use tidings_protobuf::wire;

use super::envelope::{
    CONTENT_ENCODING, MAGIC, MessageError, RAW, TYPE_META, TypeMeta, bytes_of, each_field, text_of,
};
use super::read_status;
use super::varint::Varint;
use crate::ListEnd;
use crate::wire::list_head::{ListHead, ListHeadError, ListKind};
use crate::wire::partial_buffer::{CompleteBytes, PartialBuffer};
use crate::wire::{HEAD_FIELD_BYTES_MAX, ListSplitError};

/// Splits one body.
#[derive(Debug)]
pub(crate) struct ProtobufListSplitter {
    frame_bytes_max: usize,
    expects: Expects,
    head: ListHead,
    /// The first part of a field or item whose end has not arrived.
    partial: PartialBuffer,
    /// Within the list: how many of its bytes have not arrived.
    list_left: Option<u64>,
    /// The offset of the next byte in the body.
    at: usize,
    items: usize,
}

/// What the next byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expects {
    /// The four bytes that every response begins with, of which `usize` have arrived.
    Magic(usize),
    /// The number and type of a field.
    Tag(Varint),
    /// The length of a field.
    Length(Field, Varint),
    /// A field, of which `u64` bytes have not arrived.
    Bytes(Field, u64),
    /// A number that is skipped.
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
    /// A `Status` instead of a list.
    Status,
    Unknown,
}

/// The fields of a list.
const LIST_META: u32 = 1;
const ITEM: u32 = 2;

/// Field numbers of protobuf are below this one.
const FIELD_NUMBERS_END: u32 = 1 << 29;

/// Between two fields.
const NEXT_FIELD: Expects = Expects::Tag(Varint::NONE);

impl ProtobufListSplitter {
    pub(crate) fn new(kind: ListKind, frame_bytes_max: usize) -> ProtobufListSplitter {
        ProtobufListSplitter {
            frame_bytes_max,
            expects: Expects::Magic(0),
            head: ListHead::new(kind),
            partial: PartialBuffer::default(),
            list_left: None,
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
        if self.expects != NEXT_FIELD || self.list_left.is_some() || !self.head.has_items() {
            return Err(ListSplitError::Truncated { items: self.items });
        }
        self.head.check_complete()?;
        Ok(self.head.into_end())
    }

    fn find<'i>(&mut self, input: &mut &'i [u8]) -> Result<Option<CompleteBytes<'i>>, ListSplitError> {
        self.partial.clear_if_complete();
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
                        self.partial.extend(bytes);
                    }
                    self.expects = Expects::Bytes(field, left);
                    return Ok(None);
                }
                self.expects = NEXT_FIELD;
                if let Some(complete) = self.take(field, bytes)? {
                    return Ok(Some(complete));
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

    /// Takes one byte of the magic number, a tag, a length or a skipped number. Returns what follows.
    fn step(&mut self, byte: u8) -> Result<Expects, ListSplitError> {
        let finished = |number: &mut Varint| number.take(byte);
        Ok(match self.expects {
            Expects::Magic(arrived) if byte != MAGIC[arrived] => return Err(ListSplitError::NotAList),
            Expects::Magic(arrived) if arrived + 1 < MAGIC.len() => Expects::Magic(arrived + 1),
            Expects::Magic(_) => NEXT_FIELD,
            Expects::Tag(mut number) => match finished(&mut number).map_err(|_| self.too_long())? {
                Some(tag) => self.field(tag)?,
                None => Expects::Tag(number),
            },
            Expects::Length(field, mut number) => match finished(&mut number).map_err(|_| self.too_long())? {
                Some(length) => self.begin(field, length)?,
                None => Expects::Length(field, number),
            },
            Expects::Number(mut number) => match finished(&mut number).map_err(|_| self.too_long())? {
                Some(_) => NEXT_FIELD,
                None => Expects::Number(number),
            },
            Expects::Bytes(..) => unreachable!("find() reads a field to its end before it calls step()"),
        })
    }

    /// What follows the number and type of a field.
    fn field(&mut self, tag: u64) -> Result<Expects, ListSplitError> {
        let is_in_list = self.list_left.is_some();
        let field = match u32::try_from(tag >> 3) {
            Err(_) | Ok(0 | FIELD_NUMBERS_END..) => return Err(self.malformed("a field with a number")),
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
    fn begin(&mut self, field: Field, length: u64) -> Result<Expects, ListSplitError> {
        if self.list_left.is_some_and(|left| length > left) {
            return Err(self.malformed("a field that ends within its list"));
        }
        let field = match field {
            Field::Item if length > self.frame_bytes_max as u64 => {
                return Err(ListSplitError::ItemTooLarge { limit_bytes: self.frame_bytes_max });
            }
            Field::List if self.head.is_status() => Field::Status,
            Field::List => {
                self.head.begin_items()?;
                self.list_left = Some(length);
                return Ok(NEXT_FIELD);
            }
            field => field,
        };
        // An unknown field is not buffered, so its size does not matter.
        if !matches!(field, Field::Item | Field::Unknown) && length > HEAD_FIELD_BYTES_MAX as u64 {
            return Err(self.malformed("a field of at most 1 MiB"));
        }
        Ok(Expects::Bytes(field, length))
    }

    /// Takes the last bytes of a field.
    fn take<'i>(
        &mut self,
        field: Field,
        bytes: &'i [u8],
    ) -> Result<Option<CompleteBytes<'i>>, ListSplitError> {
        if field == Field::Unknown {
            return Ok(None);
        }
        let complete = self.partial.complete(bytes);
        if field == Field::Item {
            self.items += 1;
            return Ok(Some(complete));
        }
        let mut partial = std::mem::take(&mut self.partial);
        self.take_head(field, partial.bytes(complete))?;
        partial.clear_if_complete();
        self.partial = partial;
        Ok(None)
    }

    fn take_head(&mut self, field: Field, message: &[u8]) -> Result<(), ListSplitError> {
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
            Field::Status => return Err(ListHeadError::Status(read_status(message)).into()),
            _ => {}
        }
        Ok(())
    }

    fn too_long(&self) -> ListSplitError {
        self.malformed("a number of at most 64 bits")
    }

    fn malformed(&self, expected: &'static str) -> ListSplitError {
        ListSplitError::Malformed { at: self.at, expected }
    }
}

/// Reads `ListMeta` as JSON.
fn list_meta(message: &[u8]) -> Result<Value, MessageError> {
    let mut metadata = Map::new();
    each_field(message, |number, value| {
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
    each_field(message, |number, value| {
        if number == 1 {
            info.insert("selector".to_owned(), text_of(number, value)?.into());
        }
        Ok(())
    })?;
    Ok(Value::Object(info))
}

#[cfg(test)]
mod tests;
