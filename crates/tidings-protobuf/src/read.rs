//! A `serde::Deserializer` over protobuf that behaves like one over JSON.
//!
//! It builds no intermediate value, and does not decode fields that the type ignores. It recurses once per nested
//! message, at most [`DEPTH_MAX`](crate::DEPTH_MAX) deep.

mod key;
mod members;

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::value::StringDeserializer;
use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};

use crate::message::{Kind, Message};
use crate::node::{Items, Node, Slot, bytes_of, only_field, scan, varint_of};
use crate::text::text;
use crate::time::Timestamp;
use crate::wire::{FieldReader, Value};
use crate::{DEPTH_MAX, Error, TypeMeta, repaired_utf8};
use key::Key;
use members::Members;

/// If a visitor requests a newtype struct of this name, it gets the JSON of a raw field as bytes, and can copy them.
/// (serde has no other way to request this; serde_json's `RawValue` does the same.)
pub(crate) const RAW_JSON: &str = "$tidings_protobuf::RawJson";

/// Buffers that all messages of an object share.
#[derive(Default)]
pub(crate) struct Scratch<'de> {
    /// The slots of the message that is being decoded, after those of the messages around it.
    pub(crate) slots: Vec<Slot<'de>>,
    depth: usize,
}

/// Deserializes the outermost message.
pub(crate) struct Root<'a, 'de> {
    pub(crate) message: &'static Message,
    pub(crate) type_meta: TypeMeta<'a>,
    pub(crate) bytes: &'de [u8],
}

/// Deserializes one value.
pub(crate) struct NodeReader<'a, 'de> {
    pub(crate) node: Node<'de>,
    pub(crate) scratch: &'a mut Scratch<'de>,
}

/// The slots of one message; its drop removes them. Because a guard does this, `within` can return the decoded value
/// without a local variable: a container has 2 KB, which would be copied.
struct SlotsGuard<'a, 'de> {
    scratch: &'a mut Scratch<'de>,
    base: usize,
}

impl<'de> Scratch<'de> {
    /// Scans a message and calls `read` with the index of its first slot.
    #[inline]
    pub(crate) fn within<T>(
        &mut self,
        message: &'static Message,
        bytes: &'de [u8],
        read: impl FnOnce(&mut Self, usize) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let guard = self.scan_slots(message, bytes)?;
        read(guard.scratch, guard.base)
    }

    fn scan_slots(
        &mut self,
        message: &'static Message,
        bytes: &'de [u8],
    ) -> Result<SlotsGuard<'_, 'de>, Error> {
        if self.depth == DEPTH_MAX {
            return Err(Error::TooDeep);
        }
        let base = self.slots.len();
        self.slots.resize(base + message.fields.len(), Slot::Absent);
        self.depth += 1;
        let guard = SlotsGuard { scratch: self, base };
        scan(message, bytes, &mut guard.scratch.slots[base..])?;
        Ok(guard)
    }
}

impl Drop for SlotsGuard<'_, '_> {
    fn drop(&mut self) {
        self.scratch.depth -= 1;
        self.scratch.slots.truncate(self.base);
    }
}

impl<'de> Root<'_, 'de> {
    pub(crate) fn read<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self)
    }
}

impl<'de> Deserializer<'de> for Root<'_, 'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        Scratch::default().within(self.message, self.bytes, |scratch, base| {
            visitor.visit_map(Members::new(self.message, scratch, base).with_type_meta(self.type_meta))
        })
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        if name == RAW_JSON { self.deserialize_any(visitor) } else { visitor.visit_newtype_struct(self) }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq
        tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> NodeReader<'_, 'de> {
    #[inline]
    fn one<V: Visitor<'de>>(self, kind: Kind, value: Value<'de>, visitor: V) -> Result<V::Value, Error> {
        match kind {
            Kind::String => text(bytes_of(value)?).visit(visitor),
            Kind::Message(message) => self.scratch.within(message, bytes_of(value)?, |scratch, base| {
                visitor.visit_map(Members::new(message, scratch, base))
            }),
            _ => self.rare_kind(kind, value, visitor),
        }
    }

    /// The less common kinds. A function of its own, so that the common ones are inlined.
    fn rare_kind<V: Visitor<'de>>(
        self,
        kind: Kind,
        value: Value<'de>,
        visitor: V,
    ) -> Result<V::Value, Error> {
        match kind {
            Kind::Bool => visitor.visit_bool(varint_of(value)? != 0),
            Kind::Int32 => integer(i64::from(varint_of(value)? as i32), visitor),
            Kind::Int64 => integer(varint_of(value)? as i64, visitor),
            Kind::Double => double(value, visitor),
            Kind::Bytes => visitor.visit_string(STANDARD.encode(bytes_of(value)?)),
            Kind::Time | Kind::MicroTime => time(kind, bytes_of(value)?, visitor),
            Kind::Quantity => match only_field(bytes_of(value)?)? {
                b"" => visitor.visit_borrowed_str("0"),
                quantity => text(quantity).visit(visitor),
            },
            Kind::IntOrString => int_or_string(bytes_of(value)?, visitor),
            Kind::Raw => raw(only_field(bytes_of(value)?)?, visitor),
            _ => NodeReader { node: self.node.opened()?, ..self }.deserialize_any(visitor),
        }
    }

    /// Whether the JSON value is null.
    #[inline]
    fn is_null(&self) -> Result<bool, Error> {
        match self.node {
            Node::Null => Ok(true),
            Node::One(Kind::String | Kind::Message(_) | Kind::Bool | Kind::Int32 | Kind::Int64, _) => {
                Ok(false)
            }
            Node::Many(_) | Node::Map(_) => Ok(false),
            Node::One(kind, value) => self.is_null_inside(kind, value),
        }
    }

    /// For kinds whose content decides.
    fn is_null_inside(&self, kind: Kind, value: Value<'_>) -> Result<bool, Error> {
        Ok(match kind {
            Kind::Time | Kind::MicroTime => Timestamp::read(bytes_of(value)?)?.is_none(),
            Kind::Raw => {
                let json = only_field(bytes_of(value)?)?.trim_ascii();
                json.is_empty() || json == b"null"
            }
            Kind::List(_) | Kind::SchemaOrArray(_) | Kind::SchemaOrStrings(_) => {
                matches!(self.node.opened()?, Node::Null)
            }
            _ => false,
        })
    }
}

