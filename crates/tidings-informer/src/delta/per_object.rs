//! client-go's DeltaFIFO: one entry per object, in the order of each object's first delta, and the deltas of one object
//! leave together. It is for consumers that want to see what happened to one object as a whole.
//!
//! Example of a queue with its entry numbers, and of what leaves it:
//!
//! ```text
//! + a/x@1          entry 0: a/x [+1]      entry 1: reached 1
//! + a/y@2          entry 2: a/y [+2]      the marker of this stream waits at entry 1, so version 2 is kept beside it
//! ~ a/x@3          entry 0: a/x [+1 ~3]   its entry is still open; version 3 replaces version 2 beside the marker
//! take (3 deltas)  + a/x@1, ~ a/x@3, reached 1; the marker left, so "reached 3" gets entry 3, behind a/y
//! take             + a/y@2, reached 3
//! ```
//!
//! Two invariants. A delta is never lost, except a deletion that repeats another deletion, or a deletion of an unknown
//! object. And a version is reported as reached only after everything that its stream sent up to that version.

mod known;
mod manual;

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashTable};
use smallvec::smallvec;
use tidings_object::{RawObject, Version};
use tidings_source::{ChangeType, StreamScope};

use super::fifo_entry::{Deltas, FifoEntry, key_hash, last, newest_state, object_of};
use super::in_flight::InFlight;
use super::list_collector::ListedObjects;
use super::order::{DeltaOrder, QueueLoad, StreamMessage};
use super::receiver::Batch;
use super::{Delta, KnownInScope, ReachedBy, StreamId};
use crate::reflector::Epoch;

/// The number of entries that an empty queue keeps allocated after a large list.
const IDLE_ENTRIES_MAX: usize = 4_096;

/// Deltas grouped by object: client-go's DeltaFIFO.
///
/// To use it directly, fill it with [`add`](Self::add), [`update`](Self::update), [`delete`](Self::delete),
/// [`replace`](Self::replace) and [`resync`](Self::resync), and take objects out with [`pop`](Self::pop). An informer
/// with [`QueueOrder::PerObject`](super::QueueOrder::PerObject) fills it from its streams.
///
/// ```
/// use std::sync::Arc;
/// use k8s_openapi::api::core::v1::Pod;
/// use tidings_informer::delta::{Delta, DeltaFifo};
/// use tidings_object::{Budget, Intake, Kind, NothingKnown};
///
/// let intake = Intake::new(Pod::resource(), Arc::new(Budget::default()));
/// let pod = |name: &str, version: &str| {
///     let metadata = serde_json::json!({ "name": name, "namespace": "default", "resourceVersion": version });
///     let pod = serde_json::json!({ "metadata": metadata });
///     intake.json(pod.to_string().as_bytes(), &NothingKnown).expect("a pod")
/// };
/// let kinds = |deltas: Vec<Delta>| deltas.iter().filter_map(Delta::kind).map(|kind| format!("{kind:?}")).collect();
///
/// let mut fifo = DeltaFifo::new(Arc::new(NothingKnown));
/// fifo.add(pod("a", "1"));
/// fifo.add(pod("b", "2"));
/// fifo.update(pod("a", "3"));
/// fifo.delete(pod("b", "4"));
/// assert_eq!(fifo.pop().map(&kinds), Some(vec!["Added".to_owned(), "Updated".to_owned()]));
/// assert_eq!(fifo.pop().map(&kinds), Some(vec!["Added".to_owned(), "Deleted".to_owned()]));
/// ```
///
/// - A key has one entry. Further deltas of the key are appended to that entry.
/// - Two deletions in a row become one. A deletion sent by the server replaces a [`Delta::MissingFromList`]; of two
///   sent by the server, the older one stays.
/// - A deletion of a key that is neither queued nor known is dropped.
/// - A list queues [`Delta::Replaced`] for each of its objects, then [`Delta::MissingFromList`] for each queued or
///   known object of its scope that it does not contain. An object that is known in exactly this state, and of which
///   nothing is queued or in flight, is skipped.
/// - A resync queues [`Delta::Sync`] for each known object without queued deltas.
/// - After the end of a scope is queued, deltas of its objects get a new entry behind its [`Delta::ScopeEnded`], and
///   none of them is skipped or dropped.
/// - [`Delta::Reached`] is an entry of its own behind everything that its stream sent before. One follows each list.
///   One, with the newest version, follows watch events and bookmarks, so that progress is reported without bookmarks
///   too. There is at most one of the latter per stream: while it waits, newer versions are kept beside it and get an
///   entry at the end when it leaves. So a stream that never pauses still makes progress.
///
/// An object is known if [`KnownInScope`] contains it, or if it was popped last: popping the next object says that the
/// one before has been applied. The [`Reader`](crate::indexer::Reader) of a cache implements [`KnownInScope`];
/// [`NothingKnown`](tidings_object::NothingKnown) is an empty one.
pub struct DeltaFifo {
    known: Arc<dyn KnownInScope>,
    entries: VecDeque<FifoEntry>,
    /// The number of the first entry. Numbers count all entries since the beginning.
    head: u64,
    /// For each queued key the number of the entry that takes its further deltas, hashed by the key.
    open: HashTable<u64>,
    hasher: RandomState,
    /// The marker of each stream that has one in the queue.
    markers: HashMap<StreamId, ProgressMarker, RandomState>,
    /// The scopes whose end is queued. The consumer may remove their objects.
    ending: Vec<StreamScope>,
    in_flight: InFlight,
    load: QueueLoad,
}

