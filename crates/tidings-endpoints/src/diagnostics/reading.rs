//! Fills the model from live informers and queues.

use std::time::Duration;

use tidings_factory::InformerReport;
use tidings_informer::reflector::ListMode;
use tidings_informer::{
    HandlerStats, InformerStats, Lifecycle, StreamFailure, StreamHealth, StreamState, Wire,
};
use tidings_workqueue::QueueStats;

use super::{
    AppliedTotals, Failing, FaultTotals, HandlerStatus, InformerState, InformerStatus, MemoryStatus,
    QueueStatus, ReportedListMode, ReportedStreamState, ReportedWire, RequestTotals, StreamStatus,
};

impl InformerStatus {
    pub(super) fn read(report: InformerReport) -> Self {
        let InformerReport { lifecycle, stats, health, unsynced } = report;
        InformerStatus {
            state: match lifecycle {
                Lifecycle::New => InformerState::New,
                Lifecycle::Started => InformerState::Started,
                Lifecycle::Stopped => InformerState::Stopped,
            },
            is_synced: health.is_synced,
            is_healthy: health.is_healthy(),
            unsynced_because: unsynced.map(|unsynced| unsynced.reason),
            resource_version: stats.version.as_ref().map(ToString::to_string),
            objects: stats.objects as u64,
            queued_deltas: stats.queued_deltas as u64,
            lag_seconds: health.lag.as_secs_f64(),
            epoch: health.epoch,
            memory: MemoryStatus::read(&stats),
            requests: RequestTotals::read(&stats),
            applied: AppliedTotals::read(&stats),
            faults: FaultTotals::read(&stats),
            streams: health.streams.into_iter().map(StreamStatus::read).collect(),
            handlers: stats.handlers.into_iter().map(HandlerStatus::read).collect(),
            name: stats.name,
            group: stats.resource.group.into_owned(),
            version: stats.resource.version.into_owned(),
            kind: stats.resource.kind.into_owned(),
            resource: stats.resource.plural.into_owned(),
        }
    }
}

impl MemoryStatus {
    fn read(stats: &InformerStats) -> Self {
        MemoryStatus {
            object_bytes: stats.memory.object_bytes,
            packed_bytes: stats.memory.packed_bytes,
            index_bytes: stats.memory.index_bytes,
            backlog_bytes: stats.memory.backlog_bytes,
            queue_bytes: stats.memory.queue_bytes,
            decoded_bytes_estimate: stats.memory.decoded_bytes_estimate,
        }
    }
}

impl RequestTotals {
    fn read(stats: &InformerStats) -> Self {
        RequestTotals {
            lists: stats.requests.lists,
            relists: stats.requests.relists,
            watches: stats.requests.watches,
            silent_watches: stats.requests.silent_watches,
            events: stats.requests.events,
            bookmarks: stats.requests.bookmarks,
        }
    }
}

impl AppliedTotals {
    fn read(stats: &InformerStats) -> Self {
        AppliedTotals {
            batches: stats.processing.count(),
            lists: stats.applied.lists,
            changes: stats.applied.changes,
            stale: stats.applied.stale,
            unchanged: stats.applied.unchanged,
            changed_in_place: stats.applied.changed_in_place,
            unknown_deletions: stats.applied.unknown_deletions,
            out_of_scope: stats.applied.out_of_scope,
        }
    }
}

impl FaultTotals {
    fn read(stats: &InformerStats) -> Self {
        FaultTotals {
            source: stats.faults.source,
            skipped: stats.faults.skipped,
            unreadable: stats.faults.unreadable,
            index: stats.faults.index,
            handler_panics: stats.faults.handler_panics,
            went_back: stats.faults.went_back,
            panics: stats.faults.panics,
        }
    }
}

impl StreamStatus {
    fn read(stream: StreamHealth) -> Self {
        StreamStatus {
            namespace: stream.scope.namespace().map(ToOwned::to_owned),
            state: match stream.state {
                StreamState::NotStarted => ReportedStreamState::NotStarted,
                StreamState::Listing => ReportedStreamState::Listing,
                StreamState::Watching => ReportedStreamState::Watching,
                StreamState::Waiting => ReportedStreamState::Waiting,
                StreamState::Stopped => ReportedStreamState::Stopped,
            },
            for_seconds: stream.for_duration.as_secs_f64(),
            last_event_age_seconds: stream.last_event_age.as_ref().map(Duration::as_secs_f64),
            resource_version: stream.version.map(|version| version.to_string()),
            list_mode: stream.list_mode.map(|mode| match mode {
                ListMode::Streaming => ReportedListMode::Streaming,
                ListMode::Chunked => ReportedListMode::Chunked,
            }),
            wire: stream.wire.map(|wire| match wire {
                Wire::Protobuf => ReportedWire::Protobuf,
                Wire::Json => ReportedWire::Json,
            }),
            failing: stream.failing.map(Failing::read),
            last_error: stream.last_error.map(|error| error.to_string()),
        }
    }
}

impl Failing {
    fn read(failure: StreamFailure) -> Self {
        Failing {
            error: failure.error.to_string(),
            class: format!("{:?}", failure.class),
            for_seconds: failure.for_duration.as_secs_f64(),
            attempts: failure.attempts,
        }
    }
}

impl HandlerStatus {
    fn read(handler: HandlerStats) -> Self {
        HandlerStatus {
            name: handler.name,
            is_synced: handler.is_synced,
            backlog: handler.backlog as u64,
            backlog_bytes: handler.backlog_bytes as u64,
            lag_seconds: handler.lag.as_secs_f64(),
            delivered: handler.delivered,
            merged: handler.merged,
            inline_calls: handler.inline_calls,
            dropped: handler.dropped,
            panics: handler.panics,
        }
    }
}

impl QueueStatus {
    pub(super) fn read(name: &str, stats: &QueueStats) -> Self {
        QueueStatus {
            name: name.to_owned(),
            waiting: (stats.waiting + stats.dirty) as u64,
            delayed: stats.delayed as u64,
            working: stats.working as u64,
            oldest_seconds: stats.oldest_waiting.as_secs_f64(),
            retries: stats.retries,
            adds: stats.adds,
        }
    }
}
