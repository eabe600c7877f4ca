//! The recent changes of one resource. Watches read them, and earlier versions are rebuilt from them.
//!
//! The history is bounded by count, age and bytes. It shares object bodies with the store. Only the replaced states are
//! kept alive by the history alone, so only those count as its bytes. Encoded events are kept for the newest changes
//! only.
//!
//! Worked example: the state at version 5, when these changes follow it:
//!
//! ```text
//! version   key   old state   new state
//!       6   a     a@3         a@6
//!       7   b     -           b@7          b was created
//!       8   a     a@6         a@8
//! ```
//!
//! The first change of each key after version 5 holds its state at version 5: `a` was `a@3`, and `b` did not exist.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use super::object::StoredObject;
use super::protobuf_cache::Retention;
use crate::sync::Mutex;

/// How many of the newest changes keep their encoded events, for the second and later watchers.
pub(super) const ENCODED_KEPT: usize = 1024;

/// How many of the newest changes a search looks at before it falls back to binary search.
const NEWEST_CHANGES: usize = 8;

/// The memory of one change besides the replaced body, in bytes.
const CHANGE_BYTES: usize = 128;

/// How much history each resource keeps.
///
/// ```
/// use std::time::Duration;
/// use tidings_apiserver::HistoryLimits;
///
/// let limits = HistoryLimits::default().changes_max(1_000).age_max(Duration::from_secs(60)).bytes_max(16 << 20);
/// # let _ = limits;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryLimits {
    pub(super) changes_max: usize,
    pub(super) age_max: Duration,
    pub(super) bytes_max: usize,
}

impl HistoryLimits {
    /// The largest number of changes; 102,400 if not set.
    pub fn changes_max(mut self, changes: usize) -> Self {
        self.changes_max = changes;
        self
    }

    /// The age above which a change is dropped; 5 minutes if not set.
    pub fn age_max(mut self, age: Duration) -> Self {
        self.age_max = age;
        self
    }

    /// The largest sum of bytes of replaced objects; 256 MiB if not set.
    pub fn bytes_max(mut self, bytes: usize) -> Self {
        self.bytes_max = bytes;
        self
    }
}

impl Default for HistoryLimits {
    fn default() -> Self {
        Self { changes_max: 102_400, age_max: Duration::from_secs(300), bytes_max: 256 << 20 }
    }
}

/// One change of one object: its creation, update or deletion.
#[derive(Debug)]
pub(crate) struct ObjectChange {
    /// The version that the change made.
    pub version: u64,
    /// The state before the change; `None` for a creation.
    pub old: Option<Arc<StoredObject>>,
    /// The state after the change; `None` for a deletion.
    pub new: Option<Arc<StoredObject>>,
    at: Instant,
    frames: Mutex<Vec<(EventFrameKey, Bytes)>>,
}

/// Identifies one encoding of a change as a watch event. Watchers in different representations need different
/// encodings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EventFrameKey {
    /// Such as `ADDED`.
    pub event: &'static str,
    /// The bytes before the object, which name its kind and representation.
    pub head: Arc<str>,
}

#[derive(Debug, Default)]
pub(super) struct History {
    changes: VecDeque<Arc<ObjectChange>>,
    bytes: usize,
    /// All changes up to and including this version are dropped. No new watch may start from an earlier version.
    compacted_through: u64,
    /// The version of the newest dropped change. A running watch that has read it has missed nothing. This may be
    /// smaller than `compacted_through`, because a compaction also covers versions that changed other resources.
    dropped_through: u64,
}

impl ObjectChange {
    pub(super) fn new(version: u64, old: Option<Arc<StoredObject>>, new: Option<Arc<StoredObject>>) -> Self {
        debug_assert!(old.is_some() || new.is_some(), "a change has an old or a new state");
        Self { version, old, new, at: Instant::now(), frames: Mutex::default() }
    }

    pub(crate) fn key(&self) -> &str {
        self.new.as_ref().or(self.old.as_ref()).expect("a change has an old or a new state").key()
    }

