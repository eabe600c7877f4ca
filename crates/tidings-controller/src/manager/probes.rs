//! What a manager's probes are told of it: whether it is stopping, and what ended it.

use tokio::sync::SetOnce;
use tokio_util::sync::CancellationToken;

use super::ManagerError;

/// What a manager's probes are told of it.
#[derive(Default)]
pub(super) struct ProbeState {
    pub(super) stopping: CancellationToken,
    failure: SetOnce<String>,
}

impl ProbeState {
    /// Something has ended without being asked to. Only the first counts.
    pub(super) fn fail(&self, error: &ManagerError) {
        let _ = self.failure.set(error.to_string());
    }

    /// Fails once something has.
    #[cfg(feature = "endpoints")]
    pub(super) fn check(&self) -> Result<(), String> {
        self.failure.get().cloned().map_or(Ok(()), Err)
    }
}
