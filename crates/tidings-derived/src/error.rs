//! The errors of this crate. The text of an error includes its cause.

use std::fmt;

/// A collection could not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DerivedError {
    /// The graph has stopped, or its task was dropped.
    #[error("adding {what} to graph {graph:?}: the graph has stopped; make a new one")]
    Stopped {
        /// The graph.
        graph: String,
        /// What was to be added.
        what: String,
    },
    /// The task of the graph panicked, outside of functions and handlers.
    #[error("graph {graph:?} panicked: {message}")]
    Panicked {
        /// The graph.
        graph: String,
        /// The message of the panic.
        message: String,
    },
    /// The collection has not synced.
    #[error("reading collection {collection:?}: it has not synced: {reason}")]
    NotSynced {
        /// The collection.
        collection: String,
        /// Why.
        reason: String,
    },
}

/// What went wrong in a collection. The rest of the collection goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CollectionFault {
    /// The collection.
    pub collection: String,
    /// The input key whose evaluation failed, or the output key that is not unique.
    pub key: String,
    /// What went wrong.
    pub kind: FaultKind,
}

/// What went wrong in a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// The function panicked, returned an error, or read what it may not read.
    Failed {
        /// The error, or the message of the panic.
        message: String,
    },
    /// Several inputs, or one input several times, produced the same output key. The first of these inputs wins.
    DuplicateKey {
        /// The keys of the inputs, sorted.
        inputs: Vec<String>,
    },
    /// Two evaluations with the same inputs returned or read different things. Only the check for purity finds this.
    Impure,
    /// A controller can't reconcile this key.
    KeyRefused {
        /// The controller.
        subscriber: String,
        /// Why.
        message: String,
    },
    /// A handler panicked.
    HandlerPanicked {
        /// The handler.
        handler: String,
        /// The message of the panic.
        message: String,
    },
}

impl fmt::Display for CollectionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CollectionFault { collection, key, kind } = self;
        match kind {
            FaultKind::Failed { message } => {
                write!(f, "evaluating {key:?} of collection {collection:?}: {message}")
            }
            FaultKind::DuplicateKey { inputs } => write!(
                f,
                "collection {collection:?} has the output key {key:?} more than once, from {}; the first one wins: make \
                 the key unique",
                inputs.join(", ")
            ),
            FaultKind::Impure => write!(
                f,
                "evaluating {key:?} of collection {collection:?} twice gave different results: the function must depend \
                 only on what it reads through its context"
            ),
            FaultKind::KeyRefused { subscriber, message } => {
                write!(
                    f,
                    "controller {subscriber:?} can't reconcile {key:?} of collection {collection:?}: {message}"
                )
            }
            FaultKind::HandlerPanicked { handler, message } => {
                write!(f, "handler {handler:?} of collection {collection:?} panicked with {key:?}: {message}")
            }
        }
    }
}
