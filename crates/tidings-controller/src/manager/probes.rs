//! What `/healthz` and `/readyz` report of the manager itself: whether it is stopping, and which error ended it.

use tokio::sync::SetOnce;
use tokio_util::sync::CancellationToken;

use super::ManagerError;

#[derive(Default)]
pub(super) struct ProbeState {
    pub(super) stopping: CancellationToken,
    failure: SetOnce<String>,
}

impl ProbeState {
    /// Records the error that ends the manager. Later errors are ignored, because the first one is the cause.
    pub(super) fn fail(&self, error: &ManagerError) {
        let _ = self.failure.set(error.to_string());
    }

    /// Fails with the recorded error.
    #[cfg(feature = "endpoints")]
    pub(super) fn check(&self) -> Result<(), String> {
        self.failure.get().cloned().map_or(Ok(()), Err)
    }
}
