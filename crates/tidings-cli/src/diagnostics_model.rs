//! The part of a response to `/informers` that this program shows. The program that responds may be of another version:
//! unknown fields are ignored, missing ones have their default value, and so have unknown values.

use serde::Deserialize;

/// The informers and queues of a program, at one moment.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Diagnostics {
    /// It is required, so that another JSON document is not taken for diagnostics.
    pub(crate) informers: Vec<InformerStatus>,
    #[serde(default)]
    pub(crate) queues: Vec<QueueStatus>,
}

#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct InformerStatus {
    pub(crate) name: String,
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
    pub(crate) state: InformerState,
    pub(crate) is_synced: bool,
    pub(crate) unsynced_because: Option<String>,
    pub(crate) objects: u64,
    pub(crate) queued_deltas: u64,
    pub(crate) lag_seconds: f64,
    pub(crate) memory: MemoryStatus,
    pub(crate) requests: RequestTotals,
    pub(crate) applied: AppliedTotals,
    pub(crate) faults: FaultTotals,
    pub(crate) streams: Vec<StreamStatus>,
    pub(crate) handlers: Vec<HandlerStatus>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum InformerState {
    New,
    Started,
    Stopped,
    #[default]
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct MemoryStatus {
    pub(crate) object_bytes: u64,
    pub(crate) packed_bytes: u64,
    pub(crate) index_bytes: u64,
    pub(crate) backlog_bytes: u64,
    pub(crate) queue_bytes: u64,
    pub(crate) decoded_bytes_estimate: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RequestTotals {
    pub(crate) lists: u64,
    pub(crate) relists: u64,
    pub(crate) watches: u64,
    pub(crate) silent_watches: u64,
    pub(crate) events: u64,
    pub(crate) bookmarks: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct AppliedTotals {
    pub(crate) batches: u64,
    pub(crate) changes: u64,
    pub(crate) stale: u64,
    pub(crate) unchanged: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct FaultTotals {
    pub(crate) source: u64,
    pub(crate) skipped: u64,
    pub(crate) unreadable: u64,
    pub(crate) index: u64,
    pub(crate) handler_panics: u64,
    pub(crate) went_back: u64,
}

#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct StreamStatus {
    pub(crate) namespace: Option<String>,
    pub(crate) state: StreamState,
    pub(crate) for_seconds: f64,
    pub(crate) last_event_age_seconds: Option<f64>,
    pub(crate) resource_version: Option<String>,
    pub(crate) list_mode: Option<ListMode>,
    pub(crate) wire: Option<Wire>,
    pub(crate) failing: Option<StreamFailure>,
    pub(crate) last_error: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum StreamState {
    NotStarted,
    Listing,
    Watching,
    Waiting,
    Stopped,
    #[default]
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ListMode {
    Streaming,
    Chunked,
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Wire {
    Protobuf,
    Json,
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct StreamFailure {
    pub(crate) error: String,
    pub(crate) for_seconds: f64,
    pub(crate) attempts: u32,
}

#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct HandlerStatus {
    pub(crate) name: String,
    pub(crate) backlog: u64,
    pub(crate) backlog_bytes: u64,
    pub(crate) lag_seconds: f64,
    pub(crate) delivered: u64,
    pub(crate) merged: u64,
    pub(crate) panics: u64,
}

#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct QueueStatus {
    pub(crate) name: String,
    pub(crate) waiting: u64,
    pub(crate) delayed: u64,
    pub(crate) working: u64,
    pub(crate) oldest_seconds: f64,
    pub(crate) retries: u64,
    pub(crate) adds: u64,
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
        assert_eq!(informer.streams[0].state, StreamState::Unknown);
        assert_eq!(informer.streams[0].list_mode, Some(ListMode::Unknown));
        assert_eq!(informer.streams[0].wire, Some(Wire::Unknown));
        assert_eq!(read.queues, []);
    }

    #[test]
    fn json_without_informers_is_not_read_as_diagnostics() {
        for text in ["{}", "[]", r#"{"status":"ok"}"#] {
            assert!(serde_json::from_str::<Diagnostics>(text).is_err(), "{text}");
        }
    }
}
