//! The recent changes of one resource: what watches read and what earlier versions are rebuilt from.
//!
//! Bounded by count, age and bytes. Bodies are shared with the store; what history alone keeps alive are the states that
//! were replaced, and only those count as its bytes. An encoded event is kept for the newest changes only.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use super::object::StoredObject;
use super::protobuf_cache::Retention;
use crate::sync::Mutex;

/// How many of the newest changes keep what was encoded of them for those who come after the first.
pub(super) const ENCODED_KEPT: usize = 1024;

/// Among so many of the newest changes a reader is looked for first.
const NEWEST_CHANGES: usize = 8;

/// What one change costs besides the body it replaced.
const CHANGE_BYTES: usize = 128;

/// How much of the past is kept, for each resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryLimits {
    /// Most changes kept.
    pub changes_max: usize,
    /// A change older than this is forgotten.
    pub age_max: Duration,
    /// Most bytes of replaced bodies kept.
    pub bytes_max: usize,
}

impl Default for HistoryLimits {
    fn default() -> Self {
        Self { changes_max: 102_400, age_max: Duration::from_secs(300), bytes_max: 256 << 20 }
    }
}

/// One change of one object.
#[derive(Debug)]
pub(crate) struct ObjectChange {
    /// The version it made.
    pub version: u64,
    /// The state before; absent when the object was created.
    pub old: Option<Arc<StoredObject>>,
    /// The state after; absent when the object was deleted.
    pub new: Option<Arc<StoredObject>>,
    at: Instant,
    frames: Mutex<Vec<(EventFrameKey, Bytes)>>,
}

/// Which encoding of a change an event frame is: its type, and the head that names kind and representation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EventFrameKey {
    /// The event's type as text.
    pub event: &'static str,
    /// What the object begins with.
    pub head: Arc<str>,
}

#[derive(Debug, Default)]
pub(super) struct History {
    changes: VecDeque<Arc<ObjectChange>>,
    bytes: usize,
    /// Everything up to and including this version is forgotten: nobody may start from before it.
    compacted_through: u64,
    /// The newest change that is forgotten: who has read it misses nothing, whatever was forgotten since.
    dropped_through: u64,
}

impl ObjectChange {
    pub(super) fn new(version: u64, old: Option<Arc<StoredObject>>, new: Option<Arc<StoredObject>>) -> Self {
        debug_assert!(old.is_some() || new.is_some(), "a change has a state before or after");
        Self { version, old, new, at: Instant::now(), frames: Mutex::default() }
    }

    /// Its key.
    pub(crate) fn key(&self) -> &str {
        self.new.as_ref().or(self.old.as_ref()).expect("a change has a state before or after").key()
    }

    /// The event frame under this key: encoded once, then shared by all watchers.
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

    /// Forgets what was encoded of it.
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

    /// Forgets everything up to and including `version`.
    pub(super) fn compact(&mut self, version: u64) {
        while self.changes.front().is_some_and(|oldest| oldest.version <= version) {
            self.drop_oldest();
        }
        self.compacted_through = self.compacted_through.max(version);
    }

    /// Forgets everything after `version`, which never happened.
    pub(super) fn rewind(&mut self, version: u64) {
        while self.changes.back().is_some_and(|newest| newest.version > version) {
            let newest = self.changes.pop_back().expect("there is a newest change");
            self.bytes -= newest.bytes();
        }
        self.compacted_through = self.compacted_through.min(version);
        self.dropped_through = self.dropped_through.min(version);
    }

    /// Whether one may start from `version`: all changes after it are still here.
    pub(super) fn reaches(&self, version: u64) -> bool {
        version >= self.compacted_through
    }

    /// Whether one who has read up to `version` can read on.
    pub(super) fn continues(&self, version: u64) -> bool {
        version >= self.dropped_through
    }

    pub(super) fn compacted_through(&self) -> u64 {
        self.compacted_through
    }

    pub(super) fn after(&self, version: u64, limit: usize) -> Vec<Arc<ObjectChange>> {
        self.changes.range(self.first_after(version)..).take(limit).cloned().collect()
    }

    /// Where the changes after `version` begin. Whoever reads on as things happen is close to the end, and is looked for there
    /// first: a search of the whole touches changes all over the memory.
    fn first_after(&self, version: u64) -> usize {
        let is_read = |change: &Arc<ObjectChange>| change.version <= version;
        let newest = self.changes.len().saturating_sub(NEWEST_CHANGES);
        if self.changes.get(newest).is_some_and(is_read) {
            return newest + self.changes.range(newest..).take_while(|change| is_read(change)).count();
        }
        self.changes.partition_point(is_read)
    }

    /// What was different at `version`: for each key that changed since, its state then.
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
