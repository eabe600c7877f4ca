//! How a reconcile ended.

use std::any::Any;
use std::time::Duration;

use tidings_util::panic_message;
use tokio::task::JoinError;

use crate::action::Action;
use crate::reconciler::Error;

/// How a reconcile ended.
#[derive(Debug)]
pub(super) enum ReconcileOutcome {
    /// The reconciler returned.
    Ended(Result<Action, Error>),
    /// It was dropped after so long.
    TimedOut(Duration),
    /// It panicked, with this message.
    Panicked(String),
    /// It was dropped because the controller was abandoned.
    Abandoned,
}

impl ReconcileOutcome {
    pub(super) fn panicked(panic: &(dyn Any + Send)) -> Self {
        ReconcileOutcome::Panicked(panic_message(panic))
    }

    /// Tells the reconcile's span how it ended.
    pub(super) fn trace(&self) {
        match self {
            ReconcileOutcome::Ended(Ok(action)) => tracing::debug!(?action, "reconciled"),
            ReconcileOutcome::Ended(Err(error)) if error.is_terminal() => {
                tracing::error!(%error, "reconciling ended in an error that is not tried again");
            }
            ReconcileOutcome::Ended(Err(error)) => tracing::warn!(%error, "reconciling ended in an error"),
            ReconcileOutcome::TimedOut(limit) => tracing::warn!(?limit, "reconciling took too long"),
            ReconcileOutcome::Panicked(message) => tracing::error!(message, "the reconciler panicked"),
            ReconcileOutcome::Abandoned => tracing::info!("reconciling was abandoned"),
        }
    }
}

/// What a task panicked with; of one that was aborted, that it was.
pub(crate) fn join_error_message(error: JoinError) -> String {
    match error.try_into_panic() {
        Ok(panic) => panic_message(&*panic),
        Err(error) => error.to_string(),
    }
}
