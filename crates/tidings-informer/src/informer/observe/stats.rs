//! The figures of an informer: what it holds, in objects and bytes, and what it has done.

use tidings_object::{ResourceKind, Version};
use tidings_util::Histogram;

use crate::informer::apply::AppliedCounts;
use crate::informer::deliver::mailbox::HandlerStats;
use crate::informer::observe::fault::FaultCounts;
use crate::informer::observe::health::RequestCounts;

/// Upper bounds of [`InformerStats::processing`]: those of client-go's `informer_processing_latency_seconds`.
pub(crate) const PROCESSING_BOUNDS_NANOS: [u64; 12] =
    Histogram::bounds_from_millis([1, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]);

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
    /// How long batches took from the queue to the handlers' mailboxes. It is measured once a batch and not once a
    /// delta: reading the clock would cost more than applying some deltas does.
    pub processing: Histogram,
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
