//! One version of one Kubernetes object, stored as the bytes that the server sent and decoded on request.
//!
//! An [`Intake`] turns a frame into a [`RawObject`]: it reads the identity in one pass, reuses an unchanged object of
//! the cache, and transforms and packs the body. An [`Object<K>`] is a typed view on it. This crate does no I/O and
//! needs no async runtime.
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
//! // These decode nothing.
//! assert_eq!(pod.key().as_str(), "shop/web-0");
//! assert!(LabelSelector::parse("app=web")?.matches(|key| pod.labels().value(key)));
//! assert_eq!(pod.field(".spec.containers[*].image")?.to_string(), "web:1");
//!
//! // This decodes the pod and keeps the result.
//! let decoded: Arc<Pod> = pod.decoded()?;
//! assert!(decoded.metadata.managed_fields.is_none());
//! assert!(Arc::ptr_eq(&decoded, &pod.decoded()?));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(test)]
mod arbitrary;
mod body;
mod budget;
mod field;
#[doc(hidden)]
pub mod fuzz;
mod identity;
mod intake;
mod json;
mod key;
mod kind;
mod object;
mod parse_error;
mod raw;
mod selector;
mod sync;
mod transform;
mod version;

pub use body::Wire;
pub use budget::Budget;
pub use field::{FieldPath, FieldValue};
pub use intake::{Intake, KnownObjects, NothingKnown};
pub use key::{Key, KeyRef};
pub use kind::{Kind, Projection, ResourceKind, Scope};
pub use object::Object;
pub use parse_error::{ParseError, ParseTarget};
pub use raw::{Labels, RawObject, ReadError};
pub use selector::{FieldOperator, FieldRequirement, FieldSelector, LabelSelector, Operator, Requirement};
pub use transform::Transform;
pub use version::Version;

// For other crates of tidings only: these items may change in any release.
#[doc(hidden)]
pub use body::{DictionaryTraining, PackPool, TrainedDictionary};
#[doc(hidden)]
pub use identity::{Identity, ScanError};
#[doc(hidden)]
pub use intake::IntakeError;
#[doc(hidden)]
pub use json::{JsonError, ValueEnd};
#[doc(hidden)]
pub use raw::{Origin, PackStats, UnpackedObject};
#[doc(hidden)]
pub use transform::{TransformError, TransformId};

#[cfg(test)]
use tidings_test_types as _;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
