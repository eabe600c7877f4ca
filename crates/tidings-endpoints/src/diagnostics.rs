//! What `/informers` answers, as a model that both ends use: the program that is asked writes it, a viewer reads it.
//!
//! Its names are stable: fields are only added, and one that an older program does not tell is read as nothing. Only
//! what is named here is ever shown, and nothing of an object's body is.

mod reading;

use serde::{Deserialize, Serialize};
use tidings_factory::SharedInformerFactory;
use tidings_workqueue::QueueMetrics;

/// The informers and queues of a program, at one moment.
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
    /// Every informer that is needed, by name.
    pub informers: Vec<Informer>,
    /// The work queues that are shown.
    #[serde(default)]
    pub queues: Vec<Queue>,
    /// Informers that no longer follow the server although nobody stopped them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<InformerFailure>,
}

/// An informer that no longer follows the server, in whole or in part, although nobody stopped it.
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
pub struct Informer {
    /// Its name: the resource, with what tells it from others of the same resource.
    pub name: String,
    /// The group of its resource; empty for the core group.
    pub group: String,
    /// The version of its resource.
    pub version: String,
    /// The kind of its objects.
    pub kind: String,
    /// The resource, in the plural.
    pub resource: String,
    /// Where it stands.
    pub state: InformerState,
    /// Whether its first lists have been applied.
    pub is_synced: bool,
    /// Whether it is synced and no stream fails.
    pub is_healthy: bool,
    /// Why it has not synced, unless it has.
    pub unsynced_because: Option<String>,
    /// Up to which every change can be read.
    pub resource_version: Option<String>,
    /// How many objects are cached.
    pub objects: u64,
    /// How many deltas wait to be applied.
    pub queued_deltas: u64,
    /// The longest that any handler's oldest notification has waited.
    pub lag_seconds: f64,
    /// How often the server went back in time.
    pub epoch: u64,
    /// Where its memory is.
    pub memory: Memory,
    /// What it asked of the server, and what came.
    pub requests: Requests,
    /// What became of what came.
    pub applied: Applied,
    /// What went wrong.
    pub faults: Faults,
    /// Each of its lists and watches.
    pub streams: Vec<Stream>,
    /// Who is told of changes.
    pub handlers: Vec<Handler>,
}

/// Where an informer stands.
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
    /// A newer program says something that is not known here.
    #[default]
    #[serde(other)]
    Unknown,
}

/// Where the memory of an informer is, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Memory {
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
    /// Decoded objects, of all informers that share the budget.
    pub decoded_bytes_estimate: u64,
}

/// What an informer asked of the server, and what came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Requests {
    /// Lists begun.
    pub lists: u64,
    /// Lists begun after the first.
    pub relists: u64,
    /// Watches opened.
    pub watches: u64,
    /// Watches reopened because they had fallen silent.
    pub silent_watches: u64,
    /// Events received.
    pub events: u64,
    /// Bookmarks received.
    pub bookmarks: u64,
}

/// What became of what the server sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Applied {
    /// Batches applied.
    pub batches: u64,
    /// Lists applied.
    pub lists: u64,
    /// Changes applied.
    pub changes: u64,
    /// Older than what was cached.
    pub stale: u64,
    /// The same as what was cached.
    pub unchanged: u64,
    /// Another body under the same version.
    pub changed_in_place: u64,
    /// Deletions of what was not cached.
    pub unknown_deletions: u64,
    /// Of a namespace that was not asked for.
    pub out_of_scope: u64,
}

/// What went wrong, and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Faults {
    /// Lists and watches that went wrong.
    pub source: u64,
    /// Objects that were left out.
    pub skipped: u64,
    /// Objects that could not be read.
    pub unreadable: u64,
    /// Index functions that went wrong.
    pub index: u64,
    /// Handlers that panicked.
    pub handler_panics: u64,
    /// Times that the server went back in time.
    pub went_back: u64,
    /// Panics of the informer itself.
    pub panics: u64,
}

