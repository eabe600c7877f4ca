//! What `sync.rs` gives, made of shuttle's parts: under its scheduler every use is a point at which another
//! thread may run. Only test targets that compile a stage a second time have it.

pub(crate) use shuttle::sync::atomic::{AtomicBool, AtomicU64, Ordering};
pub(crate) use shuttle::thread::{ThreadId, current as current_thread};

use std::sync::Arc;

use shuttle::sync::MutexGuard;

/// As parking_lot's: without poison.
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

/// One value that is read by many and replaced whole. What a reader looks at, it owns while it looks, as with
/// the real one: the lock is held for the copy of a pointer.
#[derive(Debug)]
pub(crate) struct Published<T>(Mutex<Arc<T>>);

impl<T> Published<T> {
    pub(crate) fn new(value: T) -> Self {
        Published(Mutex::new(Arc::new(value)))
    }

    pub(crate) fn read<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        look(&self.load())
    }

    pub(crate) fn load(&self) -> Arc<T> {
        Arc::clone(&self.0.lock())
    }

    pub(crate) fn store(&self, value: Arc<T>) {
        *self.0.lock() = value;
    }
}
