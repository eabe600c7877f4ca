//! What the server sent: one version of one object, kept as bytes and decoded when someone looks.
//!
//! An [`Intake`] turns a frame into a [`RawObject`]: it reads the identity in one pass, asks what is
//! already known, transforms and packs the body. An [`Object<K>`] is a typed view on it. This crate does
//! no I/O and knows no runtime.

#[cfg(test)]
mod arbitrary;
mod json;
mod sync;

pub mod body;
pub mod budget;
pub mod field;
pub mod identity;
pub mod intake;
pub mod key;
pub mod kind;
pub mod object;
pub mod raw;
pub mod selector;
pub mod transform;
pub mod version;

pub use body::{PackPool, Trained, Training};
pub use budget::Budget;
pub use field::{FieldPath, FieldPathError, FieldValue};
pub use intake::{Intake, IntakeError, KnownObjects, NothingKnown};
pub use key::{Key, KeyError, KeyRef};
pub use kind::{Kind, Projection, ResourceKind, Scope};
pub use object::Object;
pub use raw::{Labels, Origin, PackStats, RawObject, ReadError};
pub use selector::{FieldSelector, FieldSelectorError, LabelSelector, SelectorError};
pub use transform::{Transform, TransformError};
pub use version::Version;
