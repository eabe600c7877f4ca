//! The locks and atomics of this crate. All other files take them from here, so that tests can replace them by
//! shuttle's. No lock is ever held across an `.await`, or while user code runs.

pub(crate) use std::sync::atomic::{AtomicU32, Ordering};

pub(crate) use parking_lot::Mutex;

use std::sync::Arc;

use arc_swap::ArcSwap;

/// A value that many threads read and that is replaced as a whole. Readers never wait.
#[derive(Debug)]
pub(crate) struct Published<T>(ArcSwap<T>);

impl<T> Published<T> {
    pub(crate) fn new(value: T) -> Self {
        Published(ArcSwap::from_pointee(value))
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
