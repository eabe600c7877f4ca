//! Who still needs an informer. Handles, listers, streams and handlers each hold the keep_alive; when the last lets
//! go, the informer stops and frees its memory.

use tokio_util::sync::CancellationToken;

/// Held by everyone who needs the informer; dropping the last one stops it.
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
