//! The stored objects, their versions and their recent history. It does what etcd does for a real API server.
//!
//! One counter assigns the versions of all resources. Every write is a compare-and-swap on the object's version, so
//! that callers decide outside the lock. The store knows keys and bodies, but no kinds. It never waits.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Weak};

use serde_json::Value;

use self::history::History;
pub use self::history::HistoryLimits;
pub(crate) use self::history::{EventFrameKey, ObjectChange};
pub(crate) use self::object::{KeyOrder, StoredObject, UnversionedObject};
pub(crate) use self::object_set::KeyRange;
use self::object_set::ObjectSet;
pub(crate) use self::protobuf_cache::Retention;
use self::replication::ReplicationEntry;
pub(crate) use self::replication::ReplicationQueue;
pub use self::saved_state::SavedState;
pub(crate) use self::subscription::{HistoryRead, WatchRead, WatchSubscription};
use crate::sync::{Mutex, MutexGuard};
use tidings_util::watch::{Receiver, Sender};

mod history;
mod object;
mod object_set;
mod protobuf_cache;
mod replication;
mod saved_state;
mod subscription;

/// The stored objects of all resources.
#[derive(Debug)]
pub(crate) struct Store {
    state: Mutex<StoreState>,
    /// The newest assigned version.
    newest: Sender<u64>,
}

/// The condition under which a write happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precondition {
    /// No condition.
    None,
    /// There is no object with that key.
    Absent,
    /// The object has this version.
    Version(u64),
}

/// The object is not as the precondition requires: another write came first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("another write changed the object")]
pub(crate) struct PreconditionFailed;

/// Whether watchers get an event for a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WatchVisibility {
    /// Watchers get an event.
    Visible,
    /// Watchers get no event. Lists show the change.
    Hidden,
}

/// The objects of a key range at one version.
#[derive(Debug)]
pub(crate) struct StoreSnapshot {
    /// In key order.
    pub objects: Vec<Arc<StoredObject>>,
    /// How many objects of the range follow after `objects`.
    pub remaining: usize,
    /// The version of this state.
    pub version: u64,
}

/// Why a version can't be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SnapshotError {
    /// The history does not reach back to that version.
    #[error("the version is older than {oldest}, the oldest version in the history")]
    Compacted { oldest: u64 },
    /// The version is not assigned yet.
    #[error("the version is newer than {newest}, the newest assigned version")]
    Future { newest: u64 },
}

/// The size of a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreSize {
    /// Number of stored objects.
    pub objects: usize,
    /// Bytes of the bodies of all stored objects, as JSON.
    pub body_bytes: usize,
    /// Number of changes in the history.
    pub changes: usize,
    /// Bytes that only the history keeps alive: replaced and deleted objects.
    pub history_bytes: usize,
}

#[derive(Debug)]
struct StoreState {
    version: u64,
    limits: HistoryLimits,
    resources: HashMap<Box<str>, Resource>,
    /// How many objects have an owner reference, by the hash of the owner's uid. With this most deletions need not
    /// search for dependents.
    owned: HashMap<u64, u32>,
    hasher: RandomState,
    /// The queues of the followers of this store.
    replication_queues: Vec<Weak<ReplicationQueue>>,
}

#[derive(Debug)]
struct Resource {
    objects: ObjectSet,
    history: History,
    changed: Sender<u64>,
    /// Incremented when all running watches must end. A watch belongs to the epoch in which it started.
    epoch: u64,
    /// An ended epoch, and the version up to which its watches may still read before they end.
    draining: Option<(u64, u64)>,
}

impl Store {
    pub(crate) fn new(limits: HistoryLimits) -> Self {
        let state = StoreState {
            version: 1,
            limits,
            resources: HashMap::new(),
            owned: HashMap::new(),
            hasher: RandomState::new(),
            replication_queues: Vec::new(),
        };
        Self { state: Mutex::new(state), newest: Sender::new(1) }
    }

    /// The newest version assigned.
    pub(crate) fn version(&self) -> u64 {
        self.state.lock().version
    }

    /// Watches the newest assigned version.
    pub(crate) fn newest(&self) -> Receiver<u64> {
        self.newest.subscribe()
    }

    pub(crate) fn object(&self, storage: &str, key: &str) -> Option<Arc<StoredObject>> {
        self.state.lock().resources.get(storage)?.objects.get(key).cloned()
    }

