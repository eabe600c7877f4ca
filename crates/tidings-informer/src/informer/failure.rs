//! Why an informer no longer follows the server although nobody stopped it, and who waits to know.
//!
//! A failure is recorded before anything is cancelled: whoever is woken by the end of an informer finds the cause.

use std::sync::Arc;

use tidings_source::StreamScope;
use tokio::sync::watch;

use crate::delta::StreamId;

/// Why an informer, or a part of it, no longer follows the server although nobody stopped it. Its cache stays readable
/// as it was, and no longer changes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InformerFailure {
    /// Its task panicked. The informer has ended for everyone: ask the factory for a new one.
    #[error("the informer of {informer} panicked: {message}")]
    Panicked {
        /// The informer's name.
        informer: String,
        /// The panic's message.
        message: String,
    },
    /// One of its lists and watches ended: it panicked, or its [`StopPolicy`](crate::reflector::StopPolicy) gave up. The
    /// informer's other namespaces go on; it recovers when it no longer follows this one.
    #[error("the informer of {informer} has stopped watching {scope}: {cause}")]
    StreamEnded {
        /// The informer's name.
        informer: String,
        /// What is no longer listed and watched.
        scope: StreamScope,
        /// Why.
        cause: String,
    },
}

impl InformerFailure {
    /// The informer's name.
    pub fn informer(&self) -> &str {
        match self {
            InformerFailure::Panicked { informer, .. } | InformerFailure::StreamEnded { informer, .. } => {
                informer
            }
        }
    }

    /// What happened, without the informer's name.
    pub fn cause(&self) -> String {
        match self {
            InformerFailure::Panicked { message, .. } => format!("it panicked: {message}"),
            InformerFailure::StreamEnded { scope, cause, .. } => {
                format!("it has stopped watching {scope}: {cause}")
            }
        }
    }

    /// Whether objects of this namespace are no longer followed; without a namespace, whether any are not.
    fn concerns(&self, namespace: Option<&str>) -> bool {
        match (self, namespace) {
            (InformerFailure::Panicked { .. }, _) | (_, None) => true,
            (InformerFailure::StreamEnded { scope, .. }, Some(namespace)) => scope.contains(Some(namespace)),
        }
    }
}

/// The failures of one informer. Clones look at the same; they outlive the informer.
#[derive(Debug, Clone)]
pub(super) struct Failures(Arc<watch::Sender<Vec<(Part, InformerFailure)>>>);

/// What has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The informer's own task.
    Task,
    /// One of its lists and watches.
    Stream(StreamId),
}

impl Failures {
    pub(super) fn new() -> Self {
        Failures(Arc::new(watch::Sender::new(Vec::new())))
    }

    pub(super) fn add(&self, part: Part, failure: InformerFailure) {
        self.0.send_modify(|failures| failures.push((part, failure)));
    }

    /// This stream is no longer followed: that it failed no longer matters.
    pub(super) fn forget(&self, stream: StreamId) {
        self.0.send_if_modified(|failures| {
            let before = failures.len();
            failures.retain(|(part, _)| *part != Part::Stream(stream));
            failures.len() != before
        });
    }

    pub(super) fn all(&self) -> Vec<InformerFailure> {
        self.0.borrow().iter().map(|(_, failure)| failure.clone()).collect()
    }

    /// What keeps objects of this namespace from being followed; without a namespace, any.
    pub(super) fn of(&self, namespace: Option<&str>) -> Option<InformerFailure> {
        let failures = self.0.borrow();
        failures.iter().map(|(_, failure)| failure).find(|failure| failure.concerns(namespace)).cloned()
    }

    /// The panic of the informer's own task.
    pub(super) fn panic(&self) -> Option<InformerFailure> {
        let failures = self.0.borrow();
        let panic = failures.iter().find(|(part, _)| *part == Part::Task);
        panic.map(|(_, failure)| failure.clone())
    }

    /// Waits for a failure [of](Self::of) this namespace; for ever, if none comes.
    pub(super) async fn wait(&self, namespace: Option<&str>) -> InformerFailure {
        let mut changes = self.0.subscribe();
        loop {
            // Marked before the look: what comes after it wakes us.
            changes.mark_unchanged();
            if let Some(failure) = self.of(namespace) {
                return failure;
            }
            changes.changed().await.expect("the sender is ours");
        }
    }
}
