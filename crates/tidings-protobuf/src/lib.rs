//! Kubernetes' protobuf, read as if it were JSON.

mod encode;
mod error;
#[doc(hidden)]
pub mod fuzz;
mod json;
mod message;
mod node;
mod path;
mod prune;
mod read;
mod table;
mod text;
mod time;
pub mod wire;
mod write;

use std::marker::PhantomData;

use serde::de::DeserializeOwned;

pub use encode::{EncodeError, encode};
pub use error::Error;
pub use message::Message;
pub use path::{Step, values_at};
pub use prune::without;
pub use table::KUBERNETES_VERSION;

/// How deep messages may be nested in each other. Only the schemas of custom resources nest at all deep.
pub const DEPTH_MAX: usize = 100;

/// What the reader is to see as `apiVersion` and `kind` of the outermost object; `None`: there is no such member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TypeMeta<'a> {
    /// The group and version, such as `apps/v1`.
    pub api_version: Option<&'a str>,
    /// The kind.
    pub kind: Option<&'a str>,
}

/// The message of a built-in kind, of its list, of a `Status` or of `PartialObjectMetadata`.
pub fn message(group: &str, version: &str, kind: &str) -> Option<&'static Message> {
    let at = table::KINDS.binary_search_by_key(&(group, version, kind), |(name, _)| *name).ok()?;
    Some(table::KINDS[at].1)
}

/// Reads a value from the bytes of a message.
pub fn from_slice<T: DeserializeOwned>(
    message: &'static Message,
    type_meta: TypeMeta<'_>,
    bytes: &[u8],
) -> Result<T, Error> {
    read::Root { message, type_meta, bytes }.read(PhantomData)
}

/// The JSON of a message.
pub fn to_json(message: &'static Message, type_meta: TypeMeta<'_>, bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let mut json = Vec::with_capacity(2 * bytes.len());
    read::Root { message, type_meta, bytes }.read(json::JsonWriter(&mut json))?;
    Ok(json)
}
