//! The envelope of Kubernetes protobuf, and the decoding of request bodies into JSON.
//!
//! A body is the magic number `k8s\0` and a message `runtime.Unknown`, which has the kind and the message of the
//! object. `tidings-protobuf` decodes that message. The result is the JSON that the client would have sent.

use serde_json::Value;
use tidings_protobuf::wire::{FieldReader, Value as Field, WireError, write_bytes, write_bytes_head};
use tidings_protobuf::{Message, TypeMeta, message, to_json};

use crate::status::ApiError;

pub(crate) const MEDIA_TYPE: &str = "application/vnd.kubernetes.protobuf";

const MAGIC: &[u8] = b"k8s\0";

/// The last fields of an envelope: empty `contentEncoding` and `contentType`.
pub(crate) const ENVELOPE_END: &[u8] = &[0x1a, 0, 0x22, 0];

/// Why a body could not be decoded.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProtobufError {
    #[error("the body is not Kubernetes protobuf")]
    NoMagic,
    #[error("the envelope of the body is malformed")]
    Envelope,
    #[error("the object in the body is malformed: {0}")]
    Object(tidings_protobuf::Error),
    #[error("{api_version} {kind} can't be decoded from protobuf")]
    Unknown { api_version: String, kind: String },
}

/// An object in its envelope.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Envelope<'a> {
    pub(crate) api_version: &'a str,
    pub(crate) kind: &'a str,
    /// The message of the object.
    pub(crate) raw: &'a [u8],
}

impl<'a> Envelope<'a> {
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

    pub(crate) fn encode(self) -> Vec<u8> {
        let Self { api_version, kind, raw } = self;
        let mut out = Vec::with_capacity(raw.len() + api_version.len() + kind.len() + 32);
        write_head(api_version, kind, raw.len(), &mut out);
        out.extend_from_slice(raw);
        out.extend_from_slice(ENVELOPE_END);
        out
    }

    /// The description of the message; `None` for an unknown kind.
    pub(crate) fn message(self) -> Option<&'static Message> {
        let (group, version) = self.api_version.split_once('/').unwrap_or(("", self.api_version));
        // DeleteOptions have the group and version of the deleted resource.
        let is_options = self.kind == "DeleteOptions";
        if is_options { message("", "v1", self.kind) } else { message(group, version, self.kind) }
    }

    /// The object as JSON.
    pub(crate) fn object(self) -> Result<Value, ProtobufError> {
        let Self { api_version, kind, raw } = self;
        let message = self.message().ok_or_else(|| ProtobufError::Unknown {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
        })?;
        let type_meta = TypeMeta { api_version: Some(api_version), kind: Some(kind) };
        let json = to_json(message, type_meta, raw).map_err(ProtobufError::Object)?;
        Ok(serde_json::from_slice(&json).expect("tidings-protobuf writes valid JSON"))
    }
}

/// Writes the part of an envelope before the object's message. `raw_len` is the length of that message.
pub(crate) fn write_head(api_version: &str, kind: &str, raw_len: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(MAGIC);
    let mut type_meta = Vec::with_capacity(api_version.len() + kind.len() + 8);
    write_bytes(1, api_version.as_bytes(), &mut type_meta);
    write_bytes(2, kind.as_bytes(), &mut type_meta);
    write_bytes(1, &type_meta, out);
    write_bytes_head(2, raw_len, out);
}

/// The fields of a message that has only length-delimited fields.
pub(crate) fn fields(message: &[u8]) -> Result<Vec<(u32, &[u8])>, ProtobufError> {
    let mut reader = FieldReader::new(message);
    let mut fields = Vec::new();
    while let Some((number, value)) = reader.next()? {
        let Field::Bytes(bytes) = value else { return Err(ProtobufError::Envelope) };
        fields.push((number, bytes));
    }
    Ok(fields)
}

/// Decodes a request body.
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

/// Fuzz target for a request body. Must not panic.
#[doc(hidden)]
pub fn fuzz(data: &[u8]) {
    let _ = decode(data);
}

#[cfg(test)]
mod tests;
