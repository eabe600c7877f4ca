//! The syntax of the keys and values of labels.

use super::{Operator, Requirement, invalid};
use crate::ParseError;

const NAME_CHARS_MAX: usize = 63;
const PREFIX_CHARS_MAX: usize = 253;

/// Checks the key and the values of one requirement.
pub(super) fn check(requirement: &Requirement) -> Result<(), ParseError> {
    check_key(&requirement.key).map_err(|expected| invalid(&requirement.key, expected))?;
    let (Operator::In(values) | Operator::NotIn(values)) = &requirement.operator else { return Ok(()) };
    values.iter().try_for_each(|value| check_value(value).map_err(|expected| invalid(value, expected)))
}

/// `name`, or `prefix/name` with a DNS subdomain before the slash. The error equals what was expected.
pub(super) fn check_key(key: &str) -> Result<(), &'static str> {
    let (prefix, name) = match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    };
    if !is_name(name) {
        return Err(
            "a label key: letters, digits, '-', '_', '.', at most 63, a prefix before a slash if any",
        );
    }
    if prefix.is_some_and(|prefix| !is_subdomain(prefix)) {
        return Err("a DNS subdomain before the slash of a label key");
    }
    Ok(())
}

/// The empty text, or a name.
pub(super) fn check_value(value: &str) -> Result<(), &'static str> {
    if value.is_empty() || is_name(value) {
        Ok(())
    } else {
        Err("a label value: letters, digits, '-', '_', '.', at most 63, a letter or digit at both ends")
    }
}

fn is_name(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_end = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    bytes.len() <= NAME_CHARS_MAX
        && is_end(bytes.first())
        && is_end(bytes.last())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

fn is_subdomain(text: &str) -> bool {
    let is_end = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    let is_label = |label: &str| {
        let bytes = label.as_bytes();
        is_end(bytes.first())
            && is_end(bytes.last())
            && bytes.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-')
    };
    text.len() <= PREFIX_CHARS_MAX && text.split('.').all(is_label)
}
