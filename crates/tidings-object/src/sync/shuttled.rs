//! shuttle's lock and atomics. The lock has the interface of parking_lot: it is never poisoned.

use std::sync::PoisonError;

pub(crate) use shuttle::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A lock that shuttle schedules.
#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(shuttle::sync::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Mutex(shuttle::sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> shuttle::sync::MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}
