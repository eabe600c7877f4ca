//! Turns an error of the transport into words: the whole chain of its causes, without what they repeat and
//! without what must not stand in a log.

use std::error::Error;
use std::io;

use kube_client::client::AuthError;

use crate::Trouble;

const MESSAGE_CHARS_MAX: usize = 1024;

/// The trouble that a failed request or a broken stream is.
pub(crate) fn trouble(error: &(dyn Error + 'static)) -> Trouble {
    Trouble::Network { message: message(error), is_refused: causes(error).any(is_refused) }
}

/// The chain of causes as one line.
pub(crate) fn message(error: &(dyn Error + 'static)) -> String {
    // A credential plugin's output and arguments may hold the credential.
    if let Some(auth) = causes(error).find_map(|cause| cause.downcast_ref::<AuthError>()) {
        match auth {
            AuthError::AuthExecRun { out, .. } => {
                return format!("the credential plugin ended with {}", out.status);
            }
            AuthError::AuthExecParse(_) => return "the credential plugin's output can't be read".to_owned(),
            _ => {}
        }
    }
    let mut message = String::new();
    for cause in causes(error) {
        let text = cause.to_string();
        if message.is_empty() {
            message = text;
        } else if !message.contains(&text) {
            message = format!("{message}: {text}");
        }
    }
    message.chars().take(MESSAGE_CHARS_MAX).collect()
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
    fn nobody_listening_is_found_however_deep_it_stands() {
        let refused = || io::Error::new(io::ErrorKind::ConnectionRefused, "tcp connect error");
        let error = kube_client::Error::Service(Box::new(Connecting(refused())));
        let Trouble::Network { message, is_refused } = trouble(&error) else { panic!() };
        assert!(is_refused);
        assert_eq!(message, "ServiceError: connecting: tcp connect error");
        let reset = kube_client::Error::Service(Box::new(io::Error::from(io::ErrorKind::ConnectionReset)));
        assert!(matches!(trouble(&reset), Trouble::Network { is_refused: false, .. }));
    }

    #[cfg(unix)]
    #[test]
    fn a_credential_plugins_output_never_stands_in_an_error() {
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
