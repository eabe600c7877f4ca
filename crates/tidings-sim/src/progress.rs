//! What the watchdog sees of an execution from another thread: whether it moves.

use crate::sync::{AtomicU64, Ordering};

/// Counts the steps of one execution. The execution adds, the watchdog reads.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    steps: AtomicU64,
}

impl Progress {
    pub(crate) fn step(&self) {
        self.steps.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }
}
