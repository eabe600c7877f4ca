//! Who still needs an informer. Handles, listers, streams and handlers each hold the lease; when the last lets
//! go, the informer stops and frees its memory.

use tokio_util::sync::CancellationToken;

/// Held by everyone who needs the informer; dropping the last one stops it.
#[derive(Debug)]
pub(crate) struct Lease {
    stop: CancellationToken,
}

impl Lease {
    pub(crate) fn new(stop: CancellationToken) -> Self {
        Lease { stop }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
