//! Reads one field of an object's JSON without decoding the rest.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::resource::CowStr;

/// The value at a path as text; `None` if it is absent, or an object or list.
pub(super) fn read(json: &[u8], path: &[CowStr]) -> Option<String> {
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    // This server encoded the body, so it is valid JSON. An error would read as an absent field.
    PathSeed(path).deserialize(&mut deserializer).ok().flatten()
}

/// Reads the value at a path. It descends one part of the path per object, so the recursion is as deep as the path,
/// which comes from the definition of the resource.
struct PathSeed<'a>(&'a [CowStr]);

impl<'de> DeserializeSeed<'de> for PathSeed<'_> {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for PathSeed<'_> {
    type Value = Option<String>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match self.0.split_first() {
                Some((first, rest)) if *first == key => found = map.next_value_seed(PathSeed(rest))?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(self.0.is_empty().then(|| value.to_owned()))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(self.0.is_empty().then(|| value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(self.0.is_empty().then(|| value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(self.0.is_empty().then(|| value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(self.0.is_empty().then(|| value.to_string()))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
}