/// One list and watch.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Stream {
    /// Its namespace; none for all.
    pub namespace: Option<String>,
    /// What it is doing.
    pub state: StreamState,
    /// For how long it has been doing so.
    pub for_seconds: f64,
    /// How long ago the server sent an event or a bookmark.
    pub last_event_age_seconds: Option<f64>,
    /// The last version that it received.
    pub resource_version: Option<String>,
    /// How its last list came.
    pub list_mode: Option<ListMode>,
    /// The wire that its last answer came by.
    pub wire: Option<Wire>,
    /// What goes wrong, if nothing has gone right since.
    pub failing: Option<Failing>,
    /// What went wrong last, ever.
    pub last_error: Option<String>,
}

/// What a stream is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum StreamState {
    /// Its informer was not started.
    NotStarted,
    /// It asks for a list.
    Listing,
    /// It watches: the cache follows the server.
    Watching,
    /// Something went wrong; it waits before it tries again.
    Waiting,
    /// It has ended.
    Stopped,
    /// A newer program says something that is not known here.
    #[default]
    #[serde(other)]
    Unknown,
}

/// How a list came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum ListMode {
    /// As a watch that begins with what there is.
    Streaming,
    /// In pages.
    Chunked,
    /// A newer program says something that is not known here.
    #[default]
    #[serde(other)]
    Unknown,
}

/// A wire that objects come by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Wire {
    /// Kubernetes' protobuf.
    Protobuf,
    /// JSON.
    Json,
    /// A newer program says something that is not known here.
    #[default]
    #[serde(other)]
    Unknown,
}

/// A row of failures without a success between them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Failing {
    /// The last of them.
    pub error: String,
    /// Which kind of trouble it is.
    pub class: String,
    /// For how long nothing has gone right.
    pub for_seconds: f64,
    /// How many there were.
    pub attempts: u32,
}

/// Somebody who is told of changes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Handler {
    /// Its name.
    pub name: String,
    /// Whether it has been told everything that was there at first.
    pub is_synced: bool,
    /// How many notifications wait for it.
    pub backlog: u64,
    /// Their bytes, the objects apart.
    pub backlog_bytes: u64,
    /// How long the oldest has waited.
    pub lag_seconds: f64,
    /// How many it was given.
    pub delivered: u64,
    /// How many were merged into others because it was slow.
    pub merged: u64,
    /// How many calls the informer's task made itself because it was slow: subscribers, such as controllers, only.
    pub inline_calls: u64,
    /// How many were dropped when it was removed or its informer stopped.
    pub dropped: u64,
    /// How often it panicked.
    pub panics: u64,
}

/// A work queue.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Queue {
    /// Its name.
    pub name: String,
    /// Items that wait for a worker, with those that will as soon as the one who works on them is done.
    pub waiting: u64,
    /// Items whose time has not come.
    pub delayed: u64,
    /// Items that workers hold.
    pub working: u64,
    /// How long the oldest has waited for a worker.
    pub oldest_seconds: f64,
    /// How often an item was added with a delay or a rate limit.
    pub retries: u64,
    /// Adds that were not collapsed.
    pub adds: u64,
}

impl Diagnostics {
    /// The informers of a factory, as they are now.
    pub fn of(factory: &SharedInformerFactory) -> Self {
        let informers = factory.reports().into_iter().map(Informer::read).collect();
        let failures = factory.failures().into_iter();
        let failures = failures
            .map(|failure| InformerFailure {
                informer: failure.informer().to_owned(),
                cause: failure.reason(),
            })
            .collect();
        Diagnostics { informers, queues: Vec::new(), failures }
    }

    /// With these queues, as they are now.
    #[must_use]
    pub fn with_queues(mut self, queues: &QueueMetrics) -> Self {
        self.queues.extend(queues.look().iter().map(|(name, stats)| Queue::read(name, stats)));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_version_of_a_program_says_can_be_read() {
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
        assert_eq!(informer.streams[0].state, StreamState::Unknown);
        assert_eq!(informer.streams[0].list_mode, Some(ListMode::Unknown));
        assert_eq!(informer.streams[0].wire, Some(Wire::Unknown));
        assert_eq!(read.queues, []);
    }

    #[test]
    fn what_tells_of_no_informers_is_something_else() {
        for text in ["{}", "[]", r#"{"status":"ok"}"#] {
            assert!(serde_json::from_str::<Diagnostics>(text).is_err(), "{text}");
        }
    }
}
