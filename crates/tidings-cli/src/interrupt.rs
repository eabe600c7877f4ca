//! Waits for Ctrl-C or SIGTERM. Both request an orderly shutdown.

use std::future::Future;
use std::io;

/// Completes when the process receives SIGINT or SIGTERM. The signal handlers are installed by this call and not by the
/// first poll, because a supervisor may send a signal as soon as it has read the printed address.
pub(crate) fn interrupted() -> impl Future<Output = io::Result<()>> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let signals =
            signal(SignalKind::interrupt()).and_then(|ctrl_c| Ok((ctrl_c, signal(SignalKind::terminate())?)));
        async move {
            let (mut ctrl_c, mut terminated) = signals?;
            tokio::select! {
                _ = ctrl_c.recv() => {}
                _ = terminated.recv() => {}
            }
            Ok(())
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c()
}
