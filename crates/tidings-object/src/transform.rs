//! What is done to a body once, at arrival, before it is packed and indexed. Identity is read from the
//! original and can't be changed by it.
//!
//! A transform that fails or panics costs its object the body, and nobody else anything. (Catching panics
//! needs `panic = "unwind"`.)

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
/// PrunePaths works on the bytes of either wire. Any other step needs JSON: an object that came as protobuf is first
/// written as JSON, which costs about as much as decoding it, and stays JSON, half as large again as it came.
/// So prune first, and where every object is changed otherwise, ask the server for JSON.
///
/// ```
/// use tidings_object::{FieldPath, Transform};
///
/// let slim = Transform::drop_managed_fields()
///     .then(Transform::prune([FieldPath::parse(".spec.containers[*].env")?]))
///     .then(Transform::json(|object| object["status"]["seen"] = true.into()));
/// let pod = br#"{"metadata":{"name":"a","managedFields":[{}]},"spec":{"containers":[{"env":[],"name":"c"}]}}"#;
/// assert_eq!(
///     String::from_utf8(slim.apply(pod)?)?,
///     r#"{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c"}]},"status":{"seen":true}}"#,
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Transform {
    steps: Vec<TransformStep>,
}

#[derive(Clone)]
enum TransformStep {
    Prune(Arc<PrunePaths>),
    TransformFn(Arc<TransformFn>, Option<FunctionName>),
}

/// The name of a transform, and which of its functions this is.
type FunctionName = (Arc<str>, usize);

/// What a [`Transform`] does, to be compared: equal when two surely do the same. It keeps no function alive.
///
/// Fields to prune are compared by value, whatever their order. Functions are compared by their
/// [name](Transform::named), and without one by allocation: only clones of one transform are then equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TransformId(Vec<StepId>);

#[derive(Debug, Clone)]
enum StepId {
    Prune(Arc<PrunePaths>),
    Named(FunctionName),
    Unnamed(Weak<TransformFn>),
}

type TransformFn = dyn Fn(&[u8]) -> Result<Vec<u8>, TransformError> + Send + Sync;

/// Why a body could not be transformed. Its object keeps its identity; reading its body gives this error.
#[derive(Debug, Clone, thiserror::Error)]
#[error("transforming the object: {message}")]
pub struct TransformError {
    /// What the transform said.
    pub message: String,
}

impl Transform {
    /// Drops these fields from the bytes, without decoding the object. A path that ends in `[*]` empties arrays. (In
    /// protobuf, where a list or map is its items, one that was emptied is absent.)
    pub fn prune(paths: impl IntoIterator<Item = FieldPath>) -> Transform {
        Transform { steps: vec![TransformStep::Prune(Arc::new(PrunePaths::new(paths)))] }
    }

    /// Drops `metadata.managedFields`, often a third of an object that few ever read.
    pub fn drop_managed_fields() -> Transform {
        let path = FieldPath::parse(".metadata.managedFields").expect("a constant path");
        Transform::prune([path])
    }

    /// Changes the decoded object; fields that `K` does not know are lost.
    pub fn typed<K: DeserializeOwned + Serialize>(
        change: impl Fn(&mut K) + Send + Sync + 'static,
    ) -> Transform {
        Transform::of(move |json| {
            let mut object = serde_json::from_slice::<K>(json).map_err(TransformError::because)?;
            change(&mut object);
            serde_json::to_vec(&object).map_err(TransformError::because)
        })
    }

    /// Changes the JSON tree; every field is kept.
    pub fn json(change: impl Fn(&mut Value) + Send + Sync + 'static) -> Transform {
        Transform::typed::<Value>(change)
    }

    /// One transform after another.
    #[must_use]
    pub fn then(mut self, next: Transform) -> Transform {
        self.steps.extend(next.steps);
        self
    }

    /// Names the functions of this transform, so that transforms which are made at different places can be equal: see
    /// [`TransformId`]. **The name is the promise**: whoever gives two functions one name equals that they do the same. An
    /// informer of a factory is shared by everyone who asks for equal transforms, and runs the first one.
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
            if let TransformStep::TransformFn(_, unnamed @ None) = step {
                *unnamed = Some((Arc::clone(&name), at));
            }
        }
        self
    }

    /// What it does, to be compared.
    pub fn id(&self) -> TransformId {
        let steps = self.steps.iter().map(|step| match step {
            TransformStep::Prune(pruning) => StepId::Prune(Arc::clone(pruning)),
            TransformStep::TransformFn(_, Some(name)) => StepId::Named(name.clone()),
            TransformStep::TransformFn(change, None) => StepId::Unnamed(Arc::downgrade(change)),
        });
        TransformId(steps.collect())
    }

    /// Applies every step.
    pub fn apply(&self, json: &[u8]) -> Result<Vec<u8>, TransformError> {
        let Some((first, others)) = self.steps.split_first() else { return Ok(json.to_vec()) };
        others.iter().try_fold(first.apply(json)?, |json, step| step.apply(&json))
    }

    /// Applies every step to a protobuf message, and equals what came out: protobuf if nothing but pruning was
    /// asked for, otherwise JSON.
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
                TransformStep::TransformFn(..) => {
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
        Transform { steps: vec![TransformStep::TransformFn(Arc::new(change), None)] }
    }
}

impl TransformStep {
    fn apply(&self, json: &[u8]) -> Result<Vec<u8>, TransformError> {
        match self {
            TransformStep::Prune(pruning) => pruning.apply(json).map_err(TransformError::because),
            TransformStep::TransformFn(change, _) => catch_unwind(AssertUnwindSafe(|| change(json)))
                .unwrap_or_else(|panic| {
                    Err(TransformError { message: format!("it panicked: {}", panic_message(&*panic)) })
                }),
        }
    }
}

/// As their [`TransformId`]s are.
impl PartialEq for Transform {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}

impl Eq for Transform {}

/// A reference to a function's allocation keeps its address from being given to another one, so that two which were never
/// alive at the same time are not taken for one.
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
