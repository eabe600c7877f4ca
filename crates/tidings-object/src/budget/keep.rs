//! Memos of decoded values, and the one who keeps them within a limit.
//!
//! # Lock order
//!
//! A memo's lock and the queue's lock are never held at once, and no two memos' are. Values are dropped with no
//! lock held: dropping them runs code of others.

use std::any::{Any, TypeId};
use std::sync::{Arc, Weak};

use smallvec::SmallVec;

use super::queue::Queue;
use super::sync::{AtomicBool, AtomicU64, Mutex, Ordering};

/// Has a memo, and gives it back when dropped (see [`Keeper::release`]).
pub(crate) trait Remembers {
    fn memo(&self) -> &Memo;
}

/// What one object was decoded into.
#[derive(Default)]
pub(crate) struct Memo {
    /// Held while decoding, so that each type is decoded once, however many ask.
    kept: Mutex<Option<Box<Kept>>>,
}

/// The object is in its keeper's queue iff it has this (or is about to be: see `admit`).
struct Kept {
    /// Nearly always one: then whoever asks need not look elsewhere.
    values: SmallVec<[(TypeId, Arc<dyn Any + Send + Sync>); 1]>,
    bytes: u64,
    was_read: Arc<AtomicBool>,
}

/// Keeps memos within a limit.
pub(crate) struct Keeper<T> {
    limit_bytes: u64,
    /// The sum over all memos.
    used_bytes: AtomicU64,
    queue: Mutex<Queue<Place<T>>>,
    /// How many in the queue were dropped since it was last swept.
    stale: AtomicU64,
    pub(crate) hits: AtomicU64,
    pub(crate) misses: AtomicU64,
    pub(crate) evictions: AtomicU64,
}

/// An object's place in the queue.
struct Place<T> {
    object: Weak<T>,
    was_read: Arc<AtomicBool>,
}

/// What is to be decoded, for its keeper.
pub(crate) struct Ask<'a, T> {
    pub(crate) object: &'a Weak<T>,
    pub(crate) memo: &'a Memo,
    pub(crate) bytes_estimate: u64,
    /// The same for all versions of an object; asked for only when the value is new.
    pub(crate) fingerprint: &'a dyn Fn() -> u64,
}

/// Places of dropped objects pin their allocations: no more than this many, or half of the queue.
const STALE_MAX: u64 = 256;

impl<T: Remembers> Keeper<T> {
    pub(crate) fn new(limit_bytes: u64) -> Self {
        Keeper {
            limit_bytes,
            used_bytes: AtomicU64::new(0),
            queue: Mutex::new(Queue::new()),
            stale: AtomicU64::new(0),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            evictions: AtomicU64::new(0),
        }
    }

    pub(crate) fn limit_bytes(&self) -> u64 {
        self.limit_bytes
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
        ask: &Ask<'_, T>,
        decode: impl FnOnce() -> Result<K, E>,
    ) -> Result<Arc<K>, E> {
        if ask.bytes_estimate > self.limit_bytes {
            self.misses.fetch_add(1, Ordering::Relaxed);
            return decode().map(Arc::new);
        }
        let mut memo = ask.memo.kept.lock();
        if let Some(value) = memo.as_ref().and_then(|kept| kept.value::<K>()) {
            self.hits.fetch_add(1, Ordering::Relaxed);
            return Ok(value);
        }
        self.misses.fetch_add(1, Ordering::Relaxed);
        let value = Arc::new(decode()?);
        let is_first = memo.is_none();
        let kept = memo.get_or_insert_with(Kept::nothing);
        kept.values.push((TypeId::of::<K>(), Arc::clone(&value) as Arc<dyn Any + Send + Sync>));
        kept.bytes += ask.bytes_estimate;
        // Still under the memo's lock: whoever forgets this memo gives back what it says, and that must have
        // been counted before.
        self.used_bytes.fetch_add(ask.bytes_estimate, Ordering::Relaxed);
        let place =
            is_first.then(|| Place { object: ask.object.clone(), was_read: Arc::clone(&kept.was_read) });
        drop(memo);
        self.admit(place, ask);
        Ok(value)
    }

    /// Gives back what a dropped object had.
    pub(crate) fn release(&self, memo: &mut Memo) {
        let Some(kept) = memo.kept.get_mut().take() else { return };
        self.used_bytes.fetch_sub(kept.bytes, Ordering::Relaxed);
        if self.is_unlimited() {
            return;
        }
        if self.stale.fetch_add(1, Ordering::Relaxed) >= STALE_MAX {
            self.sweep(&mut self.queue.lock());
        }
    }

    /// Queues a new place, and lets others go until all fits again.
    ///
    /// A memo that is set but not queued yet can't be forgotten by anyone else, and nobody else queues it,
    /// since it is not the first then: so each object has at most one place.
    fn admit(&self, place: Option<Place<T>>, ask: &Ask<'_, T>) {
        if self.is_unlimited() {
            return;
        }
        let mut leaving = Vec::new();
        let place = place.map(|place| (place, (ask.fingerprint)()));
        {
            let mut queue = self.queue.lock();
            if let Some((place, fingerprint)) = place {
                queue.push(place, ask.bytes_estimate, fingerprint);
            }
            let mut excess = self.used_bytes().saturating_sub(self.limit_bytes);
            while excess > 0 {
                let Some((place, bytes)) = queue.pop(self.limit_bytes, Place::take_was_read) else { break };
                if place.is_alive() {
                    excess = excess.saturating_sub(bytes);
                    leaving.push(place);
                }
            }
        }
        for place in leaving {
            if let Some(object) = place.object.upgrade() {
                self.forget(object.memo());
            }
        }
    }

    fn forget(&self, memo: &Memo) {
        let kept = memo.kept.lock().take();
        if let Some(kept) = kept {
            self.used_bytes.fetch_sub(kept.bytes, Ordering::Relaxed);
            self.evictions.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn sweep(&self, queue: &mut Queue<Place<T>>) {
        if self.stale.load(Ordering::Relaxed) * 2 > queue.len() as u64 {
            queue.retain(Place::is_alive);
            self.stale.store(0, Ordering::Relaxed);
        }
    }

    fn is_unlimited(&self) -> bool {
        self.limit_bytes == u64::MAX
    }
}

impl Kept {
    fn nothing() -> Box<Kept> {
        Box::new(Kept { values: SmallVec::new(), bytes: 0, was_read: Arc::new(AtomicBool::new(false)) })
    }

    fn value<K: Any + Send + Sync>(&self) -> Option<Arc<K>> {
        let (_, value) = self.values.iter().find(|(kind, _)| *kind == TypeId::of::<K>())?;
        // A mark that stands already is only read: readers on many cores then share its cache line.
        if !self.was_read.load(Ordering::Relaxed) {
            self.was_read.store(true, Ordering::Relaxed);
        }
        Arc::clone(value).downcast().ok()
    }
}

impl<T> Place<T> {
    fn is_alive(&self) -> bool {
        self.object.strong_count() > 0
    }

    fn take_was_read(&self) -> bool {
        self.was_read.swap(false, Ordering::Relaxed)
    }
}
