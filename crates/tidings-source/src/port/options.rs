//! The options of one LIST or WATCH request.

use tidings_object::Version;

/// The options of one LIST.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListOptions {
    /// `resourceVersion`: `None` requests the most recent one, `0` any.
    pub version: Option<Version>,
    /// `resourceVersionMatch`.
    pub version_match: Option<VersionMatch>,
    /// `limit`: how many objects a page may have.
    pub limit: Option<u32>,
    /// `continue`: the token of the previous page.
    pub continue_token: Option<String>,
}

/// `resourceVersionMatch`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VersionMatch {
    /// At least as new as the version.
    NotOlderThan,
    /// Exactly at the version.
    Exact,
}

/// The options of one WATCH.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WatchOptions {
    /// `resourceVersion`: the server sends the events after it.
    pub version: Option<Version>,
    /// `timeoutSeconds`: after this time the server closes the watch.
    pub timeout_seconds: Option<u32>,
    /// `allowWatchBookmarks`.
    pub allow_bookmarks: bool,
    /// `sendInitialEvents` with `resourceVersionMatch=NotOlderThan`: a streaming list.
    pub send_initial_events: bool,
}
