//! The one place this crate takes its locks and atomics from, so that shuttle can stand in for them.

pub(crate) use parking_lot::Mutex;
