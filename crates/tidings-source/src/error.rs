//! What can go wrong between us and an API server, and which kind of trouble each is.

use std::time::Duration;

use crate::StatusDetail;

/// A request or a stream that went wrong. It names the resource and what was asked.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{asked}: {trouble}")]
pub struct SourceError {
    /// What was asked, such as `list pods in all namespaces at version 5`.
    pub asked: String,
    /// What went wrong.
    pub trouble: Trouble,
}

/// What went wrong.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Trouble {
    /// The server answered with a failure.
    #[error("the server answered {0}")]
    Status(StatusDetail),
    /// The request could not be sent, or the connection broke.
    #[error("{message}")]
    Network {
        /// The whole chain of causes, as text.
        message: String,
        /// Whether nobody listened.
        is_refused: bool,
    },
    /// The bytes are not what a list or watch looks like.
    #[error("the answer is malformed: {0}")]
    Malformed(String),
    /// The list ended before it was whole.
    #[error("the list was cut off after {objects} objects")]
    Truncated {
        /// How many objects had come.
        objects: usize,
    },
    /// One frame is larger than allowed.
    #[error("a frame is larger than {limit_bytes} bytes; raise frame_bytes_max if such objects are expected")]
    FrameTooLarge {
        /// The limit.
        limit_bytes: usize,
    },
}

/// What a reflector does about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorClass {
    /// 410, or reason Expired or Gone: that version is no longer to be had.
    Expired,
    /// The version asked for is newer than the server's.
    VersionTooLarge,
    /// 429.
    TooManyRequests,
    /// Nobody listened.
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
    /// Not well-formed, cut off, or too large.
    Malformed,
}

impl SourceError {
    /// A `Status` that came as an event inside a watch.
    pub fn in_stream(asked: impl Into<String>, status: StatusDetail) -> SourceError {
        SourceError { asked: asked.into(), trouble: Trouble::Status(status) }
    }

    /// How long the server asks us to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match &self.trouble {
            Trouble::Status(status) => status.retry_after,
            _ => None,
        }
    }

    /// Which kind of trouble it is.
    pub fn class(&self) -> ErrorClass {
        match &self.trouble {
            Trouble::Status(status) => status.class(),
            Trouble::Network { is_refused: true, .. } => ErrorClass::ConnectionRefused,
            Trouble::Network { .. } => ErrorClass::Network,
            Trouble::Malformed(_) | Trouble::Truncated { .. } | Trouble::FrameTooLarge { .. } => {
                ErrorClass::Malformed
            }
        }
    }
}

impl StatusDetail {
    /// Which kind of trouble it is.
    pub fn class(&self) -> ErrorClass {
        let too_large = |text: &str| text.contains("Too large resource version");
        if self.code == 410 || self.reason == "Expired" || self.reason == "Gone" {
            return ErrorClass::Expired;
        }
        let says_too_large = self
            .causes
            .iter()
            .any(|cause| cause.reason == "ResourceVersionTooLarge" || too_large(&cause.message))
            || (self.reason == "Timeout" && too_large(&self.message));
        if says_too_large {
            return ErrorClass::VersionTooLarge;
        }
        match self.code {
            400 | 422 if self.names_streaming_list() => ErrorClass::StreamingListRefused,
            401 => ErrorClass::Unauthorized,
            403 => ErrorClass::Forbidden,
            404 => ErrorClass::NotFound,
            429 => ErrorClass::TooManyRequests,
            500 if self.reason == "InternalError" => ErrorClass::Internal,
            _ => ErrorClass::Server,
        }
    }

    fn names_streaming_list(&self) -> bool {
        let names = |text: &str| text.contains("sendInitialEvents") || text.contains("resourceVersionMatch");
        names(&self.message) || self.causes.iter().any(|cause| names(&cause.field) || names(&cause.message))
    }
}
