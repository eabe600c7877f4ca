//! What `sync.rs` gives, made of shuttle's parts: under its scheduler every use is a point at which another
//! thread may run. Only test targets that compile the queue a second time have it.

pub(crate) use shuttle::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use std::ops::{Deref, DerefMut};

/// As parking_lot's: without poison.
#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(shuttle::sync::Mutex<T>);

/// Another thread may run when this is dropped, not only when the next lock is taken: what happens after the lock
/// and before a wait is where wake-ups get lost.
pub(crate) struct Guard<'a, T>(Option<shuttle::sync::MutexGuard<'a, T>>);

impl<T> Mutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Mutex(shuttle::sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> Guard<'_, T> {
        Guard(Some(self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner())))
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("it is there until it is dropped")
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("it is there until it is dropped")
    }
}

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        self.0 = None;
        if !std::thread::panicking() {
            shuttle::thread::yield_now();
        }
    }
}