/// The queued [`Delta::Reached`] of a stream for watch events and bookmarks.
struct ProgressMarker {
    /// The number of its entry.
    number: u64,
    /// The version that the stream has reached since. It is queued when the marker leaves.
    newer: Option<Version>,
}

impl DeltaFifo {
    /// An empty queue. `known` are the objects that the consumer has applied.
    pub fn new(known: Arc<dyn KnownInScope>) -> DeltaFifo {
        DeltaFifo {
            known,
            entries: VecDeque::new(),
            head: 0,
            open: HashTable::new(),
            hasher: RandomState::default(),
            markers: HashMap::default(),
            ending: Vec::new(),
            in_flight: InFlight::default(),
            load: QueueLoad::default(),
        }
    }

    /// A watch event.
    fn change(&mut self, stream: StreamId, change: ChangeType, object: Arc<RawObject>) {
        let version = object.version().clone();
        if change != ChangeType::Deleted || self.may_exist(&object) {
            self.queue(stream, Delta::Changed(change, object));
        }
        if !version.is_empty() {
            self.reached(stream, version);
        }
    }

    fn bookmark(&mut self, stream: StreamId, version: Version) {
        self.reached(stream, version);
    }

    /// A complete list, which replaces everything in its scope.
    fn list(
        &mut self,
        stream: StreamId,
        scope: &StreamScope,
        listed: &ListedObjects,
        version: Version,
        epoch: Epoch,
    ) {
        self.queue_list(stream, scope, listed);
        // A version beside an earlier marker is older than the list, and may be of an older epoch.
        if let Some(marker) = self.markers.get_mut(&stream) {
            marker.newer = None;
        }
        self.append(FifoEntry::Reached { stream, version, by: ReachedBy::List(epoch) });
    }

    /// The end of a stream. Later deltas of its objects get a new entry behind the end.
    ///
    /// The consumer removes the objects, or keeps them because another stream follows the same scope by then. Therefore
    /// the list of that other stream must queue each of its objects, and each object that it does not contain.
    fn end_stream(&mut self, stream: StreamId, scope: StreamScope) {
        let DeltaFifo { open, entries, head, .. } = self;
        open.retain(|&mut number| !scope.contains(entries[(number - *head) as usize].object().namespace()));
        if let Some(marker) = self.markers.get_mut(&stream) {
            marker.newer = None;
        }
        self.ending.push(scope.clone());
        self.append(FifoEntry::Ended { stream, scope });
    }

