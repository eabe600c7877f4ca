//! The `Status` with which an API server reports a failure.

use std::fmt;
use std::time::Duration;

use crate::ErrorClass;

/// A Kubernetes `Status` that reports a failure.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StatusDetail {
    /// The HTTP code.
    pub code: u16,
    /// The reason, such as `Expired`.
    pub reason: String,
    /// The message for people.
    pub message: String,
    /// The causes.
    pub causes: Vec<StatusCause>,
    /// How long to wait before a retry: from the `Retry-After` header or from `details.retryAfterSeconds`.
    pub retry_after: Option<Duration>,
}

/// One cause of a [`StatusDetail`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StatusCause {
    /// The reason.
    pub reason: String,
    /// The field that is wrong.
    pub field: String,
    /// The message.
    pub message: String,
}

impl StatusDetail {
    /// How a reflector reacts to it.
    pub fn class(&self) -> ErrorClass {
        let too_large = |text: &str| text.contains("Too large resource version");
        if self.code == 410 || self.reason == "Expired" || self.reason == "Gone" {
            return ErrorClass::Expired;
        }
        let is_version_too_large = self
            .causes
            .iter()
            .any(|cause| cause.reason == "ResourceVersionTooLarge" || too_large(&cause.message))
            || (self.reason == "Timeout" && too_large(&self.message));
        if is_version_too_large {
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

impl fmt::Display for StatusDetail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.code, self.reason, self.message)
    }
}
