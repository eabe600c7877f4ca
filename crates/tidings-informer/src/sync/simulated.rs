//! The names of `sync.rs`, implemented with shuttle: under its scheduler another thread may run at every use. Only
//! tests that compile a stage a second time use it.

pub(crate) use shuttle::sync::atomic::{AtomicBool, AtomicU64, Ordering};
pub(crate) use shuttle::thread::{ThreadId, current as current_thread};

use std::sync::Arc;

use shuttle::sync::MutexGuard;

/// A lock without poisoning, as parking_lot's.
#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(shuttle::sync::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Mutex(shuttle::sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// A value that many threads read and that is replaced as a whole. The lock is held only to copy the pointer, so that,
/// as with the real one, a reader keeps its value while it reads.
#[derive(Debug)]
pub(crate) struct Published<T>(Mutex<Arc<T>>);

impl<T> Published<T> {
    pub(crate) fn new(value: T) -> Self {
        Published(Mutex::new(Arc::new(value)))
    }

    pub(crate) fn read<R>(&self, read: impl FnOnce(&T) -> R) -> R {
        read(&self.load())
    }

    pub(crate) fn load(&self) -> Arc<T> {
        Arc::clone(&self.0.lock())
    }

    pub(crate) fn store(&self, value: Arc<T>) {
        *self.0.lock() = value;
    }
}