    /// Takes up to `deltas_max` deltas, but all deltas of the first object. The consumer has applied the batch before.
    fn take(&mut self, deltas_max: usize) -> Batch {
        self.in_flight.clear();
        let mut batch = Batch::new();
        while let Some(entry) = self.entries.front()
            && (batch.is_empty() || batch.len() + entry.deltas() <= deltas_max)
        {
            self.take_first(&mut batch);
        }
        if self.entries.is_empty() && self.entries.capacity() > IDLE_ENTRIES_MAX {
            self.entries = VecDeque::new();
            self.open = HashTable::new();
        }
        batch
    }

    /// The number of queued deltas.
    pub fn len(&self) -> usize {
        self.load.deltas
    }

    /// Whether nothing is queued.
    pub fn is_empty(&self) -> bool {
        self.load.deltas == 0
    }

    fn queue_list(&mut self, stream: StreamId, scope: &StreamScope, listed: &ListedObjects) {
        for object in listed.objects() {
            if !self.is_known_unchanged(object) {
                self.queue(stream, Delta::Replaced(Arc::clone(object)));
            }
        }
        for object in self.missing_from(listed, scope) {
            self.queue(stream, Delta::MissingFromList(object));
        }
    }

    fn take_first(&mut self, batch: &mut Batch) {
        let number = self.head;
        if let Some(FifoEntry::Object { deltas, .. }) = self.entries.front() {
            let hash = self.hash(object_of(last(deltas)));
            if let Ok(open) = self.open.find_entry(hash, |&other| other == number) {
                open.remove();
            }
        }
        let Some(entry) = self.entries.pop_front() else { return };
        self.head += 1;
        self.load.deltas -= entry.deltas();
        match entry {
            FifoEntry::Object { deltas, bytes } => {
                self.load.bytes -= bytes;
                let is_deletion = self.leave_deleted(&deltas);
                self.in_flight.record(&deltas, is_deletion);
                batch.extend(deltas);
            }
            FifoEntry::Reached { stream, version, by } => {
                batch.push((stream, Delta::Reached { version, by }));
                self.marker_left(stream, number);
            }
            FifoEntry::Ended { stream, scope } => {
                let first = self.ending.iter().position(|other| *other == scope);
                self.ending.remove(first.expect("the scope of a queued end is in `ending`"));
                self.in_flight.record_scope_end(scope.clone());
                batch.push((stream, Delta::ScopeEnded { scope }));
            }
        }
    }

    fn marker_left(&mut self, stream: StreamId, number: u64) {
        if self.markers.get(&stream).is_some_and(|marker| marker.number == number) {
            let newer = self.markers.remove(&stream).and_then(|marker| marker.newer);
            newer.into_iter().for_each(|version| self.reached(stream, version));
        }
    }

    /// Reports, behind everything queued, that the stream has reached this version.
    fn reached(&mut self, stream: StreamId, version: Version) {
        let next = self.next_number();
        let Some(marker) = self.markers.get_mut(&stream) else {
            self.markers.insert(stream, ProgressMarker { number: next, newer: None });
            self.append(FifoEntry::Reached { stream, version, by: ReachedBy::Bookmark });
            return;
        };
        // A watch may replay older events; the reported version never goes back.
        let reported = match self.entries.back_mut() {
            Some(FifoEntry::Reached { version: last, .. }) if marker.number + 1 == next => last,
            _ => marker.newer.get_or_insert_with(|| version.clone()),
        };
        if !version.is_older_than(reported) {
            *reported = version;
        }
    }

