//! How watchers read the store: the changes of one resource after a version, and a wake-up when there may be more.
//!
//! A watcher pulls. The store has no buffer per watcher.

use std::sync::Arc;

use super::Store;
use super::history::ObjectChange;
use tidings_util::watch::Receiver;

/// The result of reading the history after a version.
#[derive(Debug)]
pub(crate) enum HistoryRead {
    /// The next changes, in order.
    Changes(Vec<Arc<ObjectChange>>),
    /// There are no changes after the version.
    UpToDate {
        /// The newest assigned version.
        newest: u64,
    },
    /// The history does not reach back to the version.
    Compacted {
        /// The oldest version that a watch can start from.
        oldest: u64,
    },
    /// All watches of the resource must end: it was removed, or the store was restored to an earlier state.
    WatchEnded,
}

/// A watcher's subscription to the changes of one resource.
#[derive(Clone, Debug)]
pub(crate) struct WatchSubscription {
    storage: Arc<str>,
    epoch: u64,
    changed: Receiver<u64>,
}

/// Whether a watcher reads for the first time. See [`History::reaches`](super::history) and `continues`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WatchRead {
    /// It starts from a version that the client requested.
    First,
    /// It has read all changes up to its version.
    Next,
}

impl Store {
    pub(crate) fn subscribe(&self, storage: &str) -> WatchSubscription {
        let mut state = self.state.lock();
        let resource = state.resource(storage);
        WatchSubscription {
            storage: storage.into(),
            epoch: resource.epoch,
            changed: resource.changed.subscribe(),
        }
    }

    /// The changes after `version`, at most `limit` of them.
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
    /// Waits for a change after the last wait. Returns at once if there was one before the call.
    pub(crate) async fn changed(&mut self) {
        if self.changed.changed().await.is_err() {
            // The store is gone: nothing changes any more.
            std::future::pending().await
        }
    }
}
