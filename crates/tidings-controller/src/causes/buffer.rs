//! The causes of the reconcile that a worker runs. Contexts share them.

use std::sync::Arc;

use super::Causes;

/// One allocation for all reconciles of a worker. A reconciler that keeps its context keeps the allocation, and the
/// worker makes another one.
#[derive(Default)]
pub(crate) struct CauseBuffer(Arc<Causes>);

impl CauseBuffer {
    pub(crate) fn fill(&mut self, causes: Causes) -> Arc<Causes> {
        match Arc::get_mut(&mut self.0) {
            Some(kept) => *kept = causes,
            None => self.0 = Arc::new(causes),
        }
        Arc::clone(&self.0)
    }

    /// Drops the causes, so that they keep no bodies in memory while the worker is idle.
    pub(crate) fn clear(&mut self) {
        if let Some(kept) = Arc::get_mut(&mut self.0) {
            *kept = Causes::default();
        }
    }
}
