//! GET and LIST.

pub(crate) mod list;
pub(crate) mod one;
mod plan;