impl<'de> Deserializer<'de> for NodeReader<'_, 'de> {
    type Error = Error;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.node {
            Node::Null => visitor.visit_unit(),
            Node::One(kind, value) => self.one(kind, value, visitor),
            Node::Many(items) => visitor.visit_seq(List { items, scratch: self.scratch }),
            Node::Map(items) => {
                visitor.visit_map(Entries { items, value: Node::Null, scratch: self.scratch })
            }
        }
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_null()? { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.node {
            _ if name != RAW_JSON => visitor.visit_newtype_struct(self),
            Node::One(Kind::Raw, value) if !self.is_null()? => {
                visitor.visit_borrowed_bytes(only_field(bytes_of(value)?)?)
            }
            _ => self.deserialize_any(visitor),
        }
    }

    /// A string is a variant without content. Anything else is rare, and is converted to a JSON value first.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match serde_json::Value::deserialize(self)? {
            serde_json::Value::String(text) => {
                let variant: StringDeserializer<Error> = text.into_deserializer();
                variant.deserialize_enum(name, variants, visitor)
            }
            other => other.deserialize_enum(name, variants, visitor).map_err(|error| Error::raw(&error)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq
        tuple tuple_struct map struct identifier
    }
}

/// The items of a list.
struct List<'a, 'de> {
    items: Items<'de>,
    scratch: &'a mut Scratch<'de>,
}

impl<'de> SeqAccess<'de> for List<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some(value) = self.items.next()? else { return Ok(None) };
        let node = Node::One(self.items.kind, value);
        seed.deserialize(NodeReader { node, scratch: self.scratch }).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len_hint())
    }
}

/// The entries of a map.
struct Entries<'a, 'de> {
    items: Items<'de>,
    value: Node<'de>,
    scratch: &'a mut Scratch<'de>,
}

impl<'de> MapAccess<'de> for Entries<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some((key, value)) = self.items.next_entry()? else { return Ok(None) };
        self.value = value;
        seed.deserialize(Key(text(key).0)).map(Some)
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(NodeReader { node: self.value, scratch: self.scratch })
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len_hint())
    }
}

/// As in serde_json, a number that is not negative is unsigned.
#[inline]
fn integer<'de, V: Visitor<'de>>(number: i64, visitor: V) -> Result<V::Value, Error> {
    match u64::try_from(number) {
        Ok(number) => visitor.visit_u64(number),
        Err(_) => visitor.visit_i64(number),
    }
}

/// Go writes whole numbers without a decimal point, so that a JSON decoder reads integers.
fn double<'de, V: Visitor<'de>>(value: Value<'_>, visitor: V) -> Result<V::Value, Error> {
    let Value::Fixed64(bits) = value else { return Err(Error::WrongWireType) };
    let number = f64::from_bits(bits);
    if !number.is_finite() {
        return Err(Error::NotFinite);
    }
    let is_whole = number.fract() == 0.0 && number.abs() < (1_u64 << 63) as f64;
    if is_whole { integer(number as i64, visitor) } else { visitor.visit_f64(number) }
}

fn time<'de, V: Visitor<'de>>(kind: Kind, bytes: &[u8], visitor: V) -> Result<V::Value, Error> {
    match (kind, Timestamp::read(bytes)?) {
        (_, None) => visitor.visit_unit(),
        (Kind::MicroTime, Some(time)) => visitor.visit_str(time.micro_text().as_str()),
        (_, Some(time)) => visitor.visit_str(time.text().as_str()),
    }
}

fn int_or_string<'de, V: Visitor<'de>>(bytes: &'de [u8], visitor: V) -> Result<V::Value, Error> {
    let (mut variant, mut number, mut string) = (0, 0, &[][..]);
    let mut reader = FieldReader::new(bytes);
    while let Some((field, value)) = reader.next()? {
        match field {
            1 => variant = varint_of(value)?,
            2 => number = varint_of(value)? as i32,
            3 => string = bytes_of(value)?,
            _ => {}
        }
    }
    match variant {
        0 => integer(i64::from(number), visitor),
        1 => text(string).visit(visitor),
        other => Err(Error::IntOrString(other)),
    }
}

fn raw<'de, V: Visitor<'de>>(json: &'de [u8], visitor: V) -> Result<V::Value, Error> {
    if json.is_empty() {
        return visitor.visit_unit();
    }
    let value = match repaired_utf8(json) {
        Cow::Borrowed(json) => {
            let mut deserializer = serde_json::Deserializer::from_str(json);
            let value = deserializer.deserialize_any(visitor);
            value.and_then(|value| deserializer.end().map(|()| value))
        }
        // The text is local, so that values can't borrow from it: `from_reader` copies them.
        Cow::Owned(json) => {
            let mut deserializer = serde_json::Deserializer::from_reader(json.as_bytes());
            let value = deserializer.deserialize_any(visitor);
            value.and_then(|value| deserializer.end().map(|()| value))
        }
    };
    value.map_err(|error| Error::raw(&error))
}
