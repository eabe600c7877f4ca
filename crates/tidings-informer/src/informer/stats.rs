//! The figures of an informer: what it holds, in objects and bytes, and what it has done.

use tidings_object::{ResourceKind, Version};

use super::apply::AppliedCounts;
use super::health::RequestCounts;
use super::latency::ProcessingLatency;
use super::listener::HandlerStats;
use super::report::FaultCounts;

/// The figures of an informer.
#[derive(Debug, Clone)]
pub struct InformerStats {
    /// Its name.
    pub name: String,
    /// Its resource.
    pub resource: ResourceKind,
    /// How many objects are cached.
    pub objects: usize,
    /// The version up to which every change can be read.
    pub version: Option<Version>,
    /// Where its memory is.
    pub memory: MemoryStats,
    /// How many deltas wait to be applied.
    pub queued_deltas: usize,
    /// What applying deltas came to.
    pub applied: AppliedCounts,
    /// How long applying them took.
    pub processing: ProcessingLatency,
    /// The requests it made.
    pub requests: RequestCounts,
    /// What went wrong.
    pub faults: FaultCounts,
    /// Its handlers.
    pub handlers: Vec<HandlerStats>,
}

/// Where the memory of an informer is, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemoryStats {
    /// Its objects with their identities, nothing decoded.
    pub object_bytes: u64,
    /// Of these, the packed bodies.
    pub packed_bytes: u64,
    /// The cache's own tables and its indexes.
    pub index_bytes: u64,
    /// What handlers have not been told yet, the objects apart.
    pub backlog_bytes: u64,
    /// What has not been applied yet.
    pub queue_bytes: u64,
    /// Decoded objects, estimated, of all informers that share the budget.
    pub decoded_bytes_estimate: u64,
}
