//! The statistics of an informer: objects, bytes, and counts of what it has done. A new metric is a field here and a
//! line in the metrics of tidings-factory.

use tidings_object::{ResourceKind, Version};
use tidings_util::Histogram;

use crate::informer::apply::AppliedCounts;
use crate::informer::deliver::mailbox::HandlerStats;
use crate::informer::observe::fault::FaultCounts;
use crate::informer::observe::health::RequestCounts;

/// Upper bounds of [`InformerStats::processing`]: those of client-go's `informer_processing_latency_seconds`.
pub(crate) const PROCESSING_BOUNDS_NANOS: [u64; 12] =
    Histogram::bounds_from_millis([1, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]);

/// The statistics of an informer.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct InformerStats {
    /// Its name.
    pub name: String,
    /// Its resource.
    pub resource: ResourceKind,
    /// Cached objects.
    pub objects: usize,
    /// The version up to which every change can be read.
    pub version: Option<Version>,
    /// Its memory.
    pub memory: MemoryStats,
    /// Deltas in the queue.
    pub queued_deltas: usize,
    /// Counts of applied deltas.
    pub applied: AppliedCounts,
    /// The time from the queue to the handlers' mailboxes, per batch. It is not measured per delta, because reading
    /// the clock costs more than applying some deltas.
    pub processing: Histogram,
    /// Its requests.
    pub requests: RequestCounts,
    /// Its faults.
    pub faults: FaultCounts,
    /// Its handlers.
    pub handlers: Vec<HandlerStats>,
}

/// The memory of an informer, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct MemoryStats {
    /// Cached objects with their identities, without decoded ones.
    pub object_bytes: u64,
    /// The packed bodies, which are a part of `object_bytes`.
    pub packed_bytes: u64,
    /// The tables of the cache and its indexes.
    pub index_bytes: u64,
    /// Pending notifications of handlers, without the objects.
    pub backlog_bytes: u64,
    /// Queued deltas.
    pub queue_bytes: u64,
    /// Decoded objects of all informers that share the budget, estimated.
    pub decoded_bytes_estimate: u64,
}
