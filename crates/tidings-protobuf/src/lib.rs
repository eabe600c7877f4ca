//! Reads Kubernetes' protobuf as if it were JSON: every type that decodes from the JSON of an object decodes from its
//! protobuf, to an equal value.
//!
//! A [`Message`] maps field numbers to members of the JSON, and has the rules when JSON omits a member. There is one
//! for each built-in kind, generated from the tags of Kubernetes' Go types. All functions use it: [`from_slice`]
//! decodes a type, [`to_json`] converts to text, [`values_at`] reads a path, [`without`] drops fields, [`encode`]
//! converts from JSON. [`wire`] reads the format itself. This crate does not know envelopes (`runtime.Unknown`, frames
//! of a watch).
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
//! - A member that Go's encoder omits is absent, and one that it writes as null is null. A value that is not in the
//!   bytes, because an older server does not have it or it was pruned, is absent too.
//! - If a single field is repeated, the last one counts. This includes embedded messages: nothing is merged.
//! - Fields that are newer than the table ([`KUBERNETES_VERSION`]) are skipped.
//! - Text that is not UTF-8 reads as Go's encoder writes it, with U+FFFD for each wrong byte.
//! - Hostile bytes give an error. They never cause a panic, recursion beyond [`DEPTH_MAX`], or memory beyond a multiple
//!   of their length.

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

/// The maximum nesting of messages. Only the schemas of custom resources are nested deeply.
pub const DEPTH_MAX: usize = 100;

/// The `apiVersion` and `kind` of the outermost object. With `None` the object has no such member.
///
/// In protobuf they are in the envelope of an object; the items of a list have none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TypeMeta<'a> {
    /// The group and version, such as `apps/v1`.
    pub api_version: Option<&'a str>,
    /// The kind.
    pub kind: Option<&'a str>,
}

/// The message of a built-in kind or of its list, of `Status` in `v1`, or of `PartialObjectMetadata` in
/// `meta.k8s.io/v1`.
pub fn message(group: &str, version: &str, kind: &str) -> Option<&'static Message> {
    let at = table::KINDS.binary_search_by_key(&(group, version, kind), |(name, _)| *name).ok()?;
    Some(table::KINDS[at].1)
}

/// Decodes a value from the bytes of a message, as from its JSON.
pub fn from_slice<T: DeserializeOwned>(
    message: &'static Message,
    type_meta: TypeMeta<'_>,
    bytes: &[u8],
) -> Result<T, Error> {
    read::Root { message, type_meta, bytes }.read(PhantomData)
}

/// The JSON of a message: compact, with the members in the order of the Go struct. It equals the text that Go writes,
/// except that Go escapes `<`, `>` and `&`, and writes numbers beyond 2^63 and very small ones differently.
pub fn to_json(message: &'static Message, type_meta: TypeMeta<'_>, bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let mut json = Vec::with_capacity(2 * bytes.len());
    read::Root { message, type_meta, bytes }.read(json::JsonWriter(&mut json))?;
    Ok(json)
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
