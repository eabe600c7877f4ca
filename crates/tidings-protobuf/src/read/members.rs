//! Deserializes the members of a message, in the order of the Go struct.

use std::borrow::Cow;

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, IntoDeserializer, MapAccess};

use super::key::Key;
use super::{NodeReader, Scratch};
use crate::message::Message;
use crate::node::{Node, node_of};
use crate::{Error, TypeMeta};

pub(super) struct Members<'a, 'de> {
    message: &'static Message,
    /// The members that are still to be returned.
    type_meta: TypeMeta<'a>,
    scratch: &'a mut Scratch<'de>,
    /// The index of the first slot of the message.
    base: usize,
    /// The index of the next field.
    next: usize,
    value: MemberValue<'a, 'de>,
}

enum MemberValue<'a, 'de> {
    TypeMeta(&'a str),
    Node(Node<'de>),
}

impl<'a, 'de> Members<'a, 'de> {
    pub(super) fn new(message: &'static Message, scratch: &'a mut Scratch<'de>, base: usize) -> Self {
        let type_meta = TypeMeta::default();
        Members { message, type_meta, scratch, base, next: 0, value: MemberValue::Node(Node::Null) }
    }

    pub(super) fn with_type_meta(self, type_meta: TypeMeta<'a>) -> Self {
        Members { type_meta, ..self }
    }
}

impl<'de> MapAccess<'de> for Members<'_, 'de> {
    type Error = Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        if let Some(kind) = self.type_meta.kind.take() {
            self.value = MemberValue::TypeMeta(kind);
            return seed.deserialize(Key(Cow::Borrowed("kind"))).map(Some);
        }
        if let Some(api_version) = self.type_meta.api_version.take() {
            self.value = MemberValue::TypeMeta(api_version);
            return seed.deserialize(Key(Cow::Borrowed("apiVersion"))).map(Some);
        }
        while let Some(field) = self.message.fields.get(self.next) {
            let slot = self.scratch.slots[self.base + self.next];
            self.next += 1;
            if let Some(node) = node_of(field, slot)? {
                self.value = MemberValue::Node(node);
                return seed.deserialize(Key(Cow::Borrowed(field.name))).map(Some);
            }
        }
        Ok(None)
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        match self.value {
            MemberValue::Node(node) => seed.deserialize(NodeReader { node, scratch: self.scratch }),
            MemberValue::TypeMeta(text) => {
                let text: StrDeserializer<'_, Error> = text.into_deserializer();
                seed.deserialize(text)
            }
        }
    }
}
