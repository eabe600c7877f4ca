//! The model of the response to `/informers`. Both ends use it: a program serializes it, and a viewer deserializes it.
//!
//! Its names are stable: fields are only added, and a field that an older program does not send has its default value. It
//! has no data of objects.

mod controllers;
mod graphs;
mod reading;

pub use controllers::{
    CauseStatus, ControllerStatus, LoopObjectStatus, LoopStatus, ReconcileStatus, WriteStatus,
};
use serde::{Deserialize, Serialize};
use tidings_factory::SharedInformerFactory;
use tidings_workqueue::QueueMetrics;

pub use graphs::{CollectionRead, CollectionStatus, GraphStatus};

/// The informers, queues and graphs of a program, at one moment.
///
/// ```
/// use tidings_endpoints::Diagnostics;
/// use tidings_factory::SharedInformerFactory;
///
/// fn unhealthy(factory: &SharedInformerFactory) -> Vec<String> {
///     let informers = Diagnostics::of(factory).informers.into_iter();
///     informers.filter(|informer| !informer.is_healthy).map(|informer| informer.name).collect()
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Diagnostics {
    /// Every informer in use, by name.
    pub informers: Vec<InformerStatus>,
    /// The work queues.
    #[serde(default)]
    pub queues: Vec<QueueStatus>,
    /// The controllers, with the loops that they reported.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub controllers: Vec<ControllerStatus>,
    /// Informers that no longer follow the server although they were not stopped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<InformerFailure>,
    /// The graphs of derived collections.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub graphs: Vec<GraphStatus>,
}

/// An informer, or one of its streams, that no longer follows the server although it was not stopped.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct InformerFailure {
    /// The informer's name.
    pub informer: String,
    /// What happened.
    pub cause: String,
}

/// One informer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct InformerStatus {
    /// Its name: the resource, with a number if there are several of the same resource.
    pub name: String,
    /// The group of its resource; empty for the core group.
    pub group: String,
    /// The version of its resource.
    pub version: String,
    /// The kind of its objects.
    pub kind: String,
    /// The resource, in the plural.
    pub resource: String,
    /// Whether it is started or stopped.
    pub state: InformerState,
    /// Whether its first lists have been applied.
    pub is_synced: bool,
    /// Whether it is synced and no stream fails.
    pub is_healthy: bool,
    /// Why it has not synced; none if it has.
    pub unsynced_because: Option<String>,
    /// The version up to which every change can be read.
    pub resource_version: Option<String>,
    /// How many objects are cached.
    pub objects: u64,
    /// How many deltas wait to be applied.
    pub queued_deltas: u64,
    /// How long the oldest pending notification of any handler has waited.
    pub lag_seconds: f64,
    /// How often the versions of the server went back.
    pub epoch: u64,
    /// Its memory.
    pub memory: MemoryStatus,
    /// Its requests, and what was received.
    pub requests: RequestTotals,
    /// What was applied.
    pub applied: AppliedTotals,
    /// Its faults.
    pub faults: FaultTotals,
    /// Its streams.
    pub streams: Vec<StreamStatus>,
    /// Its handlers.
    pub handlers: Vec<HandlerStatus>,
}

/// Whether an informer is started or stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum InformerState {
    /// It was not started.
    New,
    /// It runs.
    Started,
    /// It has ended.
    Stopped,
    /// A value of a newer program.
    #[default]
    #[serde(other)]
    Unknown,
}

/// The memory of an informer, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct MemoryStatus {
    /// Its objects with their identities, nothing decoded.
    pub object_bytes: u64,
    /// Of these, the packed bodies.
    pub packed_bytes: u64,
    /// The cache's own tables and its indexes.
    pub index_bytes: u64,
    /// Pending notifications of handlers, without the objects.
    pub backlog_bytes: u64,
    /// Deltas that are not applied yet.
    pub queue_bytes: u64,
    /// Decoded objects, of all informers that share the budget.
    pub decoded_bytes_estimate: u64,
}

/// The requests of an informer, and what was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct RequestTotals {
    /// Lists started.
    pub lists: u64,
    /// Lists started after the first.
    pub relists: u64,
    /// Watches opened.
    pub watches: u64,
    /// Watches reopened because they were silent.
    pub silent_watches: u64,
    /// Events received.
    pub events: u64,
    /// Bookmarks received.
    pub bookmarks: u64,
}

/// How the received lists and events were applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct AppliedTotals {
    /// Batches applied.
    pub batches: u64,
    /// Lists applied.
    pub lists: u64,
    /// Changes applied.
    pub changes: u64,
    /// Events older than the cached object.
    pub stale: u64,
    /// Events that equal the cached object.
    pub unchanged: u64,
    /// Another body with the same version.
    pub changed_in_place: u64,
    /// Deletions of objects that were not cached.
    pub unknown_deletions: u64,
    /// Objects of a namespace that was not requested.
    pub out_of_scope: u64,
}

/// How often which faults occurred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct FaultTotals {
    /// Lists and watches that failed.
    pub source: u64,
    /// Objects that were skipped.
    pub skipped: u64,
    /// Objects that could not be decoded.
    pub unreadable: u64,
    /// Index functions that failed.
    pub index: u64,
    /// Handlers that panicked.
    pub handler_panics: u64,
    /// How often the versions of the server went back.
    pub went_back: u64,
    /// Panics of the informer itself.
    pub panics: u64,
}

