//! Observes one reflector for its informer: reports its failures, counts its requests, and keeps its current state for
//! `health`.

use std::sync::Arc;

use tidings_object::{Version, Wire};
use tidings_source::{ChangeType, ErrorKind, Sharded, Skipped, SourceError, StreamScope};
use tokio::time::{Duration, Instant};

use crate::informer::observe::fault::{FaultReporter, InformerFault};
use crate::informer::observe::health::{
    CompletedCounts, RequestCounts, StreamFailure, StreamHealth, StreamState,
};
use crate::reflector::{CompletedList, ListMode, Observer, ReflectorActivity, RelistReason, StopReason};
use crate::sync::Mutex;
use crate::sync::{AtomicU64, Ordering};

/// The observer of one reflector.
pub(crate) struct StreamMonitor {
    scope: StreamScope,
    reporter: Arc<FaultReporter>,
    state: Mutex<MonitorState>,
    counters: [AtomicU64; 8],
}

struct MonitorState {
    stream: StreamState,
    since: Instant,
    failing: Option<(SourceError, Instant, u32)>,
    last_error: Option<SourceError>,
    last_event: Option<Instant>,
    version: Option<Version>,
    list_mode: Option<ListMode>,
    wire: Option<Wire>,
    sharded: Option<Sharded>,
    /// The open watch: since when it is open, and how many events it has sent.
    open_watch: Option<(Instant, u64)>,
    ended: CompletedCounts,
}

#[derive(Clone, Copy)]
enum Counter {
    Lists,
    ListedObjects,
    ListedBytes,
    Relists,
    Watches,
    SilentWatches,
    Events,
    Bookmarks,
}

impl StreamMonitor {
    pub(crate) fn new(scope: StreamScope, reporter: Arc<FaultReporter>) -> Self {
        let state = MonitorState {
            stream: StreamState::NotStarted,
            since: Instant::now(),
            failing: None,
            last_error: None,
            last_event: None,
            version: None,
            list_mode: None,
            wire: None,
            sharded: None,
            open_watch: None,
            ended: CompletedCounts::default(),
        };
        StreamMonitor { scope, reporter, state: Mutex::new(state), counters: Default::default() }
    }

    pub(crate) fn health(&self) -> StreamHealth {
        let state = self.state.lock();
        StreamHealth {
            scope: self.scope.clone(),
            state: state.stream,
            for_duration: state.since.elapsed(),
            failing: state.failing.as_ref().map(|(error, since, attempts)| StreamFailure {
                error: error.clone(),
                class: error.class(),
                for_duration: since.elapsed(),
                attempts: *attempts,
            }),
            last_error: state.last_error.clone(),
            last_event_age: state.last_event.map(|at| at.elapsed()),
            version: state.version.clone(),
            list_mode: state.list_mode,
            wire: state.wire,
            sharded: state.sharded.clone(),
        }
    }

    pub(crate) fn add_to(&self, counts: &mut RequestCounts) {
        let count = |counter: Counter| self.counters[counter as usize].load(Ordering::Relaxed);
        counts.lists += count(Counter::Lists);
        counts.listed_objects += count(Counter::ListedObjects);
        counts.listed_bytes += count(Counter::ListedBytes);
        counts.relists += count(Counter::Relists);
        counts.watches += count(Counter::Watches);
        counts.silent_watches += count(Counter::SilentWatches);
        counts.events += count(Counter::Events);
        counts.bookmarks += count(Counter::Bookmarks);
        counts.ended.add(&self.state.lock().ended);
    }

    /// Reports a panic of the reflector, or of user code in it such as a transform. Without this the watch would stop
    /// silently.
    pub(crate) fn panicked(&self, message: &str) {
        let informer = self.reporter.informer();
        tracing::error!(informer = %informer, scope = %self.scope, message, "the reflector of a stream panicked");
        let message = format!("it panicked and has stopped: {message}");
        let kind = ErrorKind::Network { message, is_refused: false };
        self.failed(
            &SourceError { request: format!("list and watch {}", self.scope), kind },
            ReflectorActivity::Watch,
        );
        self.enter(StreamState::Stopped);
    }

    fn count(&self, counter: Counter) {
        self.add(counter, 1);
    }

    fn add(&self, counter: Counter, more: u64) {
        self.counters[counter as usize].fetch_add(more, Ordering::Relaxed);
    }

    fn enter(&self, next: StreamState) {
        let mut state = self.state.lock();
        state.end_watch();
        if state.stream != next {
            state.stream = next;
            state.since = Instant::now();
        }
    }
}

impl MonitorState {
    /// Counts the open watch, if there is one, as ended.
    fn end_watch(&mut self) {
        if let Some((since, events)) = self.open_watch.take() {
            self.ended.watch(since.elapsed(), events);
        }
    }

    /// Clears the current failures after a success.
    fn recovered(&mut self) {
        self.failing = None;
    }

    fn received(&mut self, version: &Version) {
        self.last_event = Some(Instant::now());
        self.version = Some(version.clone());
        self.recovered();
    }
}

impl Observer for StreamMonitor {
    fn listing(&self, mode: ListMode, _: Option<&Version>) {
        self.count(Counter::Lists);
        self.enter(StreamState::Listing);
        self.state.lock().list_mode = Some(mode);
    }

    fn response_received(&self, wire: Wire) {
        self.state.lock().wire = Some(wire);
    }

    fn item(&self, wire_bytes: usize) {
        self.count(Counter::ListedObjects);
        self.add(Counter::ListedBytes, wire_bytes as u64);
    }

    fn listed(&self, list: &CompletedList) {
        let mut state = self.state.lock();
        state.received(&list.version);
        state.sharded.clone_from(&list.sharded);
        state.ended.list(list.took, list.objects as u64);
    }

    fn watching(&self, _: Option<&Version>) {
        self.count(Counter::Watches);
        self.enter(StreamState::Watching);
        let mut state = self.state.lock();
        state.open_watch = Some((Instant::now(), 0));
        state.recovered();
    }

    fn event(&self, _: ChangeType, version: &Version) {
        self.count(Counter::Events);
        let mut state = self.state.lock();
        state.received(version);
        if let Some((_, events)) = &mut state.open_watch {
            *events += 1;
        }
    }

    fn bookmark(&self, version: &Version) {
        self.count(Counter::Bookmarks);
        self.state.lock().received(version);
    }

    fn failed(&self, error: &SourceError, during: ReflectorActivity) {
        let mut state = self.state.lock();
        if during == ReflectorActivity::Watch {
            state.end_watch();
        }
        let (since, attempts) = match &state.failing {
            Some((_, since, attempts)) => (*since, attempts + 1),
            None => (Instant::now(), 1),
        };
        state.failing = Some((error.clone(), since, attempts));
        state.last_error = Some(error.clone());
        drop(state);
        self.reporter.report(&InformerFault::Source(error.clone()));
    }

    fn skipped(&self, skipped: &Skipped) {
        self.reporter.report(&InformerFault::Skipped(skipped.clone()));
    }

    fn relisting(&self, _: RelistReason) {
        self.count(Counter::Relists);
    }

    fn went_back(&self, from: &Version, to: &Version) {
        self.reporter.report(&InformerFault::WentBack { from: from.to_string(), to: to.to_string() });
    }

    fn waiting(&self, _: Duration) {
        self.enter(StreamState::Waiting);
    }

    fn reopened_for_silence(&self, _: Duration) {
        self.count(Counter::SilentWatches);
    }

    fn stopped(&self, _: &StopReason) {
        self.enter(StreamState::Stopped);
    }
}
