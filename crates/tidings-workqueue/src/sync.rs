//! The one place this crate takes its locks and atomics from, so that shuttle's can stand in for them: a test target that
//! compiles the queue a second time puts `sync/simulated.rs`, which has the same names, in its place.

pub(crate) use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

pub(crate) use parking_lot::Mutex;