    /// Creates or replaces an object if the precondition holds.
    pub(crate) fn put(
        &self,
        storage: &str,
        expected: Precondition,
        draft: UnversionedObject,
        visibility: WatchVisibility,
    ) -> Result<Arc<StoredObject>, PreconditionFailed> {
        let mut state = self.state.lock();
        state.check(storage, draft.key(), expected)?;
        let version = state.next_version();
        let object = Arc::new(draft.at(version));
        state.count_owners(&object, 1);
        let resource = state.resource(storage);
        let old = resource.objects.put(Arc::clone(&object));
        if let Some(old) = &old {
            state.count_owners(old, -1);
        }
        let change = Arc::new(ObjectChange::new(version, old, Some(Arc::clone(&object))));
        self.publish(state, storage, change, visibility);
        Ok(object)
    }

    /// Removes an object if the precondition holds. Returns its last state with the version of the deletion; `None` if
    /// there was no object.
    pub(crate) fn remove(
        &self,
        storage: &str,
        key: &str,
        expected: Precondition,
        visibility: WatchVisibility,
    ) -> Result<Option<Arc<StoredObject>>, PreconditionFailed> {
        let mut state = self.state.lock();
        state.check(storage, key, expected)?;
        let Some(old) = state.resource(storage).objects.remove(key) else {
            return Ok(None);
        };
        state.count_owners(&old, -1);
        let version = state.next_version();
        let removed = Arc::new(old.with_version(version));
        self.publish(state, storage, Arc::new(ObjectChange::new(version, Some(old), None)), visibility);
        Ok(Some(removed))
    }

    fn publish(
        &self,
        mut state: MutexGuard<'_, StoreState>,
        storage: &str,
        change: Arc<ObjectChange>,
        visibility: WatchVisibility,
    ) {
        let version = change.version;
        let limits = state.limits;
        if !state.replication_queues.is_empty() {
            state.replicate(&ReplicationEntry::Change {
                storage: storage.into(),
                change: Arc::clone(&change),
                visibility,
            });
        }
        let resource = state.resource(storage);
        if visibility == WatchVisibility::Visible {
            resource.history.push(change, &limits);
            resource.changed.send_replace(version);
        }
        self.newest.send_replace(version);
    }

    /// The first `limit` objects of a range, and how many follow; at an earlier version if `at` is set.
    pub(crate) fn snapshot(
        &self,
        storage: &str,
        range: &KeyRange,
        limit: usize,
        at: Option<u64>,
    ) -> Result<StoreSnapshot, SnapshotError> {
        let mut state = self.state.lock();
        let newest = state.version;
        let age_max = state.limits.age_max;
        let version = at.unwrap_or(newest);
        if version > newest {
            return Err(SnapshotError::Future { newest });
        }
        let Resource { objects, history, .. } = state.resource(storage);
        history.drop_old(age_max);
        if version < newest && !history.reaches(version) {
            return Err(SnapshotError::Compacted { oldest: history.compacted_through() });
        }
        let past_states = if version < newest { history.past_states_at(version) } else { Default::default() };
        let mut snapshot = StoreSnapshot { objects: Vec::new(), remaining: 0, version };
        if past_states.is_empty() {
            snapshot.fill(objects.range(range), limit);
        } else {
            snapshot.fill(objects.range_before(range, &past_states), limit);
        }
        Ok(snapshot)
    }

    /// Drops the history up to and including `version`, or all of it.
    pub(crate) fn compact(&self, version: Option<u64>) {
        let mut state = self.state.lock();
        let version = version.unwrap_or(state.version).min(state.version);
        for resource in state.resources.values_mut() {
            resource.history.compact(version);
        }
    }

    /// Assigns a version without a change, as a write to an unrelated resource does.
    pub(crate) fn skip_version(&self) -> u64 {
        let mut state = self.state.lock();
        let version = state.next_version();
        state.replicate(&ReplicationEntry::Version(version));
        self.newest.send_replace(version);
        version
    }

    /// Ends the running watches of a resource after they have sent all changes up to now.
    pub(crate) fn end_watches(&self, storage: &str) {
        let mut state = self.state.lock();
        let version = state.version;
        state.resource(storage).end_watches(version);
    }

