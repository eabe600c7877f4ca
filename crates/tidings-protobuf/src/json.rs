//! Writes the values of a deserializer as compact JSON text, with the members in the order of the deserializer.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::read::RAW_JSON;
use crate::{Error, repaired_utf8};

/// Writes one value.
pub(crate) struct JsonWriter<'a>(pub(crate) &'a mut Vec<u8>);

impl JsonWriter<'_> {
    /// Appends a number or a text as serde_json writes it.
    fn plain<T: serde::Serialize + ?Sized, E: serde::de::Error>(self, value: &T) -> Result<(), E> {
        serde_json::to_writer(self.0, value).map_err(|_| E::custom("JSON can't represent a value"))
    }
}

impl<'de> DeserializeSeed<'de> for JsonWriter<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_newtype_struct(RAW_JSON, self)
    }
}

impl<'de> Visitor<'de> for JsonWriter<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.0.extend_from_slice(b"null");
        Ok(())
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.0.extend_from_slice(if value { b"true" } else { b"false" });
        Ok(())
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        self.plain(&value)
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        self.plain(&value)
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
        self.plain(&value)
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<(), E> {
        self.plain(value)
    }

    /// A deserializer without raw JSON calls this.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }

    /// The JSON of a raw field.
    fn visit_bytes<E: serde::de::Error>(self, json: &[u8]) -> Result<(), E> {
        let text = repaired_utf8(json);
        if let Err(error) = serde_json::from_str::<IgnoredAny>(&text) {
            return Err(E::custom(Error::raw(&error)));
        }
        compact(text.as_bytes(), self.0);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.0.push(b'[');
        let start = self.0.len();
        while items.next_element_seed(ListElement { out: self.0, start })?.is_some() {}
        self.0.push(b']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        self.0.push(b'{');
        let start = self.0.len();
        while members.next_key_seed(ListElement { out: self.0, start })?.is_some() {
            self.0.push(b':');
            members.next_value_seed(JsonWriter(self.0))?;
        }
        self.0.push(b'}');
        Ok(())
    }
}

/// An item or the name of a member. A comma precedes it, unless it is the first in its list or object.
struct ListElement<'a> {
    out: &'a mut Vec<u8>,
    start: usize,
}

impl<'de> DeserializeSeed<'de> for ListElement<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.out.len() > self.start {
            self.out.push(b',');
        }
        JsonWriter(self.out).deserialize(deserializer)
    }
}

/// Copies well-formed JSON without the white space outside of strings.
fn compact(json: &[u8], out: &mut Vec<u8>) {
    let mut is_in_string = false;
    let mut is_escaped = false;
    for &byte in json {
        if !is_in_string && byte.is_ascii_whitespace() {
            continue;
        }
        out.push(byte);
        is_in_string ^= byte == b'"' && !is_escaped;
        is_escaped = is_in_string && byte == b'\\' && !is_escaped;
    }
}
