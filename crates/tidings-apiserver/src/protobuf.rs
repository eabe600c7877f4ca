//! Kubernetes' protobuf as both ends send it: the envelope around an object, and the bodies of requests read into JSON.
//!
//! A body is `k8s\0` and an `Unknown` that says which kind it holds; what stands in that kind's message is known by
//! `tidings-protobuf`. What this reads is what the client would have sent as JSON.

use serde_json::Value;
use tidings_protobuf::wire::{Reader, Value as Field, WireError, write_bytes, write_bytes_head};
use tidings_protobuf::{Message, TypeMeta, message, to_json};

use crate::status::ApiError;

/// The media type of such bodies.
pub(crate) const MEDIA_TYPE: &str = "application/vnd.kubernetes.protobuf";

/// What every body starts with.
const MAGIC: &[u8] = b"k8s\0";

/// The end of an envelope: no encoding, no other type.
pub(crate) const ENVELOPE_END: &[u8] = &[0x1a, 0, 0x22, 0];

/// Why a body could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ProtobufError {
    /// It does not start as Kubernetes' protobuf does.
    #[error("the body is not Kubernetes' protobuf")]
    NoMagic,
    /// The envelope is not well-formed.
    #[error("the envelope of the body is malformed")]
    Envelope,
    /// What is in it is not of its kind.
    #[error("the object in the body is malformed")]
    Object(#[source] tidings_protobuf::Error),
    /// A kind whose message is not known.
    #[error("{api_version} {kind} cannot be read from protobuf")]
    Unknown {
        /// The version.
        api_version: String,
        /// The kind.
        kind: String,
    },
}

/// An object in its envelope.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Envelope<'a> {
    pub(crate) api_version: &'a str,
    pub(crate) kind: &'a str,
    /// The object's message.
    pub(crate) raw: &'a [u8],
}

impl<'a> Envelope<'a> {
    /// Opens an envelope.
    pub(crate) fn decode(body: &'a [u8]) -> Result<Self, ProtobufError> {
        let unknown = body.strip_prefix(MAGIC).ok_or(ProtobufError::NoMagic)?;
        let mut parts = Self::default();
        for (number, bytes) in fields(unknown)? {
            match number {
                1 => {
                    for (number, bytes) in fields(bytes)? {
                        let text = std::str::from_utf8(bytes).map_err(|_| ProtobufError::Envelope)?;
                        match number {
                            1 => parts.api_version = text,
                            2 => parts.kind = text,
                            _ => {}
                        }
                    }
                }
                2 => parts.raw = bytes,
                _ => {}
            }
        }
        Ok(parts)
    }

    /// Writes the envelope.
    pub(crate) fn encode(self) -> Vec<u8> {
        let Self { api_version, kind, raw } = self;
        let mut out = Vec::with_capacity(raw.len() + api_version.len() + kind.len() + 32);
        write_head(api_version, kind, raw.len(), &mut out);
        out.extend_from_slice(raw);
        out.extend_from_slice(ENVELOPE_END);
        out
    }

    /// What its message consists of.
    pub(crate) fn message(self) -> Option<&'static Message> {
        let (group, version) = self.api_version.split_once('/').unwrap_or(("", self.api_version));
        // Options are sent in the version of the group they are for.
        let is_options = self.kind == "DeleteOptions";
        if is_options { message("", "v1", self.kind) } else { message(group, version, self.kind) }
    }

    /// The object as JSON, if its message is known.
    pub(crate) fn object(self) -> Result<Value, ProtobufError> {
        let Self { api_version, kind, raw } = self;
        let message = self.message().ok_or_else(|| ProtobufError::Unknown {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
        })?;
        let type_meta = TypeMeta { api_version: Some(api_version), kind: Some(kind) };
        let json = to_json(message, type_meta, raw).map_err(ProtobufError::Object)?;
        Ok(serde_json::from_slice(&json).expect("what was written as JSON is JSON"))
    }
}

/// Writes an envelope up to where its message begins, which is so long.
pub(crate) fn write_head(api_version: &str, kind: &str, raw_len: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(MAGIC);
    let mut type_meta = Vec::with_capacity(api_version.len() + kind.len() + 8);
    write_bytes(1, api_version.as_bytes(), &mut type_meta);
    write_bytes(2, kind.as_bytes(), &mut type_meta);
    write_bytes(1, &type_meta, out);
    write_bytes_head(2, raw_len, out);
}

/// The fields of a message that has no numbers.
pub(crate) fn fields(message: &[u8]) -> Result<Vec<(u32, &[u8])>, ProtobufError> {
    let mut reader = Reader::new(message);
    let mut fields = Vec::new();
    while let Some((number, value)) = reader.next()? {
        let Field::Bytes(bytes) = value else { return Err(ProtobufError::Envelope) };
        fields.push((number, bytes));
    }
    Ok(fields)
}

/// Reads an object.
pub(crate) fn decode(body: &[u8]) -> Result<Value, ProtobufError> {
    Envelope::decode(body)?.object()
}

impl From<WireError> for ProtobufError {
    fn from(_: WireError) -> Self {
        Self::Envelope
    }
}

impl From<ProtobufError> for ApiError {
    fn from(error: ProtobufError) -> Self {
        match error {
            ProtobufError::Unknown { .. } => {
                Self::unsupported_media_type("application/json, application/yaml")
            }
            _ => Self::bad_request(error.to_string()),
        }
    }
}

/// One fuzz case: a body. Must not panic.
#[doc(hidden)]
pub fn fuzz(data: &[u8]) {
    let _ = decode(data);
}

#[cfg(test)]
mod tests;
