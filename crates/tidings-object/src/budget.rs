//! The budget: a bound in bytes on decoded objects, which the informers of a factory share.
//!
//! Sizes are estimates: the length of the body times a factor for the kind and the wire, plus the size of the type. The
//! eviction policy (S3-FIFO) keeps objects that are read often, even if a scan reads the whole cache once.

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

    /// Keeps about this many bytes of decoded objects. With 0 it keeps none.
    pub fn bytes(limit_bytes: u64) -> Budget {
        Budget { cache: DecodedCache::new(limit_bytes) }
    }

    /// Keeps every decoded value until its object is dropped.
    pub fn unlimited() -> Budget {
        Budget::bytes(u64::MAX)
    }

    /// The limit. That of the default budget changes with what is cached.
    pub fn limit_bytes(&self) -> u64 {
        self.cache.limit_bytes()
    }

    /// An estimate of the bytes of decoded objects that it keeps now.
    pub fn used_bytes_estimate(&self) -> u64 {
        self.cache.used_bytes()
    }

    /// The number of reads that found a decoded object.
    pub fn hits(&self) -> u64 {
        self.cache.hits.load(Ordering::Relaxed)
    }

    /// The number of reads that had to decode the object.
    pub fn misses(&self) -> u64 {
        self.cache.misses.load(Ordering::Relaxed)
    }

    /// The number of decoded objects that were evicted.
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

/// The ratio of decoded size to encoded size, in percent, measured for some kinds (`tests/memory.rs` checks it).
///
/// Structs with many optional fields (a container has dozens) grow most, and maps of text hardly grow. Protobuf has no
/// names of fields, so that its ratio is higher, most of all for kinds with little text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DecodedGrowth {
    json_percent: u64,
    protobuf_percent: u64,
}

impl DecodedGrowth {
    pub(crate) fn of(resource: &ResourceKind) -> DecodedGrowth {
        let (json_percent, protobuf_percent) = match (&*resource.group, &*resource.kind) {
            ("", "Pod") => (600, 900),
            // Values are base64 in JSON, but bytes in protobuf and in memory.
            ("", "Secret") => (80, 110),
            ("", "ConfigMap") => (180, 190),
            // Small, and most bytes are managed fields, which become trees of maps.
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

/// The cache with shuttle's locks and atomics, so that `cargo test` tests its interleavings.
#[cfg(test)]
mod shuttle_tests;
