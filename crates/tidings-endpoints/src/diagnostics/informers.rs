//! One informer: its state, memory, requests, streams and handlers.

use std::time::Duration;

use serde_json::{Value, json};
use tidings_factory::InformerReport;
use tidings_informer::reflector::ListMode;
use tidings_informer::{
    HandlerStats, InformerStats, Lifecycle, StreamFailure, StreamHealth, StreamState, Wire,
};

pub(crate) fn informer(report: &InformerReport) -> Value {
    let InformerReport { lifecycle, stats, health, unsynced } = report;
    let resource = &stats.resource;
    json!({
        "name": stats.name,
        "group": resource.group,
        "version": resource.version,
        "kind": resource.kind,
        "resource": resource.plural,
        "state": match lifecycle {
            Lifecycle::New => "new",
            Lifecycle::Started => "started",
            Lifecycle::Stopped => "stopped",
        },
        "isSynced": health.is_synced,
        "isHealthy": health.is_healthy(),
        "unsyncedBecause": unsynced.as_ref().map(|unsynced| &unsynced.reason),
        "resourceVersion": stats.version.as_ref().map(ToString::to_string),
        "objects": stats.objects,
        "queuedDeltas": stats.queued_deltas,
        "lagSeconds": health.lag.as_secs_f64(),
        "epoch": health.epoch,
        "memory": memory(stats),
        "requests": requests(stats),
        "applied": applied(stats),
        "faults": faults(stats),
        "streams": health.streams.iter().map(stream).collect::<Vec<_>>(),
        "handlers": stats.handlers.iter().map(handler).collect::<Vec<_>>(),
    })
}

fn memory(stats: &InformerStats) -> Value {
    let memory = &stats.memory;
    json!({
        "objectBytes": memory.object_bytes,
        "packedBytes": memory.packed_bytes,
        "indexBytes": memory.index_bytes,
        "backlogBytes": memory.backlog_bytes,
        "queueBytes": memory.queue_bytes,
        "decodedBytesEstimate": memory.decoded_bytes_estimate,
    })
}

fn requests(stats: &InformerStats) -> Value {
    let requests = &stats.requests;
    json!({
        "lists": requests.lists,
        "relists": requests.relists,
        "watches": requests.watches,
        "silentWatches": requests.silent_watches,
        "events": requests.events,
        "bookmarks": requests.bookmarks,
    })
}

fn applied(stats: &InformerStats) -> Value {
    let applied = &stats.applied;
    json!({
        "batches": stats.processing.count(),
        "lists": applied.lists,
        "changes": applied.changes,
        "stale": applied.stale,
        "unchanged": applied.unchanged,
        "changedInPlace": applied.changed_in_place,
        "unknownDeletions": applied.unknown_deletions,
        "outOfScope": applied.out_of_scope,
    })
}

fn faults(stats: &InformerStats) -> Value {
    let faults = &stats.faults;
    json!({
        "source": faults.source,
        "skipped": faults.skipped,
        "unreadable": faults.unreadable,
        "index": faults.index,
        "handlerPanics": faults.handler_panics,
        "wentBack": faults.went_back,
        "panics": faults.panics,
    })
}

fn stream(stream: &StreamHealth) -> Value {
    json!({
        "namespace": stream.scope.namespace(),
        "state": match stream.state {
            StreamState::NotStarted => "notStarted",
            StreamState::Listing => "listing",
            StreamState::Watching => "watching",
            StreamState::Waiting => "waiting",
            StreamState::Stopped => "stopped",
        },
        "forSeconds": stream.for_duration.as_secs_f64(),
        "lastEventAgeSeconds": stream.last_event_age.as_ref().map(Duration::as_secs_f64),
        "resourceVersion": stream.version.as_ref().map(ToString::to_string),
        "listMode": stream.list_mode.map(|mode| match mode {
            ListMode::Streaming => "streaming",
            ListMode::Chunked => "chunked",
        }),
        "wire": stream.wire.map(|wire| match wire {
            Wire::Protobuf => "protobuf",
            Wire::Json => "json",
        }),
        "failing": stream.failing.as_ref().map(failing),
        "lastError": stream.last_error.as_ref().map(ToString::to_string),
    })
}

fn failing(failure: &StreamFailure) -> Value {
    json!({
        "error": failure.error.to_string(),
        "class": format!("{:?}", failure.class),
        "forSeconds": failure.for_duration.as_secs_f64(),
        "attempts": failure.attempts,
    })
}

fn handler(handler: &HandlerStats) -> Value {
    json!({
        "name": handler.name,
        "isSynced": handler.is_synced,
        "backlog": handler.backlog,
        "backlogBytes": handler.backlog_bytes,
        "lagSeconds": handler.lag.as_secs_f64(),
        "delivered": handler.delivered,
        "merged": handler.merged,
        "inlineCalls": handler.inline_calls,
        "dropped": handler.dropped,
        "panics": handler.panics,
    })
}
