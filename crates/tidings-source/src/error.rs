//! Errors of lists and watches, and how a reflector reacts to each.

pub(crate) mod transport;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use crate::StatusDetail;

/// A request or a stream failed.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{request}: {kind}")]
pub struct SourceError {
    /// The request, such as `list pods in all namespaces at version 5`.
    pub request: String,
    /// What went wrong.
    pub kind: ErrorKind,
}

/// What went wrong with a request or a stream.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The server answered with a failure.
    #[error("the server answered {0}")]
    Status(StatusDetail),
    /// The request could not be sent, or the connection broke.
    #[error("{message}")]
    Network {
        /// The error and its causes, as text.
        message: String,
        /// Whether the connection was refused.
        is_refused: bool,
    },
    /// The bytes are not a list or a watch.
    #[error("the response is malformed: {0}")]
    Malformed(String),
    /// The list ended before it was complete.
    #[error("the list was truncated after {objects} objects")]
    Truncated {
        /// How many objects had arrived.
        objects: usize,
    },
    /// One frame is larger than allowed.
    #[error("a frame is larger than {limit_bytes} bytes; raise frame_bytes_max if such objects are expected")]
    FrameTooLarge {
        /// The limit.
        limit_bytes: usize,
    },
    /// [`retry_watch`](crate::retry_watch) can't start at this version.
    #[error("a watch can't start at version {version:?}; list first, and start at the version of the list")]
    StartVersion {
        /// The version.
        version: String,
    },
    /// An [`EventCondition`](crate::EventCondition) returned an error.
    #[error("the condition failed at {key}: {}", tidings_util::WithCauses(.cause.as_ref()))]
    Condition {
        /// The key of the object at which it failed.
        key: String,
        /// Its error.
        cause: Arc<dyn Error + Send + Sync>,
    },
    /// The stream of events ended before an [`EventCondition`](crate::EventCondition) was met.
    #[error("the events ended before the condition was met")]
    Ended,
}

/// How a reflector reacts to an error. A new class must be added to the table in the reflector's `phase` module, which
/// does not compile without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorClass {
    /// 410, or reason Expired or Gone: the server no longer has that version.
    Expired,
    /// The requested version is newer than the server's.
    VersionTooLarge,
    /// 429.
    TooManyRequests,
    /// The connection was refused.
    ConnectionRefused,
    /// The server refuses streaming lists: 400 or 422 that names `sendInitialEvents` or `resourceVersionMatch`.
    StreamingListRefused,
    /// 401.
    Unauthorized,
    /// 403.
    Forbidden,
    /// 404.
    NotFound,
    /// 500 with reason InternalError.
    Internal,
    /// Any other failure that the server answered.
    Server,
    /// The connection broke.
    Network,
    /// The response is not well-formed, truncated, too large, or not what the caller expects.
    Malformed,
}

impl SourceError {
    /// The error of a `Status` that arrived as an event of a watch.
    pub fn in_stream(request: impl Into<String>, status: StatusDetail) -> SourceError {
        SourceError { request: request.into(), kind: ErrorKind::Status(status) }
    }

    /// The delay that the server requests before a retry.
    pub fn retry_after(&self) -> Option<Duration> {
        match &self.kind {
            ErrorKind::Status(status) => status.retry_after,
            _ => None,
        }
    }

    /// How a reflector reacts to it.
    pub fn class(&self) -> ErrorClass {
        match &self.kind {
            ErrorKind::Status(status) => status.class(),
            ErrorKind::Network { is_refused: true, .. } => ErrorClass::ConnectionRefused,
            ErrorKind::Network { .. } => ErrorClass::Network,
            ErrorKind::Malformed(_)
            | ErrorKind::Truncated { .. }
            | ErrorKind::FrameTooLarge { .. }
            | ErrorKind::StartVersion { .. }
            | ErrorKind::Condition { .. }
            | ErrorKind::Ended => ErrorClass::Malformed,
        }
    }
}
