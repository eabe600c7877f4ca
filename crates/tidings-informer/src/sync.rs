//! The one place this crate takes its locks and atomics from, so that shuttle's can stand in for them: a test
//! target that compiles a stage a second time puts `sync/simulated.rs`, which has the same names, in its place.

pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
pub(crate) use std::thread::{ThreadId, current as current_thread};

pub(crate) use parking_lot::Mutex;

use std::sync::Arc;

use arc_swap::ArcSwap;

/// One value that is read by many and replaced whole. Readers never wait, neither for each other nor for
/// whoever replaces it.
#[derive(Debug)]
pub(crate) struct Published<T>(ArcSwap<T>);

impl<T> Published<T> {
    pub(crate) fn new(value: T) -> Self {
        Published(ArcSwap::from_pointee(value))
    }

    /// Looks at the value, without taking part in its ownership.
    pub(crate) fn read<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        look(&self.0.load())
    }

    /// The value, to keep.
    pub(crate) fn load(&self) -> Arc<T> {
        self.0.load_full()
    }

    /// Replaces the value in one step.
    pub(crate) fn store(&self, value: Arc<T>) {
        self.0.store(value);
    }
}
