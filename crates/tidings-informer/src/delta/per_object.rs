//! The classic order: one place in the queue an object, taken in the order in which objects first came in; the
//! deltas of one object leave together. For consumers that want to see what happened to one object as a whole.
//!
//! It must never forget a delta of an object but for a deletion that repeats another, or that is of an object
//! which nobody has; and never tell that a version was reached before all that its stream sent up to it.

mod known;
mod manual;

use std::collections::VecDeque;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashTable};
use smallvec::smallvec;
use tidings_object::{RawObject, Version};
use tidings_source::{ChangeType, StreamScope};

use super::fifo_entry::{Deltas, FifoEntry, last, newest_state, object_of};
use super::in_flight::InFlight;
use super::order::{DeltaOrder, QueueLoad, StreamMessage};
use super::receiver::Batch;
use super::replace::ListedObjects;
use super::{Delta, KnownInScope, ReachedBy, StreamId};
use crate::reflector::Epoch;

/// How many places an empty queue keeps allocated after a large list.
const IDLE_PLACES_MAX: usize = 4_096;

/// Deltas merged by object: client-go's DeltaFIFO.
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
/// By hand it is filled with [`add`](Self::add), [`update`](Self::update), [`delete`](Self::delete), [`replace`](Self::replace)
/// and [`resync`](Self::resync), and emptied with [`pop`](Self::pop). An informer fills it from its streams, with
/// [`change`](Self::change), [`list`](Self::list), [`bookmark`](Self::bookmark) and [`end_stream`](Self::end_stream), and
/// [takes](Self::take) batches.
///
/// - A key has one place; further deltas of it join those that wait there.
/// - A deletion after a deletion is merged into one: the one the server told, if any; of two told, the older.
/// - A deletion of a key that is neither queued nor known is dropped.
/// - A list queues [`Delta::Replaced`] for each of its objects, then [`Delta::MissingFromList`] for each object of its
///   scope that is queued or known and absent from it. An object that is known just so, and of which nothing is
///   under way, is left out.
/// - A resync queues [`Delta::Sync`] for each known object of which nothing is queued.
/// - What comes for the objects of a scope that ended leaves behind its [`Delta::ScopeEnded`], and nothing of it is
///   left out or dropped.
/// - [`Delta::Reached`] has a place of its own behind everything that its stream sent before. One follows each
///   list; and one, with the newest version, follows changes and bookmarks, so that progress is told without
///   bookmarks too. While one of a stream waits, newer versions wait for it to leave and then take a place at
///   the end: at most one a stream, and a stream that never rests still makes progress.
///
/// Known is what [`KnownInScope`] shows, and what was taken or popped last: asking for more says that this has been applied. The
/// [`Reader`](crate::indexer::Reader) of a cache shows what it holds; [`NothingKnown`](tidings_object::NothingKnown) shows nothing.
pub struct DeltaFifo {
    known: Arc<dyn KnownInScope>,
    places: VecDeque<FifoEntry>,
    /// How many places have left: the first place is this one's number.
    left: u64,
    /// The number of the place where further deltas of a key go, hashed by that key.
    open: HashTable<u64>,
    hasher: RandomState,
    progress: HashMap<StreamId, ProgressMarker, RandomState>,
    /// Scopes whose end is queued: what is known of them may go.
    ending: Vec<StreamScope>,
    in_flight: InFlight,
    load: QueueLoad,
}

/// The marker of a stream that is queued.
struct ProgressMarker {
    number: u64,
    /// Reached since; it is queued when the marker leaves.
    newer: Option<Version>,
}

impl DeltaFifo {
    /// An empty one over what is known downstream.
    pub fn new(known: Arc<dyn KnownInScope>) -> DeltaFifo {
        DeltaFifo {
            known,
            places: VecDeque::new(),
            left: 0,
            open: HashTable::new(),
            hasher: RandomState::default(),
            progress: HashMap::default(),
            ending: Vec::new(),
            in_flight: InFlight::default(),
            load: QueueLoad::default(),
        }
    }

