//! The hook for everything that a reflector does and everything that fails, with a `tracing` event for each.
//!
//! The field names are stable: `resource`, `scope`, `version`, `error`. The contents of an object are never reported.

use std::sync::Arc;
use std::time::Duration;

use tidings_object::{RawObject, ResourceKind, Scope, Version, Wire};
use tidings_source::{ChangeType, ErrorClass, ErrorKind, Sharded, Skipped, SourceError, StreamScope};

use super::config::ListMode;

/// Receives what a reflector does and what fails. Every method does nothing by default. No method may block, because
/// the reflector calls it in the middle of its work.
pub trait Observer: Send + Sync {
    /// A list begins, at this version; `None` is the most recent state.
    fn listing(&self, mode: ListMode, version: Option<&Version>) {
        let _ = (mode, version);
    }

    /// The server has answered a list or a watch, in this encoding.
    fn response_received(&self, wire: Wire) {
        let _ = wire;
    }

    /// An object of a list has arrived, with its size as sent. The list may still fail.
    fn item(&self, wire_bytes: usize) {
        let _ = wire_bytes;
    }

    /// A list is complete, and the sink has it.
    fn listed(&self, list: &CompletedList) {
        let _ = list;
    }

    /// A watch is open, from this version on.
    fn watching(&self, from: Option<&Version>) {
        let _ = from;
    }

    /// The sink has received a watch event.
    fn event(&self, change: ChangeType, version: &Version) {
        let _ = (change, version);
    }

    /// The sink has received a bookmark.
    fn bookmark(&self, version: &Version) {
        let _ = version;
    }

    /// A request or a stream failed. Every failure is reported here, also those that a retry repairs soon.
    fn failed(&self, error: &SourceError, during: ReflectorActivity) {
        let _ = (error, during);
    }

    /// Something well-formed that is not an object of the resource was skipped.
    fn skipped(&self, skipped: &Skipped) {
        let _ = skipped;
    }

    /// The watch can't continue: everything is listed again.
    fn relisting(&self, reason: RelistReason) {
        let _ = reason;
    }

    /// The server does not support streaming lists. None is tried for this long.
    fn refused_streaming_list(&self, pause: Duration) {
        let _ = pause;
    }

    /// The server's version is lower than the last one: it was restored from a backup.
    fn went_back(&self, from: &Version, to: &Version) {
        let _ = (from, to);
    }

    /// The next request is delayed by this.
    fn waiting(&self, delay: Duration) {
        let _ = delay;
    }

    /// A watch was silent for this long and is reopened. This is not a failure.
    fn reopened_for_silence(&self, silence: Duration) {
        let _ = silence;
    }

    /// The reflector has ended.
    fn stopped(&self, reason: &StopReason) {
        let _ = reason;
    }
}

/// Ignores everything.
impl Observer for () {}

/// A complete list.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompletedList {
    /// How it was listed.
    pub mode: ListMode,
    /// The version of the list.
    pub version: Version,
    /// The number of its objects.
    pub objects: usize,
    /// The number of its pages; a streaming list counts as one.
    pub pages: usize,
    /// How long it took to arrive.
    pub took: Duration,
    /// Whether the server or the client selected the objects of a shard; `None` for a list of all objects.
    pub sharded: Option<Sharded>,
}

/// What a reflector was doing when something failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReflectorActivity {
    /// A list, page by page.
    List,
    /// A streaming list, before its end marker.
    StreamingList,
    /// Opening a watch.
    WatchOpen,
    /// Reading an open watch.
    Watch,
    /// Requesting the server's current version.
    Probe,
}

/// Why everything is listed again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RelistReason {
    /// The server no longer has the last version.
    Expired,
    /// The server has not reached the last version: it was restored from a backup.
    VersionWentBack,
    /// A watch ended within a second and without an event.
    VeryShortWatch,
    /// Several watches in a row could not be opened.
    WatchRefused,
    /// A watch was malformed twice at the same version.
    Malformed,
    /// The server ended a watch with another error.
    WatchFailed,
}

/// Why a reflector ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum StopReason {
    /// It was cancelled.
    Cancelled,
    /// It gave up after this error, because of its [`StopPolicy`](super::StopPolicy).
    GaveUp(SourceError),
}

/// A list that takes longer is logged as a warning.
const SLOW_LIST: Duration = Duration::from_secs(10);

/// Calls an observer, and writes a `tracing` event for each call.
pub(super) struct TracedObserver {
    observer: Arc<dyn Observer>,
    resource: ResourceKind,
    scope: StreamScope,
}

/// A `tracing` event with the common fields.
macro_rules! trace {
    ($level:ident, $self:ident, $($rest:tt)*) => {
        tracing::$level!(resource = %$self.resource, scope = %$self.scope, $($rest)*)
    };
}

impl TracedObserver {
    pub(super) fn new(
        observer: Arc<dyn Observer>,
        resource: ResourceKind,
        scope: StreamScope,
    ) -> TracedObserver {
        TracedObserver { observer, resource, scope }
    }

    /// A network error that the reflector itself has detected.
    pub(super) fn network(&self, verb: &str, at: Option<&Version>, message: String) -> SourceError {
        self.error(verb, at, ErrorKind::Network { message, is_refused: false })
    }

