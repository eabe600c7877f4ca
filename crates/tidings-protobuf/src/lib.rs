//! Kubernetes' protobuf, read as if it were JSON: every type that decodes from an object's JSON decodes from its
//! protobuf, to an equal value.
//!
//! A [`Message`] says which number is which member, and when JSON leaves a member out. There is one for each built-in
//! kind, made from the tags of Kubernetes' Go types. All functions go by it: [`from_slice`] reads a type, [`to_json`]
//! writes the text, [`values_at`] reads a path, [`without`] drops some, [`encode`] goes the other way. [`wire`] reads
//! the format itself. Envelopes (`runtime.Unknown`, frames of a watch) are not known here.
//!
//! ```
//! use k8s_openapi::api::core::v1::Pod;
//! use tidings_protobuf::{TypeMeta, encode, from_slice, message, to_json};
//!
//! let message = message("", "v1", "Pod").expect("a built-in kind");
//! let json = serde_json::json!({
//!     "metadata": {"name": "web-0", "creationTimestamp": "2026-11-16T04:32:01Z"},
//!     "spec": {"containers": [{"name": "web", "resources": {"requests": {"cpu": "100m"}}}]},
//!     "status": {},
//! });
//! let bytes = encode(message, &json)?;
//!
//! let type_meta = TypeMeta { api_version: Some("v1"), kind: Some("Pod") };
//! let pod: Pod = from_slice(message, type_meta, &bytes)?;
//! assert_eq!(pod, serde_json::from_value(json)?);
//! assert!(to_json(message, type_meta, &bytes)?.starts_with(br#"{"kind":"Pod","apiVersion":"v1","metadata":"#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Rules
//!
//! - What Go's encoder leaves out is absent, what it writes as null is null. A value that the bytes lack, because an
//!   older server does not know it or it was pruned, is absent too.
//! - The last of a field that should stand once counts, embedded messages too: nothing is merged.
//! - Fields that are newer than the table ([`KUBERNETES_VERSION`]) are passed over.
//! - Text that is no UTF-8 reads as Go's encoder writes it, with U+FFFD for each wrong byte.
//! - Hostile bytes give an error, never a panic, no recursion beyond [`DEPTH_MAX`], no memory beyond a multiple of them.

mod encode;
mod error;
#[doc(hidden)]
pub mod fuzz;
mod json;
mod message;
mod node;
mod path;
mod path_tree;
mod prune;
mod read;
mod table;
mod text;
mod time;
pub mod wire;
mod write;

use std::marker::PhantomData;

use serde::de::DeserializeOwned;

pub use encode::{EncodeError, encode, encode_text};
pub use error::Error;
pub use message::Message;
pub use path::{PathStep, values_at};
pub use path_tree::PathTree;
pub use prune::{without, without_tree};
pub use table::KUBERNETES_VERSION;
pub use text::repaired_utf8;

/// How deep messages may be nested in each other. Only the schemas of custom resources nest at all deep.
pub const DEPTH_MAX: usize = 100;

/// What the reader is to see as `apiVersion` and `kind` of the outermost object; `None`: there is no such member.
///
/// Protobuf keeps them in the envelope of an object, and the items of a list have none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TypeMeta<'a> {
    /// The group and version, such as `apps/v1`.
    pub api_version: Option<&'a str>,
    /// The kind.
    pub kind: Option<&'a str>,
}

/// The message of a built-in kind or of its list; of `Status` in `v1`, and of `PartialObjectMetadata` in
/// `meta.k8s.io/v1`.
pub fn message(group: &str, version: &str, kind: &str) -> Option<&'static Message> {
    let at = table::KINDS.binary_search_by_key(&(group, version, kind), |(name, _)| *name).ok()?;
    Some(table::KINDS[at].1)
}

/// Reads a value from the bytes of a message, as it would be read from the JSON.
pub fn from_slice<T: DeserializeOwned>(
    message: &'static Message,
    type_meta: TypeMeta<'_>,
    bytes: &[u8],
) -> Result<T, Error> {
    read::Root { message, type_meta, bytes }.read(PhantomData)
}

/// The JSON of a message: compact, the members in the order of the Go struct, so letter for letter what Go writes
/// (which escapes `<`, `>` and `&`, and spells numbers beyond 2^63 and tiny ones in its own way).
pub fn to_json(message: &'static Message, type_meta: TypeMeta<'_>, bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let mut json = Vec::with_capacity(2 * bytes.len());
    read::Root { message, type_meta, bytes }.read(json::JsonWriter(&mut json))?;
    Ok(json)
}
