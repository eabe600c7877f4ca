//! Reading one's own writes: objects that the server answered to our writes, laid over the cache until it has
//! them too.
//!
//! An overlay never shows an object older than the cache's, holds a bounded number for a bounded time, and
//! never panics on a version that is not a number: it then keeps the write until the cache changes.

use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Duration;

use hashbrown::HashMap;
use tidings_object::{Key, RawObject, Version};
use tidings_util::clock;
use tokio::time::Instant;

use crate::sync::Mutex;

use super::index::IndexError;
use super::reader::Reader;
use super::snapshot::Snapshot;

/// A cache with one's own latest writes on top.
///
/// Tell it what the server answered to a write ([`written`](Self::written)), and forward the informer's
/// notifications to [`on_add_or_update`](Self::on_add_or_update) and [`on_delete`](Self::on_delete).
#[derive(Debug)]
pub struct Overlay {
    reader: Reader,
    capacity_objects: usize,
    time_to_live: Duration,
    shows_adds: bool,
    layers: Mutex<Layers>,
}

#[derive(Debug, Default)]
struct Layers {
    of: HashMap<Key, Layer>,
    /// Rises with every use: the layer with the lowest goes first.
    uses: u64,
}

#[derive(Debug)]
struct Layer {
    what: What,
    expires_at: Instant,
    last_use: u64,
}

#[derive(Debug)]
enum What {
    /// We wrote it when the cache held this version of it, or none.
    Written { object: Arc<RawObject>, cached: Option<Version> },
    /// It was deleted: an answer to a write before that comes too late.
    Deleted { uid: Box<str>, version: Version },
}

impl Overlay {
    /// How many writes are kept by default.
    pub const DEFAULT_CAPACITY_OBJECTS: usize = 100;
    /// For how long a write is kept by default.
    pub const DEFAULT_TIME_TO_LIVE: Duration = Duration::from_secs(5 * 60);

    /// Nothing written yet, on top of this cache.
    pub fn new(reader: Reader) -> Overlay {
        Overlay {
            reader,
            capacity_objects: Self::DEFAULT_CAPACITY_OBJECTS,
            time_to_live: Self::DEFAULT_TIME_TO_LIVE,
            shows_adds: false,
            layers: Mutex::new(Layers::default()),
        }
    }

    /// Keeps at most this many writes, at least one; the one not used for longest goes first.
    #[must_use]
    pub fn capacity_objects(mut self, objects: usize) -> Overlay {
        self.capacity_objects = objects.max(1);
        self
    }

    /// Keeps a write for this long.
    #[must_use]
    pub fn time_to_live(mut self, time_to_live: Duration) -> Overlay {
        self.time_to_live = time_to_live;
        self
    }

    /// Also shows objects that the cache does not have yet. Without it they appear with the cache.
    #[must_use]
    pub fn showing_adds(mut self) -> Overlay {
        self.shows_adds = true;
        self
    }

    /// The server answered a write of ours with this object. An answer that is older than what is known, or
    /// to a write before a deletion, is not taken.
    pub fn written(&self, object: Arc<RawObject>) {
        let mut layers = self.layers.lock();
        let key = object.key().to_key();
        let is_late = layers.live(&key).is_some_and(|layer| match &layer.what {
            What::Written { object: other, .. } => object.version().is_older_than(other.version()),
            What::Deleted { uid, version } => {
                same_uid(uid, object.uid()) || version.is_at_least(object.version())
            }
        });
        if !is_late {
            let cached = self.reader.get(&key).map(|cached| cached.version().clone());
            self.lay(&mut layers, key, What::Written { object, cached });
        }
    }

    /// The informer told that an object was added or updated.
    pub fn on_add_or_update(&self, object: &RawObject) {
        let mut layers = self.layers.lock();
        let is_done = layers.live(&object.key()).is_some_and(|layer| match &layer.what {
            What::Written { object: own, cached } => supersedes(Some(object), own, cached.as_ref()),
            What::Deleted { .. } => false,
        });
        if is_done {
            layers.of.remove(object.key().as_str());
        }
    }

