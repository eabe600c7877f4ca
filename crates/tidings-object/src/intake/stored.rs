//! What is stored of a frame: what its transform leaves of it, without what can be supplied again.

use std::borrow::Cow;

use serde_json::Value;
use tidings_protobuf::{Message, TypeMeta, to_json, values_at};

use super::{Intake, IntakeError, type_name};
use crate::body::Wire;
use crate::field::Walk;
use crate::identity::{self, Identity};
use crate::raw::{Head, message_of};
use crate::{Transform, TransformError};

/// What a protobuf message is, and what it consists of.
#[derive(Clone, Copy)]
pub(super) struct Sort<'a> {
    table: &'static Message,
    /// What it says it is, if that is not what the server was asked for.
    other: Option<TypeMeta<'a>>,
}

/// What is stored of an object beside its identity.
pub(super) struct Stored<'f> {
    pub(super) head: Head,
    pub(super) wire: Wire,
    /// What is to be packed, unless the transform refused it.
    pub(super) raw: Result<Cow<'f, [u8]>, TransformError>,
    /// What stands in the body at each path that is read ahead; of a refused body nothing.
    pub(super) ahead: Vec<Option<Vec<Value>>>,
}

impl Stored<'_> {
    fn refused(wire: Wire, head: Head, error: TransformError) -> Self {
        Stored { head, wire, raw: Err(error), ahead: Vec::new() }
    }

    fn into_owned(self) -> Stored<'static> {
        Stored { raw: self.raw.map(|raw| Cow::Owned(raw.into_owned())), ..self }
    }
}

impl Intake {
    /// What is stored of a JSON frame: all of it after a kind and apiVersion that can be supplied again.
    pub(super) fn head_and_rest<'f>(&self, identity: &Identity<'_>, frame: &'f [u8]) -> (Head, &'f [u8]) {
        if self.is_as_asked(identity) {
            let head = Head { kind: !identity.rest_has_kind, api_version: !identity.rest_has_api_version };
            (head, frame[identity.rest_at..].trim_ascii_end())
        } else {
            let head = Head { kind: identity.kind.is_none(), api_version: identity.api_version.is_none() };
            let members = frame.trim_ascii().strip_prefix(b"{").unwrap_or_default();
            (head, members.trim_ascii_start())
        }
    }

    /// The transform sees the same bytes whether the object came from a list or a watch.
    pub(super) fn json_stored<'f>(&self, head: Head, rest: &'f [u8], walk: Walk<'_, '_>) -> Stored<'f> {
        let Some(transform) = &self.transform else { return of_json(head, rest, walk) };
        let whole = [self.origin.head(head, rest.len()).as_bytes(), rest].concat();
        let stored = transform.apply(&whole).and_then(|json| self.of_whole_json(&json));
        stored.unwrap_or_else(|error| Stored::refused(Wire::Json, head, error))
    }

    /// What a message with this identity is, if it is known what such a message consists of.
    pub(super) fn sort_of<'a>(&'a self, identity: &'a Identity<'_>) -> Result<Sort<'a>, IntakeError> {
        let sent = self.origin.sent_type();
        let other = (!self.is_as_asked(identity)).then(|| TypeMeta {
            api_version: identity.api_version.as_deref().or(sent.api_version),
            kind: identity.kind.as_deref().or(sent.kind),
        });
        match other.map_or(self.origin.message(), message_of) {
            Some(table) => Ok(Sort { table, other }),
            None => Err(IntakeError::UnknownMessage { found: type_name(other.unwrap_or(sent)) }),
        }
    }

    /// Nothing in a message says what it is. So one that is not what was asked for, such as a whole object where
    /// metadata would do, is stored as JSON, which says it.
    pub(super) fn protobuf_stored<'f>(&self, sort: Sort<'_>, message: &'f [u8]) -> Stored<'f> {
        let stored = match (&self.transform, sort.other) {
            (None, None) => return self.of_message(sort.table, message),
            (Some(transform), None) => self.transformed_message(transform, sort.table, message),
            (transform, Some(said)) => {
                let json = to_json(sort.table, said, message).map_err(TransformError::because);
                let json = match transform {
                    Some(transform) => json.and_then(|json| transform.apply(&json)),
                    None => json,
                };
                json.and_then(|json| self.of_whole_json(&json))
            }
        };
        stored.unwrap_or_else(|error| Stored::refused(Wire::Protobuf, Head::WHOLE, error))
    }

    fn transformed_message(
        &self,
        transform: &Transform,
        table: &'static Message,
        message: &[u8],
    ) -> Result<Stored<'static>, TransformError> {
        match transform.apply_protobuf(table, self.origin.sent_type(), message)? {
            (Wire::Protobuf, message) => Ok(self.of_message(table, &message).into_owned()),
            (Wire::Json, json) => self.of_whole_json(&json),
        }
    }

    /// Of JSON that is ours, or was transformed.
    fn of_whole_json(&self, json: &[u8]) -> Result<Stored<'static>, TransformError> {
        let mut walk = Walk::new(self.origin.ahead.iter());
        let identity = identity::scan_along(json, &mut walk)
            .map_err(|e| TransformError { message: format!("what came out is {e}") })?;
        let (head, rest) = self.head_and_rest(&identity, json);
        Ok(of_json(head, rest, walk).into_owned())
    }

    fn of_message<'f>(&self, table: &'static Message, message: &'f [u8]) -> Stored<'f> {
        let ahead = self.origin.ahead.iter().map(|path| values_at(table, message, path.steps()).ok());
        let (head, wire, raw) = (Head::WHOLE, Wire::Protobuf, Ok(Cow::Borrowed(message)));
        Stored { head, wire, raw, ahead: ahead.collect() }
    }

    /// Whether kind and apiVersion are those that the server was asked for, as far as the object says them.
    fn is_as_asked(&self, identity: &Identity<'_>) -> bool {
        let is_ours = |said: &Option<_>, ours: &str| said.as_deref().is_none_or(|said: &str| said == ours);
        is_ours(&identity.kind, self.origin.sent_kind())
            && is_ours(&identity.api_version, self.origin.sent_api_version())
    }
}

fn of_json<'f>(head: Head, rest: &'f [u8], walk: Walk<'_, '_>) -> Stored<'f> {
    let ahead = walk.values().map(Result::ok).collect();
    Stored { head, wire: Wire::Json, raw: Ok(Cow::Borrowed(rest)), ahead }
}
