//! Kubernetes' protobuf, read as if it were JSON.

pub mod wire;

use std::borrow::Cow;

use serde::de::DeserializeOwned;

/// The fields of one message, as the table has them.
#[derive(Debug)]
pub struct Message {}

/// The release of Kubernetes whose types the table was made from.
pub const KUBERNETES_VERSION: &str = "v0.36.3";

/// What the reader is to see as `apiVersion` and `kind` of the outermost object; `None`: there is no such member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TypeMeta<'a> {
    /// The group and version, such as `apps/v1`.
    pub api_version: Option<&'a str>,
    /// The kind.
    pub kind: Option<&'a str>,
}

/// One step down into an object.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Step<'a> {
    /// The member of an object or map.
    Member(Cow<'a, str>),
    /// Every item of a list.
    Each,
}

/// Why bytes could not be read as this message, or as this Rust type. It never quotes a value.
#[derive(Debug, thiserror::Error)]
#[error("not written yet")]
pub struct Error {}

/// Why JSON could not be written as this message.
#[derive(Debug, thiserror::Error)]
#[error("not written yet")]
pub struct EncodeError {}

/// The message of a built-in kind.
pub fn message(_group: &str, _version: &str, _kind: &str) -> Option<&'static Message> {
    None
}

/// Reads a value from the bytes of a message.
pub fn from_slice<T: DeserializeOwned>(
    _message: &'static Message,
    _type_meta: TypeMeta<'_>,
    _bytes: &[u8],
) -> Result<T, Error> {
    Err(Error {})
}

/// The JSON of a message.
pub fn to_json(
    _message: &'static Message,
    _type_meta: TypeMeta<'_>,
    _bytes: &[u8],
) -> Result<Vec<u8>, Error> {
    Err(Error {})
}

/// What stands at a path, as JSON has it.
pub fn values_at(
    _message: &'static Message,
    _bytes: &[u8],
    _path: &[Step<'_>],
) -> Result<Vec<serde_json::Value>, Error> {
    Err(Error {})
}

/// The message without the fields at these paths.
pub fn without(
    _message: &'static Message,
    _bytes: &[u8],
    _paths: &[Vec<Step<'_>>],
) -> Result<Vec<u8>, Error> {
    Err(Error {})
}

/// The bytes of a message whose JSON this is.
pub fn encode(_message: &'static Message, _json: &serde_json::Value) -> Result<Vec<u8>, EncodeError> {
    Err(EncodeError {})
}
