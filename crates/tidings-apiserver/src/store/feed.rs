//! What a second store over the same objects has not applied yet: the changes of the first one, in order.
//!
//! The first store appends under its own lock, so that the order is the order of versions. A feed is bounded. One that
//! overflows forgets everything and says so: the follower then starts again from a whole state, as an API server does
//! whose watch of etcd was compacted.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};

use super::history::Change;
use super::saved::Saved;
use super::{State, Store, Telling};
use crate::sync::Mutex;

/// Most changes that wait in one feed.
const FEED_ENTRIES_MAX: usize = 100_000;

/// The changes that one follower has not applied yet.
#[derive(Debug, Default)]
pub(crate) struct Feed {
    state: Mutex<Pending>,
}

#[derive(Debug, Default)]
struct Pending {
    entries: VecDeque<FeedEntry>,
    has_overflowed: bool,
}

/// One step of the first store.
#[derive(Clone, Debug)]
pub(super) enum FeedEntry {
    /// An object was written or removed.
    Change { storage: Box<str>, change: Arc<Change>, telling: Telling },
    /// A version was given out without a change.
    Version(u64),
}

impl Feed {
    fn push(&self, entry: FeedEntry) {
        let mut pending = self.state.lock();
        if pending.entries.len() == FEED_ENTRIES_MAX {
            pending.entries.clear();
            pending.has_overflowed = true;
        }
        pending.entries.push_back(entry);
    }

    /// How many changes wait.
    pub(crate) fn len(&self) -> usize {
        self.state.lock().entries.len()
    }

    /// Drops what waits: the follower is given a whole state.
    pub(crate) fn clear(&self) {
        *self.state.lock() = Pending::default();
    }

    pub(crate) fn has_overflowed(&self) -> bool {
        self.state.lock().has_overflowed
    }

    fn next(&self) -> Option<FeedEntry> {
        self.state.lock().entries.pop_front()
    }
}

impl State {
    pub(super) fn feed(&mut self, entry: &FeedEntry) {
        self.feeds.retain(|feed| {
            let Some(feed) = feed.upgrade() else { return false };
            feed.push(entry.clone());
            true
        });
    }
}

impl Store {
    /// The state now, and a feed of everything that happens after it.
    pub(crate) fn follow(&self) -> (Saved, Arc<Feed>) {
        let mut state = self.state.lock();
        let feed = Arc::new(Feed::default());
        state.feeds.push(Arc::downgrade(&feed) as Weak<Feed>);
        (Saved::of(&state), feed)
    }

    /// Applies the next entry of a feed. Returns false if none waits.
    pub(crate) fn apply_next(&self, feed: &Feed) -> bool {
        let Some(entry) = feed.next() else { return false };
        let mut state = self.state.lock();
        match entry {
            FeedEntry::Version(version) => {
                state.version = version;
                self.newest.send(version);
            }
            FeedEntry::Change { storage, change, telling } => {
                state.version = change.version;
                if let Some(old) = &change.old {
                    state.count_owners(old, -1);
                }
                if let Some(new) = &change.new {
                    state.count_owners(new, 1);
                }
                let resource = state.resource(&storage);
                match &change.new {
                    Some(new) => drop(resource.objects.put(Arc::clone(new))),
                    None => drop(resource.objects.remove(change.key())),
                }
                self.publish(state, &storage, change, telling);
            }
        }
        true
    }
}
