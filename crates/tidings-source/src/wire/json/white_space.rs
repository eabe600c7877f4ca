//! White space between the tokens of JSON.

/// `input` without leading white space.
pub(crate) fn trim_start(input: &[u8]) -> &[u8] {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    let start = input.iter().position(|byte| !is_space(byte)).unwrap_or(input.len());
    &input[start..]
}