    /// Whether any object has this owner. False is certain. True may be a collision of hashes.
    pub(crate) fn may_own(&self, uid: &str) -> bool {
        let state = self.state.lock();
        state.owned.contains_key(&state.hasher.hash_one(uid))
    }

    /// Replaces the bodies of a resource's objects without a new version and without events: `change` returns the new
    /// body of an object, or `None`. For what a real server computes when it reads an object.
    pub(crate) fn rewrite(&self, storage: &str, change: impl Fn(&StoredObject) -> Option<UnversionedObject>) {
        let mut state = self.state.lock();
        let resource = state.resource(storage);
        let rewritten: Vec<_> = resource
            .objects
            .range(&KeyRange::all())
            .filter_map(|object| Some(Arc::new(change(object)?.at(object.version()))))
            .collect();
        for object in rewritten {
            resource.objects.put(object);
        }
    }

    /// Whether any of these storages has an object.
    pub(crate) fn has_any(&self, storages: &[&str]) -> bool {
        let state = self.state.lock();
        let has_objects = |storage: &&str| state.resources.get(*storage).is_some_and(|r| r.objects.len() > 0);
        storages.iter().any(has_objects)
    }

    /// The names of all storages that have objects.
    pub(crate) fn storages(&self) -> Vec<Box<str>> {
        let state = self.state.lock();
        let used = state.resources.iter().filter(|(_, resource)| resource.objects.len() > 0);
        let mut storages: Vec<_> = used.map(|(name, _)| name.clone()).collect();
        // Not in the order of hashes: dependents are deleted in this order, and a simulation repeats by its seed.
        storages.sort_unstable();
        storages
    }

    pub(crate) fn size(&self) -> StoreSize {
        let state = self.state.lock();
        state.resources.values().fold(StoreSize::default(), |sum, resource| StoreSize {
            objects: sum.objects + resource.objects.len(),
            body_bytes: sum.body_bytes + resource.objects.body_bytes(),
            changes: sum.changes + resource.history.len(),
            history_bytes: sum.history_bytes + resource.history.bytes(),
        })
    }
}

impl StoreState {
    fn resource(&mut self, storage: &str) -> &mut Resource {
        if !self.resources.contains_key(storage) {
            self.resources.insert(storage.into(), Resource::new());
        }
        self.resources.get_mut(storage).expect("the resource was inserted if it was missing")
    }

    fn next_version(&mut self) -> u64 {
        self.version += 1;
        self.version
    }

    fn check(&self, storage: &str, key: &str, expected: Precondition) -> Result<(), PreconditionFailed> {
        let present = self.resources.get(storage).and_then(|resource| resource.objects.get(key));
        let is_as_expected = match expected {
            Precondition::None => true,
            Precondition::Absent => present.is_none(),
            Precondition::Version(version) => present.is_some_and(|object| object.version() == version),
        };
        if is_as_expected { Ok(()) } else { Err(PreconditionFailed) }
    }

    fn count_owners(&mut self, object: &StoredObject, by: i32) {
        if !object.has_owners() {
            return;
        }
        for uid in owner_uids(object) {
            let hash = self.hasher.hash_one(uid.as_str());
            let count = self.owned.entry(hash).or_insert(0);
            *count = count.saturating_add_signed(by);
            if *count == 0 {
                self.owned.remove(&hash);
            }
        }
    }
}

impl Resource {
    fn new() -> Self {
        Self {
            objects: ObjectSet::default(),
            history: History::default(),
            changed: Sender::new(0),
            epoch: 0,
            draining: None,
        }
    }

    fn end_watches(&mut self, version: u64) {
        self.draining = Some((self.epoch, version));
        self.epoch += 1;
        self.changed.send_replace(version);
    }
}

impl StoreSnapshot {
    fn fill<'a>(&mut self, mut from: impl Iterator<Item = &'a Arc<StoredObject>>, limit: usize) {
        self.objects.extend(from.by_ref().take(limit).cloned());
        self.remaining = from.count();
    }
}

/// The uids in an object's `metadata.ownerReferences`.
pub(crate) fn owner_uids(object: &StoredObject) -> Vec<String> {
    let metadata = object.decoded_metadata();
    let owners = metadata.get("ownerReferences").and_then(Value::as_array);
    let uids = owners.into_iter().flatten().filter_map(|owner| owner.get("uid")?.as_str());
    uids.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
