//! The one place this crate takes its locks and atomics from. No lock is ever held across an `.await`.

#[cfg(feature = "endpoints")]
pub(crate) use std::sync::atomic::AtomicBool;
pub(crate) use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

pub(crate) use parking_lot::{Condvar, Mutex};
