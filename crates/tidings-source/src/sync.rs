//! The one place this crate takes its locks from.

pub(crate) use parking_lot::Mutex;
