//! A cache of decoded values with a limit in bytes. Each value is in a slot of its object; the cache only has the queue
//! that decides what to evict.
//!
//! # Lock order
//!
//! A thread never holds two of these locks at once: the lock of a slot, the lock of another slot, the lock of the
//! queue. Values and objects are dropped while no lock is held, because their drop runs code of users, and the drop of
//! an object may take the lock of the queue.

use std::any::Any;
use std::sync::{Arc, Weak};

use super::s3_fifo::S3Fifo;
use super::sync::{AtomicBool, AtomicU64, Mutex, Ordering};

/// An object with a slot, which it must [release](DecodedCache::release) when it is dropped.
pub(crate) trait Cacheable: Sized {
    fn decoded_slot(&self) -> &DecodedSlot;
    /// The reference bit: whether a value in the slot was read since the queue last checked. While the slot is empty,
    /// whether the object was decoded before. It is not in the slot, because the queue reads it without the slot's
    /// lock.
    fn was_read(&self) -> &AtomicBool;
    /// A weak reference to itself, for the queue, which must not keep it alive.
    fn this(&self) -> &Weak<Self>;
    /// An estimate of its size as a type of this size. It must never change.
    fn bytes_estimate(&self, type_bytes: usize) -> u64;
    /// A hash that is equal for all versions of an object.
    fn fingerprint(&self) -> u64;
}

/// The decoded values of one object.
///
/// Every object has a slot, and most are never decoded, so that it must be small. A read of a cached value needs only
/// the slot.
#[derive(Default)]
pub(crate) struct DecodedSlot {
    /// The object is in the queue if and only if this is set (or it is about to be queued: see `admit`). The lock is
    /// held during decoding, so that concurrent readers decode a value once. The only user code under it is
    /// `Deserialize`.
    values: Mutex<Option<DecodedValues>>,
}

/// The values in a slot. It is nearly always one value; several are in a [`SeveralValues`].
pub(crate) struct DecodedValues(Arc<dyn Any + Send + Sync>);

struct SeveralValues(Vec<Arc<dyn Any + Send + Sync>>);

/// Keeps all decoded values within a limit.
pub(crate) struct DecodedCache<T> {
    /// The limit is what all cached objects take, but never below the floor and never above the ceiling. A fixed limit
    /// is both.
    floor_bytes: u64,
    ceiling_bytes: u64,
    /// The bytes of all cached objects, without decoded values.
    cached_bytes: AtomicU64,
    /// The estimated bytes of all values.
    used_bytes: AtomicU64,
    queue: Mutex<S3Fifo<CacheEntry<T>>>,
    /// The number of dropped objects that are still in the queue.
    stale: AtomicU64,
    pub(crate) hits: AtomicU64,
    pub(crate) misses: AtomicU64,
    pub(crate) evictions: AtomicU64,
}

/// An object in the queue.
struct CacheEntry<T>(Weak<T>);