    /// The event frame for this key. It is encoded once and then shared by all watchers.
    pub(crate) fn frame<E>(
        &self,
        key: &EventFrameKey,
        encode: impl FnOnce() -> Result<Bytes, E>,
    ) -> Result<Bytes, E> {
        let mut frames = self.frames.lock();
        if let Some((_, frame)) = frames.iter().find(|(known, _)| known == key) {
            return Ok(frame.clone());
        }
        let frame = encode()?;
        if frames.len() < 4 {
            frames.push((key.clone(), frame.clone()));
        }
        Ok(frame)
    }

    /// Drops the encoded events.
    fn mark_old(&self) {
        self.frames.lock().clear();
        if let Some(new) = &self.new {
            new.mark_old();
        }
    }

    fn bytes(&self) -> usize {
        CHANGE_BYTES + self.old.as_ref().map_or(0, |old| old.body().len())
    }
}

impl History {
    pub(super) fn push(&mut self, change: Arc<ObjectChange>, limits: &HistoryLimits) {
        self.bytes += change.bytes();
        if let Some(new) = &change.new {
            new.set_protobuf_retention(Retention::WhileNew);
        }
        self.changes.push_back(change);
        if let Some(at) = self.changes.len().checked_sub(ENCODED_KEPT + 1) {
            self.changes[at].mark_old();
        }
        while self.changes.len() > limits.changes_max || self.bytes > limits.bytes_max {
            self.drop_oldest();
        }
        self.drop_old(limits.age_max);
    }

    pub(super) fn drop_old(&mut self, age_max: Duration) {
        while self.changes.front().is_some_and(|oldest| oldest.at.elapsed() > age_max) {
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        if let Some(oldest) = self.changes.pop_front() {
            oldest.mark_old();
            self.bytes -= oldest.bytes();
            self.dropped_through = oldest.version;
            self.compacted_through = self.compacted_through.max(oldest.version);
        }
    }

    /// Drops all changes up to and including `version`.
    pub(super) fn compact(&mut self, version: u64) {
        while self.changes.front().is_some_and(|oldest| oldest.version <= version) {
            self.drop_oldest();
        }
        self.compacted_through = self.compacted_through.max(version);
    }

    /// Drops all changes after `version`: the store was restored to that version.
    pub(super) fn rewind(&mut self, version: u64) {
        while self.changes.back().is_some_and(|newest| newest.version > version) {
            let newest = self.changes.pop_back().expect("the loop condition found a newest change");
            self.bytes -= newest.bytes();
        }
        self.compacted_through = self.compacted_through.min(version);
        self.dropped_through = self.dropped_through.min(version);
    }

    /// Whether a new watch may start from `version`: all changes after it are still in the history.
    pub(super) fn reaches(&self, version: u64) -> bool {
        version >= self.compacted_through
    }

    /// Whether a running watch that has read up to `version` can continue without a gap.
    pub(super) fn continues(&self, version: u64) -> bool {
        version >= self.dropped_through
    }

    pub(super) fn compacted_through(&self) -> u64 {
        self.compacted_through
    }

    pub(super) fn after(&self, version: u64, limit: usize) -> Vec<Arc<ObjectChange>> {
        self.changes.range(self.first_after(version)..).take(limit).cloned().collect()
    }

    /// The index of the first change after `version`. A running watch has read almost all changes, so the search looks
    /// at the newest ones first: a binary search touches changes all over the memory.
    fn first_after(&self, version: u64) -> usize {
        let is_read = |change: &Arc<ObjectChange>| change.version <= version;
        let newest = self.changes.len().saturating_sub(NEWEST_CHANGES);
        if self.changes.get(newest).is_some_and(is_read) {
            return newest + self.changes.range(newest..).take_while(|change| is_read(change)).count();
        }
        self.changes.partition_point(is_read)
    }

    /// For each key that changed after `version`, its state at that version. See the example above.
    pub(super) fn past_states_at(&self, version: u64) -> BTreeMap<Box<str>, Option<Arc<StoredObject>>> {
        let from = self.first_after(version);
        let mut then = BTreeMap::new();
        for change in self.changes.range(from..) {
            then.entry(Box::from(change.key())).or_insert_with(|| change.old.clone());
        }
        then
    }

    pub(super) fn len(&self) -> usize {
        self.changes.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}
