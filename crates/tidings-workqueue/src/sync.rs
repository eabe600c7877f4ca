//! The one place this crate takes its locks and atomics from, so that shuttle's can stand in for them: a test target that
//! compiles the queue a second time puts `sync/simulated.rs`, which has the same names, in its place.

pub(crate) use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use parking_lot::MutexGuard;

/// A lock for steps that are shorter than any sleep.
///
/// Two processors that take turns at every step spend most of their time on moving the lines of memory behind the lock to
/// and fro, and whoever sleeps for so short a step pays for falling asleep and for being woken. So whoever finds the lock
/// taken stays away for a while: the other one does dozens of steps with what it has before it all has to move.
///
/// Nothing else is in its lines of memory: whoever only reads beside it would fetch them from the one who holds it.
/// Processors fetch them in pairs, hence twice 64 bytes.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Mutex<T>(parking_lot::Mutex<T>);

/// How long to stay away at first: about what it takes to move the lines of a queue to another processor, a microsecond.
const PAUSES_MIN: u32 = 32;

/// And at last, after a tenth of a millisecond in all. Until then another one may do step after step, which goes fastest if
/// it is left alone; by then somebody was sent to sleep with the lock, and it is time to sleep too.
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
