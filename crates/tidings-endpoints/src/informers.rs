//! `/informers`: each informer as JSON. Only what is named here is ever shown, and nothing of an object's body is.

use std::time::Duration;

use serde::Serialize;
use tidings_factory::InformerReport;
use tidings_informer::informer::{Failure, HandlerStats, Lifecycle, StreamHealth, StreamState};
use tidings_informer::reflector::ListMode;

/// Every informer that is needed.
#[derive(Debug, Serialize)]
pub(crate) struct Informers {
    informers: Vec<Informer>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Informer {
    name: String,
    group: String,
    version: String,
    kind: String,
    resource: String,
    state: &'static str,
    is_synced: bool,
    is_healthy: bool,
    unsynced_because: Option<String>,
    /// Up to which every change can be read.
    resource_version: Option<String>,
    objects: usize,
    queued_deltas: usize,
    /// How often the server went back in time.
    epoch: u64,
    memory: Memory,
    requests: Requests,
    applied: Applied,
    faults: Faults,
    streams: Vec<Stream>,
    handlers: Vec<HandlerView>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Memory {
    object_bytes: u64,
    packed_bytes: u64,
    index_bytes: u64,
    backlog_bytes: u64,
    queue_bytes: u64,
    /// Of all informers that share the budget.
    decoded_bytes_estimate: u64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Requests {
    lists: u64,
    relists: u64,
    watches: u64,
    silent_watches: u64,
    events: u64,
    bookmarks: u64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Applied {
    batches: u64,
    lists: u64,
    changes: u64,
    stale: u64,
    unchanged: u64,
    changed_in_place: u64,
    unknown_deletions: u64,
    out_of_scope: u64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Faults {
    source: u64,
    skipped: u64,
    unreadable: u64,
    index: u64,
    handler_panics: u64,
    went_back: u64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Stream {
    /// Null for all.
    namespace: Option<String>,
    state: &'static str,
    for_seconds: f64,
    last_event_age_seconds: Option<f64>,
    resource_version: Option<String>,
    list_mode: Option<&'static str>,
    failing: Option<Failing>,
    last_error: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Failing {
    error: String,
    class: String,
    for_seconds: f64,
    attempts: u32,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct HandlerView {
    name: String,
    is_synced: bool,
    backlog: usize,
    backlog_bytes: usize,
    lag_seconds: f64,
    delivered: u64,
    merged: u64,
    dropped: u64,
    panics: u64,
}

impl Informers {
    pub(crate) fn new(reports: Vec<InformerReport>) -> Self {
        Informers { informers: reports.into_iter().map(Informer::new).collect() }
    }
}

impl Informer {
    fn new(report: InformerReport) -> Self {
        let InformerReport { lifecycle, stats, health, unsynced } = report;
        Informer {
            name: stats.name,
            group: stats.resource.group.into_owned(),
            version: stats.resource.version.into_owned(),
            kind: stats.resource.kind.into_owned(),
            resource: stats.resource.plural.into_owned(),
            state: state(lifecycle),
            is_synced: health.is_synced,
            is_healthy: health.is_healthy(),
            unsynced_because: unsynced.map(|unsynced| unsynced.reason),
            resource_version: stats.version.map(|version| version.to_string()),
            objects: stats.objects,
            queued_deltas: stats.queued_deltas,
            epoch: health.epoch,
            memory: Memory {
                object_bytes: stats.memory.object_bytes,
                packed_bytes: stats.memory.packed_bytes,
                index_bytes: stats.memory.index_bytes,
                backlog_bytes: stats.memory.backlog_bytes,
                queue_bytes: stats.memory.queue_bytes,
                decoded_bytes_estimate: stats.memory.decoded_bytes_estimate,
            },
            requests: Requests {
                lists: stats.requests.lists,
                relists: stats.requests.relists,
                watches: stats.requests.watches,
                silent_watches: stats.requests.silent_watches,
                events: stats.requests.events,
                bookmarks: stats.requests.bookmarks,
            },
            applied: Applied {
                batches: stats.processing.batches,
                lists: stats.applied.lists,
                changes: stats.applied.changes,
                stale: stats.applied.stale,
                unchanged: stats.applied.unchanged,
                changed_in_place: stats.applied.changed_in_place,
                unknown_deletions: stats.applied.unknown_deletions,
                out_of_scope: stats.applied.out_of_scope,
            },
            faults: Faults {
                source: stats.faults.source,
                skipped: stats.faults.skipped,
                unreadable: stats.faults.unreadable,
                index: stats.faults.index,
                handler_panics: stats.faults.handler_panics,
                went_back: stats.faults.went_back,
            },
            streams: health.streams.into_iter().map(Stream::new).collect(),
            handlers: stats.handlers.into_iter().map(HandlerView::new).collect(),
        }
    }
}

impl Stream {
    fn new(stream: StreamHealth) -> Self {
        Stream {
            namespace: stream.scope.namespace().map(ToOwned::to_owned),
            state: match stream.state {
                StreamState::NotStarted => "notStarted",
                StreamState::Listing => "listing",
                StreamState::Watching => "watching",
                StreamState::Waiting => "waiting",
                StreamState::Stopped => "stopped",
            },
            for_seconds: stream.for_duration.as_secs_f64(),
            last_event_age_seconds: stream.last_event_age.as_ref().map(Duration::as_secs_f64),
            resource_version: stream.version.map(|version| version.to_string()),
            list_mode: stream.list_mode.map(|mode| match mode {
                ListMode::Streaming => "streaming",
                ListMode::Chunked => "chunked",
            }),
            failing: stream.failing.map(Failing::new),
            last_error: stream.last_error.map(|error| error.to_string()),
        }
    }
}

impl Failing {
    fn new(failure: Failure) -> Self {
        Failing {
            error: failure.error.to_string(),
            class: format!("{:?}", failure.class),
            for_seconds: failure.for_duration.as_secs_f64(),
            attempts: failure.attempts,
        }
    }
}

impl HandlerView {
    fn new(handler: HandlerStats) -> Self {
        HandlerView {
            name: handler.name,
            is_synced: handler.is_synced,
            backlog: handler.backlog,
            backlog_bytes: handler.backlog_bytes,
            lag_seconds: handler.lag.as_secs_f64(),
            delivered: handler.delivered,
            merged: handler.merged,
            dropped: handler.dropped,
            panics: handler.panics,
        }
    }
}

fn state(lifecycle: Lifecycle) -> &'static str {
    match lifecycle {
        Lifecycle::New => "new",
        Lifecycle::Started => "started",
        Lifecycle::Stopped => "stopped",
    }
}
