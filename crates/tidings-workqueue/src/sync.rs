//! All locks and atomics of this crate are imported from here. A test that compiles the queue a second time replaces this
//! module by `sync/simulated.rs`, which has the same names over shuttle.

pub(crate) use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use parking_lot::MutexGuard;

/// A spinning lock with exponential backoff, for critical sections that are much shorter than a context switch.
///
/// Two cores that alternate at every step spend most of their time on moving cache lines between them. A thread that
/// sleeps for so short a section pays for the sleep and the wake-up. Therefore a thread that finds the lock taken spins
/// without touching it: the other core then does dozens of steps before the cache lines move.
///
/// The lock has two cache lines of its own (processors prefetch in pairs, hence 128 bytes), so that reads of neighbouring
/// data do not fetch its lines.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Mutex<T>(parking_lot::Mutex<T>);

/// The first spin, about a microsecond: the time in which the cache lines of a queue move to another core.
const PAUSES_MIN: u32 = 32;

/// The last spin, after 0.1 ms in all. If the lock is still taken, its owner was probably preempted, and this thread
/// sleeps too.
const PAUSES_MAX: u32 = 2048;

impl<T> Mutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Mutex(parking_lot::Mutex::new(value))
    }

    #[inline]
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.try_lock().unwrap_or_else(|| self.lock_taken())
    }

    #[cold]
    fn lock_taken(&self) -> MutexGuard<'_, T> {
        let mut pauses = PAUSES_MIN;
        while pauses <= PAUSES_MAX {
            for _ in 0..pauses {
                std::hint::spin_loop();
            }
            if let Some(guard) = self.0.try_lock() {
                return guard;
            }
            pauses *= 2;
        }
        self.0.lock()
    }
}
