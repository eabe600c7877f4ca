//! What a handler has not been told yet, bounded.
//!
//! Up to `merge_above` notifications all are kept, in order over all objects. Past it, a notification merges
//! into the pending one of the same object, which keeps its place: so the last state is never lost, and a
//! handler that stalls for ever costs at most `merge_above` entries and two for each object.

use std::collections::VecDeque;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use tokio::time::Instant;

use crate::informer::notification::{Notification, RawNotification};

/// The pending notifications of one handler.
#[derive(Debug)]
pub(crate) struct Backlog {
    /// `None` where an addition and its deletion cancelled each other out; never `None` at either end.
    entries: VecDeque<Option<PendingEntry>>,
    /// The number of the first entry; an entry's number never changes.
    first: u64,
    live: usize,
    merge_above: usize,
    merges: u64,
    /// The number of the newest entry of each object. It exists only while the bound is passed: most
    /// handlers keep up, and pay nothing for it.
    newest: Option<HashTable<u64>>,
    /// Seeded by chance: whoever may create objects must not choose names that collide. The table is never iterated, so chance
    /// decides nothing but its layout.
    hasher: RandomState,
}

#[derive(Debug)]
pub(crate) struct PendingEntry {
    pub(crate) notification: RawNotification,
    /// When the oldest of what was merged into it came in.
    pub(crate) since: Instant,
}

/// What became of a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PushResult {
    /// It waits for its turn.
    Kept,
    /// It became part of one that already waits.
    Merged,
    /// An addition that nobody had heard of yet and its deletion: neither will be told. Says whether the
    /// addition was an initial one.
    Vanished { was_initial: bool },
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

    /// How many notifications wait.
    pub(crate) fn len(&self) -> usize {
        self.live
    }

    /// How many were merged so far.
    pub(crate) fn merges(&self) -> u64 {
        self.merges
    }

    /// Since when the oldest waits.
    pub(crate) fn oldest_since(&self) -> Option<Instant> {
        self.entries.front().and_then(Option::as_ref).map(|entry| entry.since)
    }

    /// Bytes that it takes, the objects themselves apart.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Option<PendingEntry>>()
            + self.newest.as_ref().map_or(0, |newest| newest.capacity() * size_of::<u64>())
    }

    pub(crate) fn push(&mut self, notification: RawNotification, now: Instant) -> PushResult {
        if self.live < self.merge_above {
            return self.append(notification, now);
        }
        self.remember_newest();
        let Some(number) = self.newest_of(&notification.key()) else { return self.append(notification, now) };
        let at = (number - self.first) as usize;
        let entry = self.entries[at].as_mut().expect("the newest entry of an object is live");
        match merge(&entry.notification, &notification) {
            MergeResult::Into(merged) => {
                entry.notification = merged;
                self.merges += 1;
                PushResult::Merged
            }
            MergeResult::Vanish { was_initial } => {
                self.merges += 1;
                self.forget(at, number);
                PushResult::Vanished { was_initial }
            }
            MergeResult::Apart => self.append(notification, now),
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

    /// Drops everything, and says how much that was.
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
        PushResult::Kept
    }

    /// Takes out an entry in the middle. Holes are closed once they outnumber what is live: a handler stalled
    /// under creation and deletion would otherwise collect them for ever.
    fn forget(&mut self, at: usize, number: u64) {
        let gone = self.entries[at].take().expect("the newest entry of an object is live");
        self.unlink(number, &gone.notification);
        self.live -= 1;
        self.trim();
        if self.entries.len() > 2 * self.live + 64 {
            self.entries.retain(Option::is_some);
            self.newest = None;
            self.remember_newest();
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

    fn remember_newest(&mut self) {
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

    /// Forgets that `number` is the newest entry of its object. Its entry may be taken out already.
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
    Vanish { was_initial: bool },
    Apart,
}

/// What a pending notification and the next one of the same object become.
fn merge(pending: &RawNotification, next: &RawNotification) -> MergeResult {
    use Notification::{Added, Deleted, Updated};
    match (pending, next) {
        (Added { is_initial, .. }, Updated { new, .. } | Added { object: new, .. }) => {
            MergeResult::Into(Added { object: new.clone(), is_initial: *is_initial })
        }
        (Added { is_initial, .. }, Deleted { .. }) => MergeResult::Vanish { was_initial: *is_initial },
        (Updated { old, is_resync: first, .. }, Updated { new, is_resync: second, .. }) => {
            MergeResult::Into(Updated { old: old.clone(), new: new.clone(), is_resync: *first && *second })
        }
        (Updated { old, .. }, Deleted { object, is_final_state_unknown, .. }) => MergeResult::Into(Deleted {
            old: old.clone(),
            object: object.clone(),
            is_final_state_unknown: *is_final_state_unknown,
        }),
        // Deleted then added are two objects: a handler that cleans up must hear both.
        (Deleted { .. }, _) | (Updated { .. }, Added { .. }) => MergeResult::Apart,
    }
}

#[cfg(test)]
mod tests;
