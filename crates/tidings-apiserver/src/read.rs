//! Reads: GET of one object, and LIST.

pub(crate) mod get;
pub(crate) mod list;
mod plan;
