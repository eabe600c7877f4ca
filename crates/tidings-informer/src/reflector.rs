//! Keeps a sink equal to one stream of a resource: lists, watches, and does so again after any fault.
//!
//! Deciding is pure and stands in [`phase`]; doing is elsewhere. Nothing here knows a cache or a queue: what
//! arrives goes into a [`Sink`].

pub mod sink;

pub use sink::{Epoch, Replacement, Sink};