    /// The server told a change.
    pub fn change(&mut self, stream: StreamId, change: ChangeType, object: Arc<RawObject>) {
        let version = object.version().clone();
        if change != ChangeType::Deleted || self.is_anywhere(&object) {
            self.queue(stream, Delta::Changed(change, object));
        }
        if !version.is_empty() {
            self.reached(stream, version);
        }
    }

    /// Every change of this stream up to this version has been pushed.
    pub fn bookmark(&mut self, stream: StreamId, version: Version) {
        self.reached(stream, version);
    }

    /// A list takes the place of everything in its scope.
    pub fn list(
        &mut self,
        stream: StreamId,
        scope: &StreamScope,
        listed: &ListedObjects,
        version: Version,
        epoch: Epoch,
    ) {
        self.queue_list(stream, scope, listed);
        // What waits behind an older marker is older than the list, and may be of an older epoch.
        if let Some(progress) = self.progress.get_mut(&stream) {
            progress.newer = None;
        }
        self.append(FifoEntry::Reached { stream, version, by: ReachedBy::List(epoch) });
    }

    /// This stream has ended. What comes for its objects after that gets a new place behind the end.
    ///
    /// Whether the consumer lets the objects go, or keeps them because another stream follows the same scope by
    /// then, is its choice: that stream's list brings each of its objects, and tells of each that is absent.
    pub fn end_stream(&mut self, stream: StreamId, scope: StreamScope) {
        let DeltaFifo { open, places, left, .. } = self;
        open.retain(|&mut number| !scope.contains(places[(number - *left) as usize].object().namespace()));
        if let Some(progress) = self.progress.get_mut(&stream) {
            progress.newer = None;
        }
        self.ending.push(scope.clone());
        self.append(FifoEntry::Ended { stream, scope });
    }

    /// Takes up to `deltas_max` deltas, and all of the first object even if it has more.
    ///
    /// Taking says that what was taken before has been applied and is known downstream.
    pub fn take(&mut self, deltas_max: usize) -> Batch {
        self.in_flight.clear();
        let mut batch = Batch::new();
        while let Some(place) = self.places.front()
            && (batch.is_empty() || batch.len() + place.deltas() <= deltas_max)
        {
            self.take_first(&mut batch);
        }
        if self.places.is_empty() && self.places.capacity() > IDLE_PLACES_MAX {
            self.places = VecDeque::new();
            self.open = HashTable::new();
        }
        batch
    }

    /// How many deltas are queued.
    pub fn len(&self) -> usize {
        self.load.deltas
    }

    /// Whether nothing is queued.
    pub fn is_empty(&self) -> bool {
        self.load.deltas == 0
    }

    fn queue_list(&mut self, stream: StreamId, scope: &StreamScope, listed: &ListedObjects) {
        for object in listed.objects() {
            if !self.is_known_just_so(object) {
                self.queue(stream, Delta::Replaced(Arc::clone(object)));
            }
        }
        for object in self.absent(scope, listed) {
            self.queue(stream, Delta::MissingFromList(object));
        }
    }

    fn take_first(&mut self, batch: &mut Batch) {
        let number = self.left;
        if let Some(FifoEntry::Object { deltas, .. }) = self.places.front() {
            let hash = self.hasher.hash_one(object_of(last(deltas)).key().as_str());
            if let Ok(open) = self.open.find_entry(hash, |&other| other == number) {
                open.remove();
            }
        }
        let Some(place) = self.places.pop_front() else { return };
        self.left += 1;
        self.load.deltas -= place.deltas();
        match place {
            FifoEntry::Object { deltas, bytes } => {
                self.load.bytes -= bytes;
                let is_deletion = self.leave_deleted(&deltas);
                self.in_flight.took(&deltas, is_deletion);
                batch.extend(deltas);
            }
            FifoEntry::Reached { stream, version, by } => {
                batch.push((stream, Delta::Reached { version, by }));
                self.marker_left(stream, number);
            }
            FifoEntry::Ended { stream, scope } => {
                let first = self.ending.iter().position(|other| *other == scope);
                self.ending.remove(first.expect("a queued end is among those ending"));
                self.in_flight.took_end(scope.clone());
                batch.push((stream, Delta::ScopeEnded { scope }));
            }
        }
    }

