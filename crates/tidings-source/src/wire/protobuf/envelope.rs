//! Opens the envelope of one object: the four bytes `k8s\0`, then a `runtime.Unknown` message with the object's type and
//! its bytes.

use tidings_protobuf::wire::{FieldReader, Value, WireError};

/// The first bytes of every response, and of every object of a watch.
pub(crate) const MAGIC: [u8; 4] = *b"k8s\0";

/// An object in its envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Envelope<'a> {
    pub(crate) type_meta: TypeMeta<'a>,
    pub(crate) message: &'a [u8],
}

/// The type of an object. A text that is not given is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TypeMeta<'a> {
    pub(crate) api_version: &'a str,
    pub(crate) kind: &'a str,
}

/// Why bytes are not the expected message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MessageError {
    #[error("the Kubernetes envelope is missing")]
    NoEnvelope,
    #[error("a content encoding that was not requested")]
    Encoded,
    #[error("a string is not UTF-8")]
    NotText,
    #[error("field {0} has a wrong type")]
    WrongType(u32),
    #[error("{0} is missing")]
    Missing(&'static str),
    #[error(transparent)]
    Wire(#[from] WireError),
}

/// The fields of `runtime.Unknown`.
pub(super) const TYPE_META: u32 = 1;
pub(super) const RAW: u32 = 2;
pub(super) const CONTENT_ENCODING: u32 = 3;

impl<'a> Envelope<'a> {
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Envelope<'a>, MessageError> {
        let unknown = bytes.strip_prefix(&MAGIC).ok_or(MessageError::NoEnvelope)?;
        let mut type_meta = TypeMeta::default();
        let mut message = None;
        each_field(unknown, |number, value| {
            match number {
                TYPE_META => type_meta = TypeMeta::read(bytes_of(number, value)?)?,
                RAW => message = Some(bytes_of(number, value)?),
                CONTENT_ENCODING if !bytes_of(number, value)?.is_empty() => {
                    return Err(MessageError::Encoded);
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok(Envelope { type_meta, message: message.ok_or(MessageError::Missing("the object"))? })
    }
}

impl<'a> TypeMeta<'a> {
    pub(super) fn read(message: &'a [u8]) -> Result<TypeMeta<'a>, MessageError> {
        let mut type_meta = TypeMeta::default();
        each_field(message, |number, value| {
            match number {
                1 => type_meta.api_version = text_of(number, value)?,
                2 => type_meta.kind = text_of(number, value)?,
                _ => {}
            }
            Ok(())
        })?;
        Ok(type_meta)
    }

    /// Each text that is not empty.
    pub(crate) fn non_empty(self) -> tidings_protobuf::TypeMeta<'a> {
        let non_empty = |text: &'a str| Some(text).filter(|text| !text.is_empty());
        tidings_protobuf::TypeMeta { api_version: non_empty(self.api_version), kind: non_empty(self.kind) }
    }
}

/// Calls `visit` with each field of a message, in order. Duplicate fields are passed too.
pub(crate) fn each_field<'a>(
    message: &'a [u8],
    mut visit: impl FnMut(u32, Value<'a>) -> Result<(), MessageError>,
) -> Result<(), MessageError> {
    let mut fields = FieldReader::new(message);
    while let Some((number, value)) = fields.next()? {
        visit(number, value)?;
    }
    Ok(())
}

pub(super) fn bytes_of(number: u32, value: Value<'_>) -> Result<&[u8], MessageError> {
    match value {
        Value::Bytes(bytes) => Ok(bytes),
        _ => Err(MessageError::WrongType(number)),
    }
}

pub(super) fn text_of(number: u32, value: Value<'_>) -> Result<&str, MessageError> {
    std::str::from_utf8(bytes_of(number, value)?).map_err(|_| MessageError::NotText)
}
