//! The one place this crate takes its locks and atomics from, so that shuttle can stand in for them.

#[cfg(not(shuttle))]
pub(crate) use parking_lot::Mutex;
#[cfg(not(shuttle))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

#[cfg(shuttle)]
mod shuttled;
#[cfg(shuttle)]
pub(crate) use shuttled::{AtomicBool, AtomicU64, Mutex, Ordering};
