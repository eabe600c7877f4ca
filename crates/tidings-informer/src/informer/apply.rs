//! Applies deltas to the cache and says what handlers are to be told. It decides what counts as news: replays,
//! unchanged objects and deletions of what nobody knew are told to nobody.

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

/// What applying deltas came to, beside the notifications.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AppliedCounts {
    /// Changes that the server told and that were news.
    pub changes: u64,
    /// Replays and duplicates: older than, or the same as, what the cache holds.
    pub stale: u64,
    /// Objects of a list that had not changed.
    pub unchanged: u64,
    /// Objects that had another body under the same version.
    pub changed_in_place: u64,
    /// Deletions of objects that the cache never had.
    pub unknown_deletions: u64,
    /// Objects of a list that are in another namespace than was asked for, and were not taken.
    pub out_of_scope: u64,
    /// Lists that were applied.
    pub lists: u64,
}

/// The cache with how far it has come.
pub(crate) struct Applier {
    pub(crate) writer: Writer,
    pub(crate) progress: Progress,
    pub(crate) counts: AppliedCounts,
    /// What shall be listed and state. What is in none of these goes when the stream that brought it has ended.
    pub(crate) wanted: Vec<StreamScope>,
    /// Whether the first lists of all that was wanted at first have been applied.
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

    /// Applies one delta; what handlers are to be told is appended to `told`.
    pub(crate) fn apply(&mut self, stream: StreamId, delta: Delta, told: &mut Vec<RawNotification>) {
        // What a namespace brings that was added later is no part of the first list of those who have had theirs.
        let is_initial = !self.has_synced && !self.progress.has_listed(stream);
        let Applier { writer, counts, tombstones, .. } = self;
        let mut step = ApplyStep { writer, counts, tombstones, told, is_initial };
        match delta {
            Delta::Changed(change, object) => {
                let version = object.version().clone();
                step.changed(change, object);
                // Per object, earlier changes of this stream may still be queued: there the queue tells.
                if self.order == QueueOrder::InOrder {
                    self.progress.reach(stream, &version, ReachedBy::Bookmark);
                }
            }
            Delta::ReplacedAll { scope, objects } => step.replaced_all(&scope, objects),
            Delta::Replaced(object) => step.replaced(object),
            Delta::MissingFromList(object) => step.vanished(&object),
            Delta::Sync(object) => step.again(&object),
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

    /// Lets readers see what was applied.
    pub(crate) fn publish(&mut self) {
        self.writer.publish(self.progress.version());
    }
}

struct ApplyStep<'a> {
    writer: &'a mut Writer,
    counts: &'a mut AppliedCounts,
    tombstones: &'a mut Tombstones,
    told: &'a mut Vec<RawNotification>,
    is_initial: bool,
}

/// How an new_handlers object stands to the cached one of the same key.
enum Comparison {
    /// Nothing is cached.
    Unknown,
    /// Older than, or the same as, what is cached.
    Stale,
    /// Newer, and the same object.
    Newer(Arc<RawObject>),
    /// Another object took the name: both have uids, and they differ.
    Recreated(Arc<RawObject>),
}

impl ApplyStep<'_> {
    fn changed(&mut self, change: ChangeType, object: Arc<RawObject>) {
        if change == ChangeType::Deleted {
            return self.deleted(object);
        }
        let (slot, comparison) = self.comparison(&object);
        match comparison {
            Comparison::Stale => self.counts.stale += 1,
            Comparison::Unknown if self.tombstones.is_replay(&object) => self.counts.stale += 1,
            Comparison::Unknown => {
                self.counts.changes += 1;
                self.writer.upsert_at(slot, Arc::clone(&object));
                self.told.push(RawNotification::added(object, self.is_initial));
            }
            Comparison::Newer(old) => {
                self.counts.changes += 1;
                self.writer.upsert_at(slot, Arc::clone(&object));
                self.told.push(RawNotification::updated(old, object));
            }
            Comparison::Recreated(old) => {
                self.counts.changes += 1;
                self.writer.upsert_at(slot, Arc::clone(&object));
                self.told_recreated(old, object);
            }
        }
    }

