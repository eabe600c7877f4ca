//! The health of an informer, for operators and probes: the state of each stream, since when, and its last error.

use tidings_object::{Version, Wire};
use tidings_source::{ErrorClass, Sharded, SourceError, StreamScope};
use tokio::time::Duration;

use crate::informer::error::InformerError;
use crate::reflector::ListMode;

/// The state of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamState {
    /// The informer is not started.
    NotStarted,
    /// It is listing.
    Listing,
    /// It is watching: the cache follows the server.
    Watching,
    /// A request failed. It waits before the next attempt.
    Waiting,
    /// It has ended.
    Stopped,
}

/// The health of one stream.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StreamHealth {
    /// What it lists and watches.
    pub scope: StreamScope,
    /// What it does now.
    pub state: StreamState,
    /// How long it has been in this state.
    pub for_duration: Duration,
    /// The current failures: `None` after the next success.
    pub failing: Option<StreamFailure>,
    /// The last error, also if there was a success after it.
    pub last_error: Option<SourceError>,
    /// The time since the last event or bookmark of the server.
    pub last_event_age: Option<Duration>,
    /// The last version that it received.
    pub version: Option<Version>,
    /// The mode of its last list.
    pub list_mode: Option<ListMode>,
    /// The encoding of the last answer: protobuf or JSON. `None` before the first one.
    pub wire: Option<Wire>,
    /// Whether the server or the client filtered the last list, if a shard was requested: a server without
    /// `shardSelector` sends all objects, and the client skips the others.
    pub sharded: Option<Sharded>,
}

/// Consecutive failures of one stream.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StreamFailure {
    /// The last error.
    pub error: SourceError,
    /// The class of that error.
    pub class: ErrorClass,
    /// The time since the first of these failures.
    pub for_duration: Duration,
    /// The number of failures.
    pub attempts: u32,
}

/// The health of an informer.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Health {
    /// Whether its first lists have been applied.
    pub is_synced: bool,
    /// The health of each stream.
    pub streams: Vec<StreamHealth>,
    /// The longest time that a pending notification of any handler has waited.
    pub lag: Duration,
    /// How often the versions of the server went back.
    pub epoch: u64,
    /// Why it, or a part of it, no longer follows the server although it was not stopped.
    pub failures: Vec<InformerError>,
}

impl Health {
    /// Whether it is synced, nothing has failed for good, and no stream is failing.
    pub fn is_healthy(&self) -> bool {
        self.is_synced
            && self.failures.is_empty()
            && self.streams.iter().all(|stream| stream.failing.is_none())
    }
}

/// Counts of requests and of what they returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct RequestCounts {
    /// Lists started, streaming or chunked.
    pub lists: u64,
    /// Objects received in lists, including lists that broke off.
    pub listed_objects: u64,
    /// Bytes of these objects, as sent.
    pub listed_bytes: u64,
    /// Lists after the first one.
    pub relists: u64,
    /// Watches opened.
    pub watches: u64,
    /// Watches reopened because the server sent nothing for too long.
    pub silent_watches: u64,
    /// Events received.
    pub events: u64,
    /// Bookmarks received.
    pub bookmarks: u64,
    /// Lists and watches that have ended.
    pub ended: CompletedCounts,
}

/// Complete lists and ended watches: their number, total duration and content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct CompletedCounts {
    /// Complete lists.
    pub lists: u64,
    /// Their total duration.
    pub lists_took: Duration,
    /// Objects in complete lists.
    pub listed_objects: u64,
    /// Ended watches.
    pub watches: u64,
    /// Their total duration.
    pub watches_took: Duration,
    /// Events of ended watches, without bookmarks.
    pub watched_events: u64,
    /// Ended watches that lasted less than a second and had no event.
    pub short_watches: u64,
}

/// A watch that ends sooner than this without an event counts as short.
const SHORT_WATCH: Duration = Duration::from_secs(1);

impl CompletedCounts {
    pub(crate) fn list(&mut self, took: Duration, objects: u64) {
        self.lists += 1;
        self.lists_took += took;
        self.listed_objects += objects;
    }

    pub(crate) fn watch(&mut self, took: Duration, events: u64) {
        self.watches += 1;
        self.watches_took += took;
        self.watched_events += events;
        self.short_watches += u64::from(took < SHORT_WATCH && events == 0);
    }

    pub(crate) fn add(&mut self, other: &CompletedCounts) {
        self.lists += other.lists;
        self.lists_took += other.lists_took;
        self.listed_objects += other.listed_objects;
        self.watches += other.watches;
        self.watches_took += other.watches_took;
        self.watched_events += other.watched_events;
        self.short_watches += other.short_watches;
    }
}
