//! Reads the body of an object, whichever wire it arrived by: as JSON, at a field path, or into a Rust type.
//!
//! An error concerns only the reader. It never quotes a value, because bodies hold secrets and errors are logged.

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
use crate::transform::TransformError;
use crate::{FieldPath, FieldValue, ParseError};

/// The unpacked body of one object, in its own wire.
#[doc(hidden)]
pub struct UnpackedObject(Vec<u8>);

/// An object could not be read: the cache has none with this key, or its body could not be decoded.
///
/// An object that can't be decoded stays in the cache, and other readers are not affected. The text includes the cause.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The cache has no object with this key. The API server would answer 404.
    #[error("{resource} {key:?} not found")]
    NotFound {
        /// The plural with its group, such as `deployments.apps`.
        resource: String,
        /// `namespace/name`, or `name` in cluster scope.
        key: String,
    },
    /// A JSON body does not decode into the type.
    #[error("decoding {resource} {key} as {into}: {message}")]
    Json {
        /// The resource.
        resource: String,
        /// The key of the object.
        key: String,
        /// The Rust type.
        into: &'static str,
        /// The message of serde_json, without the values that it quotes.
        message: Arc<str>,
    },
    /// A protobuf body does not decode into the type.
    #[error("decoding {resource} {key} as {into}: {cause}")]
    Protobuf {
        /// The resource.
        resource: String,
        /// The key of the object.
        key: String,
        /// The Rust type.
        into: &'static str,
        /// The error of the decoder.
        cause: Arc<tidings_protobuf::Error>,
    },
    /// The transform failed when the object arrived, so that the object has no body.
    #[error("reading {resource} {key}: transforming the object: {message}")]
    Transform {
        /// The resource.
        resource: String,
        /// The key of the object.
        key: String,
        /// The error of the transform, or the message of its panic.
        message: String,
    },
    /// The `Deserialize` implementation of the type panicked.
    #[error("decoding {resource} {key} as {into} panicked: {message}")]
    Panicked {
        /// The resource.
        resource: String,
        /// The key of the object.
        key: String,
        /// The Rust type.
        into: &'static str,
        /// The message of the panic.
        message: String,
    },
    /// The text is not a field path.
    #[error("reading a field: {0}")]
    Path(ParseError),
}

