//! Finds the members of a message: one pass over its bytes records the position of each field in a slot, and the table
//! maps it to JSON. All readers of the crate use this, so that they agree.
//!
//! If a single field is repeated, the last one counts, and nothing is merged. The items of a list may be interleaved
//! with other fields.
//!
//! Example: a message with the fields `name` (number 1) and `tags` (a list, number 2).
//!
//! ```text
//! bytes    1:"web"  2:"a"  1:"db"  2:"b"
//! slots    name = One("db")   tags = Many(from the first 2:"a", 2 fields)
//! JSON     {"name":"db","tags":["a","b"]}
//! ```

use crate::Error;
use crate::message::{Field, FieldEntry, Kind, Message, Presence, Shape};
use crate::time::Timestamp;
use crate::wire::{FieldReader, Value, WireError};

/// The position of a field in its message.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Slot<'a> {
    Absent,
    One(Value<'a>),
    /// The items of a list or map: the bytes from the first one on, and their number.
    Many(&'a [u8], u32),
}

/// A value of the JSON that is not decoded yet.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Node<'a> {
    Null,
    One(Kind, Value<'a>),
    Many(Items<'a>),
    Map(Items<'a>),
}

/// The items of a list or the entries of a map.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Items<'a> {
    pub(crate) kind: Kind,
    pub(crate) number: u32,
    from: &'a [u8],
    /// The number of fields with this number in `from`.
    count: u32,
    /// The rest of the last field, if it packs several numbers.
    packed: &'a [u8],
}

/// Records the position of each field of the message. `slots` has one slot per field.
pub(crate) fn scan<'a>(
    message: &'static Message,
    bytes: &'a [u8],
    slots: &mut [Slot<'a>],
) -> Result<(), Error> {
    let mut reader = FieldReader::new(bytes);
    loop {
        let from = reader.rest();
        let Some((number, value)) = reader.next()? else { return Ok(()) };
        match message.entry(number) {
            FieldEntry::Unknown => {}
            FieldEntry::Field(at) => {
                let at = usize::from(at);
                slots[at] = match (message.fields[at].shape, slots[at]) {
                    (Shape::One | Shape::Optional, _) => Slot::One(value),
                    (_, Slot::Many(first, count)) => Slot::Many(first, count.saturating_add(1)),
                    _ => Slot::Many(from, 1),
                };
            }
            // Go structs inline each other at most twice, which bounds this recursion.
            FieldEntry::Inlined(at, inner) => {
                let slots = &mut slots[usize::from(at)..][..inner.fields.len()];
                slots.fill(Slot::Absent);
                scan(inner, bytes_of(value)?, slots)?;
            }
        }
    }
}

/// The JSON value of a field; `None` if the object does not have the member.
#[inline]
pub(crate) fn node_of<'a>(field: &'static Field, slot: Slot<'a>) -> Result<Option<Node<'a>>, Error> {
    let absent = match field.presence {
        Presence::Always => Some(Node::Null),
        Presence::NotEmpty => None,
    };
    Ok(match (field.shape, slot) {
        // Go always encodes it. If it is missing, the server is older or it was pruned, and the JSON lacks it too.
        (Shape::One, Slot::Absent) if !matches!(field.kind, Kind::Bytes | Kind::List(_)) => None,
        (_, Slot::Absent) => absent,
        (Shape::One, Slot::One(value))
            if field.presence == Presence::NotEmpty && is_empty(field.kind, value)? =>
        {
            None
        }
        (_, Slot::One(value)) => Some(Node::One(field.kind, value)),
        (shape, Slot::Many(from, count)) => {
            let items = Items::new(field.kind, field.number, from, count);
            Some(if shape == Shape::Map { Node::Map(items) } else { Node::Many(items) })
        }
    })
}

fn is_empty(kind: Kind, value: Value<'_>) -> Result<bool, Error> {
    Ok(match (kind, value) {
        (Kind::Time | Kind::MicroTime, Value::Bytes(bytes)) => Timestamp::read(bytes)?.is_none(),
        (Kind::List(_), Value::Bytes(bytes)) => count(bytes)? == 0,
        (_, Value::Varint(number)) => number == 0,
        (_, Value::Fixed64(number)) => f64::from_bits(number) == 0.0,
        (_, Value::Fixed32(number)) => number == 0,
        (_, Value::Bytes(bytes)) => bytes.is_empty(),
    })
}

impl<'a> Node<'a> {
    /// Unwraps a value that is a message on the wire, but not an object in JSON.
    #[inline]
    pub(crate) fn opened(self) -> Result<Node<'a>, Error> {
        match self {
            Node::One(Kind::List(kind), value) => list(kind, bytes_of(value)?),
            Node::One(kind @ Kind::SchemaOrBool(_), value) => choice(kind, bytes_of(value)?),
            Node::One(kind @ (Kind::SchemaOrArray(_) | Kind::SchemaOrStrings(_)), value) => {
                choice(kind, bytes_of(value)?)
            }
            node => Ok(node),
        }
    }
}

/// The items of a named list, whose message has no other field. A list without items is null.
fn list<'a>(kind: &'static Kind, bytes: &'a [u8]) -> Result<Node<'a>, Error> {
    Ok(match count(bytes)? {
        0 => Node::Null,
        count => Node::Many(Items::new(*kind, 1, bytes, count)),
    })
}

fn count(list: &[u8]) -> Result<u32, WireError> {
    let mut reader = FieldReader::new(list);
    let mut count = 0;
    while let Some((number, _)) = reader.next()? {
        count += u32::from(number == 1);
    }
    Ok(count)
}

/// The value of one of apiextensions' choices between a schema and something else.
fn choice<'a>(kind: Kind, bytes: &'a [u8]) -> Result<Node<'a>, Error> {
    let mut schema = None;
    let mut other = None;
    let (schema_number, message) = match kind {
        Kind::SchemaOrBool(message) => (2, message),
        Kind::SchemaOrArray(message) | Kind::SchemaOrStrings(message) => (1, message),
        _ => return Err(Error::WrongWireType),
    };
    let mut reader = FieldReader::new(bytes);
    loop {
        let from = reader.rest();
        let Some((number, value)) = reader.next()? else { break };
        match (number, other) {
            (number, _) if number == schema_number => schema = Some(value),
            (1 | 2, Some((first, _, count))) => other = Some((first, value, count + 1)),
            (1 | 2, None) => other = Some((from, value, 1)),
            _ => {}
        }
    }
    let schema = schema.map(|value| Node::One(Kind::Message(message), value));
    let items = |kind| other.map(|(from, _, count)| Node::Many(Items::new(kind, 2, from, count)));
    Ok(match kind {
        Kind::SchemaOrBool(_) => {
            let allows = other.map_or(Value::Varint(0), |(_, value, _)| value);
            schema.unwrap_or(Node::One(Kind::Bool, allows))
        }
        Kind::SchemaOrArray(_) => items(Kind::Message(message)).or(schema).unwrap_or(Node::Null),
        _ => items(Kind::String).or(schema).unwrap_or(Node::Null),
    })
}