    /// The informer told that an object was deleted.
    pub fn on_delete(&self, object: &RawObject) {
        let mut layers = self.layers.lock();
        let key = object.key().to_key();
        let is_later = layers.live(&key).is_some_and(|layer| match &layer.what {
            What::Written { object: own, .. } => {
                !same_uid(own.uid(), object.uid())
                    && own.version().compare(object.version()) == Some(Ordering::Greater)
            }
            What::Deleted { version, .. } => object.version().is_older_than(version),
        });
        if !is_later {
            let (uid, version) = (object.uid().into(), object.version().clone());
            self.lay(&mut layers, key, What::Deleted { uid, version });
        }
    }

    /// The newer of the cache's object and our own.
    pub fn get(&self, key: &str) -> Option<Arc<RawObject>> {
        // The lock is held while the cache is read, which never waits: were the cache read first, a
        // notification in between could take our write away, and we would show what was before both.
        let mut layers = self.layers.lock();
        let cached = self.reader.get(key);
        self.over(&mut layers, key, cached.as_ref()).or(cached)
    }

    /// The objects that have this value in this index, our own writes among them.
    pub fn by_index(&self, index: &str, value: &str) -> Result<Vec<Arc<RawObject>>, IndexError> {
        let (snapshot, own) = self.snapshot_and_own();
        let mut found = snapshot.by_index(index, value)?;
        found.retain(|object| !own.iter().any(|own| own.key() == object.key()));
        let spec = &snapshot.index(index)?.spec;
        // The index function is the user's: it runs after the lock was given back.
        let has_value = |object: &Arc<RawObject>| {
            spec.values(object).is_ok_and(|values| values.iter().any(|own| *own == *value))
        };
        found.extend(own.into_iter().filter(has_value));
        Ok(found)
    }

    /// One view of the cache, and our writes that are newer than it.
    fn snapshot_and_own(&self) -> (Snapshot, Vec<Arc<RawObject>>) {
        let mut layers = self.layers.lock();
        let snapshot = self.reader.snapshot();
        let keys = layers.of.keys().cloned().collect::<Vec<_>>();
        let own = keys.iter().filter_map(|key| self.over(&mut layers, key, snapshot.get(key).as_ref()));
        let own = own.collect();
        (snapshot, own)
    }

    /// Our own write, if it goes before what the cache has. One that does not is forgotten.
    fn over(
        &self,
        layers: &mut Layers,
        key: &str,
        cached: Option<&Arc<RawObject>>,
    ) -> Option<Arc<RawObject>> {
        let What::Written { object, cached: cached_then } = &layers.live(key)?.what else { return None };
        if supersedes(cached.map(|cached| &**cached), object, cached_then.as_ref()) {
            layers.of.remove(key);
            return None;
        }
        (cached.is_some() || self.shows_adds).then(|| Arc::clone(object))
    }

    fn lay(&self, layers: &mut Layers, key: Key, what: What) {
        layers.uses += 1;
        let layer = Layer { what, expires_at: clock::from_now(self.time_to_live), last_use: layers.uses };
        layers.of.insert(key, layer);
        while layers.of.len() > self.capacity_objects {
            let oldest = layers.of.iter().min_by_key(|(_, layer)| layer.last_use);
            let oldest = oldest.map(|(key, _)| key.clone()).expect("there is more than none");
            layers.of.remove(&oldest);
        }
    }
}

impl Layers {
    /// The layer of this key, which counts as used, unless its time is over.
    fn live(&mut self, key: &str) -> Option<&Layer> {
        if self.of.get(key)?.expires_at <= Instant::now() {
            self.of.remove(key);
            return None;
        }
        self.uses += 1;
        let layer = self.of.get_mut(key)?;
        layer.last_use = self.uses;
        Some(layer)
    }
}

/// Whether what the cache has now goes before a write made when the cache had `cached_then`.
fn supersedes(cached: Option<&RawObject>, own: &RawObject, cached_then: Option<&Version>) -> bool {
    let Some(cached) = cached else {
        // It was there when we wrote and is gone now: somebody deleted it.
        return cached_then.is_some();
    };
    match cached.version().compare(own.version()) {
        Some(order) => order != Ordering::Less,
        None => Some(cached.version()) != cached_then,
    }
}

fn same_uid(a: &str, b: &str) -> bool {
    !a.is_empty() && a == b
}
