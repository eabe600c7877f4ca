//! The names of `sync.rs` over shuttle: at every use, its scheduler may run another thread. Only tests that compile the
//! queue a second time include this file.

pub(crate) use shuttle::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use std::ops::{Deref, DerefMut};

/// Without poisoning, as that of parking_lot.
#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(shuttle::sync::Mutex<T>);

/// Another thread may also run when this is dropped, and not only when the next lock is taken: wake-ups get lost between
/// the unlock and a wait.
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
        self.0.as_ref().expect("it is `Some` until the drop")
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("it is `Some` until the drop")
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
