//! The hook that everything a reflector lives through reaches, with a `tracing` event for each.
//!
//! Field names are stable: `resource`, `scope`, `version`, `error`. What an object contains is never told.

use std::sync::Arc;
use std::time::Duration;

use tidings_object::{RawObject, ResourceKind, Scope, Version, Wire};
use tidings_source::{ChangeType, ErrorClass, ErrorKind, Sharded, Skipped, SourceError, StreamScope};

use super::config::ListMode;

/// Hears what a reflector does and what goes wrong. Every method does nothing unless it is written; none may
/// block, since the reflector calls it in the middle of its work.
pub trait Observer: Send + Sync {
    /// A list begins, at this version: `None` asks for the most recent state.
    fn listing(&self, mode: ListMode, asked: Option<&Version>) {
        let _ = (mode, asked);
    }

    /// The server has answered a list or a watch, by this wire.
    fn answered(&self, wire: Wire) {
        let _ = wire;
    }

    /// An object of a list has arrived, so many bytes as it was sent. The list may still fail.
    fn item(&self, wire_bytes: usize) {
        let _ = wire_bytes;
    }

    /// A list is whole and was handed over.
    fn listed(&self, list: &CompletedList) {
        let _ = list;
    }

    /// A watch is open, from this version on.
    fn watching(&self, from: Option<&Version>) {
        let _ = from;
    }

    /// An event was handed over.
    fn event(&self, change: ChangeType, version: &Version) {
        let _ = (change, version);
    }

    /// A bookmark was handed over.
    fn bookmark(&self, version: &Version) {
        let _ = version;
    }

    /// Something failed. Every failure comes here, also those that are soon made good.
    fn failed(&self, error: &SourceError, during: ReflectorActivity) {
        let _ = (error, during);
    }

    /// Something well-formed that is no object of the resource was left out.
    fn skipped(&self, skipped: &Skipped) {
        let _ = skipped;
    }

    /// Watching is not enough: everything is listed again.
    fn relisting(&self, reason: RelistReason) {
        let _ = reason;
    }

    /// The server does not speak streaming lists; they are not tried again for this long.
    fn refused_streaming_list(&self, for_now: Duration) {
        let _ = for_now;
    }

    /// The server answered with a version lower than one we had: it was restored from a backup.
    fn went_back(&self, from: &Version, to: &Version) {
        let _ = (from, to);
    }

    /// The next request waits for this long.
    fn waiting(&self, delay: Duration) {
        let _ = delay;
    }

    /// A watch was silent for this long and is opened again. That is no failure.
    fn reopened_for_silence(&self, silence: Duration) {
        let _ = silence;
    }

    /// The reflector has ended.
    fn stopped(&self, reason: &StopReason) {
        let _ = reason;
    }
}

/// Hears nothing.
impl Observer for () {}

/// A list that was handed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletedList {
    /// How it was listed.
    pub mode: ListMode,
    /// The version of the list.
    pub version: Version,
    /// How many objects it has.
    pub objects: usize,
    /// In how many pages it came; a streaming list counts as one.
    pub pages: usize,
    /// How long it took to arrive.
    pub took: Duration,
    /// Who chose the objects of a shard; `None` for a list of all.
    pub sharded: Option<Sharded>,
}

/// What was going on when something failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReflectorActivity {
    /// A list, page by page.
    List,
    /// A streaming list, before its end marker.
    StreamingList,
    /// A watch was being opened.
    WatchOpen,
    /// A watch was open.
    Watch,
    /// The server was asked how far it has come.
    Probe,
}

/// Why everything is listed again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RelistReason {
    /// The last version is no longer to be had.
    Expired,
    /// The server has not reached the last version: it was restored from a backup.
    VersionWentBack,
    /// A watch ended within a second and without an event.
    VeryShortWatch,
    /// Several watches in a row could not be opened.
    WatchRefused,
    /// A watch was malformed in the same place again.
    Malformed,
    /// The server ended a watch with another error.
    WatchFailed,
}

/// Why a reflector ended.
#[derive(Debug, Clone)]
pub enum StopReason {
    /// It was asked to.
    Cancelled,
    /// Its [`StopPolicy`](super::StopPolicy) says so, after this error.
    GaveUp(SourceError),
}

/// A list that takes longer is worth a warning.
const SLOW_LIST: Duration = Duration::from_secs(10);

/// Tells the observer and `tracing` alike.
pub(super) struct TracedObserver {
    observer: Arc<dyn Observer>,
    resource: ResourceKind,
    scope: StreamScope,
}

/// A `tracing` event with the fields that all of them have.
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

    /// A connection that we ourselves found wanting.
    pub(super) fn network(&self, verb: &str, at: Option<&Version>, message: String) -> SourceError {
        self.error(verb, at, ErrorKind::Network { message, is_refused: false })
    }

    /// What went wrong with a request of ours.
    pub(super) fn error(&self, verb: &str, at: Option<&Version>, kind: ErrorKind) -> SourceError {
        SourceError { request: self.asked(verb, at), kind }
    }

    /// What was asked, such as `watch pods in all namespaces at version 5`.
    pub(super) fn asked(&self, verb: &str, at: Option<&Version>) -> String {
        let mut asked = format!("{verb} {}", self.resource);
        if self.resource.scope == Scope::Namespaced {
            asked += &format!(" in {}", self.scope);
        }
        if let Some(version) = at {
            asked += &format!(" at version {version}");
        }
        asked
    }

    pub(super) fn listing(&self, mode: ListMode, asked: Option<&Version>) {
        trace!(debug, self, version = asked.map(tracing::field::display), ?mode, "listing");
        self.observer.listing(mode, asked);
    }

    /// Without a `tracing` event: "listed" and "watching" follow. A source without a wire tells none.
    pub(super) fn answered(&self, wire: Option<Wire>) {
        if let Some(wire) = wire {
            self.observer.answered(wire);
        }
    }

    /// Without a `tracing` event: a list has too many of them.
    pub(super) fn item(&self, object: &RawObject) {
        self.observer.item(object.wire_bytes());
    }

    pub(super) fn listed(&self, list: &CompletedList) {
        let CompletedList { mode, version, objects, pages, took, sharded } = list;
        if *sharded == Some(Sharded::ByClient) {
            trace!(warn, self, %version, "the server does not know shardSelector: the rest is left out here");
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
            Skipped::Object(error) => trace!(warn, self, %error, "an object was left out"),
            Skipped::UnknownEvent { event_type } => {
                trace!(warn, self, event_type, "an event of an unknown type was left out");
            }
        }
        self.observer.skipped(skipped);
    }

    pub(super) fn relisting(&self, reason: RelistReason) {
        trace!(info, self, ?reason, "relisting");
        self.observer.relisting(reason);
    }

    pub(super) fn refused_streaming_list(&self, for_now: Duration) {
        trace!(info, self, ?for_now, "streaming lists are refused");
        self.observer.refused_streaming_list(for_now);
    }

    pub(super) fn went_back(&self, from: &Version, to: &Version) {
        trace!(warn, self, version = %to, version_before = %from, "the server went back");
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
