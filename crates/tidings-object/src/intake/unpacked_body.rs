//! The body of an arrived object before it is packed: transformed, and without the kind and apiVersion that the
//! informer can add again.

use std::borrow::Cow;

use serde_json::Value;
use tidings_protobuf::{Message, TypeMeta, to_json, values_at};

use super::{Intake, IntakeError, type_name};
use crate::Transform;
use crate::body::Wire;
use crate::field::PathWalk;
use crate::identity::Identity;
use crate::raw::{TypePrefix, message_of};
use crate::transform::TransformError;

/// The type of a protobuf message.
#[derive(Clone, Copy)]
pub(super) struct MessageType<'a> {
    table: &'static Message,
    /// The type in the envelope, if it is not the requested one.
    other: Option<TypeMeta<'a>>,
}

/// A body to be packed.
pub(super) struct UnpackedBody<'f> {
    pub(super) prefix: TypePrefix,
    pub(super) wire: Wire,
    /// The bytes, or the error of the transform.
    pub(super) raw: Result<Cow<'f, [u8]>, TransformError>,
    /// The values at each prefetched path; none if the transform failed.
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
    /// Splits a JSON frame into the members to add again and the rest to store.
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

    /// The body of a JSON object. A transform gets the same bytes from a list and from a watch.
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

    /// The type of a message with this identity, if the table has it.
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

    /// The body of a protobuf message. A message does not contain its type. So a message that is not of the requested
    /// type, such as a whole object instead of its metadata, is stored as JSON, which has a kind and an apiVersion.
    pub(super) fn unpacked_protobuf<'f>(
        &self,
        message_type: MessageType<'_>,
        message: &'f [u8],
    ) -> UnpackedBody<'f> {
        let unpacked = match (&self.transform, message_type.other) {
            (None, None) => return self.of_message(message_type.table, message),
            (Some(transform), None) => self.transformed_message(transform, message_type.table, message),
            (transform, Some(other)) => {
                let json = to_json(message_type.table, other, message).map_err(TransformError::because);
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

    /// The body of a whole JSON object, which was converted or transformed.
    fn of_whole_json(&self, json: &[u8]) -> Result<UnpackedBody<'static>, TransformError> {
        let mut walk = PathWalk::new(self.origin.prefetched.iter());
        let identity = Identity::from_json_with_paths(json, &mut walk)
            .map_err(|e| TransformError { message: format!("the result is not an object: {e}") })?;
        let (prefix, rest) = self.prefix_and_rest(&identity, json);
        Ok(of_json(prefix, rest, walk).into_owned())
    }

    fn of_message<'f>(&self, table: &'static Message, message: &'f [u8]) -> UnpackedBody<'f> {
        let prefetched =
            self.origin.prefetched.iter().map(|path| values_at(table, message, path.steps()).ok());
        let (prefix, wire, raw) = (TypePrefix::WHOLE, Wire::Protobuf, Ok(Cow::Borrowed(message)));
        UnpackedBody { prefix, wire, raw, prefetched: prefetched.collect() }
    }

    /// Whether kind and apiVersion, as far as the object has them, are the requested ones.
    fn is_requested_type(&self, identity: &Identity<'_>) -> bool {
        let is_requested = |found: &Option<_>, requested: &str| {
            found.as_deref().is_none_or(|found: &str| found == requested)
        };
        is_requested(&identity.kind, self.origin.sent_kind())
            && is_requested(&identity.api_version, self.origin.sent_api_version())
    }
}

fn of_json<'f>(prefix: TypePrefix, rest: &'f [u8], walk: PathWalk<'_, '_>) -> UnpackedBody<'f> {
    let prefetched = walk.values().map(Result::ok).collect();
    UnpackedBody { prefix, wire: Wire::Json, raw: Ok(Cow::Borrowed(rest)), prefetched }
}