    /// An error of a request that the reflector itself has detected.
    pub(super) fn error(&self, verb: &str, at: Option<&Version>, kind: ErrorKind) -> SourceError {
        SourceError { request: self.request(verb, at), kind }
    }

    /// The description of a request in errors, such as `watch pods in all namespaces at version 5`.
    pub(super) fn request(&self, verb: &str, at: Option<&Version>) -> String {
        let mut request = format!("{verb} {}", self.resource);
        if self.resource.scope == Scope::Namespaced {
            request += &format!(" in {}", self.scope);
        }
        if let Some(version) = at {
            request += &format!(" at version {version}");
        }
        request
    }

    /// Adds a hint to a 404, which a server gives for a resource that it does not know. It becomes part of the error's
    /// text, so that logs, health and the error of a wait show it from the first 404 on.
    pub(super) fn add_hint(&self, error: &mut SourceError) {
        if error.class() == ErrorClass::NotFound
            && let ErrorKind::Status(status) = &mut error.kind
        {
            let ResourceKind { version, group, .. } = &self.resource;
            let mut hint = format!("the server does not know {} in version {version}", self.resource);
            // The group of a CRD contains a dot. Of the built-in groups some do and some do not.
            if group.contains('.') {
                hint += ": is the CRD installed?";
            }
            let separator = if status.message.is_empty() { "" } else { "; " };
            status.message += &format!("{separator}{hint}");
        }
    }

    pub(super) fn listing(&self, mode: ListMode, version: Option<&Version>) {
        trace!(debug, self, version = version.map(tracing::field::display), ?mode, "listing");
        self.observer.listing(mode, version);
    }

    /// Without a `tracing` event, because "listed" or "watching" follows. A source without an encoding reports none.
    pub(super) fn response_received(&self, wire: Option<Wire>) {
        if let Some(wire) = wire {
            self.observer.response_received(wire);
        }
    }

    /// Without a `tracing` event, because a list has too many objects.
    pub(super) fn item(&self, object: &RawObject) {
        self.observer.item(object.wire_bytes());
    }

    pub(super) fn listed(&self, list: &CompletedList) {
        let CompletedList { mode, version, objects, pages, took, sharded } = list;
        if *sharded == Some(Sharded::ByClient) {
            trace!(warn, self, %version, "no server support for shardSelector: the client drops other shards' objects");
        }
        if *took > SLOW_LIST {
            trace!(warn, self, %version, ?mode, objects, pages, ?took, "a list was slow");
        } else {
            trace!(debug, self, %version, ?mode, objects, pages, ?took, "listed");
        }
        self.observer.listed(list);
    }

    pub(super) fn watching(&self, from: Option<&Version>) {
        trace!(debug, self, version = from.map(tracing::field::display), "watching");
        self.observer.watching(from);
    }

    pub(super) fn event(&self, change: ChangeType, version: &Version) {
        trace!(trace, self, %version, ?change, "event");
        self.observer.event(change, version);
    }

    pub(super) fn bookmark(&self, version: &Version) {
        trace!(trace, self, %version, "bookmark");
        self.observer.bookmark(version);
    }

    pub(super) fn failed(&self, error: &SourceError, during: ReflectorActivity) {
        match error.class() {
            ErrorClass::Expired => trace!(debug, self, %error, ?during, "a version expired"),
            ErrorClass::Network => trace!(info, self, %error, ?during, "a connection broke"),
            _ => trace!(warn, self, %error, ?during, "a request failed"),
        }
        self.observer.failed(error, during);
    }

    pub(super) fn skipped(&self, skipped: &Skipped) {
        match skipped {
            Skipped::Object(error) => trace!(warn, self, %error, "an object was skipped"),
            Skipped::UnknownEvent { event_type } => {
                trace!(warn, self, event_type, "an event of an unknown type was skipped");
            }
        }
        self.observer.skipped(skipped);
    }

    pub(super) fn relisting(&self, reason: RelistReason) {
        trace!(info, self, ?reason, "relisting");
        self.observer.relisting(reason);
    }

    pub(super) fn refused_streaming_list(&self, pause: Duration) {
        trace!(info, self, ?pause, "the server refuses streaming lists");
        self.observer.refused_streaming_list(pause);
    }

    pub(super) fn went_back(&self, from: &Version, to: &Version) {
        trace!(warn, self, version = %to, version_before = %from, "the server's version went back");
        self.observer.went_back(from, to);
    }

    pub(super) fn waiting(&self, delay: Duration) {
        trace!(debug, self, ?delay, "waiting");
        self.observer.waiting(delay);
    }

    pub(super) fn reopened_for_silence(&self, silence: Duration) {
        trace!(debug, self, ?silence, "reopening a silent watch");
        self.observer.reopened_for_silence(silence);
    }

    pub(super) fn stopped(&self, reason: &StopReason) {
        match reason {
            StopReason::Cancelled => trace!(debug, self, "stopped"),
            StopReason::GaveUp(error) => trace!(error, self, %error, "gave up"),
        }
        self.observer.stopped(reason);
    }
}
