//! What is unpacked of a frame: what its transform leaves of it, without what can be supplied again.

use std::borrow::Cow;

use serde_json::Value;
use tidings_protobuf::{Message, TypeMeta, to_json, values_at};

use super::{Intake, IntakeError, type_name};
use crate::body::Wire;
use crate::field::PathWalk;
use crate::identity::{self, Identity};
use crate::raw::{TypePrefix, message_of};
use crate::{Transform, TransformError};

/// What a protobuf message is, and what it consists of.
#[derive(Clone, Copy)]
pub(super) struct MessageType<'a> {
    table: &'static Message,
    /// What it equals it is, if that is not what the server was asked for.
    other: Option<TypeMeta<'a>>,
}

/// What is unpacked of an object beside its identity.
pub(super) struct UnpackedBody<'f> {
    pub(super) prefix: TypePrefix,
    pub(super) wire: Wire,
    /// What is to be packed, unless the transform refused it.
    pub(super) raw: Result<Cow<'f, [u8]>, TransformError>,
    /// What stands in the body at each path that is read prefetched; of a refused body nothing.
    pub(super) prefetched: Vec<Option<Vec<Value>>>,
}

impl UnpackedBody<'_> {
    fn refused(wire: Wire, prefix: TypePrefix, error: TransformError) -> Self {
        UnpackedBody { prefix, wire, raw: Err(error), prefetched: Vec::new() }
    }

    fn into_owned(self) -> UnpackedBody<'static> {
        UnpackedBody { raw: self.raw.map(|raw| Cow::Owned(raw.into_owned())), ..self }
    }
}

impl Intake {
    /// What is unpacked of a JSON frame: all of it after a kind and apiVersion that can be supplied again.
    pub(super) fn prefix_and_rest<'f>(
        &self,
        identity: &Identity<'_>,
        frame: &'f [u8],
    ) -> (TypePrefix, &'f [u8]) {
        if self.is_requested_type(identity) {
            let prefix =
                TypePrefix { kind: !identity.rest_has_kind, api_version: !identity.rest_has_api_version };
            (prefix, frame[identity.rest_at..].trim_ascii_end())
        } else {
            let prefix =
                TypePrefix { kind: identity.kind.is_none(), api_version: identity.api_version.is_none() };
            let members = frame.trim_ascii().strip_prefix(b"{").unwrap_or_default();
            (prefix, members.trim_ascii_start())
        }
    }

    /// The transform sees the same bytes whether the object came from a list or a watch.
    pub(super) fn unpacked_json<'f>(
        &self,
        prefix: TypePrefix,
        rest: &'f [u8],
        walk: PathWalk<'_, '_>,
    ) -> UnpackedBody<'f> {
        let Some(transform) = &self.transform else { return of_json(prefix, rest, walk) };
        let whole = [self.origin.type_prefix(prefix, rest.len()).as_bytes(), rest].concat();
        let unpacked = transform.apply(&whole).and_then(|json| self.of_whole_json(&json));
        unpacked.unwrap_or_else(|error| UnpackedBody::refused(Wire::Json, prefix, error))
    }

    /// What a message with this identity is, if it is known what such a message consists of.
    pub(super) fn message_type<'a>(
        &'a self,
        identity: &'a Identity<'_>,
    ) -> Result<MessageType<'a>, IntakeError> {
        let sent = self.origin.sent_type();
        let other = (!self.is_requested_type(identity)).then(|| TypeMeta {
            api_version: identity.api_version.as_deref().or(sent.api_version),
            kind: identity.kind.as_deref().or(sent.kind),
        });
        match other.map_or(self.origin.message(), message_of) {
            Some(table) => Ok(MessageType { table, other }),
            None => Err(IntakeError::UnknownMessage { found: type_name(other.unwrap_or(sent)) }),
        }
    }

    /// Nothing in a message equals what it is. So one that is not what was asked for, such as a whole object where
    /// metadata would do, is unpacked as JSON, which equals it.
    pub(super) fn unpacked_protobuf<'f>(
        &self,
        message_type: MessageType<'_>,
        message: &'f [u8],
    ) -> UnpackedBody<'f> {
        let unpacked = match (&self.transform, message_type.other) {
            (None, None) => return self.of_message(message_type.table, message),
            (Some(transform), None) => self.transformed_message(transform, message_type.table, message),
            (transform, Some(said)) => {
                let json = to_json(message_type.table, said, message).map_err(TransformError::because);
                let json = match transform {
                    Some(transform) => json.and_then(|json| transform.apply(&json)),
                    None => json,
                };
                json.and_then(|json| self.of_whole_json(&json))
            }
        };
        unpacked.unwrap_or_else(|error| UnpackedBody::refused(Wire::Protobuf, TypePrefix::WHOLE, error))
    }

    fn transformed_message(
        &self,
        transform: &Transform,
        table: &'static Message,
        message: &[u8],
    ) -> Result<UnpackedBody<'static>, TransformError> {
        match transform.apply_protobuf(table, self.origin.sent_type(), message)? {
            (Wire::Protobuf, message) => Ok(self.of_message(table, &message).into_owned()),
            (Wire::Json, json) => self.of_whole_json(&json),
        }
    }

    /// Of JSON that is ours, or was transformed.
    fn of_whole_json(&self, json: &[u8]) -> Result<UnpackedBody<'static>, TransformError> {
        let mut walk = PathWalk::new(self.origin.prefetched.iter());
        let identity = identity::scan_with_paths(json, &mut walk)
            .map_err(|e| TransformError { message: format!("what came out is {e}") })?;
        let (prefix, rest) = self.prefix_and_rest(&identity, json);
        Ok(of_json(prefix, rest, walk).into_owned())
    }

    fn of_message<'f>(&self, table: &'static Message, message: &'f [u8]) -> UnpackedBody<'f> {
        let prefetched =
            self.origin.prefetched.iter().map(|path| values_at(table, message, path.steps()).ok());
        let (prefix, wire, raw) = (TypePrefix::WHOLE, Wire::Protobuf, Ok(Cow::Borrowed(message)));
        UnpackedBody { prefix, wire, raw, prefetched: prefetched.collect() }
    }

    /// Whether kind and apiVersion are those that the server was asked for, as far as the object equals them.
    fn is_requested_type(&self, identity: &Identity<'_>) -> bool {
        let is_ours = |said: &Option<_>, ours: &str| said.as_deref().is_none_or(|said: &str| said == ours);
        is_ours(&identity.kind, self.origin.sent_kind())
            && is_ours(&identity.api_version, self.origin.sent_api_version())
    }
}

fn of_json<'f>(prefix: TypePrefix, rest: &'f [u8], walk: PathWalk<'_, '_>) -> UnpackedBody<'f> {
    let prefetched = walk.values().map(Result::ok).collect();
    UnpackedBody { prefix, wire: Wire::Json, raw: Ok(Cow::Borrowed(rest)), prefetched }
}
