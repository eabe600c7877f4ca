//! Errors of the program: one line that says what to do, and an exit code for scripts. It contains neither a backtrace
//! nor credentials.

mod tls;

use std::fmt;
use std::process::ExitCode;

use kube_client::Error as KubeError;
use tidings::WithCauses;

use crate::escape::escaped;

/// The error that ends the program.
#[derive(Debug)]
pub(crate) struct Failure {
    code: FailureCode,
    message: String,
}

/// The exit codes. The manual page lists them. clap exits with 2 if it can't parse the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailureCode {
    /// An error without an exit code of its own, or a cache that differs from the server.
    Failed = 1,
    /// An argument is well-formed, but its content is wrong, such as an invalid selector.
    Usage = 2,
    /// There is no configuration, or the server can't be reached or trusted.
    NoServer = 3,
    /// The server responds 401 or 403.
    NotAllowed = 4,
    /// The server has no such resource or object.
    NotFound = 5,
    /// The time of `--timeout` is over.
    TimedOut = 6,
}

pub(crate) type CliResult<T = ()> = Result<T, Failure>;

impl Failure {
    pub(crate) fn new(code: FailureCode, message: impl fmt::Display) -> Self {
        Failure { code, message: message.to_string() }
    }

    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Failure::new(FailureCode::Usage, message)
    }

    /// The error of a request. `attempt` says what was requested, such as "listing pods".
    pub(crate) fn from_request(attempt: &str, error: &KubeError) -> Self {
        match error {
            KubeError::Api(status) => match status.code {
                401 => Failure::new(
                    FailureCode::NotAllowed,
                    format!(
                        "{attempt}: the server does not accept your credentials (401); log in again, or choose another --context"
                    ),
                ),
                403 => Failure::new(
                    FailureCode::NotAllowed,
                    format!(
                        "{attempt}: not allowed (403): {}; ask an administrator for permission to list and watch it",
                        status.message
                    ),
                ),
                404 => Failure::new(
                    FailureCode::NotFound,
                    format!("{attempt}: not found (404); is this the address of an API server?"),
                ),
                code => Failure::new(
                    FailureCode::Failed,
                    format!("{attempt}: the server responds {code}: {}", status.message),
                ),
            },
            error => Failure::new(FailureCode::NoServer, unreachable_message(attempt, error)),
        }
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code as u8)
    }
}

fn unreachable_message(attempt: &str, error: &KubeError) -> String {
    tls::advice(error).map_or_else(
        || format!("{attempt}: {}; is the server running, and is the address right?", root_cause(error)),
        |advice| format!("{attempt}: {advice}"),
    )
}

/// The innermost cause is the most specific one, such as "connection refused".
fn root_cause(error: &(dyn std::error::Error + 'static)) -> String {
    let mut last = error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    last.to_string()
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A message of the server can have several lines.
        f.write_str(&escaped(&self.message.replace(['\n', '\r'], " ")))
    }
}

/// The message contains each cause once.
impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure::new(FailureCode::Failed, WithCauses(error.into().as_ref()).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_of_the_server_becomes_one_escaped_line() {
        let status =
            kube_core::Status::failure("no\x1b[2J\nway\u{9b}31m\u{202e}", "Forbidden").with_code(403);
        let failure = Failure::from_request("listing pods", &KubeError::Api(status.boxed()));
        let shown = "listing pods: not allowed (403): no^[[2J way<U+009B>31m<U+202E>; ask an administrator";
        assert!(failure.to_string().starts_with(shown), "{failure}");
    }
}
