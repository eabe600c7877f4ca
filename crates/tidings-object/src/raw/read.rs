//! Reading an object's body, whichever wire it came by: as JSON, at a field path, or into a Rust type. What goes
//! wrong is the error of that reader, and equals nothing of what stands in the body.

use std::any::type_name;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;
use tidings_protobuf::Message;
use tidings_util::panic_message;

use super::{RawObject, prefetched};
use crate::body::Wire;
use crate::field::PathStep;
use crate::sync::Ordering;
use crate::{FieldPath, FieldValue, ParseError, TransformError};

/// Why an object's body could not be read. It concerns its reader and nobody else. Its text equals the cause too.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ReadError {
    /// The body does not decode into the type that was asked for.
    #[error("decoding {resource} {key} as {into}: {source}")]
    Decode {
        /// The resource.
        resource: String,
        /// The object.
        key: String,
        /// The Rust type.
        into: &'static str,
        /// Why.
        r#source: DecodeError,
    },
    /// Its transform refused the object when it arrived.
    #[error("reading {resource} {key}: {source}")]
    Transform {
        /// The resource.
        resource: String,
        /// The object.
        key: String,
        /// What the transform said.
        r#source: TransformError,
    },
    /// The type's `Deserialize` panicked.
    #[error("decoding {resource} {key} as {into} panicked: {message}")]
    Panicked {
        /// The resource.
        resource: String,
        /// The object.
        key: String,
        /// The Rust type.
        into: &'static str,
        /// The panic's message.
        message: String,
    },
    /// The field path is none.
    #[error("reading a field: {0}")]
    Path(ParseError),
}

/// Why bytes do not decode: the error of their wire's decoder.
#[derive(Debug, Clone, thiserror::Error)]
pub enum DecodeError {
    /// Of JSON: what serde_json equals, without the values that it quotes, since objects hold secrets and errors are
    /// logged.
    #[error("{0}")]
    Json(Arc<str>),
    /// Of protobuf.
    #[error(transparent)]
    Protobuf(Arc<tidings_protobuf::Error>),
}

impl RawObject {
    /// The object as JSON, with the kind and apiVersion that list items lack. One that came as protobuf is
    /// written as JSON each time.
    pub fn json(&self) -> Result<Cow<'_, [u8]>, ReadError> {
        match self.wire() {
            Wire::Json => {
                let head = self.origin.type_prefix(self.type_prefix, self.body.raw_len());
                self.body.unpacked_after(head.as_bytes()).map(Cow::Owned).map_err(|e| self.refused(e))
            }
            Wire::Protobuf => {
                let json = tidings_protobuf::to_json(self.table(), self.origin.sent_type(), &self.bytes()?);
                json.map(Cow::Owned).map_err(|e| self.undecodable::<Value>(e))
            }
        }
    }

    /// Why its body can't be read by anybody, if its transform refused it.
    pub fn refusal(&self) -> Option<ReadError> {
        self.body.refusal().map(|error| self.refused(error.clone()))
    }

    /// Reads what stands at a field path such as `.status.phase`, without building the object.
    pub fn field(&self, path: &str) -> Result<FieldValue, ReadError> {
        self.field_at(&FieldPath::parse(path)?)
    }

    /// As [`field`](Self::field), with a path that was parsed before.
    pub fn field_at(&self, path: &FieldPath) -> Result<FieldValue, ReadError> {
        if let Some(kept) = self.prefetched_entries(path) {
            return Ok(FieldValue::of(kept.map(prefetched::value).collect()));
        }
        match self.wire() {
            Wire::Json => path.read(&self.json()?).map_err(|e| self.undecodable::<FieldValue>(e)),
            Wire::Protobuf => self.field_of_message(path.steps()),
        }
    }

    /// What stands at a path as text, if it was [read ahead](super::Origin::prefetch_field): nothing is unpacked or built.
    pub fn prefetched_texts(&self, path: &FieldPath) -> Option<impl Iterator<Item = &str>> {
        self.prefetched_entries(path).map(|kept| kept.map(prefetched::text))
    }

    fn prefetched_entries(&self, path: &FieldPath) -> Option<impl Iterator<Item = &str>> {
        self.strings.prefetched(self.origin.prefetched.number(path)?)
    }

    fn field_of_message(&self, steps: &[PathStep<'_>]) -> Result<FieldValue, ReadError> {
        // A message does not have these two; a text has no members.
        let sent = match steps.first() {
            Some(PathStep::Member(name)) if name == "kind" => Some(self.origin.sent_kind()),
            Some(PathStep::Member(name)) if name == "apiVersion" => Some(self.origin.sent_api_version()),
            _ => None,
        };
        if let Some(text) = sent {
            let values = if steps.len() == 1 { vec![text.into()] } else { Vec::new() };
            return self.refusal().map_or(Ok(FieldValue::of(values)), Err);
        }
        let values = tidings_protobuf::values_at(self.table(), &self.bytes()?, steps);
        values.map(FieldValue::of).map_err(|e| self.undecodable::<FieldValue>(e))
    }

    /// Reads a part of the object into a struct of your own; nothing is kept.
    pub fn view<T: DeserializeOwned>(&self) -> Result<T, ReadError> {
        self.try_decode().map_err(|error| self.reported(error))
    }

    /// Decodes, and reports nothing: an error hook may read this very object, so it is called only when no lock of the
    /// object is held. Whoever calls this passes the error through [`reported`](Self::reported).
    pub(super) fn try_decode<T: DeserializeOwned>(&self) -> Result<T, ReadError> {
        catch_unwind(AssertUnwindSafe(|| self.decode())).unwrap_or_else(|panic| {
            Err(ReadError::Panicked {
                resource: self.origin.resource.to_string(),
                key: self.key().to_string(),
                into: type_name::<T>(),
                message: panic_message(&*panic),
            })
        })
    }

    /// Reports an error of decoding, once for each object. That a transform refused it was reported at arrival.
    pub(super) fn reported(&self, error: ReadError) -> ReadError {
        let is_transform = matches!(error, ReadError::Transform { .. });
        if !is_transform && !self.is_reported_unreadable.swap(true, Ordering::Relaxed) {
            self.origin.report_unreadable(&error);
        }
        error
    }

    fn decode<T: DeserializeOwned>(&self) -> Result<T, ReadError> {
        match self.wire() {
            Wire::Json => serde_json::from_slice(&self.json()?).map_err(|e| self.undecodable::<T>(e)),
            Wire::Protobuf => {
                let decoded =
                    tidings_protobuf::from_slice(self.table(), self.origin.sent_type(), &self.bytes()?);
                decoded.map_err(|e| self.undecodable::<T>(e))
            }
        }
    }

    /// The body, unpacked.
    fn bytes(&self) -> Result<Cow<'_, [u8]>, ReadError> {
        self.body.unpacked().map_err(|e| self.refused(e))
    }

    fn table(&self) -> &'static Message {
        self.origin.message().expect("what is kept as protobuf was taken in by its table")
    }

    fn refused(&self, source: TransformError) -> ReadError {
        let (resource, key) = (self.origin.resource.to_string(), self.key().to_string());
        ReadError::Transform { resource, key, source }
    }

    fn undecodable<T>(&self, error: impl Into<DecodeError>) -> ReadError {
        ReadError::Decode {
            resource: self.origin.resource.to_string(),
            key: self.key().to_string(),
            into: type_name::<T>(),
            source: error.into(),
        }
    }
}