    fn marker_left(&mut self, stream: StreamId, number: u64) {
        if self.progress.get(&stream).is_some_and(|progress| progress.number == number) {
            let newer = self.progress.remove(&stream).and_then(|progress| progress.newer);
            newer.into_iter().for_each(|version| self.reached(stream, version));
        }
    }

    /// Tells behind everything queued that this version was reached.
    fn reached(&mut self, stream: StreamId, version: Version) {
        let end = self.end();
        let Some(progress) = self.progress.get_mut(&stream) else {
            self.progress.insert(stream, ProgressMarker { number: end, newer: None });
            self.append(FifoEntry::Reached { stream, version, by: ReachedBy::Bookmark });
            return;
        };
        // A watch may replay what is older; it takes back nothing.
        let told = match self.places.back_mut() {
            Some(FifoEntry::Reached { version: last, .. }) if progress.number + 1 == end => last,
            _ => progress.newer.get_or_insert_with(|| version.clone()),
        };
        if !version.is_older_than(told) {
            *told = version;
        }
    }

    /// Adds a delta to its object's place, or gives it one at the end.
    fn queue(&mut self, stream: StreamId, delta: Delta) {
        let delta_bytes = delta.bytes_estimate();
        let object = delta.object().expect("only deltas of one object are queued by object");
        let Some(number) = self.place_of(object) else {
            let number = self.end();
            let hash = self.hasher.hash_one(object.key().as_str());
            self.load.bytes += delta_bytes;
            self.append(FifoEntry::Object { deltas: smallvec![(stream, delta)], bytes: delta_bytes });
            let DeltaFifo { open, places, left, hasher, .. } = self;
            open.insert_unique(hash, number, |&number| {
                hasher.hash_one(places[(number - *left) as usize].object().key().as_str())
            });
            return;
        };
        let at = self.index(number);
        let FifoEntry::Object { deltas, .. } = &self.places[at] else {
            unreachable!("an open place is an object's")
        };
        let is_repeated = delta.is_deletion() && self.leave_deleted(deltas);
        let is_told_now = matches!(last(deltas), Delta::MissingFromList(_)) && self.is_heard(&delta, deltas);
        let FifoEntry::Object { deltas, bytes } = &mut self.places[at] else { return };
        if !is_repeated {
            deltas.push((stream, delta));
            *bytes += delta_bytes;
            self.load.bytes += delta_bytes;
            self.load.deltas += 1;
        } else if is_told_now {
            deltas.pop();
            deltas.push((stream, delta));
        }
    }

    fn append(&mut self, place: FifoEntry) {
        self.load.deltas += 1;
        self.places.push_back(place);
    }

    /// Whether the object no longer exists after these deltas.
    fn leave_deleted(&self, deltas: &Deltas) -> bool {
        last(deltas).is_deletion() && self.is_heard(last(deltas), deltas)
    }

    /// Whether the consumer takes notice of this deletion after `earlier`. It takes none of one that is older than
    /// what it has, such as a watch may replay: such a one must not stand for another that counts.
    fn is_heard(&self, deletion: &Delta, earlier: &Deltas) -> bool {
        let Delta::Changed(_, gone) = deletion else { return true };
        let is_newer = |object: &RawObject| gone.version().is_older_than(object.version());
        !is_newer(newest_state(None, earlier))
            && !self.in_flight.object(gone).is_some_and(|object| is_newer(object))
            && !self.known.known(&gone.key()).is_some_and(|object| is_newer(&object))
    }

    fn ends(&self, object: &RawObject) -> bool {
        self.ending.iter().any(|scope| scope.contains(object.namespace()))
    }

    /// The number of the place where deltas of this object's key go.
    fn place_of(&self, object: &RawObject) -> Option<u64> {
        let key = object.key();
        let is_its = |&number: &u64| self.places[self.index(number)].object().key() == key;
        self.open.find(self.hasher.hash_one(key.as_str()), is_its).copied()
    }

    fn index(&self, number: u64) -> usize {
        (number - self.left) as usize
    }

    /// The number of the next place.
    fn end(&self) -> u64 {
        self.left + self.places.len() as u64
    }
}

impl DeltaOrder for DeltaFifo {
    fn push(&mut self, stream: StreamId, arrival: StreamMessage) {
        match arrival {
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
