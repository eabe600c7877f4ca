//! What ends the program early: one line that says what to do, and an exit code for scripts. No backtrace, and no
//! word of credentials.

mod tls;

use std::fmt;
use std::process::ExitCode;

use kube_client::Error as KubeError;
use tidings::WithCauses;

use crate::escape::escaped;

/// Why the program ends, with its exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    code: FailureCode,
    message: String,
}

/// The exit codes, as the manual page lists them. clap itself ends with 2 for arguments that it can't read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailureCode {
    /// Something went wrong that has no code of its own; cache and server did not agree.
    Failed = 1,
    /// An argument has the right form and the wrong content, such as a bad selector.
    Usage = 2,
    /// No configuration, or the server can't be reached or trusted.
    NoServer = 3,
    /// The server answers 401 or 403.
    NotAllowed = 4,
    /// The server has no such resource or object.
    NotFound = 5,
    /// Nothing came within the time that was given.
    TimedOut = 6,
}

/// What a part of the program comes to.
pub(crate) type CliResult<T = ()> = Result<T, Failure>;

impl Failure {
    pub(crate) fn new(code: FailureCode, message: impl fmt::Display) -> Self {
        Failure { code, message: message.to_string() }
    }

    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Failure::new(FailureCode::Usage, message)
    }

    /// A request that the server did not answer, or refused.
    pub(crate) fn from_request(query: &str, error: &KubeError) -> Self {
        match error {
            KubeError::Api(status) => match status.code {
                401 => Failure::new(
                    FailureCode::NotAllowed,
                    format!(
                        "{query}: the server does not know who you are (401): log in again, or choose another --context"
                    ),
                ),
                403 => Failure::new(
                    FailureCode::NotAllowed,
                    format!(
                        "{query}: not allowed (403): {}; ask for the right to list and watch it",
                        status.message
                    ),
                ),
                404 => Failure::new(
                    FailureCode::NotFound,
                    format!("{query}: not found (404); is this the address of an API server?"),
                ),
                code => Failure::new(
                    FailureCode::Failed,
                    format!("{query}: the server answers {code}: {}", status.message),
                ),
            },
            error => Failure::new(FailureCode::NoServer, unreachable_message(query, error)),
        }
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code as u8)
    }
}

fn unreachable_message(query: &str, error: &KubeError) -> String {
    tls::advice(error).map_or_else(
        || format!("{query}: {}; is the server running, and is its address right?", root_cause(error)),
        |advice| format!("{query}: {advice}"),
    )
}

/// The last of the causes says most: "connection refused".
fn root_cause(error: &(dyn std::error::Error + 'static)) -> String {
    let mut last = error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    last.to_string()
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // One line, whatever a server wrote.
        f.write_str(&escaped(&self.message.replace(['\n', '\r'], " ")))
    }
}

/// With the causes of the error, each once.
impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure::new(FailureCode::Failed, WithCauses(error.into().as_ref()).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_answers_is_one_line_that_no_terminal_obeys() {
        let status =
            kube_core::Status::failure("no\x1b[2J\nway\u{9b}31m\u{202e}", "Forbidden").with_code(403);
        let failure = Failure::from_request("listing pods", &KubeError::Api(status.boxed()));
        let shown =
            "listing pods: not allowed (403): no^[[2J way<U+009B>31m<U+202E>; ask for the right to list";
        assert!(failure.to_string().starts_with(shown), "{failure}");
    }
}