impl RawObject {
    /// The object as JSON, with the kind and apiVersion that list items lack. A protobuf body is converted on each
    /// call.
    pub fn json(&self) -> Result<Cow<'_, [u8]>, ReadError> {
        match self.wire() {
            Wire::Json => {
                let prefix = self.origin.type_prefix(self.type_prefix, self.body.raw_len());
                self.body.unpacked_after(prefix.as_bytes()).map(Cow::Owned).map_err(|e| self.refused(e))
            }
            Wire::Protobuf => {
                let json = tidings_protobuf::to_json(self.table(), self.origin.sent_type(), &self.bytes()?);
                json.map(Cow::Owned).map_err(|e| self.undecodable_protobuf::<Value>(e))
            }
        }
    }

    /// The error that every reader of the body gets, if the transform failed.
    pub fn refusal(&self) -> Option<ReadError> {
        self.body.refusal().map(|error| self.refused(error.clone()))
    }

    /// Reads the values at a field path such as `.status.phase`, without building the object. See [`FieldPath`] for
    /// the syntax.
    pub fn field(&self, path: &str) -> Result<FieldValue, ReadError> {
        self.field_at(&FieldPath::parse(path)?)
    }

    /// As [`field`](Self::field), with a parsed path.
    pub fn field_at(&self, path: &FieldPath) -> Result<FieldValue, ReadError> {
        if let Some(entries) = self.prefetched_entries(path) {
            return Ok(FieldValue::of(entries.map(prefetched::value).collect()));
        }
        match self.wire() {
            Wire::Json => path.read(&self.json()?).map_err(|e| self.undecodable_json::<FieldValue>(&e)),
            Wire::Protobuf => self.field_of_message(path.steps()),
        }
    }

    /// The body, unpacked once for several reads with [`field_of`](Self::field_of).
    #[doc(hidden)]
    pub fn unpack(&self) -> Result<UnpackedObject, ReadError> {
        let bytes = match self.wire() {
            Wire::Json => self.json()?,
            Wire::Protobuf => self.bytes()?,
        };
        Ok(UnpackedObject(bytes.into_owned()))
    }

    /// As [`field_at`](Self::field_at), of a body that was [unpacked](Self::unpack) from this object before.
    #[doc(hidden)]
    pub fn field_of(&self, unpacked: &UnpackedObject, path: &FieldPath) -> Result<FieldValue, ReadError> {
        match self.wire() {
            Wire::Json => path.read(&unpacked.0).map_err(|e| self.undecodable_json::<FieldValue>(&e)),
            Wire::Protobuf => self.field_of_bytes(&unpacked.0, path.steps()),
        }
    }

    /// Whether a read of this path unpacks nothing, because the path was [prefetched](super::Origin::prefetch_field).
    #[doc(hidden)]
    pub fn is_prefetched(&self, path: &FieldPath) -> bool {
        self.prefetched_entries(path).is_some()
    }

    /// The values at a path as text, if the path was [prefetched](super::Origin::prefetch_field). Nothing is unpacked
    /// or built.
    #[doc(hidden)]
    pub fn prefetched_texts(&self, path: &FieldPath) -> Option<impl Iterator<Item = &str>> {
        self.prefetched_entries(path).map(|entries| entries.map(prefetched::text))
    }

    /// Whether this and another object have equal values at a path that was prefetched of both; `None` if the body of one
    /// must be read. Nothing is unpacked or built.
    #[doc(hidden)]
    pub fn has_equal_prefetched(&self, other: &RawObject, path: &FieldPath) -> Option<bool> {
        Some(self.prefetched_entries(path)?.eq(other.prefetched_entries(path)?))
    }

    fn prefetched_entries(&self, path: &FieldPath) -> Option<impl Iterator<Item = &str>> {
        self.strings.prefetched(self.origin.prefetched.number(path)?)
    }

    fn field_of_message(&self, steps: &[PathStep<'_>]) -> Result<FieldValue, ReadError> {
        self.field_of_bytes(&self.bytes()?, steps)
    }

    fn field_of_bytes(&self, bytes: &[u8], steps: &[PathStep<'_>]) -> Result<FieldValue, ReadError> {
        // A message has neither kind nor apiVersion. Both are texts, so that a longer path finds nothing.
        let sent = match steps.first() {
            Some(PathStep::Member(name)) if name == "kind" => Some(self.origin.sent_kind()),
            Some(PathStep::Member(name)) if name == "apiVersion" => Some(self.origin.sent_api_version()),
            _ => None,
        };
        if let Some(text) = sent {
            let values = if steps.len() == 1 { vec![text.into()] } else { Vec::new() };
            return Ok(FieldValue::of(values));
        }
        let values = tidings_protobuf::values_at(self.table(), bytes, steps);
        values.map(FieldValue::of).map_err(|e| self.undecodable_protobuf::<FieldValue>(e))
    }

    /// Decodes the object, or a part of it, into a type of your own. The result is not kept.
    pub fn view<T: DeserializeOwned>(&self) -> Result<T, ReadError> {
        self.try_decode().map_err(|error| self.reported(error))
    }

    /// Decodes without reporting an error. The hook for errors may read this very object, so it must not be called
    /// while a lock of the object is held. Callers pass the error through [`reported`](Self::reported) afterwards.
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

    /// Reports a decoding error to the hook, once per object. A failed transform was reported at arrival.
    pub(super) fn reported(&self, error: ReadError) -> ReadError {
        let is_transform = matches!(error, ReadError::Transform { .. });
        if !is_transform && !self.is_reported_unreadable.swap(true, Ordering::Relaxed) {
            self.origin.report_unreadable(&error);
        }
        error
    }

    fn decode<T: DeserializeOwned>(&self) -> Result<T, ReadError> {
        match self.wire() {
            Wire::Json => {
                let json = self.json()?;
                // To check the UTF-8 of the whole text once is cheaper than to check each string by itself.
                let decoded = match str::from_utf8(&json) {
                    Ok(text) => serde_json::from_str(text),
                    Err(_) => serde_json::from_slice(&json),
                };
                decoded.map_err(|e| self.undecodable_json::<T>(&e))
            }
            Wire::Protobuf => {
                let decoded =
                    tidings_protobuf::from_slice(self.table(), self.origin.sent_type(), &self.bytes()?);
                decoded.map_err(|e| self.undecodable_protobuf::<T>(e))
            }
        }
    }

    /// The unpacked body.
    fn bytes(&self) -> Result<Cow<'_, [u8]>, ReadError> {
        self.body.unpacked().map_err(|e| self.refused(e))
    }

    fn table(&self) -> &'static Message {
        self.origin.message().expect("intake accepts protobuf only if its table is known")
    }

    fn refused(&self, error: TransformError) -> ReadError {
        let (resource, key) = (self.origin.resource.to_string(), self.key().to_string());
        ReadError::Transform { resource, key, message: error.message }
    }

    fn undecodable_json<T>(&self, error: &serde_json::Error) -> ReadError {
        ReadError::Json {
            resource: self.origin.resource.to_string(),
            key: self.key().to_string(),
            into: type_name::<T>(),
            message: without_values(&error.to_string()).into(),
        }
    }

    fn undecodable_protobuf<T>(&self, error: tidings_protobuf::Error) -> ReadError {
        ReadError::Protobuf {
            resource: self.origin.resource.to_string(),
            key: self.key().to_string(),
            into: type_name::<T>(),
            cause: Arc::new(error),
        }
    }
}

impl From<ParseError> for ReadError {
    fn from(error: ParseError) -> Self {
        ReadError::Path(error)
    }
}

/// Removes the values that a message of serde quotes: `invalid type: string "hunter2", expected u32` loses `"hunter2"`.
/// The names of fields that the type requires stay.
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
    #[allow(dead_code, reason = "no test decodes one successfully")]
    struct Strict {
        name: u32,
        mode: Mode,
    }

    #[derive(Debug, Deserialize)]
    enum Mode {
        On,
    }

    #[test]
    fn a_message_of_serde_is_kept_without_the_values_that_it_quotes() {
        let message =
            |json: &str| without_values(&serde_json::from_str::<Strict>(json).unwrap_err().to_string());
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
            assert_eq!(message(json), text);
        }
        let numbers = serde_json::from_str::<HashMap<String, u8>>(r#"{"a":"hunter2"}"#).unwrap_err();
        let message = without_values(&numbers.to_string());
        assert!(!message.contains("hunter2"), "{message:?}");
    }
}
