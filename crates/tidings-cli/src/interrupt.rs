//! Ctrl-C and SIGTERM: both ask for a clean end.

use std::future::Future;
use std::io;

/// Ends when the program is query to end. The signals are caught from this call on, not from the first poll: a supervisor
/// may send one as soon as it has read the line that says where the program listens.
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
