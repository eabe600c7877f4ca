//! What `sync.rs` gives, made of shuttle's parts: under its scheduler every use is a point at which another
//! thread may run. Only test targets that compile the queue a second time have it.

pub(crate) use shuttle::sync::atomic::{AtomicBool, Ordering};

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
