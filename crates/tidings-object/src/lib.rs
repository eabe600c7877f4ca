//! What the server sent: one version of one object, kept as bytes and decoded when someone looks.
//!
//! An [`Intake`] turns a frame into a [`RawObject`]: it reads the identity in one pass, asks what is
//! already known, transforms and packs the body. An [`Object<K>`] is a typed view on it. This crate does
//! no I/O and knows no runtime.
//!
//! ```
//! use std::sync::Arc;
//!
//! use k8s_openapi::api::core::v1::Pod;
//! use tidings_object::{Budget, Intake, Kind, LabelSelector, NothingKnown, Object, Transform};
//!
//! let intake = Intake::new(Pod::resource(), Arc::new(Budget::default()))
//!     .with_transform(Transform::drop_managed_fields());
//! let frame = br#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-0","namespace":"shop",
//!     "uid":"8d2c","resourceVersion":"42","labels":{"app":"web"},"managedFields":[]},
//!     "spec":{"nodeName":"node-1","containers":[{"name":"web","image":"web:1"}]}}"#;
//! let pod: Object<Pod> = Object::new(intake.json(frame, &NothingKnown)?);
//!
//! // Nothing is decoded for these.
//! assert_eq!(pod.key().as_str(), "shop/web-0");
//! assert!(LabelSelector::parse("app=web")?.matches(|key| pod.labels().value(key)));
//! assert_eq!(pod.field(".spec.containers[*].image")?.to_string(), "web:1");
//!
//! // Decoded now, and kept.
//! let decoded: Arc<Pod> = pod.decoded()?;
//! assert!(decoded.metadata.managed_fields.is_none());
//! assert!(Arc::ptr_eq(&decoded, &pod.decoded()?));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(test)]
mod arbitrary;
mod json;
mod sync;

pub mod body;
pub mod budget;
pub mod field;
#[doc(hidden)]
pub mod fuzz;
pub mod identity;
pub mod intake;
pub mod key;
pub mod kind;
pub mod object;
mod parse_error;
pub mod raw;
pub mod selector;
pub mod transform;
pub mod version;

pub use body::{DictionaryTraining, PackPool, TrainedDictionary, Wire};
pub use budget::Budget;
pub use field::{FieldPath, FieldValue};
pub use intake::{Intake, IntakeError, KnownObjects, NothingKnown};
pub use key::{Key, KeyRef};
pub use kind::{Kind, Projection, ResourceKind, Scope};
pub use object::Object;
pub use parse_error::{ParseError, ParseTarget};
pub use raw::{DecodeError, Labels, Origin, PackStats, RawObject, ReadError};
pub use selector::{FieldOperator, FieldRequirement, FieldSelector, LabelSelector, Operator, Requirement};
pub use transform::{Transform, TransformError, TransformId};
pub use version::Version;
