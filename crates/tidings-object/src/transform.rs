//! A transform changes each body once, at arrival, before it is packed and indexed. The identity is read from the
//! original bytes, so that a transform can't change it.
//!
//! If a transform fails or panics, only its object loses its body. (To catch a panic, the program needs
//! `panic = "unwind"`.)

mod prune;

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tidings_protobuf::{Message, TypeMeta};
use tidings_util::panic_message;

use crate::FieldPath;
use crate::body::Wire;
use crate::raw::without_values;
use prune::PrunePaths;

/// A change to every body of an informer.
///
/// Pruning works on the bytes of either wire. Any other step needs JSON: a protobuf object is first converted to JSON,
/// which costs about as much as decoding it, and the JSON that is stored is about half as large again. So prune first;
/// and if a function changes every object, let the informer request JSON.
///
/// ```
/// # use k8s_openapi::api::core::v1::Pod;
/// use tidings_object::{FieldPath, Transform};
/// # use tidings_object::{Intake, Kind, NothingKnown};
///
/// let slim = Transform::drop_managed_fields()
///     .then(Transform::prune([FieldPath::parse(".spec.containers[*].env")?]))
///     .then(Transform::json(|object| object["status"]["seen"] = true.into()));
///
/// # let intake = Intake::new(Pod::resource(), Default::default()).with_transform(slim);
/// # let frame = br#"{"metadata":{"name":"a","resourceVersion":"1","managedFields":[{}]},
/// #     "spec":{"containers":[{"env":[],"name":"c"}]}}"#;
/// # let pod = intake.json(frame, &NothingKnown)?;
/// // This pod arrived through an informer with the transform.
/// assert!(pod.field(".metadata.managedFields")?.is_absent());
/// assert_eq!(pod.field(".spec.containers[0]")?.to_string(), r#"{"name":"c"}"#);
/// assert_eq!(pod.field(".status.seen")?.to_string(), "true");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Transform {
    steps: Vec<TransformStep>,
}

#[derive(Clone)]
enum TransformStep {
    Prune(Arc<PrunePaths>),
    Function(Arc<TransformFn>, Option<FunctionName>),
}

/// The name of a transform and the position of the function in it.
type FunctionName = (Arc<str>, usize);

/// Identifies what a [`Transform`] does. Two are equal only if the transforms certainly do the same. It keeps no
/// function alive.
///
/// Fields to prune are compared by value, in any order. Functions are compared by their [name](Transform::named).
/// Without a name they are compared by allocation, so that only clones of one transform are equal.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TransformId(Vec<StepId>);

#[derive(Debug, Clone)]
enum StepId {
    Prune(Arc<PrunePaths>),
    Named(FunctionName),
    Unnamed(Weak<TransformFn>),
}

type TransformFn = dyn Fn(&[u8]) -> Result<Vec<u8>, TransformError> + Send + Sync;

/// A body could not be transformed. Its object keeps its identity, and readers of the body get
/// [`ReadError::Transform`](crate::ReadError::Transform).
#[doc(hidden)]
#[derive(Debug, Clone, thiserror::Error)]
#[error("transforming the object: {message}")]
pub struct TransformError {
    /// The error of the transform, or the message of its panic.
    pub message: String,
}

impl Transform {
    /// Drops these fields from the bytes, without decoding the object. A path that ends in `[*]` empties a list, one
    /// that ends in `[0]` drops one item; indexes refer to the list as it arrived. (In protobuf an emptied list is
    /// absent.)
    pub fn prune(paths: impl IntoIterator<Item = FieldPath>) -> Transform {
        Transform { steps: vec![TransformStep::Prune(Arc::new(PrunePaths::new(paths)))] }
    }

    /// Drops `metadata.managedFields`, which few programs read and which often are a third of an object.
    pub fn drop_managed_fields() -> Transform {
        let path = FieldPath::parse(".metadata.managedFields").expect("a constant path");
        Transform::prune([path])
    }

    /// Changes the decoded object. Fields that `K` does not have are lost.
    pub fn typed<K: DeserializeOwned + Serialize>(
        change: impl Fn(&mut K) + Send + Sync + 'static,
    ) -> Transform {
        Transform::of(move |json| {
            let mut object = serde_json::from_slice::<K>(json).map_err(TransformError::because)?;
            change(&mut object);
            serde_json::to_vec(&object).map_err(TransformError::because)
        })
    }

    /// Changes the JSON tree. No field is lost.
    pub fn json(change: impl Fn(&mut Value) + Send + Sync + 'static) -> Transform {
        Transform::typed::<Value>(change)
    }

