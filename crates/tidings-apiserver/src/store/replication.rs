//! Replication of a store to a follower: the queue of changes that the follower has not applied yet.
//!
//! The leader appends to the queue under its own lock, so that the queue is in the order of versions. The queue is
//! bounded. When it overflows it drops all entries, and the follower starts again from a complete state. An API server
//! does the same when etcd has compacted the version of its watch.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};

use super::history::ObjectChange;
use super::saved_state::SavedState;
use super::{Store, StoreState, WatchVisibility};
use crate::sync::Mutex;

/// The largest number of entries in one queue.
const REPLICATION_ENTRIES_MAX: usize = 100_000;

/// The changes of the leader that one follower has not applied yet.
#[derive(Debug, Default)]
pub(crate) struct ReplicationQueue {
    state: Mutex<QueueState>,
}

#[derive(Debug, Default)]
struct QueueState {
    entries: VecDeque<ReplicationEntry>,
    has_overflowed: bool,
}

/// One change of the leader.
#[derive(Clone, Debug)]
pub(super) enum ReplicationEntry {
    /// An object was written or removed.
    Change { storage: Box<str>, change: Arc<ObjectChange>, visibility: WatchVisibility },
    /// A version was assigned without a change.
    Version(u64),
}

impl ReplicationQueue {
    fn push(&self, entry: ReplicationEntry) {
        let mut pending = self.state.lock();
        if pending.entries.len() == REPLICATION_ENTRIES_MAX {
            pending.entries.clear();
            pending.has_overflowed = true;
        }
        pending.entries.push_back(entry);
    }

    pub(crate) fn len(&self) -> usize {
        self.state.lock().entries.len()
    }

    /// Drops all entries: the follower gets a complete state instead.
    pub(crate) fn clear(&self) {
        *self.state.lock() = QueueState::default();
    }

    pub(crate) fn has_overflowed(&self) -> bool {
        self.state.lock().has_overflowed
    }

    fn next(&self) -> Option<ReplicationEntry> {
        self.state.lock().entries.pop_front()
    }
}

impl StoreState {
    pub(super) fn replicate(&mut self, entry: &ReplicationEntry) {
        self.replication_queues.retain(|queue| {
            let Some(queue) = queue.upgrade() else { return false };
            queue.push(entry.clone());
            true
        });
    }
}

impl Store {
    /// The present state, and a queue of all later changes.
    pub(crate) fn follow(&self) -> (SavedState, Arc<ReplicationQueue>) {
        let mut state = self.state.lock();
        let queue = Arc::new(ReplicationQueue::default());
        state.replication_queues.push(Arc::downgrade(&queue) as Weak<ReplicationQueue>);
        (SavedState::of(&state), queue)
    }

    /// Applies the next entry of a queue. Returns false if the queue is empty.
    pub(crate) fn apply_next(&self, queue: &ReplicationQueue) -> bool {
        let Some(entry) = queue.next() else { return false };
        let mut state = self.state.lock();
        match entry {
            ReplicationEntry::Version(version) => {
                state.version = version;
                self.newest.send_replace(version);
            }
            ReplicationEntry::Change { storage, change, visibility } => {
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
                self.publish(state, &storage, change, visibility);
            }
        }
        true
    }
}
