//! Why bytes could not be read. It never quotes a value: objects hold secrets, and errors are logged.

use std::fmt;

use serde::de::{self, Expected, Unexpected};

use crate::wire::WireError;

/// Why bytes could not be read as their message, or as the wanted Rust type.
///
/// It quotes no value of its own accord; what a type's own `Deserialize` says is kept as it is.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bytes are no message.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// A field has another wire type than its message says.
    #[error("a field has the wire type of another type of value")]
    WrongWireType,
    /// Messages are nested too deep.
    #[error("more than {} messages are nested in each other", crate::DEPTH_MAX)]
    TooDeep,
    /// A time lies outside the years that have four digits.
    #[error("a time lies outside the years 0 to 9999")]
    Time,
    /// A number is none that JSON has.
    #[error("a number is infinite or not a number")]
    NotFinite,
    /// An `IntOrString` is neither.
    #[error("an int-or-string is of type {0}")]
    IntOrString(u64),
    /// A part that should be JSON is none, or not what the Rust type wants.
    #[error("the JSON inside a raw field cannot be read, line {line} column {column}")]
    Raw {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// The Rust type wants something else.
    #[error("{0}")]
    Unfit(String),
}

impl Error {
    /// The place is kept and the text dropped: serde_json quotes values in it.
    pub(crate) fn raw(error: &serde_json::Error) -> Error {
        Error::Raw { line: error.line(), column: error.column() }
    }
}

impl de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Error::Unfit(message.to_string())
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Error::Unfit(format!("invalid type: {}, expected {expected}", name(&unexpected)))
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Error::Unfit(format!("invalid value: {}, expected {expected}", name(&unexpected)))
    }

    fn unknown_variant(_variant: &str, expected: &'static [&'static str]) -> Self {
        Error::Unfit(format!("unknown variant, expected one of {expected:?}"))
    }
}

/// What kind of value it is, without the value.
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
