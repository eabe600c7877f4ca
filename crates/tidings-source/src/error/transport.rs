//! Describes an error of the transport as one line: the error and its causes, each text once, without credentials.

use std::error::Error;
use std::io;

use kube_client::client::AuthError;

use tidings_util::WithCauses;

use crate::ErrorKind;

const MESSAGE_CHARS_MAX: usize = 1024;

/// The kind of a failed request or a broken stream.
pub(crate) fn error_kind(error: &(dyn Error + 'static)) -> ErrorKind {
    ErrorKind::Network { message: message(error), is_refused: causes(error).any(is_refused) }
}

/// The error and its causes as one line.
pub(crate) fn message(error: &(dyn Error + 'static)) -> String {
    // The output and the arguments of a credential plugin may contain the credential.
    if let Some(auth) = causes(error).find_map(|cause| cause.downcast_ref::<AuthError>()) {
        match auth {
            AuthError::AuthExecRun { out, .. } => {
                return format!("the credential plugin ended with {}", out.status);
            }
            AuthError::AuthExecParse(_) => return "the credential plugin's output can't be read".to_owned(),
            _ => {}
        }
    }
    WithCauses(error).to_string().chars().take(MESSAGE_CHARS_MAX).collect()
}

pub(crate) fn causes<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error: &&'a (dyn Error + 'static)| (*error).source())
}

fn is_refused(error: &(dyn Error + 'static)) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("connecting")]
    struct Connecting(#[source] io::Error);

    // holds: R32
    #[test]
    fn a_refused_connection_is_found_among_all_causes() {
        let refused = || io::Error::new(io::ErrorKind::ConnectionRefused, "tcp connect error");
        let error = kube_client::Error::Service(Box::new(Connecting(refused())));
        let ErrorKind::Network { message, is_refused } = error_kind(&error) else { panic!() };
        assert!(is_refused);
        assert_eq!(message, "ServiceError: connecting: tcp connect error");
        let reset = kube_client::Error::Service(Box::new(io::Error::from(io::ErrorKind::ConnectionReset)));
        assert!(matches!(error_kind(&reset), ErrorKind::Network { is_refused: false, .. }));
    }

    #[cfg(unix)]
    #[test]
    fn an_error_never_contains_the_output_of_a_credential_plugin() {
        use std::os::unix::process::ExitStatusExt as _;
        use std::process::{ExitStatus, Output};

        let out = Output {
            status: ExitStatus::from_raw(256),
            stdout: b"token: hunter2".to_vec(),
            stderr: Vec::new(),
        };
        let error =
            AuthError::AuthExecRun { cmd: "plugin --password hunter2".to_owned(), out: Box::new(out) };
        let error = kube_client::Error::Auth(error);
        assert_eq!(message(&error), "the credential plugin ended with exit status: 1");
    }
}
