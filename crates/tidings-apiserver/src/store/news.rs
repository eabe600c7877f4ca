//! What watchers read: the changes of one resource after a version, and the word that there may be more.
//!
//! A watcher pulls; the store keeps nothing for it.

use std::sync::Arc;

use super::Store;
use super::history::Change;
use crate::signal::Receiver;

/// What happened after a version, for one watcher.
#[derive(Debug)]
pub enum News {
    /// These changes, in order.
    Changes(Vec<Arc<Change>>),
    /// Nothing, as of this version.
    Nothing {
        /// The newest version given out.
        newest: u64,
    },
    /// History no longer reaches that far.
    Forgotten {
        /// The oldest version that can still be watched from.
        oldest: u64,
    },
    /// The resource went away, or time went back.
    Over,
}

/// A watcher's hold on one resource.
#[derive(Clone, Debug)]
pub struct Subscription {
    storage: Arc<str>,
    era: u64,
    changed: Receiver<u64>,
}

/// Whether a watcher starts or goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// It starts from a version that its client named.
    First,
    /// It has read everything up to its version.
    Next,
}

impl Store {
    /// Starts to watch a resource.
    pub fn subscribe(&self, storage: &str) -> Subscription {
        let mut state = self.state.lock();
        let resource = state.resource(storage);
        Subscription { storage: storage.into(), era: resource.era, changed: resource.changed.subscribe() }
    }

    /// What happened after `version`, at most `most` changes of it.
    pub fn news(&self, subscription: &Subscription, version: u64, reading: Reading, most: usize) -> News {
        let mut state = self.state.lock();
        let newest = state.version;
        let age_max = state.limits.age_max;
        let resource = state.resource(&subscription.storage);
        let last_words = resource.last_words.filter(|(era, _)| *era == subscription.era);
        if resource.era != subscription.era && last_words.is_none() {
            return News::Over;
        }
        resource.history.drop_old(age_max);
        let is_whole = match reading {
            Reading::First => resource.history.reaches(version),
            Reading::Next => resource.history.continues(version),
        };
        if !is_whole {
            return News::Forgotten { oldest: resource.history.lost_through() };
        }
        let mut changes = resource.history.after(version, most);
        if let Some((_, last)) = last_words {
            changes.retain(|change| change.version <= last);
        }
        match (changes.is_empty(), last_words) {
            (false, _) => News::Changes(changes),
            (true, Some(_)) => News::Over,
            (true, None) => News::Nothing { newest },
        }
    }
}

impl Subscription {
    /// Waits until something may have changed since the last wait. Never misses a change that happened before the call.
    pub async fn changed(&mut self) {
        self.changed.changed().await;
    }
}
