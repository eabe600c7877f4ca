//! The locks and atomics of this crate. With `--cfg shuttle` they are shuttle's, which tests interleavings.

#[cfg(not(shuttle))]
pub(crate) use parking_lot::Mutex;
#[cfg(not(shuttle))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

#[cfg(shuttle)]
mod shuttled;
#[cfg(shuttle)]
pub(crate) use shuttled::{AtomicBool, AtomicU64, Mutex, Ordering};
