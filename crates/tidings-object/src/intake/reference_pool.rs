//! Chooses the reference that a body is delta-compressed against. Objects of one controller share a reference, and so
//! do all objects without a controller.
//!
//! ```text
//! bodies 1..16 of a ReplicaSet   packed with the dictionary; the 16th becomes the reference
//! body 17 and later              stored as a delta against the reference, if that is smaller (a hit)
//! 16 misses                      the last of them becomes the reference: the template may have changed
//! 3 references with few hits     the entry stops trying: these bodies are not similar
//! ```
//!
//! The memory is bounded: all references take at most a fraction of the memory of the objects, and the number of
//! entries has a limit.

use std::collections::HashMap;
use std::sync::Arc;

use crate::body::{Body, Reference, Wire};
use crate::sync::{AtomicU64, Ordering};

/// The references of one informer.
#[derive(Debug, Default)]
pub(super) struct ReferencePool {
    entries: HashMap<ReferenceKey, PoolEntry>,
    /// The bytes of all live references.
    memory: Arc<AtomicU64>,
}

/// Objects with an equal key are likely to be similar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ReferenceKey {
    wire: Wire,
    /// A hash of the uid of the controller; 0 without a controller.
    controller: u64,
}

#[derive(Debug, Default)]
struct PoolEntry {
    /// The bodies that were packed with the dictionary. A delta must not be larger.
    bodies: u64,
    raw_bytes: u64,
    packed_bytes: u64,
    reference: Option<Arc<Reference>>,
    /// Hits and misses since this reference was chosen.
    hits: u32,
    misses: u32,
    /// The number of consecutive references with more misses than hits.
    failures: u32,
}

/// A reference does not pay off for fewer bodies.
const BODIES_MIN: u64 = 16;

/// After so many misses another body becomes the reference.
const MISSES_MAX: u32 = 16;

/// After so many failed references the entry gets none any more.
const FAILURES_MAX: u32 = 3;

/// All references together take at most 1/8 of the memory of the objects. They only come close to it if there are many
/// small controllers.
const MEMORY_FRACTION: u64 = 8;

/// While the cache is small, they may take half of its memory, up to this. Otherwise most controllers of a first list
/// would wait for their reference until the list has grown, and zstd would pack their bodies.
const SMALL_BYTES: u64 = 4 << 20;
const SMALL_FRACTION: u64 = 2;

/// Beyond this many entries some are evicted, those without a reference first.
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
    /// The reference for a key, and the most bytes that a delta of a body of `raw_len` bytes may take: as many as the
    /// dictionary would need.
    pub(super) fn reference(&self, key: ReferenceKey, raw_len: usize) -> Option<(Arc<Reference>, usize)> {
        let entry = self.entries.get(&key)?;
        let packed_max = (raw_len as u64).saturating_mul(entry.packed_bytes) / entry.raw_bytes.max(1);
        Some((Arc::clone(entry.reference.as_ref()?), usize::try_from(packed_max).ok()?))
    }

    /// Records that a body was stored as a delta.
    pub(super) fn record_hit(&mut self, key: ReferenceKey) {
        if let Some(entry) = self.entries.get_mut(&key) {
            entry.hits += 1;
        }
    }

    /// Records that a body was packed with the dictionary, because there was no reference or its delta was too large.
    /// The body may become the reference now. `objects_bytes` is the memory of all objects.
    pub(super) fn record_miss(&mut self, key: ReferenceKey, raw: &[u8], body: &Body, objects_bytes: u64) {
        if self.entries.len() >= ENTRIES_MAX && !self.entries.contains_key(&key) {
            self.evict();
        }
        let entry = self.entries.entry(key).or_default();
        if entry.wants_reference_after(raw.len(), body.packed_len())
            && self.memory.load(Ordering::Relaxed) < memory_max(objects_bytes)
        {
            entry.reference = Reference::new(raw, Arc::clone(&self.memory)).map(Arc::new);
            (entry.hits, entry.misses) = (0, 0);
        }
    }

    /// Drops all references. Bodies keep the reference that they need.
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

/// The most bytes that references may take beside objects that take `objects_bytes`.
fn memory_max(objects_bytes: u64) -> u64 {
    (objects_bytes / SMALL_FRACTION).min(SMALL_BYTES).max(objects_bytes / MEMORY_FRACTION)
}

impl PoolEntry {
    /// Counts a body that was packed with the dictionary. Returns whether it should become the reference.
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
        // A reference with more hits than misses was good, and the template changed since. Otherwise the bodies differ.
        self.failures = if self.hits > self.misses { 0 } else { self.failures + 1 };
        if self.failures >= FAILURES_MAX {
            self.reference = None;
        }
        self.reference.is_some()
    }
}

#[cfg(test)]
mod tests;