    /// Appends a delta to the entry of its object, or to a new entry at the end of the queue.
    fn queue(&mut self, stream: StreamId, delta: Delta) {
        let delta_bytes = delta.bytes_estimate();
        let object = delta.object().expect("a delta of one object");
        let hash = self.hash(object);
        let Some(number) = self.open_entry_with_hash(hash, object) else {
            let number = self.next_number();
            self.load.bytes += delta_bytes;
            self.append(FifoEntry::Object { deltas: smallvec![(stream, delta)], bytes: delta_bytes });
            let DeltaFifo { open, entries, head, hasher, .. } = self;
            open.insert_unique(hash, number, |&number| {
                key_hash(hasher, entries[(number - *head) as usize].object().key_bytes())
            });
            return;
        };
        let at = self.index(number);
        let FifoEntry::Object { deltas, .. } = &self.entries[at] else {
            unreachable!("an open entry is an object's")
        };
        let is_repeated = delta.is_deletion() && self.leave_deleted(deltas);
        let replaces_missing =
            matches!(last(deltas), Delta::MissingFromList(_)) && self.is_applied(&delta, deltas);
        let FifoEntry::Object { deltas, bytes } = &mut self.entries[at] else { return };
        if !is_repeated {
            deltas.push((stream, delta));
            *bytes += delta_bytes;
            self.load.bytes += delta_bytes;
            self.load.deltas += 1;
        } else if replaces_missing {
            deltas.pop();
            deltas.push((stream, delta));
        }
    }

    fn append(&mut self, entry: FifoEntry) {
        self.load.deltas += 1;
        self.entries.push_back(entry);
    }

    /// Whether the object no longer exists after these deltas.
    fn leave_deleted(&self, deltas: &Deltas) -> bool {
        last(deltas).is_deletion() && self.is_applied(last(deltas), deltas)
    }

    /// Whether the consumer applies this deletion after `earlier`. It ignores a deletion that is older than its state,
    /// as a watch may replay one. An ignored deletion must not replace or absorb one that is applied.
    fn is_applied(&self, deletion: &Delta, earlier: &Deltas) -> bool {
        let Delta::Changed(_, deleted) = deletion else { return true };
        let is_newer = |object: &RawObject| deleted.version().is_older_than(object.version());
        !is_newer(newest_state(None, earlier))
            && !self.in_flight.object(deleted).is_some_and(|object| is_newer(object))
            && !self.known.known(&deleted.key()).is_some_and(|object| is_newer(&object))
    }

    fn is_scope_ending(&self, object: &RawObject) -> bool {
        self.ending.iter().any(|scope| scope.contains(object.namespace()))
    }

    /// The number of the entry that takes further deltas of this object's key.
    fn open_entry(&self, object: &RawObject) -> Option<u64> {
        self.open_entry_with_hash(self.hash(object), object)
    }

    fn open_entry_with_hash(&self, hash: u64, object: &RawObject) -> Option<u64> {
        let key = object.key_bytes();
        let has_key = |&number: &u64| self.entries[self.index(number)].object().key_bytes() == key;
        self.open.find(hash, has_key).copied()
    }

    fn hash(&self, object: &RawObject) -> u64 {
        key_hash(&self.hasher, object.key_bytes())
    }

    fn index(&self, number: u64) -> usize {
        (number - self.head) as usize
    }

    /// The number of the next entry.
    fn next_number(&self) -> u64 {
        self.head + self.entries.len() as u64
    }
}

impl DeltaOrder for DeltaFifo {
    fn push(&mut self, stream: StreamId, message: StreamMessage) {
        match message {
            StreamMessage::Changed(change, object) => self.change(stream, change, object),
            StreamMessage::Bookmark(version) => self.bookmark(stream, version),
            StreamMessage::Listed { scope, listed, version, epoch } => {
                self.list(stream, &scope, &listed, version, epoch);
            }
            StreamMessage::Ended { scope } => self.end_stream(stream, scope),
        }
    }

    fn take(&mut self, deltas_max: usize) -> Batch {
        self.take(deltas_max)
    }

    fn resync(&mut self) -> usize {
        self.resync()
    }

    fn load(&self) -> QueueLoad {
        self.load
    }
}

impl fmt::Debug for DeltaFifo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeltaFifo").field("load", &self.load).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