/// One stream.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct StreamStatus {
    /// Its namespace; none for all.
    pub namespace: Option<String>,
    /// Its state.
    pub state: ReportedStreamState,
    /// For how long it has been in this state.
    pub for_seconds: f64,
    /// How long ago the server sent an event or a bookmark.
    pub last_event_age_seconds: Option<f64>,
    /// The last version that it received.
    pub resource_version: Option<String>,
    /// The mode of its last list.
    pub list_mode: Option<ReportedListMode>,
    /// The wire of its last response.
    pub wire: Option<ReportedWire>,
    /// The current failure; none after a success.
    pub failing: Option<Failing>,
    /// The last error ever.
    pub last_error: Option<String>,
}

/// The state of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum ReportedStreamState {
    /// Its informer was not started.
    NotStarted,
    /// It lists.
    Listing,
    /// It watches: the cache follows the server.
    Watching,
    /// It waits for a retry after a failure.
    Waiting,
    /// It has ended.
    Stopped,
    /// A value of a newer program.
    #[default]
    #[serde(other)]
    Unknown,
}

/// The mode of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum ReportedListMode {
    /// As a watch with initial events.
    Streaming,
    /// In pages.
    Chunked,
    /// A value of a newer program.
    #[default]
    #[serde(other)]
    Unknown,
}

/// The wire of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum ReportedWire {
    /// Kubernetes' protobuf.
    Protobuf,
    /// JSON.
    Json,
    /// A value of a newer program.
    #[default]
    #[serde(other)]
    Unknown,
}

/// Consecutive failures.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Failing {
    /// The last error.
    pub error: String,
    /// The class of the last error.
    pub class: String,
    /// The time since the last success.
    pub for_seconds: f64,
    /// The number of failures.
    pub attempts: u32,
}

/// One handler.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct HandlerStatus {
    /// Its name.
    pub name: String,
    /// Whether it has received all objects of the first list.
    pub is_synced: bool,
    /// The number of pending notifications.
    pub backlog: u64,
    /// Their bytes, without the objects.
    pub backlog_bytes: u64,
    /// How long the oldest pending notification has waited.
    pub lag_seconds: f64,
    /// The number of delivered notifications.
    pub delivered: u64,
    /// How many notifications were merged because the handler was slow.
    pub merged: u64,
    /// How many calls the informer's task made itself because the handler was slow. Only for subscribers, such as controllers.
    pub inline_calls: u64,
    /// How many notifications were dropped when the handler was removed or the informer stopped.
    pub dropped: u64,
    /// How often it panicked.
    pub panics: u64,
}

/// A work queue.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct QueueStatus {
    /// Its name.
    pub name: String,
    /// Items that wait for a worker, and items that were added again while a worker has them.
    pub waiting: u64,
    /// Items whose delay has not ended.
    pub delayed: u64,
    /// Items that are being worked on.
    pub working: u64,
    /// How long the oldest item has waited for a worker.
    pub oldest_seconds: f64,
    /// How often an item was added with a delay or a rate limit.
    pub retries: u64,
    /// Adds that were not merged.
    pub adds: u64,
}

impl Diagnostics {
    /// Reads the informers of a factory.
    pub fn of(factory: &SharedInformerFactory) -> Self {
        let informers = factory.reports().into_iter().map(InformerStatus::read).collect();
        let failures = factory.failures().into_iter();
        let failures = failures
            .map(|failure| InformerFailure {
                informer: failure.informer().to_owned(),
                cause: failure.reason(),
            })
            .collect();
        Diagnostics { informers, failures, ..Diagnostics::default() }
    }

    /// Adds queues.
    #[must_use]
    pub fn with_queues(mut self, queues: &QueueMetrics) -> Self {
        self.queues.extend(queues.stats().iter().map(|(name, stats)| QueueStatus::read(name, stats)));
        self
    }

    /// Adds graphs of derived collections.
    #[cfg(feature = "derived")]
    #[must_use]
    pub fn with_graphs(mut self, graphs: &tidings_derived::GraphMetrics) -> Self {
        self.graphs.extend(graphs.reports().into_iter().map(GraphStatus::read));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_response_of_another_version_of_a_program_can_be_read() {
        let text = r#"{
            "informers": [{
                "name": "pods", "state": "hibernating", "newFigure": 1,
                "streams": [{ "state": "dreaming", "listMode": "byPost", "wire": "morse" }]
            }],
            "somethingNew": {}
        }"#;
        let read: Diagnostics = serde_json::from_str(text).unwrap();
        let informer = &read.informers[0];
        assert_eq!((&*informer.name, informer.objects, informer.state), ("pods", 0, InformerState::Unknown));
        assert_eq!(informer.streams[0].state, ReportedStreamState::Unknown);
        assert_eq!(informer.streams[0].list_mode, Some(ReportedListMode::Unknown));
        assert_eq!(informer.streams[0].wire, Some(ReportedWire::Unknown));
        assert_eq!(read.queues, []);
    }

    #[test]
    fn json_without_informers_is_not_read_as_diagnostics() {
        for text in ["{}", "[]", r#"{"status":"ok"}"#] {
            assert!(serde_json::from_str::<Diagnostics>(text).is_err(), "{text}");
        }
    }
}