/// The entry of a dropped object keeps its allocation. The queue may have this many of them, or as many as half of its
/// entries. In tests it is 0, so that every drop takes the lock of the queue.
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

    /// Counts an object when it is created.
    pub(crate) fn count_object(&self, bytes: usize) {
        self.cached_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Subtracts an object when it is dropped.
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

    /// The value as a `K`, from the slot or decoded now. `decode` must not panic.
    pub(crate) fn decoded<K: Any + Send + Sync, E>(
        &self,
        object: &T,
        decode: impl FnOnce() -> Result<K, E>,
    ) -> Result<Arc<K>, E> {
        // A hit reads nothing but the slot and the reference bit.
        let mut decoded_slot = object.decoded_slot().values.lock();
        if let Some(value) = decoded_slot.as_ref().and_then(DecodedValues::value) {
            // A bit that is already set is only read, so that readers on many cores can share the cache line.
            if !object.was_read().load(Ordering::Relaxed) {
                object.was_read().store(true, Ordering::Relaxed);
            }
            self.hits.fetch_add(1, Ordering::Relaxed);
            return Ok(value);
        }
        self.misses.fetch_add(1, Ordering::Relaxed);
        let bytes = object.bytes_estimate(size_of::<K>());
        if bytes > self.ceiling_bytes {
            drop(decoded_slot);
            return decode().map(Arc::new);
        }
        let value = Arc::new(decode()?);
        if decoded_slot.is_none()
            && !self.has_room_for(bytes)
            && !object.was_read().swap(true, Ordering::Relaxed)
        {
            return Ok(value);
        }
        let before = decoded_slot.take();
        let entry = before.is_none().then(|| {
            // Reads before the value was cached do not count.
            object.was_read().store(false, Ordering::Relaxed);
            CacheEntry(Weak::clone(object.this()))
        });
        *decoded_slot = Some(DecodedValues::beside(before, Arc::clone(&value) as _));
        // Still under the lock of the slot: an eviction subtracts the bytes of this slot, so they must be added before.
        self.used_bytes.fetch_add(bytes, Ordering::Relaxed);
        drop(decoded_slot);
        if !self.is_unlimited() {
            self.admit(entry.map(|entry| (entry, bytes, object.fingerprint())));
        }
        Ok(value)
    }

    /// Without room, a value is cached from its second decoding on. Handlers read most objects once: to drop such a
    /// value at once is cheap, because it is in the processor's cache, and it evicts nothing.
    fn has_room_for(&self, bytes: u64) -> bool {
        self.used_bytes().saturating_add(bytes) <= self.limit_bytes()
    }

    /// Subtracts the values of a dropped object.
    pub(crate) fn release(&self, object: &T, values: DecodedValues) {
        self.used_bytes.fetch_sub(values.bytes(object), Ordering::Relaxed);
        if self.is_unlimited() {
            return;
        }
        if self.stale.fetch_add(1, Ordering::Relaxed) + 1 > STALE_MAX {
            self.sweep(&mut self.queue.lock());
        }
    }

    /// Queues a new entry with its bytes and fingerprint, and evicts others until the limit holds again.
    ///
    /// Each object has at most one entry. A slot that is set but not queued yet can't be evicted, because only queued
    /// objects are. And no other thread queues it, because the thread that fills an empty slot does so.
    fn admit(&self, entry: Option<(CacheEntry<T>, u64, u64)>) {
        let mut evicted = Vec::new();
        // Objects whose last reference was the one that `take_was_read` held.
        let mut dropped = Vec::new();
        {
            let mut queue = self.queue.lock();
            if let Some((entry, bytes, fingerprint)) = entry {
                queue.push(entry, bytes, fingerprint);
            }
            let limit_bytes = self.limit_bytes();
            let mut excess = self.used_bytes().saturating_sub(limit_bytes);
            while excess > 0 {
                let was_read = |entry: &CacheEntry<T>| entry.take_was_read(&mut dropped);
                let Some((entry, bytes)) = queue.pop(limit_bytes, was_read) else { break };
                if entry.is_alive() {
                    excess = excess.saturating_sub(bytes);
                    evicted.push(entry);
                }
            }
        }
        drop(dropped);
        for CacheEntry(object) in evicted {
            if let Some(object) = object.upgrade() {
                self.evict(&*object);
            }
        }
    }

    fn evict(&self, object: &T) {
        let values = object.decoded_slot().values.lock().take();
        if let Some(values) = values {
            self.used_bytes.fetch_sub(values.bytes(object), Ordering::Relaxed);
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
    /// Removes the values.
    pub(crate) fn take(&mut self) -> Option<DecodedValues> {
        self.values.get_mut().take()
    }
}

impl DecodedValues {
    /// Adds a value to those that were there before.
    fn beside(before: Option<DecodedValues>, value: Arc<dyn Any + Send + Sync>) -> DecodedValues {
        let Some(DecodedValues(before)) = before else { return DecodedValues(value) };
        let mut several = match before.downcast::<SeveralValues>() {
            // The slot has the only reference to a `SeveralValues`, so that none is lost.
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

    /// The bytes that were added for the values.
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

    /// Reads and clears the reference bit. If all other references to the object are dropped meanwhile, the object is
    /// moved to `dropped`: the caller drops it without a lock.
    fn take_was_read(&self, dropped: &mut Vec<T>) -> bool {
        let Some(object) = self.0.upgrade() else { return false };
        let was_read = object.was_read().swap(false, Ordering::Relaxed);
        dropped.extend(Arc::into_inner(object));
        was_read
    }
}
