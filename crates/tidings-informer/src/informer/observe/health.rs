//! How an informer is doing, for people and probes: what each stream does now, since when, and what went wrong.

use tidings_object::{Version, Wire};
use tidings_source::{ErrorClass, Sharded, SourceError, StreamScope};
use tokio::time::Duration;

use crate::informer::error::InformerError;
use crate::reflector::ListMode;

/// What a stream is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamState {
    /// The informer was not started.
    NotStarted,
    /// It asks for a list.
    Listing,
    /// It watches: the cache follows the server.
    Watching,
    /// Something went wrong; it waits before it tries again.
    Waiting,
    /// It has ended.
    Stopped,
}

/// How one stream is doing.
#[derive(Debug, Clone)]
pub struct StreamHealth {
    /// What it lists and watches.
    pub scope: StreamScope,
    /// What it is doing.
    pub state: StreamState,
    /// For how long it has been doing so.
    pub for_duration: Duration,
    /// What went wrong last, if nothing has gone right since.
    pub failing: Option<StreamFailure>,
    /// What went wrong last, ever.
    pub last_error: Option<SourceError>,
    /// How long ago the server sent an event or a bookmark.
    pub last_event_age: Option<Duration>,
    /// The last version that it received.
    pub version: Option<Version>,
    /// How its last list came.
    pub list_mode: Option<ListMode>,
    /// The wire that its last answer came by: protobuf or JSON. `None` before the first.
    pub wire: Option<Wire>,
    /// Who chose the objects of its last list, if a shard was asked for: a server without `shardSelector` sends
    /// everything, and the rest is left out on arrival.
    pub sharded: Option<Sharded>,
}

/// A row of failures without a success between them.
#[derive(Debug, Clone)]
pub struct StreamFailure {
    /// The last of them.
    pub error: SourceError,
    /// Which kind of trouble it is.
    pub class: ErrorClass,
    /// For how long nothing has gone right.
    pub for_duration: Duration,
    /// How many there were.
    pub attempts: u32,
}

/// How an informer is doing.
#[derive(Debug, Clone)]
pub struct Health {
    /// Whether its first lists have been applied.
    pub is_synced: bool,
    /// Each of its streams.
    pub streams: Vec<StreamHealth>,
    /// The longest that any handler's oldest notification has waited.
    pub lag: Duration,
    /// How often the server went back in time.
    pub epoch: u64,
    /// Why it no longer follows the server, in whole or in part, although nobody stopped it.
    pub failures: Vec<InformerError>,
}

impl Health {
    /// Whether it is synced and every stream watches, or is on the way there without a failure.
    pub fn is_healthy(&self) -> bool {
        self.is_synced
            && self.failures.is_empty()
            && self.streams.iter().all(|stream| stream.failing.is_none())
    }
}

/// How often requests were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RequestCounts {
    /// Lists begun, streaming or chunked.
    pub lists: u64,
    /// Objects that came in lists, also in those that then broke off.
    pub listed_objects: u64,
    /// Their bytes, as they were sent.
    pub listed_bytes: u64,
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
    /// Lists and watches that have ended, with how long they took and what they brought.
    pub ended: CompletedCounts,
}

/// Lists that came whole and watches that are over: how many, how long they took together, and what they brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CompletedCounts {
    /// Lists that came whole.
    pub lists: u64,
    /// How long they took to arrive.
    pub lists_took: Duration,
    /// Objects in them.
    pub listed_objects: u64,
    /// Watches that are over.
    pub watches: u64,
    /// How long they lasted.
    pub watches_took: Duration,
    /// Events that they brought; bookmarks are none.
    pub watched_events: u64,
    /// Of the watches, those that lasted less than a second and brought nothing.
    pub short_watches: u64,
}

/// A watch that is over sooner, without an event, is a short one.
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
