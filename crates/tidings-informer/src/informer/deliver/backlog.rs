//! The pending notifications of one handler, bounded.
//!
//! Up to `merge_above` notifications, all are kept, in order over all objects. Above it, a notification merges into
//! the pending one of the same object, which keeps its position. So the last state is never lost, and a handler that
//! hangs for ever costs at most `merge_above` entries plus two per object. Example, with a bound of 2:
//!
//! ```text
//! Added a@1, Added b@2       both are kept
//! Updated a@1->3             merges: Added a@3, Added b@2
//! Deleted b@2->4             cancels the pending addition: Added a@3
//! Updated a@3->5             below the bound again: Added a@3, Updated a@3->5
//! ```

use std::collections::VecDeque;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use tokio::time::Instant;

use crate::informer::notification::{Notification, RawNotification};

/// The pending notifications of one handler.
#[derive(Debug)]
pub(crate) struct Backlog {
    /// `None` where an addition and its deletion cancelled each other out. The first and the last entry are never
    /// `None`.
    entries: VecDeque<Option<PendingEntry>>,
    /// The number of the first entry. The number of an entry never changes.
    first: u64,
    live: usize,
    merge_above: usize,
    merges: u64,
    /// The number of the newest entry of each object. It exists only while the bound is exceeded, so handlers that
    /// keep up do not pay for it.
    newest: Option<HashTable<u64>>,
    /// Seeded randomly, so that a user who creates objects can't choose names that collide. The table is never
    /// iterated: the seed changes only its layout, never the order of notifications.
    hasher: RandomState,
}

#[derive(Debug)]
pub(crate) struct PendingEntry {
    pub(crate) notification: RawNotification,
    /// When the oldest of the merged notifications was put in.
    pub(crate) since: Instant,
}

/// The effect of a push.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PushResult {
    /// The notification is a new entry.
    Appended,
    /// The notification was merged into a pending entry.
    Merged,
    /// The notification deletes an object whose addition is still pending. Both are dropped.
    Cancelled { was_initial: bool },
}

impl Backlog {
    pub(crate) fn new(merge_above: usize) -> Self {
        Backlog {
            entries: VecDeque::new(),
            first: 0,
            live: 0,
            merge_above,
            merges: 0,
            newest: None,
            hasher: RandomState::default(),
        }
    }

    /// The number of pending notifications.
    pub(crate) fn len(&self) -> usize {
        self.live
    }

    /// The number of merges so far.
    pub(crate) fn merges(&self) -> u64 {
        self.merges
    }

    /// When the oldest pending notification was put in.
    pub(crate) fn oldest_since(&self) -> Option<Instant> {
        self.entries.front().and_then(Option::as_ref).map(|entry| entry.since)
    }

