//! Memos of decoded values, and the one who keeps them within a limit.
//!
//! # Lock order
//!
//! A decoded_slot's lock and the queue's lock are never held at once, and no two memos' are. Values and objects are dropped
//! with no lock held: dropping them runs code of others, and an object that goes may ask for the queue's.

use std::any::Any;
use std::sync::{Arc, Weak};

use super::s3_fifo::S3Fifo;
use super::sync::{AtomicBool, AtomicU64, Mutex, Ordering};

/// Has a decoded_slot, and gives it back when dropped (see [`DecodedCache::release`]).
pub(crate) trait Cacheable: Sized {
    fn decoded_slot(&self) -> &DecodedSlot;
    /// Whether what the decoded_slot holds was read since the queue last asked; while it holds nothing, whether it was decoded
    /// without being kept. It is beside the decoded_slot and not in it, for the
    /// queue looks at it without the decoded_slot's lock.
    fn was_read(&self) -> &AtomicBool;
    /// Itself, for the queue, which must not keep it alive.
    fn this(&self) -> &Weak<Self>;
    /// About how many bytes it takes as a type of this size; always the same.
    fn bytes_estimate(&self, type_bytes: usize) -> u64;
    /// The same for all versions of an object.
    fn fingerprint(&self) -> u64;
}

/// What one object was decoded into.
///
/// It stands in every object of every cache, most of which nobody looks into: it is small, and whoever reads an
/// object that is kept finds the value from here.
#[derive(Default)]
pub(crate) struct DecodedSlot {
    /// The object is in its cache's queue iff it has this (or is about to be: see `admit`). Held while decoding, so
    /// that each type that is kept is decoded once, however many ask. No code of a user's but `Deserialize` runs meanwhile.
    kept: Mutex<Option<DecodedValues>>,
}

/// The values of a decoded_slot: nearly always one. More stand in [`SeveralValues`], which takes the place of the one.
pub(crate) struct DecodedValues(Arc<dyn Any + Send + Sync>);

struct SeveralValues(Vec<Arc<dyn Any + Send + Sync>>);

/// Keeps memos within a limit.
pub(crate) struct DecodedCache<T> {
    /// The limit is what all cached objects take, but never below the floor and never above the ceiling. A fixed limit
    /// is both.
    floor_bytes: u64,
    ceiling_bytes: u64,
    /// What all cached objects take, nothing decoded.
    cached_bytes: AtomicU64,
    /// The sum over all memos.
    used_bytes: AtomicU64,
    queue: Mutex<S3Fifo<CacheEntry<T>>>,
    /// How many in the queue were dropped since it was last swept.
    stale: AtomicU64,
    pub(crate) hits: AtomicU64,
    pub(crate) misses: AtomicU64,
    pub(crate) evictions: AtomicU64,
}

/// An object's place in the queue.
struct CacheEntry<T>(Weak<T>);

/// Places of dropped objects pin their allocations: no more than this many, or half of the queue. None in tests, so
/// that every drop comes by the queue.
const STALE_MAX: u64 = if cfg!(test) { 0 } else { 256 };

impl<T: Cacheable> DecodedCache<T> {
    pub(crate) fn new(limit_bytes: u64) -> Self {
        DecodedCache::proportional(limit_bytes, limit_bytes)
    }

    /// A cache whose limit follows [`count_object`](Self::count_object) between a floor and a ceiling.
    pub(crate) fn proportional(floor_bytes: u64, ceiling_bytes: u64) -> Self {
        DecodedCache {
            floor_bytes,
            ceiling_bytes,
            cached_bytes: AtomicU64::new(0),
            used_bytes: AtomicU64::new(0),
            queue: Mutex::new(S3Fifo::new()),
            stale: AtomicU64::new(0),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            evictions: AtomicU64::new(0),
        }
    }

    pub(crate) fn limit_bytes(&self) -> u64 {
        self.cached_bytes.load(Ordering::Relaxed).clamp(self.floor_bytes, self.ceiling_bytes)
    }

