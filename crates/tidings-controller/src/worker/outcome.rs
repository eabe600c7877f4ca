//! How a reconcile ended.

use std::any::Any;
use std::time::Duration;

use tidings_util::panic_message;
use tokio::task::JoinError;

use crate::action::Action;
use crate::reconciler::Error;

#[derive(Debug)]
pub(super) enum ReconcileOutcome {
    /// The reconciler returned.
    Ended(Result<Action, Error>),
    /// It was dropped after this time.
    TimedOut(Duration),
    /// It panicked with this message.
    Panicked(String),
    /// It was dropped because the controller was abandoned, or because its key moved to another replica.
    Abandoned,
}

impl ReconcileOutcome {
    pub(super) fn panicked(panic: &(dyn Any + Send)) -> Self {
        ReconcileOutcome::Panicked(panic_message(panic))
    }

    /// The outcome in diagnostics.
    #[cfg(feature = "endpoints")]
    pub(super) fn as_str(&self) -> &'static str {
        match self {
            ReconcileOutcome::Ended(Ok(Action::AwaitChange)) => "success",
            ReconcileOutcome::Ended(Ok(Action::Requeue)) => "requeue",
            ReconcileOutcome::Ended(Ok(Action::RequeueAfter(_))) => "requeue_after",
            ReconcileOutcome::Ended(Ok(Action::AwaitObject(_))) => "await_object",
            ReconcileOutcome::Ended(Err(error)) if error.is_terminal() => "terminal_error",
            ReconcileOutcome::Ended(Err(_)) => "error",
            ReconcileOutcome::TimedOut(_) => "timeout",
            ReconcileOutcome::Panicked(_) => "panic",
            ReconcileOutcome::Abandoned => "abandoned",
        }
    }

    /// Logs the outcome within the span of the reconcile.
    pub(super) fn trace(&self) {
        match self {
            ReconcileOutcome::Ended(Ok(action)) => tracing::debug!(?action, "reconciled"),
            ReconcileOutcome::Ended(Err(error)) if error.is_terminal() => {
                tracing::error!(%error, "reconcile failed, and is not retried until something changes");
            }
            ReconcileOutcome::Ended(Err(error)) => tracing::warn!(%error, "reconcile failed"),
            ReconcileOutcome::TimedOut(limit) => tracing::warn!(?limit, "reconcile took too long"),
            ReconcileOutcome::Panicked(message) => tracing::error!(message, "the reconciler panicked"),
            ReconcileOutcome::Abandoned => tracing::info!("reconcile was abandoned"),
        }
    }
}

/// The panic message of a task, or that it was aborted.
pub(crate) fn join_error_message(error: JoinError) -> String {
    match error.try_into_panic() {
        Ok(panic) => panic_message(&*panic),
        Err(error) => error.to_string(),
    }
}
