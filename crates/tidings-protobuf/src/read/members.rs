//! The members of a message's JSON object, in the order of the Go struct.

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
    /// What is left of it to hand out.
    type_meta: TypeMeta<'a>,
    scratch: &'a mut Scratch<'de>,
    /// Where the message's slots begin.
    base: usize,
    /// The field to look at next.
    next: usize,
    value: Member<'a, 'de>,
}

enum Member<'a, 'de> {
    TypeMeta(&'a str),
    Node(Node<'de>),
}

impl<'a, 'de> Members<'a, 'de> {
    pub(super) fn new(message: &'static Message, scratch: &'a mut Scratch<'de>, base: usize) -> Self {
        let type_meta = TypeMeta::default();
        Members { message, type_meta, scratch, base, next: 0, value: Member::Node(Node::Null) }
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
            self.value = Member::TypeMeta(kind);
            return seed.deserialize(Key(Cow::Borrowed("kind"))).map(Some);
        }
        if let Some(api_version) = self.type_meta.api_version.take() {
            self.value = Member::TypeMeta(api_version);
            return seed.deserialize(Key(Cow::Borrowed("apiVersion"))).map(Some);
        }
        while let Some(field) = self.message.fields.get(self.next) {
            let slot = self.scratch.slots[self.base + self.next];
            self.next += 1;
            if let Some(node) = node_of(field, slot)? {
                self.value = Member::Node(node);
                return seed.deserialize(Key(Cow::Borrowed(field.name))).map(Some);
            }
        }
        Ok(None)
    }

    #[inline]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        match self.value {
            Member::Node(node) => seed.deserialize(NodeReader { node, scratch: self.scratch }),
            Member::TypeMeta(text) => {
                let text: StrDeserializer<'_, Error> = text.into_deserializer();
                seed.deserialize(text)
            }
        }
    }
}