impl From<ParseError> for ReadError {
    fn from(error: ParseError) -> Self {
        ReadError::Path(error)
    }
}

impl From<serde_json::Error> for DecodeError {
    fn from(error: serde_json::Error) -> Self {
        DecodeError::Json(without_values(&error.to_string()).into())
    }
}

impl From<tidings_protobuf::Error> for DecodeError {
    fn from(error: tidings_protobuf::Error) -> Self {
        DecodeError::Protobuf(Arc::new(error))
    }
}

/// What serde equals of a value that does not fit, without that value: of `invalid type: string "hunter2", expected u32`
/// the quoted part is left out. Names of fields that the type wants stay.
pub(crate) fn without_values(message: &str) -> String {
    let names_a_field = ["missing field", "duplicate field"].iter().any(|start| message.starts_with(start));
    let Some(quote) = message.find(['"', '`']).filter(|_| !names_a_field) else { return message.to_owned() };
    let kept = ["expected ", "at line "].map(|word| message.rfind(word).filter(|at| *at > quote));
    let (head, rest) = (message[..quote].trim_end(), kept.into_iter().flatten().min());
    rest.map_or_else(|| head.to_owned(), |at| format!("{head}, {}", &message[at..]))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "it never is one")]
    struct Odd {
        name: u32,
        mode: Mode,
    }

    #[derive(Debug, Deserialize)]
    enum Mode {
        On,
    }

    #[test]
    fn what_serde_says_is_kept_without_the_values_that_it_quotes() {
        let said = |json: &str| DecodeError::from(serde_json::from_str::<Odd>(json).unwrap_err()).to_string();
        for (json, text) in [
            (
                r#"{"name":"hunter2, expected \"x\""}"#,
                "invalid type: string, expected u32 at line 1 column 33",
            ),
            (r#"{"name":4242.5}"#, "invalid type: floating point, expected u32 at line 1 column 14"),
            (r#"{"name":-4242}"#, "invalid value: integer, expected u32 at line 1 column 13"),
            (r#"{"name":1,"mode":"hunter2"}"#, "unknown variant, expected `On` at line 1 column 26"),
            (r#"{"name":1}"#, "missing field `mode` at line 1 column 10"),
            ("{", "EOF while parsing an object at line 1 column 1"),
        ] {
            assert_eq!(said(json), text);
        }
        let numbers = serde_json::from_str::<HashMap<String, u8>>(r#"{"a":"hunter2"}"#).unwrap_err();
        let error = DecodeError::from(numbers);
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
    }
}
