//! Applies deltas to the cache and produces the notifications. Replays, unchanged objects and deletions of unknown
//! objects produce none.
//!
//! An example, with `a@5` cached under uid 1:
//!
//! ```text
//! modified a@4            stale: ignored
//! modified a@6            Updated a@5->6
//! added    a@9 (uid 2)    Deleted a@6 (final state unknown), then Added a@9
//! deleted  a@8            older than a@9: ignored
//! list without a          Deleted a@9 (final state unknown)
//! ```

pub(crate) mod progress;
pub(crate) mod tombstones;

use std::sync::Arc;

use tidings_object::RawObject;
use tidings_source::{ChangeType, StreamScope};

use crate::delta::{Delta, QueueOrder, ReachedBy, StreamId};
use crate::indexer::Writer;
use crate::informer::apply::progress::Progress;
use crate::informer::apply::tombstones::Tombstones;
use crate::informer::notification::RawNotification;
use crate::reflector::Epoch;

/// Counts of applied deltas, by result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct AppliedCounts {
    /// Watch events that changed the cache.
    pub changes: u64,
    /// Replays and duplicates: events that are not newer than the cached object.
    pub stale: u64,
    /// Objects of a list that had not changed.
    pub unchanged: u64,
    /// Listed objects that had another body under the same version.
    pub changed_in_place: u64,
    /// Deletions of objects that the cache never had.
    pub unknown_deletions: u64,
    /// Objects of a list that were ignored because they are in another namespace than the requested one.
    pub out_of_scope: u64,
    /// Lists that were applied.
    pub lists: u64,
}

/// The writer of the cache, with the progress of each stream.
pub(crate) struct Applier {
    pub(crate) writer: Writer,
    pub(crate) progress: Progress,
    pub(crate) counts: AppliedCounts,
    /// The scopes to list and watch. When a stream ends, its objects that are in none of these scopes are removed.
    pub(crate) wanted: Vec<StreamScope>,
    /// Whether the first lists of the initial scopes have been applied.
    pub(crate) has_synced: bool,
    order: QueueOrder,
    tombstones: Tombstones,
}

impl Applier {
    pub(crate) fn new(writer: Writer, order: QueueOrder) -> Self {
        let (progress, counts) = (Progress::default(), AppliedCounts::default());
        Applier {
            writer,
            progress,
            counts,
            wanted: Vec::new(),
            has_synced: false,
            order,
            tombstones: Tombstones::default(),
        }
    }

    /// Applies one delta and appends its notifications to `out`.
    pub(crate) fn apply(&mut self, stream: StreamId, delta: Delta, out: &mut Vec<RawNotification>) {
        // The objects of a namespace that is added later are not initial to handlers that have already synced.
        let is_initial = !self.has_synced && !self.progress.has_listed(stream);
        let Applier { writer, counts, tombstones, .. } = self;
        let mut step = ApplyStep { writer, counts, tombstones, out, is_initial };
        match delta {
            Delta::Changed(change, object) => {
                let version = object.version().clone();
                step.changed(change, object);
                // In the per-object queue, earlier changes of this stream may still be queued: there the queue itself
                // sends `Delta::Reached`.
                if self.order == QueueOrder::InOrder {
                    self.progress.reach(stream, &version, ReachedBy::Bookmark);
                }
            }
            Delta::ReplacedAll { scope, objects } => step.replaced_all(&scope, objects),
            Delta::Replaced(object) => step.replaced(object),
            Delta::MissingFromList(object) => step.vanished(&object),
            Delta::Sync(object) => step.resync(&object),
            Delta::ScopeEnded { scope } => {
                self.progress.end(stream);
                step.scope_ended(&scope, &self.wanted);
            }
            Delta::Reached { version, by } => {
                self.counts.lists += u64::from(matches!(by, ReachedBy::List(_)));
                if by == ReachedBy::List(Epoch::New) {
                    self.tombstones.clear();
                }
                self.progress.reach(stream, &version, by);
            }
        }
    }

    /// Makes the applied deltas visible to readers.
    pub(crate) fn publish(&mut self) {
        self.writer.publish(self.progress.version());
    }
}

/// The parts of the applier that one delta needs.
struct ApplyStep<'a> {
    writer: &'a mut Writer,
    counts: &'a mut AppliedCounts,
    tombstones: &'a mut Tombstones,
    out: &'a mut Vec<RawNotification>,
    is_initial: bool,
}

/// The object of an event, compared with the cached object of the same key.
enum Comparison {
    /// No object is cached.
    NotCached,
    /// The event is not newer than the cached object.
    Stale,
    /// The event is newer, and about the same object.
    Newer(Arc<RawObject>),
    /// The event is about another object of the same name: both have uids, and they differ.
    Recreated(Arc<RawObject>),
}

