//! Ends the server with the process that started it.

/// Waits until the parent process has ended. Where this is not known (not Unix), it waits for ever.
///
/// When a parent ends, its children get another parent. The id is polled, because the notification of Linux needs
/// unsafe code and belongs to a thread, not to a process.
#[cfg(unix)]
pub(super) async fn parent_ended() {
    use std::os::unix::process::parent_id;
    use std::time::Duration;

    const POLL_INTERVAL: Duration = Duration::from_millis(100);
    let parent = parent_id();
    while parent_id() == parent {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

#[cfg(not(unix))]
pub(super) async fn parent_ended() {
    std::future::pending().await
}
