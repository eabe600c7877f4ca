//! The locks and atomics of this crate. No other file names a lock or an atomic type of another crate.

pub(crate) use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

pub(crate) use parking_lot::Mutex;
