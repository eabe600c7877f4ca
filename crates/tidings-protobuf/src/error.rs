//! The error of decoding. It never quotes a value, because objects hold secrets and errors are logged.

use std::fmt;

use serde::de::{self, Expected, Unexpected};

use crate::wire::WireError;

/// The bytes do not decode as their message, or not into the Rust type.
///
/// It quotes no value. The only exception is a message of the type's own `Deserialize`, which is kept unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are not a protobuf message.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// A field does not have the wire type of its message.
    #[error("a field has the wrong wire type")]
    WrongWireType,
    /// Messages are nested too deeply.
    #[error("more than {} messages are nested in each other", crate::DEPTH_MAX)]
    TooDeep,
    /// The year of a time does not have four digits.
    #[error("a time is outside the years 0 to 9999")]
    Time,
    /// JSON can't represent a number.
    #[error("a number is infinite or not a number")]
    NotFinite,
    /// An `IntOrString` is neither an integer nor a string.
    #[error("an int-or-string has the unknown type {0}")]
    IntOrString(u64),
    /// JSON inside a raw field is malformed, or does not decode into the Rust type.
    #[error("the JSON inside a raw field cannot be read, line {line} column {column}")]
    Raw {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// The value does not decode into the Rust type.
    #[error("{0}")]
    Mismatch(String),
}

impl Error {
    /// Keeps the position and drops the text, because serde_json quotes values in it.
    pub(crate) fn raw(error: &serde_json::Error) -> Error {
        Error::Raw { line: error.line(), column: error.column() }
    }
}

impl de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Error::Mismatch(message.to_string())
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Error::Mismatch(format!("invalid type: {}, expected {expected}", name(&unexpected)))
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Error::Mismatch(format!("invalid value: {}, expected {expected}", name(&unexpected)))
    }

    fn unknown_variant(_variant: &str, expected: &'static [&'static str]) -> Self {
        Error::Mismatch(format!("unknown variant, expected one of {expected:?}"))
    }
}

/// The type of a value, without the value.
fn name(unexpected: &Unexpected<'_>) -> &'static str {
    match unexpected {
        Unexpected::Bool(_) => "a boolean",
        Unexpected::Unsigned(_) | Unexpected::Signed(_) => "an integer",
        Unexpected::Float(_) => "a floating point number",
        Unexpected::Char(_) | Unexpected::Str(_) => "a string",
        Unexpected::Bytes(_) => "bytes",
        Unexpected::Unit | Unexpected::Option => "null",
        Unexpected::Seq => "a list",
        Unexpected::Map => "an object",
        _ => "another value",
    }
}