    /// Counts an object that is cached from now on.
    pub(crate) fn count_object(&self, bytes: usize) {
        self.cached_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Counts an object that is no longer cached.
    pub(crate) fn uncount_object(&self, bytes: usize) {
        self.cached_bytes.fetch_sub(bytes as u64, Ordering::Relaxed);
    }

    pub(crate) fn used_bytes(&self) -> u64 {
        self.used_bytes.load(Ordering::Relaxed)
    }

    #[cfg(test)]
    pub(crate) fn queue_len(&self) -> usize {
        self.queue.lock().len()
    }

    /// The value as a `K`, kept from before or decoded now. `decode` must not panic.
    pub(crate) fn decoded<K: Any + Send + Sync, E>(
        &self,
        object: &T,
        decode: impl FnOnce() -> Result<K, E>,
    ) -> Result<Arc<K>, E> {
        let bytes = object.bytes_estimate(size_of::<K>());
        // The ceiling and not the limit: a hit must not compute the limit.
        if bytes > self.ceiling_bytes {
            self.misses.fetch_add(1, Ordering::Relaxed);
            return decode().map(Arc::new);
        }
        let mut decoded_slot = object.decoded_slot().kept.lock();
        if let Some(value) = decoded_slot.as_ref().and_then(DecodedValues::value) {
            // A mark that stands already is only read: readers on many cores then share its cache line.
            if !object.was_read().load(Ordering::Relaxed) {
                object.was_read().store(true, Ordering::Relaxed);
            }
            self.hits.fetch_add(1, Ordering::Relaxed);
            return Ok(value);
        }
        self.misses.fetch_add(1, Ordering::Relaxed);
        let value = Arc::new(decode()?);
        if decoded_slot.is_none()
            && !self.has_room_for(bytes)
            && !object.was_read().swap(true, Ordering::Relaxed)
        {
            return Ok(value);
        }
        let before = decoded_slot.take();
        let place = before.is_none().then(|| {
            // What was read of it before it was kept does not count.
            object.was_read().store(false, Ordering::Relaxed);
            CacheEntry(Weak::clone(object.this()))
        });
        *decoded_slot = Some(DecodedValues::beside(before, Arc::clone(&value) as _));
        // Still under the decoded_slot's lock: whoever forgets this decoded_slot gives back what it holds, and that must have
        // been counted before.
        self.used_bytes.fetch_add(bytes, Ordering::Relaxed);
        drop(decoded_slot);
        if !self.is_unlimited() {
            self.admit(place.map(|place| (place, bytes, object.fingerprint())));
        }
        Ok(value)
    }

    /// While there is none, an object is kept from its second decoding on: most of what handlers look at is looked at
    /// once, and whoever drops it at once drops what is still in the processor's cache, and pushes nothing out.
    fn has_room_for(&self, bytes: u64) -> bool {
        self.used_bytes().saturating_add(bytes) <= self.limit_bytes()
    }

    /// Gives back what a dropped object had.
    pub(crate) fn release(&self, object: &T, kept: DecodedValues) {
        self.used_bytes.fetch_sub(kept.bytes(object), Ordering::Relaxed);
        if self.is_unlimited() {
            return;
        }
        if self.stale.fetch_add(1, Ordering::Relaxed) + 1 > STALE_MAX {
            self.sweep(&mut self.queue.lock());
        }
    }

    /// Queues a new place, with its bytes and fingerprint, and lets others go until all fits again.
    ///
    /// A decoded_slot that is set but not queued yet can't be forgotten by anyone else, and nobody else queues it,
    /// since it is not the first then: so each object has at most one place.
    fn admit(&self, place: Option<(CacheEntry<T>, u64, u64)>) {
        let mut leaving = Vec::new();
        // Those whose last holder was the look at their mark.
        let mut ended = Vec::new();
        {
            let mut queue = self.queue.lock();
            if let Some((place, bytes, fingerprint)) = place {
                queue.push(place, bytes, fingerprint);
            }
            let limit_bytes = self.limit_bytes();
            let mut excess = self.used_bytes().saturating_sub(limit_bytes);
            while excess > 0 {
                let was_read = |place: &CacheEntry<T>| place.take_was_read(&mut ended);
                let Some((place, bytes)) = queue.pop(limit_bytes, was_read) else { break };
                if place.is_alive() {
                    excess = excess.saturating_sub(bytes);
                    leaving.push(place);
                }
            }
        }
        drop(ended);
        for CacheEntry(object) in leaving {
            if let Some(object) = object.upgrade() {
                self.forget(&*object);
            }
        }
    }

    fn forget(&self, object: &T) {
        let kept = object.decoded_slot().kept.lock().take();
        if let Some(kept) = kept {
            self.used_bytes.fetch_sub(kept.bytes(object), Ordering::Relaxed);
            self.evictions.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn sweep(&self, queue: &mut S3Fifo<CacheEntry<T>>) {
        if self.stale.load(Ordering::Relaxed) * 2 > queue.len() as u64 {
            queue.retain(CacheEntry::is_alive);
            self.stale.store(0, Ordering::Relaxed);
        }
    }

    fn is_unlimited(&self) -> bool {
        self.floor_bytes == u64::MAX
    }
}

impl DecodedSlot {
    /// Takes out what it holds.
    pub(crate) fn take(&mut self) -> Option<DecodedValues> {
        self.kept.get_mut().take()
    }
}

impl DecodedValues {
    /// A value, beside those that were there before.
    fn beside(before: Option<DecodedValues>, value: Arc<dyn Any + Send + Sync>) -> DecodedValues {
        let Some(DecodedValues(before)) = before else { return DecodedValues(value) };
        let mut several = match before.downcast::<SeveralValues>() {
            // Nobody else has these, so that none is lost.
            Ok(several) => Arc::into_inner(several).map_or_else(Vec::new, |SeveralValues(values)| values),
            Err(one) => vec![one],
        };
        several.push(value);
        DecodedValues(Arc::new(SeveralValues(several)))
    }

    fn value<K: Any + Send + Sync>(&self) -> Option<Arc<K>> {
        let DecodedValues(first) = self;
        if first.is::<K>() {
            return Arc::clone(first).downcast().ok();
        }
        let SeveralValues(values) = first.downcast_ref()?;
        Arc::clone(values.iter().find(|value| value.is::<K>())?).downcast().ok()
    }

    /// What was counted for it.
    fn bytes(&self, object: &impl Cacheable) -> u64 {
        let DecodedValues(first) = self;
        match first.downcast_ref() {
            Some(SeveralValues(values)) => {
                values.iter().map(|value| object.bytes_estimate(size_of_val(&**value))).sum()
            }
            None => object.bytes_estimate(size_of_val(&**first)),
        }
    }
}

impl<T: Cacheable> CacheEntry<T> {
    fn is_alive(&self) -> bool {
        self.0.strong_count() > 0
    }

    /// Whether the object was read since it was last asked. If it ends by being asked, it goes to `ended`.
    fn take_was_read(&self, ended: &mut Vec<T>) -> bool {
        let Some(object) = self.0.upgrade() else { return false };
        let was_read = object.was_read().swap(false, Ordering::Relaxed);
        ended.extend(Arc::into_inner(object));
        was_read
    }
}
