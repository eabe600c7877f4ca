//! A weak reference to an informer. Factories keep these.

use std::sync::{Arc, Weak};

use crate::informer::error::{InformerError, Unsynced, WaitError};
use crate::informer::handle::SharedInformer;
use crate::informer::handle::keep_alive::KeepAlive;
use crate::informer::observe::failure::Failures;
use crate::informer::observe::stats::InformerStats;
use crate::informer::shared::Shared;

/// A reference to an informer that does not keep it running.
#[derive(Clone)]
pub struct WeakInformer {
    shared: Weak<Shared>,
    keep_alive: Weak<KeepAlive>,
    failures: Failures,
}

impl WeakInformer {
    pub(crate) fn new(shared: &Arc<Shared>, keep_alive: &Arc<KeepAlive>) -> Self {
        WeakInformer {
            shared: Arc::downgrade(shared),
            keep_alive: Arc::downgrade(keep_alive),
            failures: shared.failures.clone(),
        }
    }

    /// The informer, if something still keeps it running.
    pub fn upgrade<K>(&self) -> Option<SharedInformer<K>> {
        Some(SharedInformer::new(self.shared.upgrade()?, self.keep_alive.upgrade()?))
    }

    /// Whether something still keeps it running.
    pub fn is_needed(&self) -> bool {
        self.keep_alive.strong_count() > 0
    }

    /// Waits until it has synced. Returns at once if nothing keeps it running.
    pub async fn synced(&self) -> Result<(), WaitError> {
        let Some(shared) = self.shared.upgrade() else { return Ok(()) };
        Ok(shared.wait_synced().await?)
    }

    /// Why it has not synced. `None` if it has, or if nothing keeps it running.
    pub fn unsynced(&self) -> Option<Unsynced> {
        let shared = self.shared.upgrade()?;
        (!shared.synced.initialized()).then(|| shared.unsynced())
    }

    /// The panic that ended it, also after the informer is dropped.
    pub fn panic(&self) -> Option<InformerError> {
        self.failures.panic()
    }

    /// Why it no longer follows the server, also after the informer is dropped.
    pub fn failures(&self) -> Vec<InformerError> {
        self.failures.all()
    }

    /// Waits until it no longer follows the server although it was not stopped. Waits for ever if that never happens.
    pub async fn failed(&self) -> InformerError {
        self.failures.wait(None).await
    }

    /// Its statistics, if something still keeps it running.
    pub fn stats(&self) -> Option<InformerStats> {
        self.is_needed().then(|| self.shared.upgrade()).flatten().map(|shared| shared.stats())
    }

    /// Stops it.
    pub fn stop(&self) {
        if let Some(shared) = self.shared.upgrade() {
            shared.stop.cancel();
        }
    }
}
