//! What is done to a body once, at arrival, before it is packed and indexed. Identity is read from the
//! original and can't be changed by it.
//!
//! A transform that fails or panics costs its object the body, and nobody else anything. (Catching panics
//! needs `panic = "unwind"`.)

mod prune;

use std::borrow::Cow;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tidings_protobuf::{Message, TypeMeta};

use crate::FieldPath;
use crate::body::Wire;
use crate::raw::{panic_message, without_values};
use prune::Pruning;

/// A change to every body of an informer.
///
/// Pruning works on the bytes of either wire. Any other step needs JSON: an object that came as protobuf is first
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
    steps: Vec<Step>,
}

#[derive(Clone)]
enum Step {
    Prune(Arc<Pruning>),
    Change(Arc<Change>),
}

type Change = dyn Fn(&[u8]) -> Result<Vec<u8>, TransformError> + Send + Sync;

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
        Transform { steps: vec![Step::Prune(Arc::new(Pruning::new(paths)))] }
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

    /// Applies every step.
    pub fn apply(&self, json: &[u8]) -> Result<Vec<u8>, TransformError> {
        let Some((first, others)) = self.steps.split_first() else { return Ok(json.to_vec()) };
        others.iter().try_fold(first.apply(json)?, |json, step| step.apply(&json))
    }

    /// Applies every step to a protobuf message, and says what came out: protobuf if nothing but pruning was
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
                Step::Prune(pruning) => {
                    let pruned = pruning.apply_protobuf(table, &message);
                    message = Cow::Owned(pruned.map_err(TransformError::because)?);
                }
                Step::Change(_) => {
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
        Transform { steps: vec![Step::Change(Arc::new(change))] }
    }
}

impl Step {
    fn apply(&self, json: &[u8]) -> Result<Vec<u8>, TransformError> {
        match self {
            Step::Prune(pruning) => pruning.apply(json).map_err(TransformError::because),
            Step::Change(change) => catch_unwind(AssertUnwindSafe(|| change(json))).unwrap_or_else(|panic| {
                Err(TransformError { message: format!("it panicked: {}", panic_message(&*panic)) })
            }),
        }
    }
}

/// Equal when they surely do the same: the same fields pruned, the very same functions.
impl PartialEq for Transform {
    fn eq(&self, other: &Self) -> bool {
        let is_same = |(a, b): (&Step, &Step)| match (a, b) {
            (Step::Prune(a), Step::Prune(b)) => a == b,
            (Step::Change(a), Step::Change(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        self.steps.len() == other.steps.len() && self.steps.iter().zip(&other.steps).all(is_same)
    }
}

impl Eq for Transform {}

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