    /// Bytes of the tables, without the objects.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Option<PendingEntry>>()
            + self.newest.as_ref().map_or(0, |newest| newest.capacity() * size_of::<u64>())
    }

    pub(crate) fn push(&mut self, notification: RawNotification, now: Instant) -> PushResult {
        if self.live < self.merge_above {
            return self.append(notification, now);
        }
        self.index_newest();
        let Some(number) = self.newest_of(&notification.key()) else { return self.append(notification, now) };
        let at = (number - self.first) as usize;
        let entry = self.entries[at].as_mut().expect("the newest entry of an object is live");
        match merge(&entry.notification, &notification) {
            MergeResult::Into(merged) => {
                entry.notification = merged;
                self.merges += 1;
                PushResult::Merged
            }
            MergeResult::Cancel { was_initial } => {
                self.merges += 1;
                self.remove(at, number);
                PushResult::Cancelled { was_initial }
            }
            MergeResult::Separate => self.append(notification, now),
        }
    }

    pub(crate) fn pop(&mut self) -> Option<PendingEntry> {
        let entry = self.entries.pop_front()?.expect("the first entry is live");
        if self.newest.is_some() {
            self.unlink(self.first, &entry.notification);
        }
        self.first += 1;
        self.live -= 1;
        self.trim();
        if self.live * 2 < self.merge_above {
            self.newest = None;
        }
        if self.live == 0 && self.entries.capacity() > self.merge_above.max(64).saturating_mul(4) {
            self.entries = VecDeque::new();
        }
        Some(entry)
    }

    /// Drops all notifications and returns their number.
    pub(crate) fn clear(&mut self) -> usize {
        let dropped = self.live;
        *self = Backlog { merges: self.merges, ..Backlog::new(self.merge_above) };
        dropped
    }

    fn append(&mut self, notification: RawNotification, now: Instant) -> PushResult {
        let number = self.first + self.entries.len() as u64;
        if self.newest.is_some() {
            self.unlink_key(&notification.key());
            self.link(number, &notification.key());
        }
        self.entries.push_back(Some(PendingEntry { notification, since: now }));
        self.live += 1;
        PushResult::Appended
    }

    /// Removes an entry in the middle. Compacts when the holes outnumber the entries: otherwise a handler that hangs
    /// while objects are created and deleted would collect holes without bound.
    fn remove(&mut self, at: usize, number: u64) {
        let gone = self.entries[at].take().expect("the newest entry of an object is live");
        self.unlink(number, &gone.notification);
        self.live -= 1;
        self.trim();
        if self.entries.len() > 2 * self.live + 64 {
            self.entries.retain(Option::is_some);
            self.newest = None;
            self.index_newest();
        }
    }

    fn trim(&mut self) {
        while matches!(self.entries.front(), Some(None)) {
            self.entries.pop_front();
            self.first += 1;
        }
        while matches!(self.entries.back(), Some(None)) {
            self.entries.pop_back();
        }
    }

    fn index_newest(&mut self) {
        if self.newest.is_some() {
            return;
        }
        self.newest = Some(HashTable::with_capacity(self.live));
        for at in 0..self.entries.len() {
            let number = self.first + at as u64;
            let Some(entry) = &self.entries[at] else { continue };
            let key = entry.notification.object().clone();
            self.unlink_key(&key.key());
            self.link(number, &key.key());
        }
    }

    fn newest_of(&self, key: &str) -> Option<u64> {
        let newest = self.newest.as_ref()?;
        newest.find(self.hasher.hash_one(key), |number| self.key_at(*number) == Some(key)).copied()
    }

    fn key_at(&self, number: u64) -> Option<&str> {
        let at = number.checked_sub(self.first)? as usize;
        self.entries.get(at)?.as_ref().map(|entry| entry.notification.key().as_str())
    }

    fn link(&mut self, number: u64, key: &str) {
        let (first, entries, hasher) = (self.first, &self.entries, &self.hasher);
        if let Some(newest) = &mut self.newest {
            newest.insert_unique(hasher.hash_one(key), number, |number| {
                let entry = entries.get((number - first) as usize).and_then(Option::as_ref);
                hasher.hash_one(entry.map_or("", |entry| entry.notification.key().as_str()))
            });
        }
    }

    fn unlink_key(&mut self, key: &str) {
        let (first, entries) = (self.first, &self.entries);
        let Some(newest) = &mut self.newest else { return };
        let same = |number: &u64| {
            let entry = entries.get((number - first) as usize).and_then(Option::as_ref);
            entry.is_some_and(|entry| entry.notification.key().as_str() == key)
        };
        if let Ok(found) = newest.find_entry(self.hasher.hash_one(key), same) {
            found.remove();
        }
    }

    /// Removes `number` from the table of newest entries. The entry itself may be gone already.
    fn unlink(&mut self, number: u64, notification: &RawNotification) {
        let Some(newest) = &mut self.newest else { return };
        let hash = self.hasher.hash_one(notification.key().as_str());
        if let Ok(found) = newest.find_entry(hash, |found| *found == number) {
            found.remove();
        }
    }
}

enum MergeResult {
    Into(RawNotification),
    Cancel { was_initial: bool },
    Separate,
}

/// Merges a pending notification with the next one of the same object.
fn merge(pending: &RawNotification, next: &RawNotification) -> MergeResult {
    use Notification::{Added, Deleted, Updated};
    match (pending, next) {
        (Added { is_initial, .. }, Updated { new, .. } | Added { object: new, .. }) => {
            MergeResult::Into(Added { object: new.clone(), is_initial: *is_initial })
        }
        (Added { is_initial, .. }, Deleted { .. }) => MergeResult::Cancel { was_initial: *is_initial },
        (Updated { old, is_resync: first, .. }, Updated { new, is_resync: second, .. }) => {
            MergeResult::Into(Updated { old: old.clone(), new: new.clone(), is_resync: *first && *second })
        }
        (Updated { old, .. }, Deleted { object, is_final_state_unknown, .. }) => MergeResult::Into(Deleted {
            old: old.clone(),
            object: object.clone(),
            is_final_state_unknown: *is_final_state_unknown,
        }),
        // A deletion and an addition are about two objects. A handler that cleans up needs both.
        (Deleted { .. }, _) | (Updated { .. }, Added { .. }) => MergeResult::Separate,
    }
}

#[cfg(test)]
mod tests;