impl<'a> Items<'a> {
    fn new(kind: Kind, number: u32, from: &'a [u8], count: u32) -> Self {
        Items { kind, number, from, count, packed: &[] }
    }

    /// The next item on the wire.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<Option<Value<'a>>, WireError> {
        loop {
            if !self.packed.is_empty() {
                let mut packed = FieldReader::new(self.packed);
                let number = packed.varint()?;
                self.packed = packed.rest();
                return Ok(Some(Value::Varint(number)));
            }
            match self.next_field()? {
                Some(Value::Bytes(packed)) if self.kind.is_packable() => self.packed = packed,
                item => return Ok(item),
            }
        }
    }

    #[inline]
    fn next_field(&mut self) -> Result<Option<Value<'a>>, WireError> {
        let mut reader = FieldReader::new(self.from);
        while self.count > 0 {
            let Some((number, value)) = reader.next()? else { break };
            if number == self.number {
                self.from = reader.rest();
                self.count -= 1;
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// The number of items, unless they are packed.
    pub(crate) fn len_hint(&self) -> usize {
        self.count as usize
    }

    /// The key and the value of the next map entry.
    #[inline]
    pub(crate) fn next_entry(&mut self) -> Result<Option<(&'a [u8], Node<'a>)>, Error> {
        let Some(entry) = self.next()? else { return Ok(None) };
        let mut reader = FieldReader::new(bytes_of(entry)?);
        let mut key = &[][..];
        let mut value = None;
        while let Some((number, part)) = reader.next()? {
            match number {
                1 => key = bytes_of(part)?,
                2 => value = Some(part),
                _ => {}
            }
        }
        let value = value.unwrap_or_else(|| self.kind.zero());
        Ok(Some((key, Node::One(self.kind, value))))
    }
}

impl Kind {
    /// The value of a map entry without one: Go's zero value.
    fn zero(self) -> Value<'static> {
        match self {
            Kind::Bool | Kind::Int32 | Kind::Int64 => Value::Varint(0),
            Kind::Double => Value::Fixed64(0),
            _ => Value::Bytes(&[]),
        }
    }

    /// Whether one field may hold several packed values of a list.
    pub(crate) fn is_packable(self) -> bool {
        matches!(self, Kind::Bool | Kind::Int32 | Kind::Int64)
    }
}

#[inline]
pub(crate) fn bytes_of(value: Value<'_>) -> Result<&[u8], Error> {
    match value {
        Value::Bytes(bytes) => Ok(bytes),
        _ => Err(Error::WrongWireType),
    }
}

#[inline]
pub(crate) fn varint_of(value: Value<'_>) -> Result<u64, Error> {
    match value {
        Value::Varint(number) => Ok(number),
        _ => Err(Error::WrongWireType),
    }
}

/// The bytes of field 1 of a message whose other fields do not matter. The last one counts.
pub(crate) fn only_field(bytes: &[u8]) -> Result<&[u8], Error> {
    let mut reader = FieldReader::new(bytes);
    let mut found = &[][..];
    while let Some((number, value)) = reader.next()? {
        if number == 1 {
            found = bytes_of(value)?;
        }
    }
    Ok(found)
}
