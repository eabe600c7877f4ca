//! Records why an informer no longer follows the server although it was not stopped, and wakes the waiters for that.
//!
//! A failure is recorded before anything is cancelled, so that a task that is woken by the end of the informer finds
//! the cause.

use std::sync::Arc;

use tidings_util::watch;

use crate::delta::StreamId;
use crate::informer::error::InformerError;

/// The failures of one informer. Clones share one record, which outlives the informer.
#[derive(Debug, Clone)]
pub(crate) struct Failures(Arc<watch::Sender<Vec<(FailedPart, InformerError)>>>);

/// The part that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailedPart {
    /// The informer's own task.
    Task,
    /// One of its streams.
    Stream(StreamId),
}

impl Failures {
    pub(crate) fn new() -> Self {
        Failures(Arc::new(watch::Sender::new(Vec::new())))
    }

    pub(crate) fn add(&self, part: FailedPart, failure: InformerError) {
        self.0.send_modify(|failures| failures.push((part, failure)));
    }

    /// Removes the failure of a stream that is no longer wanted.
    pub(crate) fn forget(&self, stream: StreamId) {
        self.0.send_if_modified(|failures| {
            let before = failures.len();
            failures.retain(|(part, _)| *part != FailedPart::Stream(stream));
            failures.len() != before
        });
    }

    pub(crate) fn all(&self) -> Vec<InformerError> {
        self.0.borrow().iter().map(|(_, failure)| failure.clone()).collect()
    }

    /// The failure because of which the objects of this namespace are not followed. Without a namespace, any failure.
    pub(crate) fn of(&self, namespace: Option<&str>) -> Option<InformerError> {
        let failures = self.0.borrow();
        failures.iter().map(|(_, failure)| failure).find(|failure| concerns(failure, namespace)).cloned()
    }

    /// The panic of the informer's own task.
    pub(crate) fn panic(&self) -> Option<InformerError> {
        let failures = self.0.borrow();
        let panic = failures.iter().find(|(part, _)| *part == FailedPart::Task);
        panic.map(|(_, failure)| failure.clone())
    }

    /// Waits for a failure [of](Self::of) this namespace.
    pub(crate) async fn wait(&self, namespace: Option<&str>) -> InformerError {
        let mut changes = self.0.subscribe();
        loop {
            // Marked as seen before the check: a failure after the check wakes this task.
            changes.mark_unchanged();
            if let Some(failure) = self.of(namespace) {
                return failure;
            }
            changes.changed().await.expect("the sender is ours");
        }
    }
}

/// Whether the objects of this namespace are not followed because of this failure. Without a namespace, always.
fn concerns(failure: &InformerError, namespace: Option<&str>) -> bool {
    match (failure, namespace) {
        (InformerError::StreamEnded { scope, .. }, Some(namespace)) => scope.contains(Some(namespace)),
        _ => true,
    }
}
