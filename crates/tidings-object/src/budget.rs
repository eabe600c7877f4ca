//! Which objects stay decoded: a bound in bytes, shared by the informers of a factory.
//!
//! Sizes are estimates: the length of the body times a factor for the kind and wire, and the size of the type. What must
//! go is chosen so that a scan over the cache does not push out what is read all the time.

pub(crate) mod decoded_cache;
mod s3_fifo;

use std::fmt;

use crate::body::Wire;
use crate::sync::{self, Ordering};
use crate::{RawObject, ResourceKind};
use decoded_cache::DecodedCache;

/// A limit of the memory of decoded objects.
///
/// By default it follows what is cached: decoded objects take at most as much memory as the cached objects themselves,
/// but they may always take 1 MiB, and never take more than 64 MiB. A program with 5,000 small objects then keeps a few
/// megabytes decoded, and not all of them.
///
/// ```
/// use tidings_object::Budget;
///
/// assert_eq!(Budget::default().limit_bytes(), 1 << 20); // nothing is cached yet
/// assert_eq!(Budget::bytes(8 << 20).limit_bytes(), 8 << 20);
/// assert_eq!(Budget::bytes(0).used_bytes_estimate(), 0); // never keeps anything
/// ```
pub struct Budget {
    cache: DecodedCache<RawObject>,
}

impl Budget {
    /// The least limit of the default budget: 1 MiB.
    pub const DEFAULT_BYTES_MIN: u64 = 1 << 20;

    /// The largest limit of the default budget: 64 MiB.
    pub const DEFAULT_BYTES_MAX: u64 = 64 << 20;

    /// Keeps about this many bytes of decoded objects; 0 keeps none.
    pub fn bytes(limit_bytes: u64) -> Budget {
        Budget { cache: DecodedCache::new(limit_bytes) }
    }

    /// Keeps everything that was ever decoded, as long as its object is cached.
    pub fn unlimited() -> Budget {
        Budget::bytes(u64::MAX)
    }

    /// The limit. That of the default budget changes with what is cached.
    pub fn limit_bytes(&self) -> u64 {
        self.cache.limit_bytes()
    }

    /// An estimate of what is kept now.
    pub fn used_bytes_estimate(&self) -> u64 {
        self.cache.used_bytes()
    }

    /// How often a decoded object was asked for and still there.
    pub fn hits(&self) -> u64 {
        self.cache.hits.load(Ordering::Relaxed)
    }

    /// How often one was asked for and had to be decoded.
    pub fn misses(&self) -> u64 {
        self.cache.misses.load(Ordering::Relaxed)
    }

    /// How many objects stopped being kept decoded to make room.
    pub fn evictions(&self) -> u64 {
        self.cache.evictions.load(Ordering::Relaxed)
    }

    pub(crate) fn cache(&self) -> &DecodedCache<RawObject> {
        &self.cache
    }
}

impl Default for Budget {
    fn default() -> Self {
        Budget { cache: DecodedCache::proportional(Budget::DEFAULT_BYTES_MIN, Budget::DEFAULT_BYTES_MAX) }
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget")
            .field("limit_bytes", &self.limit_bytes())
            .field("used_bytes_estimate", &self.used_bytes_estimate())
            .finish_non_exhaustive()
    }
}

/// How many bytes of heap a byte of an object becomes when decoded, in hundredths.
///
/// Kinds whose structs are wide and mostly empty (a container has dozens of optional fields) grow most; kinds
/// that are little but maps of text hardly grow. Protobuf writes no names of fields, so that the less of a kind
/// is text, the more its bytes stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DecodedGrowth {
    json_percent: u64,
    protobuf_percent: u64,
}

impl DecodedGrowth {
    pub(crate) fn of(resource: &ResourceKind) -> DecodedGrowth {
        let (json_percent, protobuf_percent) = match (&*resource.group, &*resource.kind) {
            ("", "Pod") => (600, 900),
            // Their values are base64 in JSON, and bytes in protobuf and when decoded.
            ("", "Secret") => (80, 110),
            ("", "ConfigMap") => (180, 190),
            // Small, and mostly managed fields: those become trees of maps.
            ("coordination.k8s.io", "Lease") => (550, 700),
            _ => (400, 530),
        };
        DecodedGrowth { json_percent, protobuf_percent }
    }

    pub(crate) fn percent(self, wire: Wire) -> u64 {
        match wire {
            Wire::Json => self.json_percent,
            Wire::Protobuf => self.protobuf_percent,
        }
    }
}

#[cfg(test)]
mod tests;

/// The cache over shuttle's locks and atomics, so that `cargo test` tries its interleavings.
#[cfg(test)]
mod shuttle_tests;
