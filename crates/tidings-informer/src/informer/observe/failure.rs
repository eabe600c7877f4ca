//! Why an informer no longer follows the server although nobody stopped it, and who waits to know.
//!
//! A failure is recorded before anything is cancelled: whoever is woken by the end of an informer finds the cause.

use std::sync::Arc;

use tokio::sync::watch;

use crate::delta::StreamId;
use crate::informer::error::InformerError;

/// The failures of one informer. Clones look at the same; they outlive the informer.
#[derive(Debug, Clone)]
pub(crate) struct Failures(Arc<watch::Sender<Vec<(FailedPart, InformerError)>>>);

/// What has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailedPart {
    /// The informer's own task.
    Task,
    /// One of its lists and watches.
    Stream(StreamId),
}

impl Failures {
    pub(crate) fn new() -> Self {
        Failures(Arc::new(watch::Sender::new(Vec::new())))
    }

    pub(crate) fn add(&self, part: FailedPart, failure: InformerError) {
        self.0.send_modify(|failures| failures.push((part, failure)));
    }

    /// This stream is no longer followed: that it failed no longer matters.
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

    /// What keeps objects of this namespace from being followed; without a namespace, any.
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

    /// Waits for a failure [of](Self::of) this namespace; for ever, if none comes.
    pub(crate) async fn wait(&self, namespace: Option<&str>) -> InformerError {
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

/// Whether objects of this namespace are no longer followed; without a namespace, whether any are not.
fn concerns(failure: &InformerError, namespace: Option<&str>) -> bool {
    match (failure, namespace) {
        (InformerError::StreamEnded { scope, .. }, Some(namespace)) => scope.contains(Some(namespace)),
        _ => true,
    }
}
