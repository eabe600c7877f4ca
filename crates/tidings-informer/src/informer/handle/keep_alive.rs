//! Keeps an informer running. Handles, listers, streams and handlers share one `KeepAlive`. When the last of them is
//! dropped, the informer stops and frees its memory.

use tokio_util::sync::CancellationToken;

/// Stops the informer when it is dropped.
#[derive(Debug)]
pub(crate) struct KeepAlive {
    stop: CancellationToken,
}

impl KeepAlive {
    pub(crate) fn new(stop: CancellationToken) -> Self {
        KeepAlive { stop }
    }
}

impl Drop for KeepAlive {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
