//! A streaming list (KEP-3157): the initial events of a watch, up to the bookmark that marks their end. After the
//! marker the same stream continues as the watch.
//!
//! Before the marker no version is recorded and the sink gets nothing. Initial events are not ordered by version, so
//! the version of one of them says nothing about the others.
//!
//! A server that ignores `sendInitialEvents` never sends the marker, but may send events and bookmarks for ever. Two
//! rules detect it, and the reflector lists instead. A bookmark without the marker is a refusal: kube-apiserver
//! discards the bookmarks that are due before the marker (`cacheWatcher.nonblockingAdd`). And after ten seconds only
//! progress counts ([`InitialProgress`]).

use futures_util::StreamExt as _;
use tidings_object::Version;
use tidings_source::{
    ChangeType, ErrorClass, ListWatch, SourceError, StatusDetail, WatchEvent, WatchOptions, WatchStream,
};
use tokio::time::{Instant, timeout};

use super::config::{ListMode, ReflectorConfig};
use super::initial_progress::{InitialProgress, Stalled};
use super::observer::{CompletedList, ReflectorActivity, TracedObserver};
use super::phase::{FailureStage, ListVersion, OperationEnd};
use super::run::{FinishedOperation, epoch, non_empty};
use super::sink::{Replacement, Sink};
use super::watch::{OpenWatch, classify_close};
use super::{EVENTS_PER_UNIT, Reflector};
use crate::coop_budget::CoopBudget;

impl<L: ListWatch + ?Sized, S: Sink> Reflector<L, S> {
    pub(super) async fn stream_list(&mut self, at: ListVersion) -> FinishedOperation {
        let options = WatchOptions {
            version: self.version_for(at),
            timeout_seconds: Some(self.config.watch_timeout_seconds(&mut self.rng)),
            allow_bookmarks: true,
            send_initial_events: true,
        };
        self.observer.listing(ListMode::Streaming, options.version.as_ref());
        let mut open = OpenWatch::requested(&options);
        let mut replacement = self.sink.begin_replace(self.source.scope());
        let mut initial = InitialEvents {
            config: &self.config,
            observer: &self.observer,
            version: options.version.clone(),
            requested_at: open.requested_at,
            received: 0,
        };
        let listed = match initial.open(&*self.source, options).await {
            Ok(stream) => initial.collect(&*self.source, stream, &mut replacement).await,
            Err(finished) => Err(finished),
        };
        let (stream, version) = match listed {
            Ok(listed) => listed,
            Err(finished) => return *finished,
        };
        let (mode, objects, took) = (ListMode::Streaming, replacement.len(), open.requested_at.elapsed());
        let epoch = epoch(self.last_version.as_ref(), &version, &self.observer);
        replacement.commit(version.clone(), epoch).await;
        self.last_version = non_empty(version.clone());
        self.observer.listed(&CompletedList { mode, version, objects, pages: 1, took, sharded: None });
        open.stream = Some(stream);
        open.has_events = true;
        self.open_watch = Some(open);
        FinishedOperation::listed()
    }
}

/// The name of this request in errors.
const VERB: &str = "stream list";

/// Reads the initial events.
struct InitialEvents<'a> {
    config: &'a ReflectorConfig,
    observer: &'a TracedObserver,
    /// The requested version.
    version: Option<Version>,
    requested_at: Instant,
    received: usize,
}

