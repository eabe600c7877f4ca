//! Reads the dashboard's token from a file or from the environment. It is never an argument, because all users of a machine
//! can read the arguments of its processes.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use crate::failure::{CliResult, Failure};

/// The environment variable that can hold the token.
pub(super) const VARIABLE: &str = "TIDINGS_DASHBOARD_TOKEN";

/// Shorter tokens could be guessed.
const CHARS_MIN: usize = 16;
const CHARS_MAX: usize = 256;

/// The token, if one was given. The file has precedence over the environment.
pub(super) fn from_file_or_environment(
    file: Option<&Path>,
    variable: Option<OsString>,
) -> CliResult<Option<String>> {
    if let Some(path) = file {
        let text = read(path).map_err(|error| {
            Failure::usage(format!("--token-file {}: {error}; write a token into it", path.display()))
        })?;
        return checked("--token-file", &text).map(Some);
    }
    let text = variable.map(|text| text.into_string().unwrap_or_default());
    text.map(|text| checked(VARIABLE, &text)).transpose()
}

/// Reads at most as many bytes as a token and its line ending have.
fn read(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(CHARS_MAX as u64 + 3).read_to_string(&mut text)?;
    Ok(text)
}

fn checked(origin: &str, text: &str) -> CliResult<String> {
    let token = text.trim_end_matches(['\n', '\r']);
    let is_plain = token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte));
    if is_plain && (CHARS_MIN..=CHARS_MAX).contains(&token.len()) {
        return Ok(token.to_owned());
    }
    let rule = format!("{CHARS_MIN} to {CHARS_MAX} letters, digits and any of -._~");
    Err(Failure::usage(format!(
        "{origin}: a token must have {rule}; without one, a random token is generated"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_that_could_be_guessed_or_would_need_encoding_is_refused() {
        let variable = |text: &str| from_file_or_environment(None, Some(text.into()));
        assert_eq!(variable("0123456789abcdef\n").unwrap().as_deref(), Some("0123456789abcdef"));
        assert_eq!(from_file_or_environment(None, None).unwrap(), None);
        for wrong in ["", "short", "0123456789abcde;", "0123456789 abcdef", &"a".repeat(257)] {
            let refused = variable(wrong).unwrap_err().to_string();
            assert!(wrong.is_empty() || !refused.contains(wrong), "{refused}");
        }
    }
}
