//! The locks and atomics of this crate. All other files take them from here, so that tests can replace them by
//! shuttle's: such a test compiles a stage a second time with `sync/simulated.rs`, which has the same names.

pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
pub(crate) use std::thread::{ThreadId, current as current_thread};

pub(crate) use parking_lot::Mutex;

use std::sync::Arc;

use arc_swap::ArcSwap;

/// A value that many threads read and that is replaced as a whole. Readers never wait, neither for each other nor for
/// the writer.
#[derive(Debug)]
pub(crate) struct Published<T>(ArcSwap<T>);

impl<T> Published<T> {
    pub(crate) fn new(value: T) -> Self {
        Published(ArcSwap::from_pointee(value))
    }

    /// Calls `read` with the value, without cloning its `Arc`.
    pub(crate) fn read<R>(&self, read: impl FnOnce(&T) -> R) -> R {
        read(&self.0.load())
    }

    /// The current value.
    pub(crate) fn load(&self) -> Arc<T> {
        self.0.load_full()
    }

    /// Replaces the value atomically.
    pub(crate) fn store(&self, value: Arc<T>) {
        self.0.store(value);
    }
}