    /// Applies `next` after this transform.
    #[must_use]
    pub fn then(mut self, next: Transform) -> Transform {
        self.steps.extend(next.steps);
        self
    }

    /// Names the functions of this transform, so that transforms that are created in different places can be equal.
    ///
    /// **The name is a promise**: two functions with the same name must do the same. A factory shares one informer
    /// between all requests with equal transforms, and the informer runs the first one.
    ///
    /// ```
    /// use tidings_object::Transform;
    ///
    /// let strip = || Transform::json(|object| object["status"] = serde_json::Value::Null);
    /// assert_ne!(strip(), strip());
    /// assert_eq!(strip().named("strip-status"), strip().named("strip-status"));
    /// ```
    #[must_use]
    pub fn named(mut self, name: impl Into<Arc<str>>) -> Transform {
        let name = name.into();
        for (at, step) in self.steps.iter_mut().enumerate() {
            if let TransformStep::Function(_, unnamed @ None) = step {
                *unnamed = Some((Arc::clone(&name), at));
            }
        }
        self
    }

    /// Identifies what it does, for comparison.
    #[doc(hidden)]
    pub fn id(&self) -> TransformId {
        let steps = self.steps.iter().map(|step| match step {
            TransformStep::Prune(pruning) => StepId::Prune(Arc::clone(pruning)),
            TransformStep::Function(_, Some(name)) => StepId::Named(name.clone()),
            TransformStep::Function(change, None) => StepId::Unnamed(Arc::downgrade(change)),
        });
        TransformId(steps.collect())
    }

    /// Applies every step to the JSON of an object.
    #[doc(hidden)]
    pub fn apply(&self, json: &[u8]) -> Result<Vec<u8>, TransformError> {
        let Some((first, others)) = self.steps.split_first() else { return Ok(json.to_vec()) };
        others.iter().try_fold(first.apply(json)?, |json, step| step.apply(&json))
    }

    /// Applies every step to a protobuf message. The result is protobuf if all steps prune, otherwise JSON.
    pub(crate) fn apply_protobuf(
        &self,
        table: &'static Message,
        type_meta: TypeMeta<'_>,
        message: &[u8],
    ) -> Result<(Wire, Vec<u8>), TransformError> {
        let mut message = Cow::Borrowed(message);
        let mut steps = self.steps.iter();
        while let Some(step) = steps.next() {
            match step {
                TransformStep::Prune(pruning) => {
                    let pruned = pruning.apply_protobuf(table, &message);
                    message = Cow::Owned(pruned.map_err(TransformError::because)?);
                }
                TransformStep::Function(..) => {
                    let json = tidings_protobuf::to_json(table, type_meta, &message);
                    let json = step.apply(&json.map_err(TransformError::because)?)?;
                    let json = steps.try_fold(json, |json, step| step.apply(&json))?;
                    return Ok((Wire::Json, json));
                }
            }
        }
        Ok((Wire::Protobuf, message.into_owned()))
    }

    fn of(change: impl Fn(&[u8]) -> Result<Vec<u8>, TransformError> + Send + Sync + 'static) -> Transform {
        Transform { steps: vec![TransformStep::Function(Arc::new(change), None)] }
    }
}

impl TransformStep {
    fn apply(&self, json: &[u8]) -> Result<Vec<u8>, TransformError> {
        match self {
            TransformStep::Prune(pruning) => pruning.apply(json).map_err(TransformError::because),
            TransformStep::Function(change, _) => catch_unwind(AssertUnwindSafe(|| change(json)))
                .unwrap_or_else(|panic| {
                    Err(TransformError { message: format!("it panicked: {}", panic_message(&*panic)) })
                }),
        }
    }
}

/// Compares [`TransformId`]s.
impl PartialEq for Transform {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}

impl Eq for Transform {}

/// A weak reference keeps the allocation of a function, so that a later function can't have the same address and count
/// as equal.
impl PartialEq for StepId {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (StepId::Prune(a), StepId::Prune(b)) => a == b,
            (StepId::Named(a), StepId::Named(b)) => a == b,
            (StepId::Unnamed(a), StepId::Unnamed(b)) => Weak::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl Eq for StepId {}

impl Hash for StepId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            StepId::Prune(pruning) => pruning.hash(state),
            StepId::Named(name) => name.hash(state),
            StepId::Unnamed(change) => change.as_ptr().cast::<()>().hash(state),
        }
    }
}

impl TransformError {
    pub(crate) fn because(error: impl fmt::Display) -> Self {
        TransformError { message: without_values(&error.to_string()) }
    }
}

impl fmt::Debug for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Transform({} steps)", self.steps.len())
    }
}

#[cfg(test)]
mod tests;