impl ApplyStep<'_> {
    fn changed(&mut self, change: ChangeType, object: Arc<RawObject>) {
        if change == ChangeType::Deleted {
            return self.deleted(object);
        }
        let (slot, comparison) = self.compare(&object);
        match comparison {
            Comparison::Stale => self.counts.stale += 1,
            Comparison::NotCached if self.tombstones.is_replay(&object) => self.counts.stale += 1,
            Comparison::NotCached => {
                self.counts.changes += 1;
                self.writer.upsert_at(slot, Arc::clone(&object));
                self.out.push(RawNotification::added(object, self.is_initial));
            }
            Comparison::Newer(old) => {
                self.counts.changes += 1;
                self.writer.upsert_at(slot, Arc::clone(&object));
                self.out.push(RawNotification::updated(old, object));
            }
            Comparison::Recreated(old) => {
                self.counts.changes += 1;
                self.writer.upsert_at(slot, Arc::clone(&object));
                self.recreated(old, object);
            }
        }
    }

    /// A deletion carries the version of the deletion. If it is older than the cached object, it is a replay about an
    /// earlier object of that name. An equal version deletes, because some servers send the last state unchanged.
    fn deleted(&mut self, object: Arc<RawObject>) {
        let Some(cached) = self.writer.get(&object.key()) else {
            self.counts.unknown_deletions += 1;
            return;
        };
        if object.version().is_older_than(cached.version()) {
            self.counts.stale += 1;
            return;
        }
        self.counts.changes += 1;
        self.tombstones.insert(&object);
        let is_other_object = are_different_objects(cached, &object);
        let old = Arc::clone(cached);
        self.writer.remove(&object.key());
        // Handlers know the cached object. The one that was deleted was created and deleted without an event that they
        // received.
        let object = if is_other_object { Arc::clone(&old) } else { object };
        self.out.push(RawNotification::deleted(old, object, is_other_object));
    }

    fn replaced_all(&mut self, scope: &StreamScope, objects: Vec<Arc<RawObject>>) {
        let replaced = self.writer.replace(scope, objects);
        self.counts.unchanged += replaced.unchanged as u64;
        replaced.removed.iter().for_each(|object| self.tombstones.insert(object));
        let gone = replaced.removed.into_iter();
        self.out.extend(gone.map(RawNotification::vanished));
        self.counts.out_of_scope += replaced.out_of_scope.len() as u64;
        for (old, new) in replaced.changed {
            match old {
                Some(old) => self.listed_again(old, new),
                None => self.out.push(RawNotification::added(new, self.is_initial)),
            }
        }
    }

    /// A listed object replaces the cached one whatever its version, because a list is the current state of its server.
    fn replaced(&mut self, object: Arc<RawObject>) {
        match self.writer.get(&object.key()).cloned() {
            Some(old) if Arc::ptr_eq(&old, &object) || old.is_unchanged(&object) => {
                self.counts.unchanged += 1
            }
            Some(old) => {
                self.writer.upsert(Arc::clone(&object));
                self.listed_again(old, object);
            }
            None => {
                self.writer.upsert(Arc::clone(&object));
                self.out.push(RawNotification::added(object, self.is_initial));
            }
        }
    }

    fn listed_again(&mut self, old: Arc<RawObject>, new: Arc<RawObject>) {
        if are_different_objects(&old, &new) {
            self.recreated(old, new);
        } else {
            self.counts.changed_in_place += u64::from(old.version() == new.version());
            self.out.push(RawNotification::updated(old, new));
        }
    }

    fn vanished(&mut self, last_known: &RawObject) {
        if let Some(object) = self.writer.remove(&last_known.key()) {
            self.tombstones.insert(&object);
            self.out.push(RawNotification::vanished(object));
        }
    }

    /// Resyncs what is cached now. Since the delta was queued, the object may have been removed with its scope.
    fn resync(&mut self, object: &RawObject) {
        if let Some(cached) = self.writer.get(&object.key()) {
            self.out.push(RawNotification::resync(Arc::clone(cached)));
        }
    }

    /// Removes the objects of a scope, except those that another wanted scope contains too: the list of that scope
    /// will decide about them.
    fn scope_ended(&mut self, scope: &StreamScope, wanted: &[StreamScope]) {
        let is_wanted = |object: &RawObject| wanted.iter().any(|scope| scope.contains(object.namespace()));
        let gone = match wanted.iter().any(|other| overlap(other, scope)) {
            false => self.writer.remove_scope(scope),
            true => {
                let in_scope = self.writer.iter().filter(|object| scope.contains(object.namespace()));
                let gone: Vec<_> = in_scope.filter(|object| !is_wanted(object)).map(Arc::clone).collect();
                gone.iter().filter_map(|object| self.writer.remove(&object.key())).collect()
            }
        };
        let gone = gone.into_iter();
        self.out.extend(gone.map(RawNotification::vanished));
    }

    /// The object was deleted and created again without events. Handlers that clean up need the deletion of the first
    /// object.
    fn recreated(&mut self, old: Arc<RawObject>, new: Arc<RawObject>) {
        self.out.push(RawNotification::vanished(old));
        self.out.push(RawNotification::added(new, self.is_initial));
    }

    /// Compares, and returns the slot of the cached object.
    fn compare(&self, object: &RawObject) -> (Option<u32>, Comparison) {
        let Some((slot, cached)) = self.writer.find(object.key_bytes()) else {
            return (None, Comparison::NotCached);
        };
        let order = object.version().compare(cached.version());
        let comparison = if are_different_objects(cached, object) {
            match order {
                Some(std::cmp::Ordering::Less) => Comparison::Stale,
                _ => Comparison::Recreated(Arc::clone(cached)),
            }
        } else {
            // An object without a version has no age: it counts as newer.
            match order {
                Some(std::cmp::Ordering::Less) => Comparison::Stale,
                Some(std::cmp::Ordering::Equal) if !object.version().is_empty() => Comparison::Stale,
                _ => Comparison::Newer(Arc::clone(cached)),
            }
        };
        (Some(slot), comparison)
    }
}

/// Whether an object can be in both scopes.
pub(crate) fn overlap(one: &StreamScope, other: &StreamScope) -> bool {
    one.contains(other.namespace()) || other.contains(one.namespace())
}

/// Whether the uids differ. Without uids both count as the same object.
fn are_different_objects(one: &RawObject, other: &RawObject) -> bool {
    !one.uid().is_empty() && !other.uid().is_empty() && one.uid() != other.uid()
}

#[cfg(test)]
mod tests;
