//! Which objects are told by which reference: those of one controller are of one key, and so are those that nobody
//! controls. A key that is large enough gets reference; one whose members are not alike soon has none.
//!
//! It must never hold much: all reference takes at most a share of what the objects take, and pool are forgotten.

use std::collections::HashMap;
use std::sync::Arc;

use crate::body::{Body, Reference, Wire};
use crate::sync::{AtomicU64, Ordering};

/// The pool of one informer.
#[derive(Debug, Default)]
pub(super) struct ReferencePool {
    entries: HashMap<ReferenceKey, PoolEntry>,
    /// What all living reference takes.
    memory: Arc<AtomicU64>,
}

/// What objects have in common that are likely to be alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ReferenceKey {
    wire: Wire,
    /// A hash of the controller's uid.
    controller: u64,
}

#[derive(Debug, Default)]
struct PoolEntry {
    /// What was packed with the dictionary: reference must not be worse.
    bodies: u64,
    raw_bytes: u64,
    packed_bytes: u64,
    reference: Option<Arc<Reference>>,
    /// Of those since it has this reference: bodies that were told by it, and that were not.
    hits: u32,
    misses: u32,
    /// How many were its reference, one after the other, without fitting most.
    failures: u32,
}

/// Fewer members do not pay for reference.
const BODIES_MIN: u64 = 16;

/// So many bodies that are told badly by their reference ask for another one.
const MISSES_MAX: u32 = 16;

/// So many that could not be reference: nobody will be.
const FAILURES_MAX: u32 = 3;

/// Reference may take this part of what all objects take. It is only as much where pool are many and small.
const MEMORY_FRACTION: u64 = 8;

/// More are forgotten, first of all those without reference.
const ENTRIES_MAX: usize = 8_192;

impl ReferenceKey {
    pub(super) fn new(wire: Wire, controller_uid: Option<&str>) -> ReferenceKey {
        let hash = |uid: &str| twox_hash::XxHash3_64::oneshot(uid.as_bytes());
        ReferenceKey { wire, controller: controller_uid.map_or(0, hash) }
    }

    pub(super) fn wire(self) -> Wire {
        self.wire
    }
}

impl ReferencePool {
    /// The reference of a key, if it has any, and how many bytes a body of `raw_len` may take with it.
    pub(super) fn reference(&self, key: ReferenceKey, raw_len: usize) -> Option<(Arc<Reference>, usize)> {
        let entry = self.entries.get(&key)?;
        let packed_max = (raw_len as u64).saturating_mul(entry.packed_bytes) / entry.raw_bytes.max(1);
        Some((Arc::clone(entry.reference.as_ref()?), usize::try_from(packed_max).ok()?))
    }

    /// A body was told by its reference.
    pub(super) fn record_hit(&mut self, key: ReferenceKey) {
        if let Some(entry) = self.entries.get_mut(&key) {
            entry.hits += 1;
        }
    }

    /// A body was packed with the dictionary: there was no reference, or it did not fit. It may become the key's reference
    /// now; `objects_bytes` is what all objects take.
    pub(super) fn packed(&mut self, key: ReferenceKey, raw: &[u8], body: &Body, objects_bytes: u64) {
        if self.entries.len() >= ENTRIES_MAX && !self.entries.contains_key(&key) {
            self.evict();
        }
        let entry = self.entries.entry(key).or_default();
        if entry.wants_reference_after(raw.len(), body.packed_len())
            && self.memory.load(Ordering::Relaxed) < objects_bytes / MEMORY_FRACTION
        {
            entry.reference = Reference::new(raw, Arc::clone(&self.memory)).map(Arc::new);
            (entry.hits, entry.misses) = (0, 0);
        }
    }

    /// Begins anew. Bodies that were told by reference keep it.
    pub(super) fn clear(&mut self) {
        self.entries = HashMap::new();
    }

    pub(super) fn memory_bytes(&self) -> u64 {
        self.memory.load(Ordering::Relaxed)
    }

    fn evict(&mut self) {
        self.entries.retain(|_, entry| {
            entry.reference.as_ref().is_some_and(|reference| Arc::strong_count(reference) > 1)
        });
        if self.entries.len() > ENTRIES_MAX / 2 {
            self.clear();
        }
    }
}

impl PoolEntry {
    /// Counts a body that was packed with the dictionary.
    fn wants_reference_after(&mut self, raw_len: usize, packed_len: usize) -> bool {
        self.bodies += 1;
        self.raw_bytes += raw_len as u64;
        self.packed_bytes += packed_len as u64;
        if self.reference.is_none() {
            return self.bodies >= BODIES_MIN && self.failures < FAILURES_MAX;
        }
        self.misses += 1;
        if self.misses < MISSES_MAX {
            return false;
        }
        // Reference that record_hit for long and no longer does shows that the key changes, and not that its members differ.
        self.failures = if self.hits > self.misses { 0 } else { self.failures + 1 };
        if self.failures >= FAILURES_MAX {
            self.reference = None;
        }
        self.reference.is_some()
    }
}

#[cfg(test)]
mod tests;