impl InitialEvents<'_> {
    async fn open<L: ListWatch + ?Sized>(
        &self,
        source: &L,
        options: WatchOptions,
    ) -> Result<WatchStream, Box<FinishedOperation>> {
        let Ok(opened) = timeout(self.config.marker_silence_max, source.watch(options)).await else {
            return Err(self.silent());
        };
        let stream = opened.map_err(|error| self.failed(FailureStage::Opening, error))?;
        self.observer.response_received(source.wire());
        Ok(stream)
    }

    /// Collects all events up to the marker. Returns the stream and the version of the marker.
    async fn collect<L: ListWatch + ?Sized>(
        &mut self,
        source: &L,
        mut stream: WatchStream,
        into: &mut impl Replacement,
    ) -> Result<(WatchStream, Version), Box<FinishedOperation>> {
        let mut progress = InitialProgress::new(source, self.config, self.observer, self.requested_at);
        let mut coop_budget = CoopBudget::<EVENTS_PER_UNIT>::default();
        loop {
            coop_budget.step().await;
            let next = progress.within(stream.next()).await.map_err(|Stalled| self.silent())?;
            let new_object = match next {
                Some(Ok(WatchEvent::Changed(ChangeType::Added | ChangeType::Modified, object))) => {
                    let (objects, version) = (into.len(), object.version().clone());
                    self.received += 1;
                    self.observer.item(&object);
                    into.accept(object);
                    (into.len() > objects).then_some(version)
                }
                Some(Ok(WatchEvent::Changed(ChangeType::Deleted, object))) => {
                    self.received += 1;
                    into.retract(&object);
                    None
                }
                Some(Ok(WatchEvent::Bookmark { version, is_initial_events_end: true })) => {
                    return Ok((stream, version));
                }
                Some(Ok(WatchEvent::Bookmark { .. })) => return Err(self.bookmark_without_marker()),
                Some(Ok(WatchEvent::Skipped(skipped))) => {
                    self.observer.skipped(&skipped);
                    None
                }
                Some(Ok(WatchEvent::Error(status))) => return Err(self.error_event(status)),
                Some(Err(error)) => return Err(self.failed(FailureStage::Streaming, error)),
                None => return Err(self.closed()),
            };
            progress.received(new_object.as_ref()).map_err(|Stalled| self.silent())?;
        }
    }

    /// The server sent an error event. If it is a 500 before any other event, the server does not support streaming
    /// lists.
    fn error_event(&self, status: StatusDetail) -> Box<FinishedOperation> {
        let is_refusal = status.code == 500 && self.received == 0;
        let request = self.observer.request(VERB, self.version.as_ref());
        let error = SourceError::in_stream(request, status);
        if is_refusal {
            self.finished(OperationEnd::StreamingRefused, error)
        } else {
            self.failed(FailureStage::Streaming, error)
        }
    }

    fn failed(&self, stage: FailureStage, error: SourceError) -> Box<FinishedOperation> {
        let end = match (stage, error.class()) {
            (_, ErrorClass::StreamingListRefused) => OperationEnd::StreamingRefused,
            (FailureStage::Streaming, ErrorClass::Network) => self.end_of_closed_stream(),
            (stage, class) => OperationEnd::Failed(stage, class),
        };
        self.finished(end, error)
    }

    fn silent(&self) -> Box<FinishedOperation> {
        let silence = self.config.marker_silence_max;
        let message = format!("the initial events have not ended, and none arrived for {silence:?}");
        self.finished(OperationEnd::Silent, self.observer.network(VERB, self.version.as_ref(), message))
    }

    fn bookmark_without_marker(&self) -> Box<FinishedOperation> {
        let message =
            "a bookmark arrived before the end of the initial events: the server ignores sendInitialEvents";
        let error = self.observer.network(VERB, self.version.as_ref(), message.to_owned());
        self.finished(OperationEnd::StreamingRefused, error)
    }

    fn closed(&self) -> Box<FinishedOperation> {
        let message = "the stream was closed before the end of the initial events".to_owned();
        self.finished(
            self.end_of_closed_stream(),
            self.observer.network(VERB, self.version.as_ref(), message),
        )
    }

    fn end_of_closed_stream(&self) -> OperationEnd {
        classify_close(self.requested_at, self.received > 0)
    }

    fn finished(&self, end: OperationEnd, error: SourceError) -> Box<FinishedOperation> {
        Box::new(FinishedOperation::with_error(end, error, ReflectorActivity::StreamingList))
    }
}