    /// A deletion carries the version at which the object went; one that is older than what is cached is a
    /// replay of an earlier life. An equal version deletes: some servers send the last state unchanged.
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
        let is_namesake = are_different_objects(cached, &object);
        let old = Arc::clone(cached);
        self.writer.remove(&object.key());
        // What was created and deleted under that name unseen is no concern of those who knew the first.
        let object = if is_namesake { Arc::clone(&old) } else { object };
        self.told.push(RawNotification::deleted(old, object, is_namesake));
    }

    fn replaced_all(&mut self, scope: &StreamScope, objects: Vec<Arc<RawObject>>) {
        let replaced = self.writer.replace(scope, objects);
        self.counts.unchanged += replaced.unchanged as u64;
        replaced.removed.iter().for_each(|object| self.tombstones.insert(object));
        let gone = replaced.removed.into_iter();
        self.told.extend(gone.map(RawNotification::vanished));
        self.counts.out_of_scope += replaced.out_of_scope.len() as u64;
        for (old, new) in replaced.changed {
            match old {
                Some(old) => self.listed_again(old, new),
                None => self.told.push(RawNotification::added(new, self.is_initial)),
            }
        }
    }

    /// A list is the truth of its server: its objects are taken whatever their version.
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
                self.told.push(RawNotification::added(object, self.is_initial));
            }
        }
    }

    fn listed_again(&mut self, old: Arc<RawObject>, new: Arc<RawObject>) {
        if are_different_objects(&old, &new) {
            self.told_recreated(old, new);
        } else {
            self.counts.changed_in_place += u64::from(old.version() == new.version());
            self.told.push(RawNotification::updated(old, new));
        }
    }

    fn vanished(&mut self, last_known: &RawObject) {
        if let Some(object) = self.writer.remove(&last_known.key()) {
            self.tombstones.insert(&object);
            self.told.push(RawNotification::vanished(object));
        }
    }

    /// A resync is of what is cached: since it was queued, the object may have gone with its scope.
    fn again(&mut self, object: &RawObject) {
        if let Some(cached) = self.writer.get(&object.key()) {
            self.told.push(RawNotification::resync(Arc::clone(cached)));
        }
    }

    /// What another scope that is wanted has as well stays: the list of that one tells what of it is left.
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
        self.told.extend(gone.map(RawNotification::vanished));
    }

    /// Deleted and created again while nobody state: whoever cleans up after the first must hear of it.
    fn told_recreated(&mut self, old: Arc<RawObject>, new: Arc<RawObject>) {
        self.told.push(RawNotification::vanished(old));
        self.told.push(RawNotification::added(new, self.is_initial));
    }

    /// With the slot of the cached one.
    fn comparison(&self, object: &RawObject) -> (Option<u32>, Comparison) {
        let Some((slot, cached)) = self.writer.find(&object.key()) else {
            return (None, Comparison::Unknown);
        };
        let order = object.version().compare(cached.version());
        let comparison = if are_different_objects(cached, object) {
            match order {
                Some(std::cmp::Ordering::Less) => Comparison::Stale,
                _ => Comparison::Recreated(Arc::clone(cached)),
            }
        } else {
            // Without a version nothing can be said of its age.
            match order {
                Some(std::cmp::Ordering::Less) => Comparison::Stale,
                Some(std::cmp::Ordering::Equal) if !object.version().is_empty() => Comparison::Stale,
                _ => Comparison::Newer(Arc::clone(cached)),
            }
        };
        (Some(slot), comparison)
    }
}

/// Whether an object could be of both.
pub(crate) fn overlap(one: &StreamScope, other: &StreamScope) -> bool {
    one.contains(other.namespace()) || other.contains(one.namespace())
}

/// Without uids there is no telling: then it is the same object.
fn are_different_objects(one: &RawObject, other: &RawObject) -> bool {
    !one.uid().is_empty() && !other.uid().is_empty() && one.uid() != other.uid()
}
