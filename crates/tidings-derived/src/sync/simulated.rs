//! The names of `sync.rs`, implemented with shuttle: under its scheduler another thread may run at every use. Only tests
//! that compile a part of the crate a second time use it.

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
