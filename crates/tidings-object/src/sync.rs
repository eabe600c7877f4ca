//! The one place this crate takes its locks and atomics from, so that shuttle can stand in for them.

#[cfg(not(shuttle))]
#[allow(unused_imports, reason = "the budget takes it")]
pub(crate) use parking_lot::Mutex;
