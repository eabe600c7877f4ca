//! What watchers read: the changes of one resource after a version, and the word that there may be more.
//!
//! A watcher pulls; the store keeps nothing for it.

use std::sync::Arc;

use super::Store;
use super::history::ObjectChange;
use crate::fifo_watch::Receiver;

/// What happened after a version, for one watcher.
#[derive(Debug)]
pub(crate) enum HistoryRead {
    /// These changes, in order.
    Changes(Vec<Arc<ObjectChange>>),
    /// Nothing, as of this version.
    UpToDate {
        /// The newest version given out.
        newest: u64,
    },
    /// History no longer reaches that far.
    Compacted {
        /// The oldest version that can still be watched from.
        oldest: u64,
    },
    /// The resource went away, or time went back.
    WatchEnded,
}

/// A watcher's hold on one resource.
#[derive(Clone, Debug)]
pub(crate) struct WatchSubscription {
    storage: Arc<str>,
    epoch: u64,
    changed: Receiver<u64>,
}

/// Whether a watcher starts or goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WatchRead {
    /// It starts from a version that its client named.
    First,
    /// It has read everything up to its version.
    Next,
}

impl Store {
    /// Starts to watch a resource.
    pub(crate) fn subscribe(&self, storage: &str) -> WatchSubscription {
        let mut state = self.state.lock();
        let resource = state.resource(storage);
        WatchSubscription {
            storage: storage.into(),
            epoch: resource.epoch,
            changed: resource.changed.subscribe(),
        }
    }

    /// What happened after `version`, at most `limit` changes of it.
    pub(crate) fn read_history(
        &self,
        subscription: &WatchSubscription,
        version: u64,
        reading: WatchRead,
        limit: usize,
    ) -> HistoryRead {
        let mut state = self.state.lock();
        let newest = state.version;
        let age_max = state.limits.age_max;
        let resource = state.resource(&subscription.storage);
        let draining = resource.draining.filter(|(epoch, _)| *epoch == subscription.epoch);
        if resource.epoch != subscription.epoch && draining.is_none() {
            return HistoryRead::WatchEnded;
        }
        resource.history.drop_old(age_max);
        let is_whole = match reading {
            WatchRead::First => resource.history.reaches(version),
            WatchRead::Next => resource.history.continues(version),
        };
        if !is_whole {
            return HistoryRead::Compacted { oldest: resource.history.compacted_through() };
        }
        let mut changes = resource.history.after(version, limit);
        if let Some((_, last)) = draining {
            changes.retain(|change| change.version <= last);
        }
        match (changes.is_empty(), draining) {
            (false, _) => HistoryRead::Changes(changes),
            (true, Some(_)) => HistoryRead::WatchEnded,
            (true, None) => HistoryRead::UpToDate { newest },
        }
    }
}

impl WatchSubscription {
    /// Waits until something may have changed since the last wait. Never misses a change that happened before the call.
    pub(crate) async fn changed(&mut self) {
        self.changed.changed().await;
    }
}
